package postgres

import (
	"net"
	"syscall"
	"testing"
)

func TestDialer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := dialer().DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	socket, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for option, want := range map[int]int{tcpUserTimeout: 15000, syscall.TCP_KEEPIDLE: 5, syscall.TCP_KEEPINTVL: 5, syscall.TCP_KEEPCNT: 2} {
		var got int
		if e := socket.Control(func(fd uintptr) { got, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, option) }); e != nil || err != nil || got != want {
			t.Errorf("option %d is %d (%v, %v), want %d", option, got, e, err, want)
		}
	}
}
