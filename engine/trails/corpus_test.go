package trails_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

// record is a header, a record or a final object of the recorded games.
type record struct {
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

// The reasons and directions of the recordings in the package's words.
var (
	recordedReason    = map[string]string{"towers": "towers", "opponent_stuck": "opponent-stuck", "self_stuck": "self-stuck"}
	recordedDirection = map[string]string{"U": "up", "D": "down", "L": "left", "R": "right"}
)

// Positions, legal moves and results agree with the recorded games of the
// original program, record by record, for both implementations. Games on boards
// of even size, which the rules page does not offer, are skipped.
func TestCorpus(t *testing.T) {
	enginetest.Replay[record]{
		Game:   "trails",
		Header: func(r record) bool { return r.Game != "" },
		Final:  func(r record) bool { return r.Final },
		Start: func(header record) (func(record) ([]string, error), error) {
			if header.Size%2 == 0 {
				return nil, nil
			}
			p := position(t, board{header.Size, header.Towers, header.Distance}.String())
			want := newReference(header.Size, header.Towers, header.Distance)
			return func(r record) ([]string, error) {
				found := append(recordDifferences(p, r), differences(p, want)...)
				if r.Final {
					return found, nil
				}
				move := recordedDirection[r.Move]
				if !slices.Contains(want.legal(), move) {
					return append(found, move+" is not legal"), enginetest.ErrSkipRest
				}
				want.play(move)
				next, err := enginetest.Try(p, move)
				p = next
				return found, err
			}, nil
		},
	}.Run(t)
}

// recordDifferences compares a position with a record.
func recordDifferences(p *trails.Position, r record) []string {
	var d enginetest.Differences
	size := p.Size()
	for row, line := range r.Board {
		for column, want := range line {
			s := trails.Square{X: column, Y: size - 1 - row}
			d.Equal(s.String(), letter(p, s), string(want))
		}
	}
	d.Equal("rows", len(r.Board), size)
	for i := range 2 {
		seat := engine.Seat(i + 1)
		d.Equal("head", p.Head(seat), trails.Square{X: r.Last[i][1], Y: size - 1 - r.Last[i][0]})
		d.Equal("boost", p.Boost(seat), r.Boost[i])
		d.Equal("taken", p.Taken(seat), r.Taken[i])
		if last, ok := p.LastDirection(seat); ok { // the recordings have a placeholder before it
			d.Equal("last direction", last.String(), recordedDirection[r.Dir[i]])
		}
	}
	result, over := p.Result()
	d.Equal("over", over, r.Final)
	if r.Final {
		d.Equal("winners", fmt.Sprint(result.Winners), fmt.Sprint([]int{r.Winner}))
		d.Equal("reason", result.Reason, recordedReason[r.Reason])
		return d
	}
	d.Equal("seat", int(p.Seat()), r.Player)
	var legal []string
	for _, s := range r.Legal {
		legal = append(legal, recordedDirection[s])
	}
	slices.Sort(legal)
	got := enginetest.LegalTokens(p)
	slices.Sort(got)
	d.Equal("legal", fmt.Sprint(got), fmt.Sprint(legal))
	return d
}

// The towers of every recorded starting position of odd size stand where they
// should, for the number of towers requested.
func TestCorpusPlacements(t *testing.T) {
	file := filepath.Join("testdata", "placements.json")
	content, err := os.ReadFile(file)
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
}
