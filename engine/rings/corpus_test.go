package rings_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// record is a header, a record or a final object of the recorded games.
type record struct {
	Game    string `json:"game"`
	Options struct {
		Players int `json:"players"`
		Side    int `json:"side"`
	} `json:"options"`

	State  *recordedState `json:"state"`
	Legal  []string       `json:"legal"`
	Action string         `json:"action"`

	Final  *recordedState `json:"final"`
	Result *struct {
		Winners []int  `json:"winners"`
		Scores  []int  `json:"scores"`
		Reason  string `json:"reason"`
	} `json:"result"`
}

type recordedState struct {
	Stones    map[string]int   `json:"stones"`
	Turn      int              `json:"turn"`
	Phase     string           `json:"phase"`
	Passes    int              `json:"passes"`
	Scores    []int            `json:"scores"`
	Influence map[string][]int `json:"influence"`
}

// Positions, legal actions and results agree with the recorded games, record by
// record. The reference rules are compared at every 20th record and at the end.
func TestCorpus(t *testing.T) {
	enginetest.Replay[record]{
		Game:   "rings",
		Header: func(r record) bool { return r.Game != "" },
		Final:  func(r record) bool { return r.Final != nil },
		Start: func(header record) (func(record) ([]string, error), error) {
			side, seats := header.Options.Side, header.Options.Players
			p, want, step := start(t, side, seats), newReference(side, seats), 0
			return func(r record) ([]string, error) {
				found := recordDifferences(p, r)
				if step%20 == 0 || r.Final != nil {
					found = append(found, differences(p, want)...)
				}
				if r.Final != nil {
					return found, nil
				}
				next, err := enginetest.Try(p, r.Action)
				p = next
				want.play(r.Action)
				step++
				return found, err
			}, nil
		},
	}.Run(t)
}

func recordDifferences(p *rings.Position, r record) []string {
	var d enginetest.Differences
	state := r.State
	if r.Final != nil {
		state = r.Final
	}
	if state == nil {
		return []string{"the record has no state"}
	}
	stones := 0
	for _, at := range p.Points() {
		owner := int(p.Owner(at))
		d.Equal(at.String(), owner, state.Stones[at.String()])
		if owner != 0 {
			stones++
		}
	}
	d.Equal("number of stones", stones, len(state.Stones))
	passes := 0
	for i, want := range state.Scores {
		seat := engine.Seat(i + 1)
		d.Equal(fmt.Sprint("score of ", seat), p.Score(seat), want)
		if p.Passed(seat) {
			passes++
		}
	}
	d.Equal("seats", p.Seats(), len(state.Scores))
	d.Equal("passes", passes, state.Passes)
	d.Equal("converting", p.Converting(), state.Phase == "convert")
	for number, want := range state.Influence {
		n, _ := strconv.Atoi(number)
		for i, w := range want {
			d.Equal("influence on "+number, p.Influence(n, engine.Seat(i+1)), w)
		}
	}
	if state.Influence != nil {
		d.Equal("circles", len(p.Circles()), len(state.Influence))
	}
	return append(d, resultDifferences(p, r, state)...)
}

// resultDifferences compares the legal actions, or the result.
func resultDifferences(p *rings.Position, r record, state *recordedState) []string {
	result, over := p.Result()
	legal := enginetest.LegalTokens(p)
	slices.Sort(legal)
	switch {
	case over != (r.Final != nil):
		return []string{fmt.Sprintf("over is %t, not %t", over, r.Final != nil)}
	case !over && int(p.Seat()) != state.Turn:
		return []string{fmt.Sprintf("seat is %d, not %d", p.Seat(), state.Turn)}
	case !over && !slices.Equal(legal, r.Legal):
		return []string{fmt.Sprintf("legal is %v, not %v", legal, r.Legal)}
	case !over:
		return nil
	case r.Result == nil:
		return []string{"the end has no result"}
	}
	got := fmt.Sprint(result.Winners, result.Scores, result.Reason)
	if want := fmt.Sprint(r.Result.Winners, r.Result.Scores, r.Result.Reason); got != want {
		return []string{fmt.Sprintf("result is %s, not %s", got, want)}
	}
	return nil
}
