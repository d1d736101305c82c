package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot"
	"castellan/bot/discord"
	"castellan/bot/discord/endpoint"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/storage/transfer"
)

// config is the configuration of castellan run. config.example.toml explains
// every key.
type config struct {
	API               string   // base address of Discord's API
	TokenFile         string   // file with the bot token, or empty
	Guilds            []string // IDs of the guilds in which commands are registered; globally if empty
	Threads           bool     // play matches in threads
	RequestsPerSecond int      // that Discord allows the bot
	Shards            int      // as many as Discord recommends if 0
	Database          string   // file name
	URL               string   // of a database on PostgreSQL, instead of the file; or empty
	LogLevel          slog.Level
	LogFormat         string // formatText or formatJSON
	Listen            string // address for metrics and health, or empty
	Interactions      string // address for interactions over HTTP, or empty
	PublicKey         ed25519.PublicKey
	Gateway           bool // connect to the gateway, too
	Limits            host.Limits
	Flood             interaction.Flood
	Roles             []string // of the process; all if empty
}

// Log formats.
const (
	formatText = "text" // key=value
	formatJSON = "json" // one object per line
)

// discordAPI is the base address of Discord's own API.
const discordAPI = "https://discord.com"

// defaultConfig returns the configuration without a file.
func defaultConfig() config {
	return config{
		API: discordAPI, Threads: true, Gateway: true, RequestsPerSecond: discord.DefaultGlobalLimit, Database: "castellan.db", LogLevel: slog.LevelInfo, LogFormat: formatText,
		Limits: host.DefaultLimits(), Flood: interaction.DefaultFlood(),
	}
}

// keys returns the sections, each with the setters of its keys.
func (c *config) keys() map[string]map[string]setter {
	return map[string]map[string]setter{
		"discord": {
			"api": setAPI(&c.API), "token_file": setString(&c.TokenFile, func(string) error { return nil }), "servers": setIDs(&c.Guilds), "threads": setBool(&c.Threads),
			"requests_per_second": setCount(&c.RequestsPerSecond), "shards": setShards(&c.Shards),
		},
		"database": {"path": setDatabase(&c.Database), "url": setURL(&c.URL)},
		"log": {
			"level":  setWord([]string{"debug", "info", "warn", "error"}, func(s string) { _ = c.LogLevel.UnmarshalText([]byte(s)) }),
			"format": setWord([]string{formatText, formatJSON}, func(s string) { c.LogFormat = s }),
		},
		"process": {"roles": setRoles(&c.Roles)},
		"http":    {"listen": setListen(&c.Listen)},
		"interactions": {
			"address": setListen(&c.Interactions), "gateway": setBool(&c.Gateway),
			"public_key": setString(new(string), func(s string) (err error) {
				if c.PublicKey = nil; s == "" {
					return nil
				}
				if c.PublicKey, err = endpoint.ParsePublicKey(s); err != nil {
					return fmt.Errorf("must be the public key of the application in the developer portal: %w", err)
				}
				return nil
			}),
		},
		"limits": {
			"challenge_window":                setDuration(&c.Limits.Window),
			"challenges_per_person":           setCount(&c.Limits.MadeByPerson),
			"challenges_per_channel":          setCount(&c.Limits.MadeInChannel),
			"open_challenges_per_person":      setCount(&c.Limits.OpenByPerson),
			"open_challenges_per_channel":     setCount(&c.Limits.OpenInChannel),
			"matches_per_person":              setCount(&c.Limits.Running),
			"requests_per_person":             setCount(&c.Flood.Burst),
			"requests_per_person_and_second":  setRate(&c.Flood.Rate),
			"requests_per_channel":            setCount(&c.Flood.ChannelBurst),
			"requests_per_channel_and_second": setRate(&c.Flood.ChannelRate),
		},
	}
}

// setter stores the value of a key, as parsed by the TOML library. Its error
// says what would be right.
type setter func(value any) error

// UnmarshalTOML implements toml.Unmarshaler, so that errors carry a line.
func (s setter) UnmarshalTOML(value any) error { return s(value) }

// setString returns a setter for text that check accepts.
func setString(to *string, check func(string) error) setter {
	return func(v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("must be a text in quotation marks, not %v", v)
		}
		if err := check(s); err != nil {
			return err
		}
		*to = s
		return nil
	}
}

func setBool(to *bool) setter {
	return func(v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("must be true or false, not %#v", v)
		}
		*to = b
		return nil
	}
}

func setAPI(to *string) setter {
	set := setString(to, func(s string) error {
		u, err := url.Parse(s)
		switch {
		case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.Fragment != "":
			return fmt.Errorf("must be an address such as %q or \"http://127.0.0.1:8080\", not %q", discordAPI, s)
		case strings.Contains(u.Path+"/", "/api/"):
			return fmt.Errorf("must be the address before /api, such as %q, not %q", discordAPI, s)
		}
		return nil
	})
	return func(v any) error {
		err := set(v)
		*to = strings.TrimSuffix(*to, "/")
		return err
	}
}

func setDatabase(to *string) setter {
	return setString(to, func(s string) error {
		switch {
		case strings.TrimSpace(s) == "" || strings.ContainsRune(s, 0):
			return errors.New(`must be the name of a file, such as "castellan.db"`)
		case strings.HasPrefix(s, ":memory:"):
			return errors.New("must be the name of a file: in memory nothing would be kept, which is what castellan sandbox is for")
		}
		return nil
	})
}

// setURL stores the URL of a database. It must not contain the password, for the
// reason that tokenHint gives.
func setURL(to *string) setter {
	return setString(to, func(s string) error {
		u, err := url.Parse(s)
		if s == "" {
			return nil
		}
		if err != nil || !transfer.IsURL(s) {
			return errors.New(`must be an address such as "postgres://castellan@host/castellan", or "" for none`)
		}
		if _, set := u.User.Password(); set || u.Query().Has("password") {
			return errors.New("must not contain the password, because this file gets copied, shown and committed: put the whole address in the environment variable " +
				databaseVariable + ", the password in PGPASSWORD, or both in a password file (https://www.postgresql.org/docs/current/libpq-pgpass.html)")
		}
		return nil
	})
}

func setListen(to *string) setter {
	return setString(to, func(s string) error {
		_, port, err := net.SplitHostPort(s)
		if _, invalid := strconv.ParseUint(port, 10, 16); s != "" && (err != nil || invalid != nil) {
			return fmt.Errorf(`must be an address and a port such as "127.0.0.1:9464", or "" for none, not %q`, s)
		}
		return nil
	})
}

// setIDs stores a list of Discord IDs without duplicates. IDs in use have 17 to
// 20 digits.
func setIDs(to *[]string) setter {
	return func(v any) error {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf(`must be a list such as ["1150000000000000001"], not %v`, v)
		}
		var ids []string
		for _, v := range list {
			id, ok := v.(string)
			if !ok || len(id) < 17 || len(id) > 20 || strings.Trim(id, "0123456789") != "" {
				return fmt.Errorf(`must hold ids of servers as texts of 17 to 20 digits, such as ["1150000000000000001"], not %#v`, v)
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		*to = ids
		return nil
	}
}

// setRoles stores a list of roles.
func setRoles(to *[]string) setter {
	return func(v any) error {
		list, ok := v.([]any)
		var names []string
		for _, v := range list {
			name, isText := v.(string)
			ok = ok && isText
			names = append(names, name)
		}
		if !ok {
			return fmt.Errorf(`must be a list such as ["gateway", "http"], or [] for everything, not %v`, v)
		}
		*to = names
		if _, err := bot.ParseRoles(names); err != nil {
			return fmt.Errorf("is wrong: %w", err)
		}
		return nil
	}
}

// roles returns the roles of a process with a database: those that are named, or all
// that the configuration allows.
func (c config) roles(named []string, database string) (bot.Roles, error) {
	all := bot.Roles{Gateway: c.Gateway, HTTP: c.Interactions != "", Poster: true, Worker: true}
	if len(named) == 0 {
		return all, nil
	}
	r, err := bot.ParseRoles(named)
	switch {
	case err != nil:
		return r, err
	case r.Gateway && !c.Gateway:
		return r, errors.New("the role gateway contradicts gateway = false under [interactions]: leave out the role, or say gateway = true")
	case r.HTTP && c.Interactions == "":
		return r, errors.New("the role http needs the address at which interactions are received: address and public_key under [interactions]")
	case r != all && !transfer.IsURL(database):
		return r, fmt.Errorf("one process has the file %s alone and must do everything: leave out the roles, or keep the matches in PostgreSQL (url under [database]; docs/scaling.md)", database)
	}
	return r, nil
}

func setWord(words []string, set func(string)) setter {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, strconv.Quote(w))
	}
	list := strings.Join(quoted, ", ")
	return func(v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("must be one of %s, not %v", list, v)
		}
		if slices.Contains(words, s) {
			set(s)
			return nil
		}
		if near := nearest(words, s); near != "" {
			return fmt.Errorf("must be one of %s, not %q: did you mean %q?", list, s, near)
		}
		return fmt.Errorf("must be one of %s, not %q", list, s)
	}
}

// The largest count and rate of the limits.
const (
	maxCount = 1_000_000
	maxRate  = 10_000
)

func setCount(to *int) setter {
	return func(v any) error {
		n, ok := v.(int64)
		if !ok || n < 1 || n > maxCount {
			return fmt.Errorf("must be a whole number from 1 to %d, not %#v", maxCount, v)
		}
		*to = int(n)
		return nil
	}
}

func setShards(to *int) setter {
	set := setCount(to)
	return func(v any) error {
		if v == int64(0) {
			*to = 0
			return nil
		}
		if err := set(v); err != nil {
			return fmt.Errorf("%w, or 0 for as many as Discord recommends", err)
		}
		return nil
	}
}

func setRate(to *float64) setter {
	const lowest = 0.01
	return func(v any) error {
		n, _ := v.(float64)
		if i, ok := v.(int64); ok {
			n = float64(i)
		}
		if !(n >= lowest && n <= maxRate) { // false for NaN, too
			return fmt.Errorf("must be a number from %v to %v, not %#v", lowest, maxRate, v)
		}
		*to = n
		return nil
	}
}

func setDuration(to *time.Duration) setter {
	return func(v any) error {
		s, _ := v.(string)
		d, err := time.ParseDuration(s)
		if err != nil || d < time.Second || d > 365*24*time.Hour {
			return fmt.Errorf(`must be a time of one second to 365 days such as "90s", "10m" or "24h", not %#v`, v)
		}
		*to = d
		return nil
	}
}
