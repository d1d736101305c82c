package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"castellan/cmd/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, program()) }

func castellan(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return clitest.Run(t, program(), args...)
}

func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestHelp(t *testing.T) {
	for command, parts := range map[string][]string{
		"":             {"castellan sandbox", "castellan run", "CASTELLAN_TOKEN", "/challenge", "castellan render --game trails", "version", "--help"},
		"sandbox":      {"--listen", "127.0.0.1:8080", "--db", ":memory:"},
		"render":       {"--game", "trails", "--turns", "--option", "--out", "dark,light,wood,contrast", "--record", "--turn"},
		"run":          {"--config", "config.example.toml"},
		"check-config": {"<file>", "every mistake"},
		"backup":       {"--db", "--force", "<file>"},
		"verify":       {"--db", "--json"},
	} {
		got := castellan(t, append(strings.Fields(command), "--help")...)
		for _, part := range parts {
			if got.Code != 0 || !strings.Contains(got.Out, part) {
				t.Errorf("%s --help, exit %d, does not say %q:\n%s", command, got.Code, part, got.Out)
			}
		}
	}
}

func TestHelpExamples(t *testing.T) {
	examples := regexp.MustCompile(`castellan (render .*)`).FindAllStringSubmatch(description, -1)
	if len(examples) == 0 {
		t.Fatal("there are no examples")
	}
	for _, e := range examples {
		t.Chdir(t.TempDir())
		var args []string
		for _, a := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(e[1], -1) {
			args = append(args, strings.Trim(a, `"`))
		}
		if got := castellan(t, args...); got.Code != 0 {
			t.Errorf("%s: exit %d: %s", e[0], got.Code, got.Errs)
		}
	}
}
