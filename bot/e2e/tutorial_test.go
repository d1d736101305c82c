package e2e_test

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTutorial takes the files of a game from docs/build/adding-a-game.md, builds the
// program with them, and runs the game's test and a match in the sandbox.
func TestTutorial(t *testing.T) {
	if !full() {
		t.Skip("CASTELLAN_FULL is not set: it builds the program again")
	}
	t.Parallel()
	root, err := filepath.Abs("../..")
	must(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs/build/adding-a-game.md"))
	must(t, err)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	dir := t.TempDir()
	add := func(path, content string) {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		must(t, os.WriteFile(file, []byte(content), 0o600))
		overlay.Replace[filepath.Join(root, path)] = file
	}
	block := regexp.MustCompile("(?s)```(?:go|toml)\n(?://|#) ([a-z/_]+\\.(?:go|toml))(: a line of All)?\n(.*?)```")
	for _, m := range block.FindAllStringSubmatch(string(page), -1) {
		path, line, content := m[1], m[2], m[3]
		if line != "" {
			list, err := os.ReadFile(filepath.Join(root, path))
			must(t, err)
			const imports, last = "	\"castellan/engine\"\n", "	{trails.Game{}, "
			before, after, ok := strings.Cut(string(list), last)
			if !ok || !strings.Contains(before, imports) {
				t.Fatalf("%s has changed", path)
			}
			own, rest, _ := strings.Cut(after, "\n")
			before = strings.Replace(before, imports, imports+"	\"castellan/engine/four\"\n	fourpainter \"castellan/imaging/four\"\n", 1)
			content = before + last + own + "\n" + content + rest
		}
		if line == "" && filepath.Ext(path) == ".go" {
			formatted, err := format.Source([]byte(content))
			if must(t, err); strings.TrimSpace(string(formatted)) != strings.TrimSpace(content) {
				t.Errorf("%s is not formatted", path)
			}
		}
		add(path, content)
	}
	if len(overlay.Replace) != 5 {
		t.Fatalf("the page has %d files", len(overlay.Replace))
	}
	play, err := os.ReadFile("testdata/tutorial/four_test.go")
	must(t, err)
	add("bot/e2e/four_test.go", string(play))
	list, err := json.Marshal(overlay)
	must(t, err)
	file := filepath.Join(dir, "overlay.json")
	must(t, os.WriteFile(file, list, 0o600))
	run := func(name string, arg ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, arg...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(arg, " "), err, out)
		}
	}
	// A folder that exists only in an overlay can be neither entered nor vetted.
	rules, program := filepath.Join(dir, "four.test"), filepath.Join(dir, "castellan")
	run("go", "test", "-overlay", file, "-vet=off", "-c", "-o", rules, "./engine/four")
	run(rules)
	run("go", "test", "-overlay", file, "-vet=off", "-count=1", "-run", "^TestFour$", "./bot/e2e")
	run("go", "build", "-overlay", file, "-o", program, "./cmd/castellan")
	run(program, "render", "--game=four", "--turns=b2 b3 c2 c3 d2", "--names=Anna,Ben", "--legal", "--out="+filepath.Join(dir, "four.png"))
}
