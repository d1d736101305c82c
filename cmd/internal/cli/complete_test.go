package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
)

type shelves struct {
	Put struct {
		Colour string `enum:"red,green" default:"red"`
		Deep   bool
		Shelf  string `arg:"" enum:"upper,lower"`
	} `cmd:"" help:"Put a book."`
	Pull     struct{}              `cmd:"" help:"Pull - slowly."`
	Complete cli.CompleteCommand   `cmd:"" hidden:""`
	Script   cli.CompletionCommand `cmd:""`
	Man      cli.ManCommand        `cmd:"" hidden:""`
}

func runShelves(t *testing.T, args ...string) string {
	t.Helper()
	p := cli.Program{Name: "shelves", Description: "Shelves hold books.\n\nPut them:\n\n  shelves put upper", Commands: &shelves{}}
	got := clitest.Run(t, p, args...)
	if got.Code != cli.ExitOK {
		t.Fatalf("%q: %+v", args, got)
	}
	return got.Out
}

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                   "pull put script",
		"pu":                 "pull put",
		"put ":               "lower upper",
		"put --deep u":       "upper",
		"put --colour ":      "green red",
		"put --colour red ":  "lower upper",
		"put upper ":         "",
		"put --c":            "--colour",
		"script p":           "powershell",
		"put --colour=red u": "upper",
	} {
		out := runShelves(t, append([]string{"complete", "--"}, strings.Split(line, " ")...)...)
		if got := strings.Join(strings.Fields(out), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// Each script is accepted by its shell, if that is installed.
func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"bash", "-n"}, "zsh": {"zsh", "-n"}, "fish": {"fish", "--no-execute"}, "powershell": nil} {
		script := runShelves(t, "script", shell)
		if !strings.Contains(script, "shelves complete") || strings.Contains(script, "PROGRAM") {
			t.Errorf("%s: %s", shell, script)
		}
		if check == nil {
			continue
		}
		if _, err := exec.LookPath(check[0]); err != nil {
			continue
		}
		c := exec.Command(check[0], check[1:]...)
		c.Stdin = strings.NewReader(script)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}

// Bash completes by asking the program.
func TestBashCompletes(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	script := filepath.Join(t.TempDir(), "script")
	line := runShelves(t, "script", "bash") + `
shelves() { [ "$1 $2 $3 $4" = "complete -- put --c" ] && echo --colour; }
COMP_WORDS=(shelves put --c) COMP_CWORD=2
_shelves
echo "${COMPREPLY[@]}"
`
	c := exec.Command("bash", "-c", line, script)
	if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "--colour" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestManual(t *testing.T) {
	page := runShelves(t, "man")
	for _, want := range []string{".TH SHELVES 1", ".SH NAME\nshelves \\- Shelves hold books\n", ".SS put", "\\-\\-colour", "Pull \\- slowly."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in:\n%s", want, page)
		}
	}
	if strings.Contains(page, "complete") {
		t.Errorf("the page shows hidden commands:\n%s", page)
	}
}
