//go:build !unix

package pgserver

import (
	"errors"
	"syscall"
)

func unprivileged(...string) (*syscall.SysProcAttr, error) {
	return nil, errors.New("a local server needs a Unix shell to watch over it")
}
