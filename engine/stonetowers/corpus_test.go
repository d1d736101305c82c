package stonetowers_test

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

// record is a header, a record or a final object of the recorded games.
type record struct {
	Game    string         `json:"game"`
	Options map[string]int `json:"options"`

	State  *recordedState `json:"state"`
	Legal  []string       `json:"legal"`
	Action string         `json:"action"`

	Final  *recordedState  `json:"final"`
	Result *recordedResult `json:"result"`
}

type recordedState struct {
	Owner  []string `json:"owner"` // rows from the top
	Level  []string `json:"level"`
	Turn   int      `json:"turn"`
	Played []int    `json:"played"`
}

type recordedResult struct {
	Winners []int  `json:"winners"`
	Draw    bool   `json:"draw"`
	Scores  []int  `json:"scores"`
	Reason  string `json:"reason"`
}

// Positions, legal actions and results agree with the recorded games, record by
// record, for both implementations. There are no exceptions.
func TestCorpus(t *testing.T) {
	enginetest.Replay[record]{
		Game:   stonetowers.Key,
		Header: func(r record) bool { return r.Game != "" },
		Final:  func(r record) bool { return r.Final != nil },
		Start: func(header record) (func(record) ([]string, error), error) {
			width, height, turns := header.Options["width"], header.Options["height"], header.Options["turns"]
			p, want := sized(t, width, height, turns), newReference(width, height, turns)
			return func(r record) ([]string, error) {
				found := append(recordDifferences(p, r), differences(p, want)...)
				if r.Final != nil {
					return found, nil
				}
				k := slices.Index(referenceTokens(want), r.Action)
				if k < 0 {
					return append(found, r.Action+" is not legal"), enginetest.ErrSkipRest
				}
				want.play(want.legal()[k])
				next, err := enginetest.Try(p, r.Action)
				p = next
				return found, err
			}, nil
		},
	}.Run(t)
}

func recordDifferences(p *stonetowers.Position, r record) []string {
	var d enginetest.Differences
	state := r.State
	if r.Final != nil {
		state = r.Final
	}
	if state == nil || len(state.Owner) != p.Height() || len(state.Level) != p.Height() || len(state.Played) != 2 {
		return []string{"the record has no position of this size"}
	}
	for i := range p.Height() {
		owner, level := "", ""
		for x := range p.Width() {
			s := stonetowers.Square{X: x, Y: p.Height() - 1 - i}
			owner += string(".RB"[p.Owner(s)])
			level += fmt.Sprint(p.Level(s))
		}
		d.Equal(fmt.Sprint("owners in row ", i), owner, state.Owner[i])
		d.Equal(fmt.Sprint("levels in row ", i), level, state.Level[i])
	}
	d.Equal("turns played", fmt.Sprint(p.TurnsPlayed(red), p.TurnsPlayed(blue)), fmt.Sprint(state.Played[0], state.Played[1]))

	result, over := p.Result()
	d.Equal("over", over, r.Final != nil)
	if r.Final == nil {
		d.Equal("seat", p.Seat(), engine.Seat(state.Turn))
		got := enginetest.LegalTokens(p)
		slices.Sort(got)
		d.Equal("legal", fmt.Sprint(got), fmt.Sprint(r.Legal))
		return d
	}
	if r.Result == nil {
		return append(d, "the end has no result")
	}
	d.Equal("winners", fmt.Sprint(result.Winners), fmt.Sprint(r.Result.Winners))
	d.Equal("draw", len(result.Winners) == 0, r.Result.Draw)
	d.Equal("scores", fmt.Sprint(result.Scores), fmt.Sprint(r.Result.Scores))
	d.Equal("reason", result.Reason, r.Result.Reason)
	return d
}
