package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
