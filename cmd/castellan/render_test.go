package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
)

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
		{"an illegal turn", []string{"--turns", "right left left"}, []string{"action 3", "go left", "taken"}},
		{"a value out of range", []string{"-o", "size=6"}, []string{"size", "5, 7, 9", "“6”"}},
		{"an unknown option", []string{"-o", "rows=6"}, []string{"rows", "size, towers, distance"}},
		{"a width above the most", []string{"--width", "4097"}, []string{"from 1 to 4096 pixels wide, not 4097"}},
		{"a wrong number of seats", []string{"--seats", "3"}, []string{"played by 2, not by 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.png")
			write(t, file, "mine")
			args := append([]string{"render", "--out", file}, c.args...)
			if c.args[0] != "--game" {
				args = append(args, "--game", "trails")
			}
			castellan(t, args...).Refused(t, cli.ExitUsage, c.parts...)
			if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
				t.Errorf("the file was touched: %q, %v", data, err)
			}
			if left := files(t, filepath.Dir(file)); len(left) != 1 {
				t.Errorf("left in the folder: %v", left)
			}
		})
	}
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
	write(t, file, text)
	return file
}

// The picture of a record after a turn is the picture of the turns up to there.
func TestRenderRecord(t *testing.T) {
	file := recordFile(t, recorded)
	draw := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "a.png")
		if got := castellan(t, append([]string{"render", "--out", out}, args...)...); got.Code != 0 {
			t.Fatalf("%v: %s", args, got.Errs)
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
	if end, board := sizeOf(t, draw("--record", file)), sizeOf(t, by("right left down")); end.X != board.X || end.Y <= board.Y {
		t.Errorf("the picture of the end is %v, without room for who won below a board of %v", end, board)
	}
	if !differ(t, draw("--record", file, "--turn", "2", "--names", "A,B"), by("right left")) {
		t.Error("other names are not shown")
	}
	if size := sizeOf(t, draw("--record", file, "--width", "400")); size.X != 400 {
		t.Errorf("the picture is %v", size)
	}
}

// sizeOf returns the size of a picture.
func sizeOf(t *testing.T, file string) image.Point {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	c, err := png.DecodeConfig(bytes.NewReader(data))
	must(t, err)
	return image.Pt(c.Width, c.Height)
}

func TestRenderRecordErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		args       []string
		parts      []string
	}{
		{"an illegal turn", strings.Replace(recorded, "blue: down", "blue: left", 1), nil, []string{"match.txt", "line 10, turn 3", "taken"}},
		{"a turn after the last", recorded, []string{"--turn", "4"}, []string{"1 to 3", "no turn 4"}},
		{"turns as well", recorded, []string{"--turns", "right"}, []string{"--turns", "--game"}},
		{"a game as well", recorded, []string{"--game", "trails"}, []string{"--game", "--record"}},
		{"no record", "", []string{"--record", "nowhere.txt"}, []string{"nowhere.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"render", "--out", filepath.Join(t.TempDir(), "a.png")}
			if c.text != "" {
				args = append(args, "--record", recordFile(t, c.text))
			}
			castellan(t, append(args, c.args...)...).Refused(t, cli.ExitUsage, c.parts...)
		})
	}
	castellan(t, "render", "--game", "trails", "--turn", "1", "--out", "x.png").Refused(t, cli.ExitUsage, "--turn", "--record")
}
