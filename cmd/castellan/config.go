package main

import (
	"cmp"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"castellan/bot"
	"castellan/bot/discord"
	"castellan/bot/handlers"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/cmd/internal/cli"
	"castellan/engine"
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
	LogFormat         string   // formatText or formatJSON
	Listen            string   // address for metrics and health, or empty
	Hosts             []string // names by which Listen is reached, besides those without a dot
	Interactions      string   // address for interactions over HTTP, or empty
	PublicKey         ed25519.PublicKey
	Gateway           bool // connect to the gateway, too
	Limits            host.Limits
	Flood             interaction.Flood
	Roles             []string // of the process; all if empty
	Operators         handlers.Operators
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

// keys returns what each key of each section sets.
func (c *config) keys() map[string]map[string]setter {
	return map[string]map[string]setter{
		"discord": {
			"api": setText(&c.API, parseAPI), "token_file": setText(&c.TokenFile, parseFileName), "servers": setIDs(&c.Guilds), "threads": setBool(&c.Threads),
			"requests_per_second": setCount(&c.RequestsPerSecond, ""), "shards": setCount(&c.Shards, ", or 0 for as many as Discord recommends"),
		},
		"database": {"path": setText(&c.Database, parseDatabase), "url": setText(&c.URL, parseURL)},
		"log": {
			"level":  setWord(&c.LogLevel, map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}),
			"format": setWord(&c.LogFormat, map[string]string{formatText: formatText, formatJSON: formatJSON}),
		},
		"process": {"roles": setRoles(&c.Roles)},
		"http":    {"listen": setText(&c.Listen, parseListen), "hosts": setNames(&c.Hosts, `["castellan.example.org"]`)},
		"interactions": {
			"address": setText(&c.Interactions, parseListen), "public_key": setText(&c.PublicKey, parsePublicKey), "gateway": setBool(&c.Gateway),
		},
		"operators": {"server": setText(&c.Operators.Guild, parseGuild), "people": setIDs(&c.Operators.People)},
		"limits": {
			"challenge_window":                setDuration(&c.Limits.Window),
			"challenges_per_person":           setCount(&c.Limits.MadeByPerson, ""),
			"challenges_per_server":           setCount(&c.Limits.MadeInGuild, ""),
			"open_challenges_per_person":      setCount(&c.Limits.OpenByPerson, ""),
			"open_challenges_per_server":      setCount(&c.Limits.OpenInGuild, ""),
			"matches_per_person":              setCount(&c.Limits.Running, ""),
			"requests_per_person":             setCount(&c.Flood.Burst, ""),
			"requests_per_person_and_second":  setRate(&c.Flood.Rate),
			"requests_per_channel":            setCount(&c.Flood.ChannelBurst, ""),
			"requests_per_channel_and_second": setRate(&c.Flood.ChannelRate),
		},
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
		return r, fmt.Errorf("one process has the file %s alone and must do everything: leave out the roles, or keep the matches in PostgreSQL (url under [database]; docs/host/scaling.md)", database)
	}
	return r, nil
}

type checkConfigCommand struct {
	File string `arg:"" help:"The configuration file."`
}

// Run reports the mistakes that castellan run would reject.
func (c checkConfigCommand) Run(s cli.Streams) error {
	if _, err := loadConfig(c.File); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.Out, "%s is in order.\n", c.File)
	return err
}

// maxConfig is the size limit of a configuration in bytes.
const maxConfig = 1 << 20

// mistake says what is wrong in a line, and what would be right.
type mistake struct {
	line int
	text string
}

// loadConfig reads a configuration file; without a name it returns the
// defaults. Mistakes are usage errors.
func loadConfig(name string) (config, error) {
	if name == "" {
		return defaultConfig(), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return config{}, cli.Usage(fmt.Errorf("opening the configuration: %w", err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(data) > maxConfig {
		return config{}, cli.Usage(fmt.Errorf("%s is no configuration: it has more than %d bytes", name, maxConfig))
	}
	c, mistakes := parseConfig(string(data))
	if len(mistakes) == 0 {
		return c, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has %s:", name, cli.Count(len(mistakes), "mistake", "mistakes"))
	for _, m := range mistakes {
		fmt.Fprintf(&b, "\n  line %d: %s", m.line, m.text)
	}
	return config{}, cli.Usage(errors.New(b.String()))
}

// parseConfig reads a configuration over the defaults. It finds every mistake,
// in the order of the lines; text that is not TOML has one.
func parseConfig(data string) (config, []mistake) {
	c := defaultConfig()
	var sections map[string]toml.Primitive
	meta, err := toml.Decode(data, &sections)
	if err != nil {
		line, message := 1, err.Error()
		var parseError toml.ParseError
		if errors.As(err, &parseError) {
			line, message = max(parseError.Position.Line, 1), parseError.Message
		}
		return c, []mistake{{line, message}}
	}
	p := configParser{meta: meta, known: c.keys()}
	for name, value := range sections {
		p.section(name, value)
	}
	if c.URL != "" && meta.IsDefined("database", "path") {
		p.mistake(sections["database"], "url under [database] replaces path: name one of them")
	}
	switch {
	case c.Interactions != "" && c.PublicKey == nil:
		p.mistake(sections["interactions"], "address under [interactions] needs public_key there, which the developer portal shows under General Information of the application")
	case c.Interactions == "" && !c.Gateway:
		p.mistake(sections["interactions"], "gateway = false under [interactions] needs address there: otherwise the bot would receive nothing")
	}
	if (c.Operators.Guild == "") != (len(c.Operators.People) == 0) {
		p.mistake(sections["operators"], "server and people under [operators] need each other: the server in which the command for operators is, and who may use it there")
	}
	slices.SortFunc(p.mistakes, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.text, b.text))
	})
	return c, p.mistakes
}

type configParser struct {
	meta     toml.MetaData
	known    map[string]map[string]setter
	mistakes []mistake
}

// tokenHint explains why the file must not contain the token.
const tokenHint = "the bot token does not belong here, because this file gets copied, shown and committed: " +
	"put it in the environment variable CASTELLAN_TOKEN or, alone, in the file that token_file names. " +
	"If anybody has seen this file, reset the token"

func (p *configParser) section(name string, value toml.Primitive) {
	keys, known := p.known[name]
	isTable := false
	_ = p.meta.PrimitiveDecode(value, setter(func(v any) error { _, isTable = v.(map[string]any); return nil }))
	var values map[string]toml.Primitive
	switch err := p.meta.PrimitiveDecode(value, &values); {
	case isToken(name):
		p.mistake(value, "%s", tokenHint)
	case !known && isTable:
		p.mistake(value, "there is no section [%s]%s", quotedKey(name), alternatives(p.known, name, "[%s]"))
	case !known:
		for _, section := range slices.Sorted(maps.Keys(p.known)) {
			if p.known[section][name] != nil {
				p.mistake(value, "%s stands under [%s]", name, section)
				return
			}
		}
		p.mistake(value, "there is no key %s outside of a section", quotedKey(name))
	case !isTable || err != nil:
		p.mistake(value, "%s must be a section, [%s] on a line of its own", name, name)
	default:
		for key, value := range values {
			p.key(name, keys, key, value)
		}
	}
}

func (p *configParser) key(section string, keys map[string]setter, key string, value toml.Primitive) {
	set, known := keys[key]
	switch {
	case isToken(key):
		p.mistake(value, "%s", tokenHint)
	case !known:
		p.mistake(value, "there is no key %s under [%s]%s", quotedKey(key), section, alternatives(keys, key, "%s"))
	default:
		var parseError toml.ParseError
		if err := p.meta.PrimitiveDecode(value, set); errors.As(err, &parseError) {
			p.mistake(value, "%s %s", key, parseError.Message)
		} else if err != nil {
			p.mistake(value, "%s: %v", key, err)
		}
	}
}

func isToken(key string) bool {
	key = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
	return slices.Contains([]string{"token", "bottoken", "discordtoken", "castellantoken"}, key)
}

// mistake records a mistake in the line of a value.
func (p *configParser) mistake(value toml.Primitive, format string, args ...any) {
	p.mistakes = append(p.mistakes, mistake{p.line(value), fmt.Sprintf(format, args...)})
}

// line returns the line of a value. The library gives lines in its errors only,
// so the value is decoded by a setter that refuses everything.
func (p *configParser) line(value toml.Primitive) int {
	var found toml.ParseError
	refuse := setter(func(any) error { return errors.New("refused") })
	if errors.As(p.meta.PrimitiveDecode(value, refuse), &found) && found.Position.Line > 0 {
		return found.Position.Line
	}
	// A section that is only implied, by [a.b], has no line of its own.
	var inner map[string]toml.Primitive
	if p.meta.PrimitiveDecode(value, &inner) != nil || len(inner) == 0 {
		return 1
	}
	var lines []int
	for _, v := range inner {
		lines = append(lines, p.line(v))
	}
	return slices.Min(lines)
}

// alternatives suggests the known key that is most similar to an unknown one, or
// lists all of them.
func alternatives[V any](known map[string]V, key, format string) string {
	names := slices.Sorted(maps.Keys(known))
	if near := nearest(names, key); near != "" {
		return "; did you mean " + fmt.Sprintf(format, near) + "?"
	}
	for i, name := range names {
		names[i] = fmt.Sprintf(format, name)
	}
	return "; there is " + strings.Join(names, ", ")
}

// quotedKey quotes an unknown key in a message.
func quotedKey(key string) string {
	if len(key) > 60 {
		key = key[:60] + "…"
	}
	return fmt.Sprintf("%q", key)
}

// nearest returns the word that is most similar to a text, or "" if none is.
func nearest(words []string, text string) string {
	return strings.Join(engine.Nearest(words, text, 1), "")
}

// setter stores the value of a key, as parsed by the TOML library. Its error
// says what would be right.
type setter func(value any) error

// UnmarshalTOML implements toml.Unmarshaler, so that errors carry a line.
func (s setter) UnmarshalTOML(value any) error { return s(value) }

// setText returns a setter for text, which parse accepts and may change.
func setText[T any](to *T, parse func(string) (T, error)) setter {
	return func(v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("must be a text in quotation marks, not %v", v)
		}
		value, err := parse(s)
		if err == nil {
			*to = value
		}
		return err
	}
}

// parseFileName accepts any text.
func parseGuild(s string) (string, error) {
	if s != "" && (len(s) < 17 || len(s) > 20 || strings.Trim(s, "0123456789") != "") {
		return "", fmt.Errorf("must be the ID of a server, a text of 17 to 20 digits such as \"1150000000000000001\", not %q", s)
	}
	return s, nil
}

func parseFileName(s string) (string, error) { return s, nil }

func parseAPI(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.Fragment != "":
		return "", fmt.Errorf("must be an address such as %q or \"http://127.0.0.1:8080\", not %q", discordAPI, s)
	case strings.Contains(u.Path+"/", "/api/"):
		return "", fmt.Errorf("must be the address before /api, such as %q, not %q", discordAPI, s)
	}
	return strings.TrimSuffix(s, "/"), nil
}

func parseDatabase(s string) (string, error) {
	switch {
	case strings.TrimSpace(s) == "" || strings.ContainsRune(s, 0):
		return "", errors.New(`must be the name of a file, such as "castellan.db"`)
	case strings.HasPrefix(s, ":memory:"):
		return "", errors.New("must be the name of a file: in memory nothing would be kept, which is what castellan sandbox is for")
	}
	return s, nil
}

// parseURL accepts the URL of a database. It must not contain the password, for the
// reason that tokenHint gives.
func parseURL(s string) (string, error) {
	u, err := url.Parse(s)
	if s == "" {
		return "", nil
	}
	if err != nil || !transfer.IsURL(s) {
		return "", errors.New(`must be an address such as "postgres://castellan@host/castellan", or "" for none`)
	}
	if hasPassword(u) {
		return "", errors.New("must not contain the password, because this file gets copied, shown and committed: put the whole address in the environment variable " +
			databaseVariable + ", the password in PGPASSWORD, or both in a password file (https://www.postgresql.org/docs/current/libpq-pgpass.html)")
	}
	return s, nil
}

func hasPassword(u *url.URL) bool {
	_, set := u.User.Password()
	return set || u.Query().Has("password")
}

func parseListen(s string) (string, error) {
	_, port, err := net.SplitHostPort(s)
	if _, invalid := strconv.ParseUint(port, 10, 16); s != "" && (err != nil || invalid != nil) {
		return "", fmt.Errorf(`must be an address and a port such as "127.0.0.1:9464", or "" for none, not %q`, s)
	}
	return s, nil
}

func parsePublicKey(s string) (ed25519.PublicKey, error) {
	if s == "" {
		return nil, nil
	}
	key, err := discord.ParsePublicKey(s)
	if err != nil {
		return nil, fmt.Errorf("must be the public key of the application in the developer portal: %w", err)
	}
	return key, nil
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
				return fmt.Errorf(`must hold ids as texts of 17 to 20 digits, such as ["1150000000000000001"], not %#v`, v)
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		*to = ids
		return nil
	}
}

func setRoles(to *[]string) setter {
	set := setNames(to, `["gateway", "http"], or [] for everything`)
	return func(v any) error {
		if err := set(v); err != nil {
			return err
		}
		if _, err := bot.ParseRoles(*to); err != nil {
			return fmt.Errorf("is wrong: %w", err)
		}
		return nil
	}
}

// setNames stores a list of texts.
func setNames(to *[]string, example string) setter {
	return func(v any) error {
		list, ok := v.([]any)
		var names []string
		for _, v := range list {
			name, isText := v.(string)
			ok = ok && isText
			names = append(names, name)
		}
		if !ok {
			return fmt.Errorf("must be a list such as %s, not %v", example, v)
		}
		*to = names
		return nil
	}
}

// setWord returns a setter for one of some words.
func setWord[T any](to *T, words map[string]T) setter {
	return func(v any) error {
		s, _ := v.(string)
		value, ok := words[s]
		if ok {
			*to = value
			return nil
		}
		all := slices.Sorted(maps.Keys(words))
		if isText := v == any(s); isText {
			v = strconv.Quote(s)
		}
		err := fmt.Errorf("must be one of \"%s\", not %v", strings.Join(all, `", "`), v)
		if near := nearest(all, s); near != "" {
			err = fmt.Errorf("%w: did you mean %q?", err, near)
		}
		return err
	}
}

// The largest count and rate of the limits.
const (
	maxCount = 1_000_000
	maxRate  = 10_000
)

// setCount returns a setter for a whole number from 1, or for 0 too, if zero says what
// that means.
func setCount(to *int, zero string) setter {
	return func(v any) error {
		n, ok := v.(int64)
		if !ok || n < 1 && (n < 0 || zero == "") || n > maxCount {
			return fmt.Errorf("must be a whole number from 1 to %d, not %#v%s", maxCount, v, zero)
		}
		*to = int(n)
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
