package bot

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"castellan/bot/host/hosttest"
)

// The pages about Discord name tests that exist, and each row of a table has all
// its cells, with tests in the last one.
func TestPagesNameTests(t *testing.T) {
	exists := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
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
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	for page, c := range map[string]struct {
		first string // heading of the first column
		cells int    // of each row; 0 for tables of any shape
		least int    // number of rows, and of names of tests
	}{
		"discord-behaviours.md": {"behaviour", 3, 50},
		"discord-errors.md":     {"answer", 0, 20},
	} {
		raw, err := os.ReadFile(filepath.Join("..", "docs", "build", page))
		hosttest.Must(t, err)
		rows, names := 0, 0
		for n, line := range strings.Split(string(raw), "\n") {
			for _, m := range named.FindAllStringSubmatch(line, -1) {
				if names++; !exists[m[1]] {
					t.Errorf("%s:%d: there is no %s", page, n+1, m[1])
				}
			}
			if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| "+c.first+" ") {
				continue
			}
			rows++
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			blank := func(cell string) bool { return strings.TrimSpace(cell) == "" }
			if c.cells > 0 && (len(cells) != c.cells || slices.ContainsFunc(cells, blank) || !named.MatchString(cells[c.cells-1])) {
				t.Errorf("%s:%d: want %d cells, the last with the name of a test: %s", page, n+1, c.cells, line)
			}
		}
		if rows < c.least || names < c.least {
			t.Errorf("%s: %d rows and %d names of tests: has the form of the tables changed?", page, rows, names)
		}
	}
}
