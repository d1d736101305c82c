package towers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// corpusLine is a header, a record or a final object of the recorded games.
// Coordinates are x from the left and y from the top, from 0.
type corpusLine struct {
	Game  string   `json:"game"`
	Size  int      `json:"size"`
	Rules []string `json:"rules"`

	Ply     int        `json:"ply"`
	Board   [][]string `json:"board"` // rows from the top
	Locked  [][2]int   `json:"locked"`
	Player  int        `json:"player"`
	Points  int        `json:"points"`
	Reserve []int      `json:"reserve"`
	Legal   []string   `json:"legal"`
	Action  string     `json:"action"`

	Result any `json:"result"` // 1, 2, "draw" or "cap" in a final object
}

// corpusCounts is what the comparison has met.
type corpusCounts struct {
	games, positions, differing int
	// The differences that the corpus names, and no others.
	severalOut   int // legal entries that take several pawns out of a tower
	severalGames int // games with such an action, followed from the next record again
	masterWins   int // legal entries of a master against a master by no-master-win
	masterGames  int // games that end by one, not followed to there
	drawnGames   int // games that are drawn by our rules before they ended
}

// corpusGame follows one recorded game with both implementations.
type corpusGame struct {
	*corpusCounts
	size  int
	rules []string
	fast  *towers.Position // nil before the first record and after an action that is not ours
	slow  *plain

	moved, several, drawn, stopped bool
}

// The recorded games of the original program: positions, legal actions and
// results agree, record by record, for both implementations, but for the
// differences that the corpus names.
func TestCorpus(t *testing.T) {
	corpus := enginetest.OpenCorpus(t, "towers")
	var n corpusCounts
	for _, file := range corpus.Files {
		var game *corpusGame
		err := enginetest.EachLine(file, func(line int, object json.RawMessage) error {
			var l corpusLine
			if err := json.Unmarshal(object, &l); err != nil {
				return fmt.Errorf("decoding a record: %w", err)
			}
			if l.Game != "" {
				if game != nil {
					return errors.New("the game before has no end")
				}
				n.games++
				game = &corpusGame{corpusCounts: &n, size: l.Size, rules: l.Rules}
				return game.start()
			}
			if game == nil {
				return errors.New("a record without a header")
			}
			found, err := game.record(l)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				if n.differing++; n.differing <= 20 {
					t.Errorf("%s:%d: %v", filepath.Base(file), line, found)
				}
			}
			if l.Result != nil {
				game = nil
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if game != nil {
			t.Errorf("%s ends in the middle of a game", filepath.Base(file))
		}
	}
	if n.games == 0 {
		t.Error("the corpus holds no game")
	}
	fmt.Printf("corpus towers: games=%d positions=%d differences=%d\n", n.games, n.positions, n.differing)
	fmt.Printf("corpus towers exceptions: several-out legal=%d games=%d, no-master-win legal=%d stopped=%d, drawn-earlier games=%d\n",
		n.severalOut, n.severalGames, n.masterWins, n.masterGames, n.drawnGames)
}

func (g *corpusGame) start() error {
	text := "size=" + strconv.Itoa(g.size)
	if len(g.rules) > 0 {
		text += " rules=" + strings.Join(g.rules, "+")
	}
	o, err := towers.Game{}.Options().Parse(text)
	if err != nil {
		return err
	}
	p, err := towers.Game{}.New(o, 2)
	if err != nil {
		return err
	}
	g.fast, g.slow = p.(*towers.Position), newPlain(g.size, g.rules...)
	return nil
}

// record compares one record with where the game stands, and plays its action.
func (g *corpusGame) record(l corpusLine) ([]string, error) {
	if g.stopped {
		return nil, nil
	}
	g.positions++
	if g.fast == nil {
		if err := g.again(l); err != nil {
			return nil, err
		}
	}
	out := append(g.differences(l), differences(g.fast, g.slow)...)
	if l.Result != nil {
		return append(out, g.result(l)...), nil
	}
	token, ok := g.token(l.Action)
	if !ok { // our rules do not have it: start again from the next position
		if !g.several {
			g.severalGames++
		}
		g.several, g.fast, g.moved = true, nil, true
		return out, nil
	}
	if g.masterWin(token) {
		g.masterGames++
		g.stopped = true
		return out, nil
	}
	g.moved = token != engine.End && (g.moved || token[0] != '+')
	next, err := try(g.fast, token)
	if err != nil {
		return append(out, err.Error()), nil
	}
	g.fast = next
	g.slow.play(token)
	if r, over := next.Result(); over && len(r.Winners) == 0 {
		// The original knows four turns of nothing but end alone.
		out = append(out, differences(g.fast, g.slow)...)
		if !g.drawn {
			g.drawnGames++
		}
		g.drawn, g.fast = true, nil
	}
	return out, nil
}

// again takes up the game at a record, for both implementations.
func (g *corpusGame) again(l corpusLine) error {
	b := towers.Board{
		Size: g.size, Rules: g.rules, Mover: engine.Seat(l.Player), Points: l.Points,
		Reserve: [2]int{l.Reserve[0], l.Reserve[1]}, Moved: g.moved, Towers: map[towers.Square]towers.Tower{},
	}
	slow := newPlain(g.size, g.rules...)
	slow.board, slow.locked = map[string]plainTower{}, map[string]bool{}
	slow.reserve = map[int]int{1: l.Reserve[0], 2: l.Reserve[1]}
	slow.to = l.Player
	for y, row := range l.Board {
		for x, sign := range row {
			if sign == "." {
				continue
			}
			s := towers.Square{X: x, Y: g.size - 1 - y}
			rest, master := strings.CutSuffix(sign, "M")
			owner, height, _ := strings.Cut(rest, ":")
			o, err := strconv.Atoi(owner)
			if err != nil {
				return fmt.Errorf("the cell %q: %w", sign, err)
			}
			h, err := strconv.Atoi(height)
			if err != nil {
				return fmt.Errorf("the cell %q: %w", sign, err)
			}
			b.Towers[s] = towers.Tower{Owner: engine.Seat(o), Height: h, Master: master}
			slow.board[s.String()] = plainTower{o, h, master}
		}
	}
	for _, at := range l.Locked {
		s := g.square(at[0], at[1])
		b.Locked = append(b.Locked, s)
		slow.locked[s.String()] = true
	}
	p, err := towers.Build(b)
	if err != nil {
		return err
	}
	g.fast, g.slow = p, slow
	slow.start()
	slow.history, slow.turns = []string{slow.begin}, p.Turns()
	slow.points = l.Points
	if g.moved {
		slow.played, slow.begin = []string{"moved"}, "as no turn begins"
	}
	return nil
}

func (g *corpusGame) square(x, y int) towers.Square { return towers.Square{X: x, Y: g.size - 1 - y} }

// token is an action of the recordings in our notation; ok is false where it
// takes several pawns out of a tower.
func (g *corpusGame) token(action string) (token string, ok bool) {
	if action == "end" {
		return engine.End, true
	}
	var k, x, y, x2, y2 int
	if _, err := fmt.Sscanf(action, "import %d", &k); err == nil {
		return "+" + strconv.Itoa(k), true
	}
	if _, err := fmt.Sscanf(action, "move %d %d %d %d %d", &x, &y, &x2, &y2, &k); err != nil {
		return "unknown action " + action, true
	}
	from, to := g.square(x, y), g.square(x2, y2)
	switch k {
	case g.fast.At(from).Height:
		return from.String() + "-" + to.String(), true
	case 1:
		return from.String() + "/" + to.String(), true
	}
	return "", false
}

// masterWin reports whether a master attacks the enemy master against the rule
// no-master-win.
func (g *corpusGame) masterWin(token string) bool {
	if !slices.Contains(g.rules, "no-master-win") || !strings.Contains(token, "-") {
		return false
	}
	a, err := g.fast.Parse(token)
	if err != nil {
		return false
	}
	from, to := g.fast.At(a.(towers.Action).From()), g.fast.At(a.(towers.Action).To())
	return from.Master && to.Master
}

// differences compares the fast position with what was recorded; the plain one
// is compared with the fast one.
func (g *corpusGame) differences(l corpusLine) []string {
	var out []string
	differ := func(what string, got, want any) {
		if got != want {
			out = append(out, fmt.Sprintf("%s is %v, not %v", what, got, want))
		}
	}
	p := g.fast
	locked := map[towers.Square]bool{}
	for _, at := range l.Locked {
		locked[g.square(at[0], at[1])] = true
	}
	differ("rows", len(l.Board), p.Size())
	for y, row := range l.Board {
		for x, want := range row {
			s := g.square(x, y)
			got := "."
			if t := p.At(s); t.Owner != engine.Nobody {
				got = fmt.Sprintf("%d:%d", t.Owner, t.Height)
				if t.Master {
					got += "M"
				}
			}
			differ(s.String(), got, want)
			differ("lock of "+s.String(), p.Locked(s), locked[s])
		}
	}
	for i, n := range l.Reserve {
		differ(fmt.Sprint("reserve of ", i+1), p.Reserve(engine.Seat(i+1)), n)
	}
	left, _ := p.MovePoints()
	differ("points", left, l.Points)
	if l.Result != nil {
		return out
	}
	differ("seat", int(p.Seat()), l.Player)
	if !g.several && !g.drawn {
		differ("turns", p.Turns(), l.Ply-1)
	}
	var legal []string
	for _, action := range l.Legal {
		switch token, ok := g.token(action); {
		case !ok:
			g.severalOut++
		case g.masterWin(token):
			g.masterWins++
		default:
			legal = append(legal, token)
		}
	}
	slices.Sort(legal)
	got := legalTokens(p)
	slices.Sort(got)
	differ("legal", fmt.Sprint(got), fmt.Sprint(legal))
	return out
}

// result compares the end of a game.
func (g *corpusGame) result(l corpusLine) []string {
	r, over := g.fast.Result()
	switch want := l.Result.(type) {
	case float64:
		if !over || len(r.Winners) != 1 || float64(r.Winners[0]) != want || r.Reason != "master" {
			return []string{fmt.Sprintf("seats %v win by %q, not seat %v", r.Winners, r.Reason, want)}
		}
	case string:
		if want == "draw" && !g.drawn {
			return []string{"drawn by four passes, but not by two"}
		}
		if over {
			return []string{fmt.Sprintf("seats %v win by %q, not %q", r.Winners, r.Reason, want)}
		}
	}
	return nil
}
