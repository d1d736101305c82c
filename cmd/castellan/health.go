package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"castellan/bot/metrics"
)

type healthCommand struct {
	Config string `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file of the running bot." placeholder:"FILE"`
	Ready  bool   `help:"Also ask whether the bot is ready: connected to Discord, commands registered."`
}

const (
	healthTimeout = 5 * time.Second // longer than the bot's own checks take
	maxHealth     = 4096            // bytes read of an answer
)

// Run asks the bot of a configuration for its health. It fails if the bot does
// not answer or reports a failed check.
func (c healthCommand) Run(ctx context.Context, s streams) error {
	conf, err := loadConfig(c.Config)
	if err != nil {
		return err
	}
	address, err := conf.healthAddress()
	if err != nil {
		return &usageError{err}
	}
	path := metrics.PathHealth
	if c.Ready {
		path = metrics.PathReady
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return fmt.Errorf("asking for health: %w", err)
	}
	// A transport of its own ignores the proxies that the environment names.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("castellan run does not answer on %s: %w", address, errors.Unwrap(err))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxHealth))
	if err != nil {
		return fmt.Errorf("reading the answer of %s: %w", address, err)
	}
	switch response.StatusCode {
	case http.StatusOK:
		_, err := s.out.Write(text)
		return err
	case http.StatusServiceUnavailable:
		return fmt.Errorf("unhealthy: %s", strings.Join(failedChecks(string(text)), "; "))
	}
	return fmt.Errorf("%s answers %s: that is not castellan run", address, response.Status)
}

// failedChecks returns the lines of an answer that do not end in ": ok".
func failedChecks(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ": ok") {
			lines = append(lines, line)
		}
	}
	return lines
}

// healthAddress returns the host and port at which this machine reaches the
// configured listener.
func (c config) healthAddress() (string, error) {
	if c.Listen == "" {
		return "", errors.New(`the bot serves no health: listen under [http] is empty in this configuration; write listen = "127.0.0.1:9464" and restart the bot`)
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", fmt.Errorf("the bot's port is unknown: %s (listen under [http]) has the port 0; name one", c.Listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}

// listenOn opens an address, which a key of the configuration has. It returns nil if
// the address is empty.
func listenOn(address, key string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	advice := ""
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "another program uses that port; name another one"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		advice = "this machine has no such address; its own is 127.0.0.1"
	case errors.Is(err, syscall.EACCES):
		advice = "not permitted; use a port above 1023"
	default:
		return nil, fmt.Errorf("cannot listen on %s (%s): %w", address, key, err)
	}
	return nil, fmt.Errorf("cannot listen on %s (%s): %s", address, key, advice)
}

// serveHTTP answers requests until stop is called. The caller keeps it running
// while the bot shuts down, so that monitoring sees that, too.
func serveHTTP(l net.Listener, h http.Handler) (stop func()) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // returns after Close
	}()
	return func() {
		_ = server.Close()
		<-done
	}
}
