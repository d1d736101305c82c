package sandbox

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// Listen opens a TCP port of this machine's loopback interface, such as
// "127.0.0.1:8080", "[::1]:8080" or "localhost:0". Anything that other
// machines could reach is refused, since the sandbox lets everybody who
// reaches it be anybody. Errors are sentences for the person who gave the
// address.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address of the form host:port, such as 127.0.0.1:8080", addr)
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf("%s is not a loopback address: the sandbox listens on 127.0.0.1, ::1 or localhost only, because whoever reaches it can act as any user", addr)
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: stop it, or choose another port (0 takes any free one)", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}

// isLoopback says whether a host name without port means this machine alone.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
