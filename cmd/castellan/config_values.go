package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The types of values in a configuration. Each reads itself from what the TOML
// library has parsed, and its error says what would be right.

// text is any text.
type text string

// UnmarshalTOML implements toml.Unmarshaler.
func (t *text) UnmarshalTOML(v any) error {
	s, err := inQuotes(v)
	*t = text(s)
	return err
}

// yesNo is yes or no.
type yesNo bool

// UnmarshalTOML implements toml.Unmarshaler.
func (y *yesNo) UnmarshalTOML(v any) error {
	b, ok := v.(bool)
	if !ok {
		return fmt.Errorf("must be true or false, not %#v", v)
	}
	*y = yesNo(b)
	return nil
}

// inQuotes is a value that must be a text.
func inQuotes(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("must be a text in quotation marks, not %v", v)
	}
	return s, nil
}

// address is the base address of an API, without a slash at its end.
type address string

// UnmarshalTOML implements toml.Unmarshaler.
func (a *address) UnmarshalTOML(v any) error {
	s, err := inQuotes(v)
	if err != nil {
		return err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("must be an address such as %q or \"http://127.0.0.1:8080\", not %q", discordAPI, s)
	case strings.Contains(u.Path+"/", "/api/"):
		return fmt.Errorf("must be the address before /api, such as %q, not %q", discordAPI, s)
	}
	*a = address(strings.TrimSuffix(s, "/"))
	return nil
}

// file is the name of a file.
type file string

// UnmarshalTOML implements toml.Unmarshaler.
func (f *file) UnmarshalTOML(v any) error {
	s, err := inQuotes(v)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(s) == "" || strings.ContainsRune(s, 0):
		return errors.New(`must be the name of a file, such as "castellan.db"`)
	case strings.HasPrefix(s, ":memory:"):
		return errors.New(`must be the name of a file: in memory nothing would be kept, which is what castellan sandbox is for`)
	}
	*f = file(s)
	return nil
}

// listenAddress is where to listen, host and port, or empty for nowhere.
type listenAddress string

// UnmarshalTOML implements toml.Unmarshaler.
func (l *listenAddress) UnmarshalTOML(v any) error {
	s, err := inQuotes(v)
	if err != nil {
		return err
	}
	if s != "" {
		_, port, err := net.SplitHostPort(s)
		if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
			return fmt.Errorf(`must be an address and a port such as "127.0.0.1:9464", or "" for none, not %q`, s)
		}
	}
	*l = listenAddress(s)
	return nil
}

// snowflakes is ids of Discord.
type snowflakes []string

// UnmarshalTOML implements toml.Unmarshaler.
func (s *snowflakes) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf(`must be a list such as ["1150000000000000001"], not %v`, v)
	}
	out := snowflakes{}
	for _, v := range list {
		id, ok := v.(string)
		// Ids are 64-bit numbers; those that exist have 17 to 20 digits.
		if !ok || len(id) < 17 || len(id) > 20 || strings.Trim(id, "0123456789") != "" {
			return fmt.Errorf(`must hold ids of servers as texts of 17 to 20 digits, such as ["1150000000000000001"], not %#v`, v)
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	*s = out
	return nil
}

// level is how much is logged.
type level slog.Level

var levels = []string{"debug", "info", "warn", "error"}

// UnmarshalTOML implements toml.Unmarshaler.
func (l *level) UnmarshalTOML(v any) error {
	s, err := oneOf(v, levels)
	if err != nil {
		return err
	}
	return (*slog.Level)(l).UnmarshalText([]byte(s))
}

// format is how the log is written.
type format string

const (
	formatText format = "text" // a line of key=value
	formatJSON format = "json" // an object a line
)

// UnmarshalTOML implements toml.Unmarshaler.
func (f *format) UnmarshalTOML(v any) error {
	s, err := oneOf(v, []string{string(formatText), string(formatJSON)})
	*f = format(s)
	return err
}

// oneOf is a value that must be one of some words.
func oneOf(v any, words []string) (string, error) {
	s, ok := v.(string)
	if ok && slices.Contains(words, s) {
		return s, nil
	}
	if near := nearest(words, s); ok && near != "" {
		return "", fmt.Errorf("must be one of %s, not %q: did you mean %q?", quoted(words), s, near)
	}
	if ok {
		return "", fmt.Errorf("must be one of %s, not %q", quoted(words), s)
	}
	return "", fmt.Errorf("must be one of %s, not %v", quoted(words), v)
}

// quoted is words as they stand in a configuration.
func quoted(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, fmt.Sprintf("%q", w))
	}
	return strings.Join(all, ", ")
}
