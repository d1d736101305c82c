package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// listen opens the address at which figures and health are served, or gives
// nil where the configuration names none.
func (c config) listen() (net.Listener, error) {
	if c.Listen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", c.Listen)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("cannot listen on %s (listen under [http]): another program has that port; name another one", c.Listen)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("cannot listen on %s (listen under [http]): this machine has no such address; 127.0.0.1 is itself", c.Listen)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("cannot listen on %s (listen under [http]): not permitted; take a port above 1023", c.Listen)
	}
	return nil, fmt.Errorf("cannot listen on %s (listen under [http]): %w", c.Listen, err)
}

// serveHTTP answers requests until stop is called. It goes on while the bot
// finishes, so that whoever watches over it sees that too.
func serveHTTP(l net.Listener, h http.Handler) (stop func()) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends when it is closed
	}()
	return func() {
		_ = server.Close()
		<-done
	}
}
