package e2e_test

import (
	"castellan/bot/bottest"
	"castellan/bot/sandbox/api"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAvoidedDiscordgo checks that only discordgo's types are used outside of tests:
// no session, with its ways to connect, to answer and to send, no verification of
// HTTP interactions, and no addresses.
func TestAvoidedDiscordgo(t *testing.T) {
	avoid := regexp.MustCompile(`^(New|VerifyInteraction|Session|Endpoint[A-Z].*)$`)
	files := 0
	must(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		// The sandbox has a bot of its own for its tests.
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../sandbox") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil || !slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"github.com/bwmarrin/discordgo"` }) {
			return err
		}
		files++
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && avoid.MatchString(s.Sel.Name) {
				if of, ok := s.X.(*ast.Ident); ok && of.Name == "discordgo" {
					t.Errorf("%s uses %s", path, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	}))
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
		bottest.Each(w.openPanel(w.anna, 1), func(c api.Component) {
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
