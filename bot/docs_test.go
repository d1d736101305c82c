package bot

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"castellan/bot/host/hosttest"
)

// Every test that docs/discord-errors.md names exists.
func TestErrorsPageNamesTests(t *testing.T) {
	page, err := os.ReadFile("../docs/discord-errors.md")
	hosttest.Must(t, err)
	exists := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	hosttest.Must(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
			exists[m[1]] = true
		}
		return err
	}))
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 20 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, m := range named {
		if !exists[m[1]] {
			t.Errorf("there is no %s", m[1])
		}
	}
}
