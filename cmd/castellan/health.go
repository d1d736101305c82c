package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"castellan/bot/metrics"
)

type healthCommand struct {
	Config string `short:"c" env:"CASTELLAN_CONFIG" help:"The configuration file of the bot that runs." placeholder:"FILE"`
	Ready  bool   `help:"Ask whether people are served, too: connected to Discord, commands registered."`
}

// healthWithin is for how long the bot is waited for: more than it takes to
// find out.
const healthWithin = 5 * time.Second

// maxHealth is how much of an answer is read, in bytes.
const maxHealth = 4096

// Run asks the bot of a configuration how it is, and fails where it is not
// well or does not answer.
func (c healthCommand) Run(ctx context.Context, s streams) error {
	conf, err := loadConfig(c.Config)
	if err != nil {
		return err
	}
	address, err := conf.reach()
	if err != nil {
		return &usageError{err}
	}
	path := metrics.PathHealth
	if c.Ready {
		path = metrics.PathReady
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return fmt.Errorf("asking for health: %w", err)
	}
	// Straight there, whatever proxy the environment names.
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
		return fmt.Errorf("not well: %s", strings.Join(wrong(string(text)), "; "))
	}
	return fmt.Errorf("%s answers %s: that is not castellan run", address, response.Status)
}

// wrong is the lines of an answer that tell of something wrong.
func wrong(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ": ok") {
			lines = append(lines, line)
		}
	}
	return lines
}

// reach is the address at which this machine reaches what listens there.
func (c config) reach() (string, error) {
	if c.Listen == "" {
		return "", errors.New(`the bot serves no health: listen under [http] is empty in this configuration; write listen = "127.0.0.1:9464" and start the bot again`)
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", err
	}
	if port == "0" {
		return "", fmt.Errorf("nobody can know where the bot listens: %s (listen under [http]) has the port 0; name one", c.Listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}
