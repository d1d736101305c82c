package postgres

import (
	"net"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// cutOff is how long a server that is cut off from the network is waited for.
// Without a limit, the system would wait for a quarter of an hour.
const cutOff = 15 * time.Second

// tcpUserTimeout is the option of Linux that limits how long sent data may remain
// without an acknowledgement, in milliseconds (tcp(7)). Keep-alive packets are sent
// only while nothing else is.
const tcpUserTimeout = 18

func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: cutOff / 3, Interval: cutOff / 3, Count: 2},
		Control: func(network, _ string, c syscall.RawConn) (err error) {
			if runtime.GOOS != "linux" || !strings.HasPrefix(network, "tcp") {
				return nil
			}
			if e := c.Control(func(fd uintptr) { err = setOption(fd, tcpUserTimeout, int(cutOff.Milliseconds())) }); e != nil {
				return e
			}
			return err
		},
	}
}
