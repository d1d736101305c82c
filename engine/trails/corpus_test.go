package trails_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// corpusLine is a header, a record or a final object of the recorded games.
type corpusLine struct {
	Game     string `json:"game"`
	Size     int    `json:"size"`
	Towers   int    `json:"towers"`
	Distance int    `json:"distance"`

	Player int      `json:"player"`
	Board  []string `json:"board"`
	Last   [][2]int `json:"last"` // row and column from the upper left
	Dir    []string `json:"dir"`
	Boost  []int    `json:"boost"`
	Taken  []int    `json:"taken"`
	Legal  []string `json:"legal"`
	Move   string   `json:"move"`

	Final  bool   `json:"final"`
	Winner int    `json:"winner"`
	Reason string `json:"reason"`
}

// corpusReason maps the reasons of the recordings to ours.
var corpusReason = map[string]string{
	"towers": "towers", "opponent_stuck": "opponent-stuck", "self_stuck": "self-stuck",
}

var corpusDirection = map[string]string{"U": "up", "D": "down", "L": "left", "R": "right"}

// replay follows one recorded game with both implementations.
type replay struct {
	fast *trails.Position
	slow *plain
}

// The recorded games of the original program: positions, legal moves and
// results agree, record by record, for both implementations.
func TestCorpus(t *testing.T) {
	corpus := enginetest.OpenCorpus(t, "trails")
	var games, skipped, positions, differing int
	for _, file := range corpus.Files {
		var now *replay
		open := false
		err := enginetest.EachLine(file, func(n int, object json.RawMessage) error {
			var l corpusLine
			if err := json.Unmarshal(object, &l); err != nil {
				return fmt.Errorf("decoding a record: %w", err)
			}
			if l.Game != "" {
				if open {
					return errors.New("the game before has no end")
				}
				open = true
				if l.Size%2 == 0 { // not offered: the rules page's "Options"
					skipped++
					now = nil
					return nil
				}
				games++
				b := board{l.Size, l.Towers, l.Distance}
				now = &replay{position(t, b.String()), newPlain(l.Size, l.Towers, l.Distance)}
				return nil
			}
			if !open {
				return errors.New("a record without a header")
			}
			open = !l.Final
			if now == nil {
				return nil
			}
			positions++
			var found []string
			if now.fast == nil {
				found = []string{"the game could not be followed to here"}
			} else {
				found = append(now.differences(l), differences(now.fast, now.slow)...)
			}
			if len(found) > 0 {
				if differing++; differing <= 20 {
					t.Errorf("%s:%d: %v", filepath.Base(file), n, found)
				}
			}
			if !l.Final && now.fast != nil {
				now.play(corpusDirection[l.Move])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if open {
			t.Errorf("%s ends in the middle of a game", filepath.Base(file))
		}
	}
	if games == 0 {
		t.Error("the corpus holds no game that we can play")
	}
	fmt.Printf("corpus trails: games=%d skipped=%d positions=%d differences=%d\n", games, skipped, positions, differing)
}

func (r *replay) play(token string) {
	a, err := r.fast.Parse(token)
	if err != nil {
		r.fast = nil
		return
	}
	next, err := r.fast.Apply(a)
	if err != nil || !slices.Contains(r.slow.legal(), token) {
		r.fast = nil
		return
	}
	r.fast = next.(*trails.Position)
	r.slow.play(token)
}

// differences compares the fast position with what was recorded; the plain one
// is compared with the fast one.
func (r *replay) differences(l corpusLine) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	p := r.fast
	size := p.Size()
	for row, line := range l.Board {
		for column, want := range line {
			s := trails.Square{X: column, Y: size - 1 - row}
			if got := letter(p, s); got != string(want) {
				differ(s.String(), got, string(want))
			}
		}
	}
	differ("rows", len(l.Board), size)
	for i := range 2 {
		seat := engine.Seat(i + 1)
		differ("head", p.Head(seat), trails.Square{X: l.Last[i][1], Y: size - 1 - l.Last[i][0]})
		differ("boost", p.Boost(seat), l.Boost[i])
		differ("taken", p.Taken(seat), l.Taken[i])
		if d, ok := p.LastDirection(seat); ok { // before it there is a placeholder
			differ("last direction", d.String(), corpusDirection[l.Dir[i]])
		}
	}
	result, over := p.Result()
	differ("over", over, l.Final)
	if l.Final {
		if over {
			differ("winners", fmt.Sprint(result.Winners), fmt.Sprint([]int{l.Winner}))
			differ("reason", result.Reason, corpusReason[l.Reason])
		}
		return out
	}
	differ("seat", int(p.Seat()), l.Player)
	var legal []string
	for _, s := range l.Legal {
		legal = append(legal, corpusDirection[s])
	}
	slices.Sort(legal)
	got := legalTokens(p)
	slices.Sort(got)
	differ("legal", fmt.Sprint(got), fmt.Sprint(legal))
	return out
}

// The towers of every recorded starting position of odd size stand where they
// should, for the number asked for. (On odd boards the original rounds nothing.)
func TestCorpusPlacements(t *testing.T) {
	corpus := enginetest.OpenCorpus(t, "trails")
	content, err := os.ReadFile(filepath.Join(corpus.Dir, "placements.json"))
	if err != nil {
		t.Fatal(err)
	}
	var placements []struct {
		Size, Towers, Distance int
		Requested              []int `json:"towers_requested"`
		Cells                  [][2]int
	}
	if err := json.Unmarshal(content, &placements); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, want := range placements {
		if want.Size%2 == 0 {
			continue
		}
		for _, n := range want.Requested {
			checked++
			var got [][2]int
			for _, tower := range position(t, board{want.Size, n, want.Distance}.String()).Towers() {
				got = append(got, [2]int{want.Size - 1 - tower.Square.Y, tower.Square.X})
			}
			slices.SortFunc(got, func(a, b [2]int) int { return a[0] - b[0] })
			if !slices.Equal(got, want.Cells) {
				t.Errorf("size %d, %d towers, distance %d: on %v, not on %v", want.Size, n, want.Distance, got, want.Cells)
			}
		}
	}
	if checked == 0 {
		t.Error("no placement of odd size was found")
	}
	t.Logf("%d placements", checked)
}
