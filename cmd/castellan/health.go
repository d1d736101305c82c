package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"castellan/bot/metrics"
	"castellan/cmd/internal/cli"
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
func (c healthCommand) Run(ctx context.Context, s cli.Streams) error {
	path := metrics.PathHealth
	if c.Ready {
		path = metrics.PathReady
	}
	response, err := askBot(ctx, c.Config, http.MethodGet, path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxHealth))
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	switch response.StatusCode {
	case http.StatusOK:
		_, err := s.Out.Write(text)
		return err
	case http.StatusServiceUnavailable:
		return fmt.Errorf("unhealthy: %s", strings.Join(failedChecks(string(text)), "; "))
	}
	return errNotCastellan(response)
}

func errNotCastellan(r *http.Response) error {
	return fmt.Errorf("%s answers %s: that is not castellan run", r.Request.Host, r.Status)
}

// askBot sends a request to the bot of a configuration. Reading the response fails
// after healthTimeout.
func askBot(ctx context.Context, config, method, path string) (*http.Response, error) {
	conf, err := loadConfig(config)
	if err != nil {
		return nil, err
	}
	address, err := conf.healthAddress()
	if err != nil {
		return nil, cli.Usage(err)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, nil)
	if err != nil {
		return nil, fmt.Errorf("asking the bot: %w", err)
	}
	if method == http.MethodPost {
		request.Header.Set(metrics.HeaderPost, "1")
	}
	// A transport of its own ignores the proxies that the environment names.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: healthTimeout}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("castellan run does not answer on %s: %w", address, errors.Unwrap(err))
	}
	return response, nil
}

type shardsCommand struct {
	Config string `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file of the running bot." placeholder:"FILE"`
	JSON   bool   `name:"json" help:"Print JSON, for programs."`
	Check  bool   `help:"Have the bot ask Discord now whether it recommends more shards. It asks by itself once a day."`
}

// Run prints the shards of the bot of a configuration.
func (c shardsCommand) Run(ctx context.Context, s cli.Streams) error {
	method, want := http.MethodGet, http.StatusOK
	if c.Check {
		method, want = http.MethodPost, http.StatusAccepted
	}
	response, err := askBot(ctx, c.Config, method, metrics.PathShards)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != want {
		return errNotCastellan(response)
	}
	if c.Check {
		return nil
	}
	if c.JSON {
		_, err := io.Copy(s.Out, response.Body)
		return err
	}
	var report metrics.ShardReport
	if err := json.NewDecoder(response.Body).Decode(&report); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return printShards(s.Out, report)
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

// listenHost returns the host of an address to listen on.
func listenHost(address string) string {
	host, _, _ := net.SplitHostPort(address) // was checked
	return host
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
