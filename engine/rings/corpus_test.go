package rings_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

// corpusLine is a header, a record or a final object of the recorded games.
type corpusLine struct {
	Game    string `json:"game"`
	Options struct {
		Players int `json:"players"`
		Side    int `json:"side"`
	} `json:"options"`

	State  *corpusState `json:"state"`
	Legal  []string     `json:"legal"`
	Action string       `json:"action"`

	Final  *corpusState `json:"final"`
	Result *struct {
		Winners []int  `json:"winners"`
		Scores  []int  `json:"scores"`
		Reason  string `json:"reason"`
	} `json:"result"`
}

type corpusState struct {
	Stones    map[string]int   `json:"stones"`
	Turn      int              `json:"turn"`
	Phase     string           `json:"phase"`
	Passes    int              `json:"passes"`
	Scores    []int            `json:"scores"`
	Influence map[string][]int `json:"influence"`
}

// replay follows one recorded game with both implementations.
type replay struct {
	fast *rings.Position
	slow *plain
	step int
}

// The recorded games: positions, legal actions and results agree, record by
// record. The plain rules follow and are asked for everything at every 20th
// record and at the end.
func TestCorpus(t *testing.T) {
	corpus := enginetest.OpenCorpus(t, "rings")
	var games, positions, differing int
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
				games++
				now = &replay{fast: start(t, l.Options.Side, l.Options.Players), slow: newPlain(l.Options.Side, l.Options.Players)}
				return nil
			}
			if !open {
				return errors.New("a record without a header")
			}
			open = l.Final == nil
			positions++
			found := []string{"the game could not be followed to here"}
			if now.fast != nil {
				found = now.differences(l)
			}
			if len(found) > 0 {
				if differing++; differing <= 20 {
					t.Errorf("%s:%d: %v", filepath.Base(file), n, found)
				}
			}
			if open && now.fast != nil {
				now.play(l.Action)
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
		t.Error("the corpus holds no game")
	}
	fmt.Printf("corpus rings: games=%d positions=%d differences=%d\n", games, positions, differing)
}

// play plays a recorded action; one that is refused ends the replay.
func (r *replay) play(token string) {
	a, err := r.fast.Parse(token)
	if err != nil {
		r.fast = nil
		return
	}
	next, err := r.fast.Apply(a)
	if err != nil || a.String() != token {
		r.fast = nil
		return
	}
	r.fast = next.(*rings.Position)
	r.slow.play(token)
	r.step++
}

// differences compares the fast position with what was recorded, and now and
// then with the plain one.
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
	if state == nil {
		return []string{"the record has no state"}
	}
	stones := 0
	for _, at := range p.Points() {
		owner := int(p.Owner(at))
		differ(at.String(), owner, state.Stones[at.String()])
		if owner != 0 {
			stones++
		}
	}
	differ("number of stones", stones, len(state.Stones))
	passes := 0
	for i, want := range state.Scores {
		seat := engine.Seat(i + 1)
		differ(fmt.Sprint("score of ", seat), p.Score(seat), want)
		if p.Passed(seat) {
			passes++
		}
	}
	differ("seats", p.Seats(), len(state.Scores))
	differ("passes", passes, state.Passes)
	differ("converting", p.Converting(), state.Phase == "convert")
	for number, want := range state.Influence {
		n, _ := strconv.Atoi(number)
		for i, w := range want {
			differ("influence on "+number, p.Influence(n, engine.Seat(i+1)), w)
		}
	}
	if state.Influence != nil {
		differ("circles", len(p.Circles()), len(state.Influence))
	}
	out = append(out, r.differentEnd(l, state)...)
	if r.step%20 == 0 || l.Final != nil {
		out = append(out, differences(p, r.slow)...)
	}
	return out
}

// differentEnd compares the legal actions, or the result.
func (r *replay) differentEnd(l corpusLine, state *corpusState) []string {
	result, over := r.fast.Result()
	legal := legalTokens(r.fast)
	slices.Sort(legal)
	switch {
	case over != (l.Final != nil):
		return []string{fmt.Sprintf("over is %t, not %t", over, l.Final != nil)}
	case !over && int(r.fast.Seat()) != state.Turn:
		return []string{fmt.Sprintf("seat is %d, not %d", r.fast.Seat(), state.Turn)}
	case !over && !slices.Equal(legal, l.Legal):
		return []string{fmt.Sprintf("legal is %v, not %v", legal, l.Legal)}
	case !over:
		return nil
	case l.Result == nil:
		return []string{"the end has no result"}
	}
	got := fmt.Sprint(result.Winners, result.Scores, result.Reason)
	if want := fmt.Sprint(l.Result.Winners, l.Result.Scores, l.Result.Reason); got != want {
		return []string{fmt.Sprintf("result is %s, not %s", got, want)}
	}
	return nil
}
