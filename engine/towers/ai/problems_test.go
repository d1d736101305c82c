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
	update = flag.Bool("update", false, "rewrite the positions under testdata from the recorded games")
	whole  = flag.Bool("whole", false, "let the levels visit as many nodes as in a game")
)

// problemNodes is the node limit of levels in tests: what must be found is
// found first.
const problemNodes = 1500

// problemFile holds positions of recorded games, one per line: the kind of
// problem, the options, and the actions from the start.
const problemFile = "testdata/positions.txt"

// What a position asks for.
const (
	askStrike = "strike" // the master can be taken this turn
	askSafety = "safety" // one turn loses the master at once, another does not
)

// problem is a position with a required kind of turn.
type problem struct {
	kind, options string
	tokens        []string
}

func (p problem) String() string {
	return p.kind + " " + p.options + ": " + strings.Join(p.tokens, " ")
}

func (p problem) position(t testing.TB) *towers.Position {
	return enginetest.Play(t, start(t, p.options), strings.Join(p.tokens, " "))
}

// storedProblems reads the problems under testdata.
func storedProblems(t testing.TB) (all []problem) {
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

// recordedProblems collects problems on boards of 5x5 and 6x6 from recorded
// games: as many of each kind as asked for, half of each size, at most two of a
// kind per game.
func recordedProblems(t *testing.T, most int) (all []problem) {
	files := enginetest.Corpus(t, "towers")
	if files == nil {
		t.Skip("the recorded games are needed: set " + enginetest.CorpusVariable)
	}
	seen := map[uint64]bool{}
	count := map[string]int{}
	for _, file := range files {
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
			if left, of := p.MovePoints(); left == of && !seen[p.Hash()] {
				seen[p.Hash()] = true
				if len(all) == 2*most {
					return errEnough
				}
				if ask := problemKind(t, p); ask != "" && game[ask] < 2 && count[ask+strconv.Itoa(size)] < most/2 {
					all = append(all, problem{ask, tokens[0], append([]string(nil), tokens[1:]...)})
					game[ask]++
					count[ask+strconv.Itoa(size)]++
				}
			}
			token, ok := tokenOf(l.Action, p)
			if !ok {
				p = nil // not an action of our rules: skip the rest of the game
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

// tokenOf converts a recorded action to our notation.
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

// problemKind classifies a position at the start of a turn. It returns "" if
// nothing is required or there are too many turns to try.
func problemKind(t testing.TB, p *towers.Position) string {
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
	var l turnList
	l.generate(s, beam{thoroughWidth, 400}, func(*turnEnd) bool { return false })
	if len(l.nodes) >= 400 {
		return ""
	}
	loses, holds := false, false
	for _, e := range l.ends {
		made := l.makePath(s, e.node) + 1
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

// solve lets every level above the first play from the position, and reports
// turns that miss the requirement.
func solve(t testing.TB, p problem) {
	pos := p.position(t)
	for _, level := range Engine().Levels[1:] {
		limits := level.Limits
		if !*whole {
			limits.Nodes = min(limits.Nodes, problemNodes)
		}
		limits.Seed = pos.Hash()
		decision, err := level.Player.Think(context.Background(), pos, limits)
		if err != nil {
			t.Fatal(err)
		}
		after := pos
		for _, a := range decision.Actions {
			after = apply(t, after, a)
		}
		r, over := after.Result()
		won := over && len(r.Winners) == 1
		if p.kind == askStrike {
			if !won {
				t.Errorf("%s: %s plays %v and does not take the master in\n%s", p, level.Key, decision.Actions, pos.Text())
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
			t.Errorf("%s: %s plays %v and loses the master in\n%s", p, level.Key, decision.Actions, pos.Text())
		}
	}
}

func testProblems(t *testing.T, all []problem) {
	count := map[string]int{}
	for i, p := range all {
		count[p.kind]++
		if i%share == 0 {
			solve(t, p)
		}
	}
	t.Log(count)
	if count[askStrike] < 100 || count[askSafety] < 100 {
		t.Errorf("few positions: %v", count)
	}
}

// Every level above the first takes a master when possible, and keeps its own
// when possible.
func TestStoredProblems(t *testing.T) {
	if *update {
		var b strings.Builder
		for _, p := range recordedProblems(t, 100) {
			fmt.Fprintln(&b, p)
		}
		if err := os.MkdirAll(filepath.Dir(problemFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(problemFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testProblems(t, storedProblems(t))
}

// The same with 200 positions of each kind from the recorded games.
func TestCorpusProblems(t *testing.T) {
	if share > 1 {
		t.Skip("slow: set CASTELLAN_FULL")
	}
	testProblems(t, recordedProblems(t, 200))
}
