package stonetowers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

// corpusLine is a header, a record or a final object of the recorded games.
type corpusLine struct {
	Game    string         `json:"game"`
	Options map[string]int `json:"options"`

	State  *corpusState `json:"state"`
	Legal  []string     `json:"legal"`
	Action string       `json:"action"`

	Final  *corpusState  `json:"final"`
	Result *corpusResult `json:"result"`
}

type corpusState struct {
	Owner  []string `json:"owner"` // rows from the top
	Level  []string `json:"level"`
	Turn   int      `json:"turn"`
	Played []int    `json:"played"`
}

type corpusResult struct {
	Winners []int  `json:"winners"`
	Draw    bool   `json:"draw"`
	Scores  []int  `json:"scores"`
	Reason  string `json:"reason"`
}

// replay follows one recorded game with both implementations.
type replay struct {
	fast *stonetowers.Position
	slow *plain
}

// The recorded games: positions, legal actions and results agree, record by
// record, for both implementations. There are no exceptions.
func TestCorpus(t *testing.T) {
	corpus := enginetest.OpenCorpus(t, stonetowers.Key)
	var games, positions, differing int
	for _, file := range corpus.Files {
		var now *replay
		err := enginetest.EachLine(file, func(n int, object json.RawMessage) error {
			var l corpusLine
			if err := json.Unmarshal(object, &l); err != nil {
				return fmt.Errorf("decoding a record: %w", err)
			}
			if l.Game != "" {
				if now != nil {
					return errors.New("the game before has no end")
				}
				games++
				width, height, turns := l.Options["width"], l.Options["height"], l.Options["turns"]
				now = &replay{
					position(t, fmt.Sprintf("width=%d height=%d turns=%d", width, height, turns)),
					newPlain(width, height, turns),
				}
				return nil
			}
			if now == nil {
				return errors.New("a record without a header")
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
			if l.Final != nil {
				now = nil
			} else if now.fast != nil {
				now.play(l.Action)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if now != nil {
			t.Errorf("%s ends in the middle of a game", filepath.Base(file))
		}
	}
	if games == 0 {
		t.Error("the corpus holds no game")
	}
	fmt.Printf("corpus %s: games=%d positions=%d differences=%d\n", stonetowers.Key, games, positions, differing)
}

func (r *replay) play(token string) {
	a, err := r.fast.Parse(token)
	if err != nil {
		r.fast = nil
		return
	}
	next, err := r.fast.Apply(a)
	k := slices.Index(plainTokens(r.slow), token)
	if err != nil || k < 0 {
		r.fast = nil
		return
	}
	r.fast = next.(*stonetowers.Position)
	r.slow.play(r.slow.legal()[k])
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
	p, state := r.fast, l.State
	if l.Final != nil {
		state = l.Final
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
		differ(fmt.Sprint("owners in row ", i), owner, state.Owner[i])
		differ(fmt.Sprint("levels in row ", i), level, state.Level[i])
	}
	differ("turns played", fmt.Sprint(p.TurnsPlayed(red), p.TurnsPlayed(blue)), fmt.Sprint(state.Played[0], state.Played[1]))

	result, over := p.Result()
	differ("over", over, l.Final != nil)
	if l.Final == nil {
		differ("seat", p.Seat(), engine.Seat(state.Turn))
		got := legalTokens(p)
		slices.Sort(got)
		differ("legal", fmt.Sprint(got), fmt.Sprint(l.Legal))
		return out
	}
	if l.Result == nil {
		return append(out, "the end has no result")
	}
	differ("winners", fmt.Sprint(result.Winners), fmt.Sprint(l.Result.Winners))
	differ("draw", len(result.Winners) == 0, l.Result.Draw)
	differ("scores", fmt.Sprint(result.Scores), fmt.Sprint(l.Result.Scores))
	differ("reason", result.Reason, l.Result.Reason)
	return out
}
