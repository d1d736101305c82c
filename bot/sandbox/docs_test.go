package sandbox_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBehavioursHaveTests checks that every listed behaviour has a source and an
// existing test.
func TestBehavioursHaveTests(t *testing.T) {
	raw := must(os.ReadFile(filepath.Join("..", "..", "docs", "discord-behaviours.md")))
	tests := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, _ fs.DirEntry, err error) error { // the bot's tests, too
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				tests[fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	rows := 0
	for n, line := range strings.Split(string(raw), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| behaviour ") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 || strings.TrimSpace(cells[1]) == "" {
			t.Errorf("line %d: want behaviour, source and test: %s", n+1, line)
			continue
		}
		found := named.FindAllStringSubmatch(cells[2], -1)
		if len(found) == 0 {
			t.Errorf("line %d names no test: %s", n+1, cells[2])
		}
		for _, m := range found {
			if !tests[m[1]] {
				t.Errorf("line %d: there is no test %s", n+1, m[1])
			}
		}
	}
	if rows < 50 {
		t.Errorf("only %d behaviours found: has the table's form changed?", rows)
	}
}
