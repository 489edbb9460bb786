package settings

import (
	"net"
	"strconv"
)

// Loopback says that nobody but this machine can connect to an address to listen on.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkAddress(name, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return refuse("such as 127.0.0.1:8080 or :8080", "%s is %q, which is not HOST:PORT", name, address)
	}
	return nil
}
