package main

import (
	"bytes"
	"castellan/bot/handlers"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"castellan/cmd/internal/cli"

	"github.com/BurntSushi/toml"
)

const exampleConfig = "../../config.example.toml"

// The example explains every key and sets it to its default.
func TestConfigExample(t *testing.T) {
	data, err := os.ReadFile(exampleConfig)
	must(t, err)
	c, mistakes := parseConfig(string(data))
	if len(mistakes) > 0 || !reflect.DeepEqual(c, defaultConfig()) {
		t.Errorf("%+v, %v", c, mistakes)
	}
	var keys map[string]map[string]any
	must(t, toml.Unmarshal(data, &keys))
	for section, setters := range c.keys() {
		for key := range setters {
			if _, ok := keys[section][key]; !ok {
				t.Errorf("%s does not explain %s under [%s]", exampleConfig, key, section)
			}
		}
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		if regexp.MustCompile(`^\w+ *=`).MatchString(line) && !strings.HasPrefix(lines[i-1], "# ") {
			t.Errorf("line %d says nothing about %s", i+1, line)
		}
	}
}

func TestConfig(t *testing.T) {
	c, mistakes := parseConfig(`
discord.api = "http://127.0.0.1:8080/"
discord.servers = ["1150000000000000001", "1150000000000000001", "1150000000000000002"]
discord.threads = false
discord.shards = 4
[process]
roles = ["gateway"]
[operators]
server = "1150000000000000001"
people = ["1120000000000000012"]
[log]
level = "debug"
"format" = 'json'
[database]
path = """games.db"""
[interactions]
address = "127.0.0.1:8443"
public_key = "` + strings.Repeat("0A", 32) + `"
gateway = false
[limits]
challenge_window = "1h30m"
matches_per_person = 3
requests_per_person_and_second = 1
requests_per_channel_and_second = 0.5
`)
	want := defaultConfig()
	want.API = "http://127.0.0.1:8080"
	want.Guilds = []string{"1150000000000000001", "1150000000000000002"}
	want.Threads, want.Shards = false, 4
	want.Operators = handlers.Operators{Guild: "1150000000000000001", People: []string{"1120000000000000012"}}
	want.LogLevel, want.LogFormat = -4, formatJSON
	want.Database = "games.db"
	want.Roles = []string{"gateway"}
	want.Interactions, want.PublicKey, want.Gateway = "127.0.0.1:8443", bytes.Repeat([]byte{10}, 32), false
	want.Limits.Window, want.Limits.Running = 90*time.Minute, 3
	want.Flood.Rate, want.Flood.ChannelRate = 1, 0.5
	if len(mistakes) > 0 || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v", c, mistakes)
	}
}

// A mistake is reported with its line and what would be right, and never shows the token.
func TestConfigMistakes(t *testing.T) {
	for line, part := range map[string]string{
		"token = 'abc.def'":                               "CASTELLAN_TOKEN",
		"discord.token = 'abc.def'":                       "reset the token",
		"level = 'info'":                                  "level stands under [log]",
		"colour = 1":                                      `no key "colour" outside of a section`,
		"discord.token_fil = 'x'":                         `"token_fil" under [discord]; did you mean token_file?`,
		"log.verbose = true":                              `"verbose" under [log]; there is format, level`,
		"[lgo]\nlevel = 'info'":                           "[\"lgo\"]; did you mean [log]?",
		"[a.b]\nc = 1":                                    "there is [database], [discord], [http], [interactions], [limits], [log], [operators], [process]",
		"interactions.address = '127.0.0.1:8443'":         "needs public_key",
		"interactions.gateway = false":                    "needs address",
		"interactions.public_key = 'abc'":                 "64 hexadecimal digits",
		"discord.api = ''":                                "https://discord.com",
		"discord.api = 'ftp://discord.com'":               "address",
		"discord.api = 'https://u:p@discord.com'":         "address",
		"discord.api = 'https://discord.com/api/v10'":     "before /api",
		"discord.api = 5":                                 "quotation marks",
		"database.url = 'castellan.db'":                   "postgres://",
		"database.url = 'postgres://a:secret@b/c'":        "CASTELLAN_DATABASE_URL",
		"database.url = 'postgres://b/c?password=s'":      "PGPASSWORD",
		"database = {url = 'postgres://b/c', path = 'c'}": "name one of them",
		"discord.token_file = true":                       "quotation marks",
		"discord.servers = 'x'":                           "a list",
		"http.hosts = 'a.example'":                        "a list",
		"http.hosts = [7]":                                "a list",
		"process.roles = 'poster'":                        `["gateway", "http"]`,
		"process.roles = ['poster', 'waiter']":            `roles is wrong: there is no role "waiter": a process has any of gateway, http, poster, worker`,
		"discord.servers = ['The Keep']":                  "17 to 20 digits",
		"discord.servers = ['115']":                       "17 to 20 digits",
		"discord.servers = [1150000000000000001]":         "texts of 17 to 20 digits",
		"operators.server = 'The Keep'":                   "a text of 17 to 20 digits",
		"operators.people = ['1120000000000000012']":      "server and people under [operators] need each other",
		"operators.server = '1150000000000000001'":        "server and people under [operators] need each other",
		"database.path = ''":                              "the name of a file",
		"log.format = 3":                                  "not 3",
		"database.path = ':memory:'":                      "castellan sandbox",
		"database.path = ['a']":                           "quotation marks",
		"limits.matches_per_person = 0":                   "from 1 to 1000000, not 0",
		"limits.matches_per_person = 2.5":                 "a whole number",
		"limits.matches_per_person = '25'":                `not "25"`,
		"limits.matches_per_person = 1000001":             "from 1 to 1000000",
		"limits.challenge_window = 600":                   `"10m"`,
		"limits.challenge_window = '10'":                  `"10m"`,
		"limits.challenge_window = '-10m'":                "one second to 365 days",
		"limits.challenge_window = '9000h'":               "one second to 365 days",
		"limits.requests_per_person_and_second = nan":     "a number from 0.01",
		"limits.requests_per_person_and_second = 0":       "a number from 0.01",
		"limits.requests_per_person_and_second = '2'":     "a number from 0.01",
		"database = 'a'":                                  "[database]",
		"[[log]]\nlevel = 'info'":                         "[log]",
		"log.level = 'DEBUG'":                             `did you mean "debug"?`,
		"log.level = 1979-05-27":                          "must be one of",
		"log.level = ":                                    "expected",
		"[log]\nlevel = 'info'\nlevel = 'info'":           "already",
		"log.level = 'info":                               "",
		"\x00":                                            "",
		"'" + strings.Repeat("long", 100) + "' = 'text'":  "long…",
	} {
		_, mistakes := parseConfig("\n" + line)
		if len(mistakes) != 1 || !strings.Contains(mistakes[0].text, part) || strings.Contains(mistakes[0].text, "abc.def") || mistakes[0].line < 2 && line != "\x00" {
			t.Errorf("%s: %v does not say %q", line, mistakes, part)
		}
	}
}

func TestRoles(t *testing.T) {
	const url = "postgres://host/castellan"
	byHTTP := "[interactions]\naddress = '127.0.0.1:8443'\npublic_key = '" + strings.Repeat("0a", 32) + "'"
	for _, c := range []struct{ config, named, database, want, refusal string }{
		{"", "", "castellan.db", "gateway,poster,worker", ""},
		{"", "gateway,poster,worker", "castellan.db", "gateway,poster,worker", ""},
		{"", "worker", "castellan.db", "", "url under [database]"},
		{"", "worker", url, "worker", ""},
		{"", "gateway, poster", url, "gateway,poster", ""},
		{"", "gateway,porter", url, "", `no role "porter": a process has any of gateway, http, poster, worker`},
		{"", "http,poster", url, "", "address and public_key under [interactions]"},
		{byHTTP, "", url, "gateway,http,poster,worker", ""},
		{byHTTP, "http,poster", url, "http,poster", ""},
		{byHTTP, "gateway,poster,worker", "castellan.db", "", "must do everything"},
		{byHTTP + "\ngateway = false", "gateway", url, "", "gateway = false under [interactions]"},
		{byHTTP + "\ngateway = false", "", url, "http,poster,worker", ""},
	} {
		conf, mistakes := parseConfig(c.config)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		var named []string
		if c.named != "" {
			named = strings.Split(c.named, ",")
		}
		got, err := conf.roles(named, c.database)
		if c.refusal == "" && (err != nil || got.String() != c.want) || c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

// castellan check-config and castellan run report all mistakes together, in the order of
// the lines.
func TestCheckConfig(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "castellan.toml")
	write(t, wrong, "colour = 1\n[log]\nlevel = 'inof'\nformat = 3\n[lgo]\n")
	for _, args := range [][]string{{"check-config", wrong}, {"run", "--config", wrong}} {
		got := castellan(t, args...)
		if got.Code != cli.ExitUsage || got.Out != "" || !regexp.MustCompile(`(?s) has 4 mistakes:\n  line 1: .*\n  line 3: .*\n  line 4: .*\n  line 5: `).MatchString(got.Errs) {
			t.Errorf("%s: exit %d, out %q, errors %q", args, got.Code, got.Out, got.Errs)
		}
	}
	if got := castellan(t, "check-config", exampleConfig); got.Code != 0 || got.Out != exampleConfig+" is in order.\n" || got.Errs != "" {
		t.Errorf("%+v", got)
	}
	castellan(t, "check-config", "nowhere.toml").Refused(t, cli.ExitUsage, "nowhere.toml")
	castellan(t, "check-config", t.TempDir()).Refused(t, cli.ExitError, "directory")
	large := filepath.Join(t.TempDir(), "large.toml")
	write(t, large, strings.Repeat("#\n", maxConfig/2+1))
	castellan(t, "check-config", large).Refused(t, cli.ExitUsage, "large.toml", "1048576")
}

// Any text is a configuration or has mistakes, each in one of its lines.
func FuzzConfig(f *testing.F) {
	example, err := os.ReadFile(exampleConfig)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		string(example), "", "a.b.c = 1", "[discord]\ntoken = 'x'", "[[log]]\n[[log]]", "log = [{level = 'info'}, 1]", "[log.level]\nx = 1",
		"discord = {api = 'http://x', servers = ['1150000000000000001']}", "'' = 1\n[\"\"]\n\"\" = 2", "[a.'b.c'.\"d\\n\"]\ne = [[1], ['x']]",
		"log.level = 1979-05-27T07:32:00Z\n[log.format]", "x = \"\"\"\n[discord]\n\"\"\"", "\ufeff[log]\r\nlevel='warn'\r\n", "[database]\npath = \"\\u0000\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, mistakes := parseConfig(text)
		for _, m := range mistakes {
			if m.line < 1 || m.line > 2+strings.Count(text, "\n") || m.text == "" {
				t.Fatalf("%q: %+v", text, m)
			}
		}
		if len(mistakes) == 0 && (c.Database == "" || c.LogFormat == "" || !strings.HasPrefix(c.API, "http")) {
			t.Fatalf("%q is %+v", text, c)
		}
	})
}

// The services of docs/host/compose.cluster.yaml share all roles, each twice, and
// docs/host/cluster.toml fits them.
func TestComposeCluster(t *testing.T) {
	page, err := os.ReadFile("../../docs/host/compose.cluster.yaml")
	must(t, err)
	file, err := os.ReadFile("../../docs/host/cluster.toml")
	must(t, err)
	whole := strings.ReplaceAll(regexp.MustCompile(`(?m)^# (\[|\w+ = )`).ReplaceAllString(string(file), "$1"), "…", strings.Repeat("0a", 32))
	services := map[string]int{} // by role
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)-1: &(\w+)\n(?:    .*\n)*?    command: \[run, --role, ([\w,]+)\]\n`).FindAllStringSubmatch(string(page), -1) {
		if m[1] != m[2] || !strings.Contains(string(page), "\n  "+m[1]+"-2: *"+m[2]+"\n") {
			t.Errorf("there is no second %s", m[1])
		}
		text := string(file)
		if m[1] == "http" {
			text = whole
		}
		c, mistakes := parseConfig(text)
		roles, err := c.roles(strings.Split(m[3], ","), "postgres://castellan@db/castellan")
		if len(mistakes) > 0 || err != nil || c.Listen == "" {
			t.Errorf("%s: %v, %v", m[1], mistakes, err)
		}
		for _, name := range roles.Names() {
			services[name] += 2
		}
	}
	if want := map[string]int{"gateway": 2, "http": 2, "poster": 2, "worker": 2}; !maps.Equal(services, want) {
		t.Errorf("services by role: %v, want %v", services, want)
	}
}
