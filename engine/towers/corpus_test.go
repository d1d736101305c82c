package towers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

// record is a header, a record or a final object of the recorded games.
// Coordinates are x from the left and y from the top, from 0.
type record struct {
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

// exceptions counts the differences to the rules page that the corpus
// documents.
type exceptions struct {
	severalOut   int // legal entries that take several pawns out of a tower
	severalGames int // games with such an action, resumed at the next record
	masterWins   int // legal entries of a master against a master under no-master-win
	masterGames  int // games that end by one, not followed to there
	drawnGames   int // games that our rules draw before they ended
}

// replay follows one recorded game with both implementations.
type replay struct {
	*exceptions
	size  int
	rules []string
	fast  *towers.Position // nil after an action that our rules do not have
	slow  *reference

	moved, several, drawn bool
}

// Positions, legal actions and results agree with the recorded games of the
// original program, record by record, for both implementations, but for the
// documented exceptions.
func TestCorpus(t *testing.T) {
	var n exceptions
	enginetest.Replay[record]{
		Game:   "towers",
		Header: func(r record) bool { return r.Game != "" },
		Final:  func(r record) bool { return r.Result != nil },
		Start: func(header record) (func(record) ([]string, error), error) {
			rules := engine.None
			if len(header.Rules) > 0 {
				rules = strings.Join(header.Rules, "+")
			}
			p := position(t, fmt.Sprintf("size=%d rules=%s", header.Size, rules))
			g := &replay{exceptions: &n, size: header.Size, rules: header.Rules, fast: p, slow: referenceOf(p)}
			return func(r record) ([]string, error) { return g.step(t, r) }, nil
		},
		Report: func(corpus string) {
			fmt.Printf("%s towers exceptions: several-out legal=%d games=%d, no-master-win legal=%d stopped=%d, drawn-earlier games=%d\n",
				corpus, n.severalOut, n.severalGames, n.masterWins, n.masterGames, n.drawnGames)
			n = exceptions{}
		},
	}.Run(t)
}

// step compares one record with the position and plays its action.
func (g *replay) step(t enginetest.T, r record) ([]string, error) {
	if g.fast == nil {
		if err := g.resume(t, r); err != nil {
			return nil, err
		}
	}
	found := append(g.differences(r), differences(g.fast, g.slow)...)
	if r.Result != nil {
		return append(found, g.result(r)...), nil
	}
	token, ok := g.token(r.Action)
	if !ok {
		if !g.several {
			g.severalGames++
		}
		g.several, g.fast, g.moved = true, nil, true
		return found, nil
	}
	if g.masterWin(token) {
		g.masterGames++
		return found, enginetest.ErrSkipRest
	}
	g.moved = token != engine.End && (g.moved || token[0] != '+')
	next, err := enginetest.Try(g.fast, token)
	if err != nil {
		return append(found, err.Error()), nil
	}
	g.fast = next
	g.slow.play(token)
	if r, over := next.Result(); over && len(r.Winners) == 0 {
		// The original draws only after four turns with nothing but end.
		found = append(found, differences(g.fast, g.slow)...)
		if !g.drawn {
			g.drawnGames++
		}
		g.drawn, g.fast = true, nil
	}
	return found, nil
}

// resume sets both implementations to the position of a record.
func (g *replay) resume(t enginetest.T, r record) error {
	line := fmt.Sprintf("rules=%s move=%s points=%d reserve=%d,%d ", strings.Join(g.rules, "+"), colours[r.Player], r.Points, r.Reserve[0], r.Reserve[1])
	if g.moved {
		line = "moved " + line
	}
	for y, row := range r.Board {
		if y > 0 {
			line += "/"
		}
		for x, sign := range row {
			if sign == "." {
				line += "."
				continue
			}
			var owner, height, master int
			if _, err := fmt.Sscanf(sign, "%d:%d", &owner, &height); err != nil {
				return fmt.Errorf("the cell %q: %w", sign, err)
			}
			if strings.HasSuffix(sign, "M") {
				master = 1
			}
			line += "bBrR"[2*owner-2+master:][:1] + strconv.Itoa(height)
			if slices.Contains(r.Locked, [2]int{x, y}) {
				line += "#"
			}
		}
	}
	g.fast, g.slow = read(t, line), newReference(g.size, g.rules...)
	slow := g.slow
	slow.board, slow.locked = map[string]referenceTower{}, map[string]bool{}
	slow.reserve, slow.to = map[int]int{1: r.Reserve[0], 2: r.Reserve[1]}, r.Player
	for i := range g.size * g.size {
		s := towers.Square{X: i % g.size, Y: i / g.size}
		if at := g.fast.At(s); at.Height > 0 {
			slow.board[s.String()] = referenceTower{int(at.Owner), at.Height, at.Master}
		}
		slow.locked[s.String()] = g.fast.Locked(s)
	}
	slow.start()
	slow.history, slow.turns = []string{slow.begin}, g.fast.Turns()
	slow.points = r.Points
	if g.moved {
		slow.played, slow.begin = []string{"moved"}, "unlike every position"
	}
	return nil
}

func (g *replay) square(x, y int) towers.Square { return towers.Square{X: x, Y: g.size - 1 - y} }

// token returns a recorded action in our notation; ok is false if it takes
// several pawns out of a tower.
func (g *replay) token(action string) (token string, ok bool) {
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
func (g *replay) masterWin(token string) bool {
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

// differences compares the fast position with a record.
func (g *replay) differences(r record) []string {
	var d enginetest.Differences
	p := g.fast
	locked := map[towers.Square]bool{}
	for _, at := range r.Locked {
		locked[g.square(at[0], at[1])] = true
	}
	d.Equal("rows", len(r.Board), p.Size())
	for y, row := range r.Board {
		for x, want := range row {
			s := g.square(x, y)
			got := "."
			if t := p.At(s); t.Owner != engine.Nobody {
				got = fmt.Sprintf("%d:%d", t.Owner, t.Height)
				if t.Master {
					got += "M"
				}
			}
			d.Equal(s.String(), got, want)
			d.Equal("lock of "+s.String(), p.Locked(s), locked[s])
		}
	}
	for i, n := range r.Reserve {
		d.Equal(fmt.Sprint("reserve of ", i+1), p.Reserve(engine.Seat(i+1)), n)
	}
	left, _ := p.MovePoints()
	d.Equal("points", left, r.Points)
	if r.Result != nil {
		return d
	}
	d.Equal("seat", int(p.Seat()), r.Player)
	if !g.several && !g.drawn {
		d.Equal("turns", p.Turns(), r.Ply-1)
	}
	var legal []string
	for _, action := range r.Legal {
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
	got := enginetest.LegalTokens(p)
	slices.Sort(got)
	d.Equal("legal", fmt.Sprint(got), fmt.Sprint(legal))
	return d
}

// result compares the end of a game.
func (g *replay) result(r record) []string {
	result, over := g.fast.Result()
	switch want := r.Result.(type) {
	case float64:
		if !over || len(result.Winners) != 1 || float64(result.Winners[0]) != want || result.Reason != "master" {
			return []string{fmt.Sprintf("seats %v win by %q, not seat %v", result.Winners, result.Reason, want)}
		}
	case string:
		if want == "draw" && !g.drawn {
			return []string{"drawn by four passes, but not by two"}
		}
		if over {
			return []string{fmt.Sprintf("seats %v win by %q, not %q", result.Winners, result.Reason, want)}
		}
	}
	return nil
}
