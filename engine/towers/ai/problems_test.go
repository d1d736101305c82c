package ai

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

var (
	update = flag.Bool("update", false, "write the positions under testdata anew from the recorded games")
	whole  = flag.Bool("whole", false, "let the levels visit as many nodes as in a game")
)

// problemNodes is how many nodes a level may visit in a test: what must be
// found is found first, whatever comes after.
const problemNodes = 1500

// problemFile is positions of recorded games, a line each: what they ask for,
// the options and the actions from the start.
const problemFile = "testdata/positions.txt"

// What a position asks for.
const (
	askStrike = "strike" // the master can be taken this turn
	askSafety = "safety" // one turn loses the master at once, another does not
)

// problem is a position from which a turn is asked.
type problem struct {
	ask, options string
	tokens       []string
}

func (p problem) String() string {
	return p.ask + " " + p.options + ": " + strings.Join(p.tokens, " ")
}

func (p problem) position(t testing.TB) *towers.Position {
	pos := start(t, p.options)
	for _, token := range p.tokens {
		a, err := pos.Parse(token)
		if err != nil {
			t.Fatal(err)
		}
		pos = apply(t, pos, a)
	}
	return pos
}

// kept is the positions under testdata.
func kept(t testing.TB) (all []problem) {
	text, err := os.ReadFile(problemFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		head, tokens, _ := strings.Cut(strings.TrimSpace(line), ": ")
		ask, options, _ := strings.Cut(head, " ")
		all = append(all, problem{ask, options, strings.Fields(tokens)})
	}
	return all
}

// recorded is positions of 5x5 and 6x6 squares from recorded games: as many of
// each kind as asked for, half of them of each size, no more than two of a kind
// from a game.
func recorded(t *testing.T, most int) (all []problem) {
	corpus := enginetest.OpenCorpus(t, "towers")
	met := map[uint64]bool{}
	count := map[string]int{}
	for _, file := range corpus.Files {
		var (
			size   int
			p      *towers.Position
			tokens []string
			game   map[string]int
		)
		err := enginetest.EachLine(file, func(_ int, object json.RawMessage) error {
			var l struct {
				Game   string
				Size   int
				Rules  []string
				Action string
			}
			if err := json.Unmarshal(object, &l); err != nil {
				return fmt.Errorf("decoding a record: %w", err)
			}
			switch {
			case l.Game != "":
				size, tokens, p, game = l.Size, nil, nil, map[string]int{}
				if size > 6 {
					return errTooLarge
				}
				options := "size=" + strconv.Itoa(size)
				if len(l.Rules) > 0 {
					options += " rules=" + strings.Join(l.Rules, "+")
				}
				tokens = []string{options}
				p = start(t, options)
				return nil
			case p == nil || l.Action == "":
				return nil
			}
			if left, of := p.MovePoints(); left == of && !met[p.Hash()] {
				met[p.Hash()] = true
				if len(all) == 2*most {
					return errEnough
				}
				if ask := asks(t, p); ask != "" && game[ask] < 2 && count[ask+strconv.Itoa(size)] < most/2 {
					all = append(all, problem{ask, tokens[0], append([]string(nil), tokens[1:]...)})
					game[ask]++
					count[ask+strconv.Itoa(size)]++
				}
			}
			token, ok := tokenOf(l.Action, p)
			if !ok {
				p = nil // not an action of our rules: the game is followed to here
				return nil
			}
			a, err := p.Parse(token)
			if err != nil {
				return fmt.Errorf("reading a record: %w", err)
			}
			q, err := p.Apply(a)
			if err != nil || q.Seat() == engine.Nobody {
				p = nil
				return nil
			}
			p, tokens = q.(*towers.Position), append(tokens, token)
			return nil
		})
		if errors.Is(err, errEnough) {
			break
		}
		if err != nil && !errors.Is(err, errTooLarge) {
			t.Fatal(err)
		}
	}
	return all
}

var (
	errTooLarge = errors.New("the board is larger")
	errEnough   = errors.New("there are positions enough")
)

// tokenOf is a recorded action in our notation.
func tokenOf(action string, p *towers.Position) (string, bool) {
	f := strings.Fields(action)
	switch f[0] {
	case "import":
		return "+" + f[1], true
	case "move":
		var n [5]int
		for i := range n {
			v, err := strconv.Atoi(f[i+1])
			if err != nil {
				return "", false
			}
			n[i] = v
		}
		from := towers.Square{X: n[0], Y: p.Size() - 1 - n[1]}
		to := towers.Square{X: n[2], Y: p.Size() - 1 - n[3]}
		switch n[4] {
		case p.At(from).Height:
			return from.String() + "-" + to.String(), true
		case 1:
			return from.String() + "/" + to.String(), true
		}
		return "", false
	}
	return engine.End, true
}

// asks is what a position at the start of a turn asks for; empty where it asks
// for nothing or has too many turns to try them all.
func asks(t testing.TB, p *towers.Position) string {
	s, err := newState(p)
	if err != nil {
		t.Fatal(err)
	}
	if s.points == 0 || s.points > 3 || s.reserve[s.mover^1] > 3 {
		return ""
	}
	if canStrike(s, map[uint64]bool{}) {
		return askStrike
	}
	var l list
	l.fill(s, breadth{widest, 400}, func(*finish) bool { return false })
	if len(l.nodes) >= 400 {
		return ""
	}
	loses, holds := false, false
	for _, e := range l.ends {
		made := l.enter(s, e.node) + 1
		s.Make(moveEnd)
		if s.strikeNow() < never {
			loses = true
		} else {
			holds = true
		}
		unmake(s, made)
	}
	if loses && holds {
		return askSafety
	}
	return ""
}

// solve has every level above the first, or only the top one where safety is
// asked for, play from the position. It reports what is wrong with a turn.
func solve(t testing.TB, p problem) {
	pos := p.position(t)
	for _, level := range Brain().Levels[1:] {
		limits := level.Limits
		if !*whole {
			limits.Nodes = min(limits.Nodes, problemNodes)
		}
		limits.Seed = pos.Hash()
		thought, err := level.Player.Think(context.Background(), pos, limits)
		if err != nil {
			t.Fatal(err)
		}
		after := pos
		for _, a := range thought.Actions {
			after = apply(t, after, a)
		}
		r, over := after.Result()
		won := over && len(r.Winners) == 1
		if p.ask == askStrike {
			if !won {
				t.Errorf("%s: %s plays %v and does not take the master in\n%s", p, level.Key, thought.Actions, pos.Text())
			}
			continue
		}
		if over {
			continue // drawn
		}
		s, err := newState(after)
		if err != nil {
			t.Fatal(err)
		}
		if canStrike(s, map[uint64]bool{}) {
			t.Errorf("%s: %s plays %v and loses the master in\n%s", p, level.Key, thought.Actions, pos.Text())
		}
	}
}

func testProblems(t *testing.T, all []problem) {
	count := map[string]int{}
	for i, p := range all {
		count[p.ask]++
		if i%share == 0 {
			solve(t, p)
		}
	}
	t.Log(count)
	if count[askStrike] < 100 || count[askSafety] < 100 {
		t.Errorf("few positions: %v", count)
	}
}

// Every level above the first takes a master that can be taken, and does not
// let its own be taken where that can be helped.
func TestMastersAreTakenAndNotGivenAway(t *testing.T) {
	if *update {
		var b strings.Builder
		for _, p := range recorded(t, 100) {
			fmt.Fprintln(&b, p)
		}
		if err := os.MkdirAll(filepath.Dir(problemFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(problemFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testProblems(t, kept(t))
}

// The same over 200 positions of each kind from the recorded games themselves.
func TestMastersOfTheCorpusAreTakenAndNotGivenAway(t *testing.T) {
	testProblems(t, recorded(t, 200))
}
