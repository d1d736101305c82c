package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	folder := t.TempDir()
	seen := map[string]string{}
	for name, args := range map[string][]string{
		"start":    nil,
		"turn":     {"--turns", "right"},
		"turns":    {"--turns", " R  l\tright "},
		"small":    {"-o", "size=5", "--option", "towers=1"},
		"names":    {"--turns", "right", "--names", "Anna,Ben"},
		"light":    {"--turns", "right", "--theme", "light"},
		"contrast": {"--turns", "right", "--theme", "contrast"},
		"plain":    {"--turns", "right", "--no-legal"},
	} {
		file := filepath.Join(folder, name+".png")
		got := castellan(t, append([]string{"render", "--game", "trails", "--out", file}, args...)...)
		if got.code != 0 || got.errs != "" || !strings.HasPrefix(got.out, file+": ") || strings.Count(got.out, "\n") != 1 {
			t.Fatalf("%s: %+v", name, got)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if size := picture.Bounds().Size(); size.X != 1200 || size.Y < 600 {
			t.Errorf("%s is %v", name, size)
		}
		if other, same := seen[string(data)]; same {
			t.Errorf("%s and %s are the same picture", name, other)
		}
		seen[string(data)] = name
	}
	if left := files(t, folder); len(left) != len(seen) {
		t.Errorf("left in the folder: %v", left)
	}
}

func TestRenderScales(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.png")
	if got := castellan(t, "render", "--game", "trails", "--width", "400", "--out", file); got.code != 0 {
		t.Fatal(got.errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || size.Width != 400 || size.Height != 300 {
		t.Errorf("%d by %d, %v", size.Width, size.Height, err)
	}
}

func TestRenderOverwrites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(file, bytes.Repeat([]byte("old"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := castellan(t, "render", "--game", "trails", "--out", file); got.code != 0 {
		t.Fatal(got.errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil || bytes.Contains(data, []byte("oldold")) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// Usage errors give one clear sentence and exit code 2, and leave the file as it
// was.
func TestRenderErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		parts []string
	}{
		{"an unknown game", []string{"--game", "chess"}, []string{`no game "chess"`, "trails"}},
		{"a typo", []string{"--turns", "right left rigth"}, []string{"action 3", "rigth", "Did you mean right?"}},
		{"an unknown word", []string{"--turns", "castle"}, []string{"action 1", "castle", "up, down, left or right"}},
		{"an illegal turn", []string{"--turns", "right left left"}, []string{"action 3", "cannot go left", "taken"}},
		{"turns after the end", []string{"-o", "size=5", "--turns", "right left right left down up down up right left r l"}, []string{"action "}},
		{"a value out of range", []string{"-o", "size=6"}, []string{"size", "5, 7, 9", "“6”"}},
		{"an unknown option", []string{"-o", "rows=6"}, []string{"rows", "size, towers, distance"}},
		{"options that do not go together", []string{"-o", "size=5", "-o", "towers=9", "-o", "distance=3"}, []string{"castellan: 9 towers", "at most 2 towers"}},
		{"a width below the least", []string{"--width=-1"}, []string{"from 1 to 4096 pixels wide, not -1"}},
		{"a width above the most", []string{"--width", "4097"}, []string{"from 1 to 4096 pixels wide, not 4097"}},
		{"a wrong number of seats", []string{"--seats", "3"}, []string{"played by 2, not by 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.png")
			if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"render", "--out", file}, c.args...)
			if c.args[0] != "--game" {
				args = append(args, "--game", "trails")
			}
			castellan(t, args...).refusal(t, exitUsage, c.parts...)
			if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
				t.Errorf("the file was touched: %q, %v", data, err)
			}
			if left := files(t, filepath.Dir(file)); len(left) != 1 {
				t.Errorf("left in the folder: %v", left)
			}
		})
	}
}

func TestRenderMissingFolder(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "missing", "a.png")
	castellan(t, "render", "--game", "trails", "--out", file).refusal(t, exitError, file)
	if left := files(t, folder); len(left) != 0 {
		t.Errorf("left in the folder: %v", left)
	}
	castellan(t, "render", "--game", "trails", "--out", folder).refusal(t, exitError, folder)
}

const recorded = `Castellan record 1
Game: trails
Options: size=7 towers=1
Seat 1: Anna
Seat 2: Ben
Result: won by seat 2, by resignation

1. blue: right
2. red: left
3. blue: down
- blue: resign
`

// recordFile writes a record to a file and returns its path.
func recordFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "match.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The picture of a record after a turn is the picture of the turns up to there.
func TestRenderRecord(t *testing.T) {
	file := recordFile(t, recorded)
	draw := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "a.png")
		if got := castellan(t, append([]string{"render", "--out", out}, args...)...); got.code != 0 {
			t.Fatalf("%v: %s", args, got.errs)
		}
		return out
	}
	by := func(turns string, more ...string) string {
		return draw(append([]string{"--game", "trails", "-o", "size=7", "-o", "towers=1", "--names", "Anna,Ben", "--turns", turns}, more...)...)
	}
	for turn, turns := range map[string]string{"0": "", "1": "right", "2": "right left", "3": "right left down"} {
		if differ(t, draw("--record", file, "--turn", turn), by(turns)) {
			t.Errorf("turn %s has another picture", turn)
		}
	}
	if !differ(t, draw("--record", file), by("right left down")) {
		t.Error("the end does not show who won")
	}
	if !differ(t, draw("--record", file, "--turn", "2", "--names", "A,B"), by("right left")) {
		t.Error("other names are not shown")
	}
	if f, err := os.Open(draw("--record", file, "--width", "400")); err != nil {
		t.Error(err)
	} else if c, err := png.DecodeConfig(f); err != nil || c.Width != 400 {
		t.Errorf("%d wide, %v", c.Width, err)
	}
}

func TestRenderRecordErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		args       []string
		parts      []string
	}{
		{"an illegal turn", strings.Replace(recorded, "blue: down", "blue: left", 1), nil, []string{"match.txt", "line 10, turn 3", "taken"}},
		{"another file", "PNG", nil, []string{"line 1", "Castellan record 1"}},
		{"a turn after the last", recorded, []string{"--turn", "4"}, []string{"1 to 3", "no turn 4"}},
		{"a negative turn", recorded, []string{"--turn=-1"}, []string{"no turn -1"}},
		{"turns as well", recorded, []string{"--turns", "right"}, []string{"--turns", "--game"}},
		{"a game as well", recorded, []string{"--game", "trails"}, []string{"--game", "--record"}},
		{"no record", "", []string{"--record", "nowhere.txt"}, []string{"nowhere.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"render", "--out", filepath.Join(t.TempDir(), "a.png")}
			if c.text != "" {
				args = append(args, "--record", recordFile(t, c.text))
			}
			castellan(t, append(args, c.args...)...).refusal(t, exitUsage, c.parts...)
		})
	}
	castellan(t, "render", "--game", "trails", "--turn", "1", "--out", "x.png").refusal(t, exitUsage, "--turn", "--record")
}
