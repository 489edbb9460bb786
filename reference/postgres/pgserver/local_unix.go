//go:build unix

package pgserver

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged says how to run a shell in a session of its own, so that no signal of our
// terminal reaches it, and as another user where we are root, since Postgres refuses to run as
// root. That user is given the paths.
func unprivileged(paths ...string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	credential, err := anyUser("postgres", "nobody")
	if err != nil {
		return nil, fmt.Errorf("find a user to run Postgres as, which refuses to run as root: %w", err)
	}
	attr.Credential = credential
	for _, path := range paths {
		if err := os.Chown(path, int(credential.Uid), int(credential.Gid)); err != nil {
			return nil, fmt.Errorf("give cluster to its user: %w", err)
		}
	}
	return attr, nil
}

// anyUser is the first of names that exists.
func anyUser(names ...string) (*syscall.Credential, error) {
	var errs []error
	for _, name := range names {
		found, err := user.Lookup(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
	}
	return nil, errors.Join(errs...)
}
