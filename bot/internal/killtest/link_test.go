package killtest_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// cut is how a link is interrupted.
type cut string

const (
	unbroken cut = ""       // not at all
	refuse   cut = "refuse" // connections end, and new ones end at once
	hang     cut = "hang"   // nothing passes, and arrives late
	reset    cut = "reset"  // connections end, and new ones work
)

// link is a TCP address from which connections are forwarded. It can be cut.
type link struct {
	listener net.Listener
	dial     func() (net.Conn, error)

	mu    sync.Mutex
	state cut
	over  chan struct{} // closed when the cut is over
	conns map[net.Conn]bool
}

func newLink(t *testing.T, dial func() (net.Conn, error)) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := &link{listener: listener, dial: dial, over: make(chan struct{}), conns: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go l.forward(c)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		l.cut(refuse)
		l.heal()
	})
	return l
}

func (l *link) addr() string { return l.listener.Addr().String() }

// cut interrupts the link until heal is called.
func (l *link) cut(how cut) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if how != hang {
		for c := range l.conns {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // RST
			}
			c.Close()
		}
	}
	if how != reset {
		l.state = how
	}
}

func (l *link) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = unbroken
	close(l.over)
	l.over = make(chan struct{})
}

// await returns when nothing hangs.
func (l *link) await() {
	for {
		l.mu.Lock()
		state, over := l.state, l.over
		l.mu.Unlock()
		if state != hang {
			return
		}
		<-over
	}
}

// hold tracks a connection, or closes it if the link is cut.
func (l *link) hold(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == refuse {
		c.Close()
		return false
	}
	l.conns[c] = true
	return true
}

func (l *link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	c.Close()
}

func (l *link) forward(near net.Conn) {
	if !l.hold(near) {
		return
	}
	defer l.drop(near)
	l.await()
	far, err := l.dial()
	if err != nil || !l.hold(far) {
		return
	}
	defer l.drop(far)
	done := make(chan struct{}, 2)
	pump := func(to, from net.Conn) {
		defer func() { done <- struct{}{} }()
		buffer := make([]byte, 32<<10)
		for {
			n, err := from.Read(buffer)
			l.await()
			if n > 0 {
				if _, err := to.Write(buffer[:n]); err != nil {
					return
				}
			}
			if err != nil {
				if err == io.EOF {
					if half, ok := to.(interface{ CloseWrite() error }); ok {
						_ = half.CloseWrite()
					}
				}
				return
			}
		}
	}
	go pump(far, near)
	go pump(near, far)
	<-done
	// What was sent before the end of one side has arrived; the other one ends, too.
}
