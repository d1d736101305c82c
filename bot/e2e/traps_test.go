package e2e_test

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

	"castellan/bot/sandbox"
)

// sources calls visit for every Go file of bot and below.
func sources(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	must(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			visit(path, f)
		}
		return err
	}))
}

// TestTrapsHaveTests checks that every trap in the table has a source, an
// answer, and tests that exist.
func TestTrapsHaveTests(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "discord-traps.md"))
	must(t, err)
	tests := map[string]bool{}
	sources(t, func(path string, f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasSuffix(path, "_test.go") {
				tests[fn.Name.Name] = true
			}
		}
	})
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	rows := 0
	for n, line := range strings.Split(string(raw), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| trap ") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 || strings.TrimSpace(cells[1]) == "" || strings.TrimSpace(cells[2]) == "" {
			t.Errorf("line %d: want trap, source, what we do and tests: %s", n+1, line)
			continue
		}
		found := named.FindAllStringSubmatch(cells[3], -1)
		if len(found) == 0 {
			t.Errorf("line %d names no test: %s", n+1, cells[3])
		}
		for _, m := range found {
			if !tests[m[1]] {
				t.Errorf("line %d: there is no test %s", n+1, m[1])
			}
		}
	}
	if rows < 25 {
		t.Errorf("only %d traps found: has the table's form changed?", rows)
	}
}

// TestAvoidedDiscordgo checks that the parts of discordgo that are traps are
// used only in tests: its ways to answer and to send, its verification of HTTP
// interactions, its addresses, its reconnect.
func TestAvoidedDiscordgo(t *testing.T) {
	avoid := regexp.MustCompile(`^(VerifyInteraction|Interaction(Respond|Response.*)|FollowupMessage.*|Webhook(Execute|Message.*)|` +
		`Channel(Message|File).*|ApplicationCommand(Create|Edit|Delete|BulkOverwrite)|CloseWithCode|Endpoint.*)$`)
	files := 0
	sources(t, func(path string, f *ast.File) {
		// The sandbox has a bot of its own for its tests.
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../sandbox") {
			return
		}
		uses := false
		for _, i := range f.Imports {
			uses = uses || i.Path.Value == `"github.com/bwmarrin/discordgo"`
		}
		if !uses {
			return
		}
		files++
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && avoid.MatchString(s.Sel.Name) {
				t.Errorf("%s uses %s", path, s.Sel.Name)
			}
			return true
		})
	})
	if files < 5 {
		t.Errorf("only %d files use discordgo: are they looked for in the right place?", files)
	}
}

// TestMenuIDsChange checks that every redraw has new custom IDs: picking the
// same option twice in a menu sends nothing (#4801).
func TestMenuIDsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startWith("towers")
	seen := map[string]bool{}
	for range 3 {
		picks := 0
		each(w.openPanel(w.anna, 1), func(c sandbox.Component) {
			if !strings.Contains(c.CustomID, "/pick/") {
				return
			}
			picks++
			if seen[c.CustomID] {
				t.Errorf("%s comes again", c.CustomID)
			}
			seen[c.CustomID] = true
		})
		if picks == 0 {
			t.Fatal("there is nothing to pick")
		}
	}
}
