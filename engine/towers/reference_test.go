package towers_test

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The reference implementation, written from the rules page alone, as simply as
// possible, to compare the fast one with.

type (
	referenceTower struct {
		owner  int // 1 or 2
		height int
		master bool
	}
	reference struct {
		size    int
		rules   []string
		board   map[string]referenceTower // by the name of the square
		locked  map[string]bool
		reserve map[int]int
		to      int // the player to move, 1 or 2
		points  int
		played  []string // tokens of the open turn

		begin   string   // the position at the start of the turn
		history []string // positions between turns, the latest last
		passed  bool     // the turn before was a pass
		turns   int

		over   bool
		winner int
		reason string
	}
)

// newReference returns the start: "Setup" of the rules page.
func newReference(size int, rules ...string) *reference {
	p := &reference{
		size: size, rules: rules, to: 1,
		board: map[string]referenceTower{}, locked: map[string]bool{}, reserve: map[int]int{1: size - 4, 2: size - 4},
	}
	for x := range size {
		for _, y := range []int{1, 2} {
			p.board[referenceName(x, y)] = referenceTower{owner: 1, height: 1}
			p.board[referenceName(x, size+1-y)] = referenceTower{owner: 2, height: 1}
		}
	}
	one, two := referenceName(size/2, 1), referenceName((size-1)/2, size)
	if p.rule("master-at-corner") {
		one, two = referenceName(size-1, 1), referenceName(0, size)
	}
	p.board[one] = referenceTower{1, 1, true}
	p.board[two] = referenceTower{2, 1, true}
	p.start()
	p.history = []string{p.begin}
	if !p.rule("no-first-lock-master") {
		p.locked[one] = true
	}
	return p
}

func (p *reference) rule(name string) bool { return slices.Contains(p.rules, name) }

// referenceName returns the square of that file, from 0, and rank, from 1.
func referenceName(x, rank int) string { return string(rune('a'+x)) + strconv.Itoa(rank) }

// start gives the player to move their points.
func (p *reference) start() {
	p.points = p.reserve[p.to]
	p.played = nil
	p.begin = p.position()
}

// position describes the cells, the reserves and the player to move.
func (p *reference) position() string {
	return fmt.Sprint(p.cells(), " player ", p.to)
}

// cells describes the cells and the reserves.
func (p *reference) cells() string {
	var squares []string
	for s, t := range p.board {
		squares = append(squares, fmt.Sprint(s, t))
	}
	sort.Strings(squares)
	return fmt.Sprint(squares, p.reserve[1], p.reserve[2])
}

func (p *reference) master(player int) string {
	for s, t := range p.board {
		if t.owner == player && t.master {
			return s
		}
	}
	return ""
}

// legal returns the complete list of legal actions in code point order.
func (p *reference) legal() []string {
	if p.over {
		return nil
	}
	out := []string{"end"}
	for n := 1; n <= p.points; n++ {
		if p.canImport() {
			out = append(out, "+"+strconv.Itoa(n))
		}
	}
	for from, t := range p.board {
		if t.owner != p.to || p.locked[from] {
			continue
		}
		for _, to := range p.reach(from, t) {
			out = append(out, from+"-"+to)
		}
		if t.height >= 2 && (t.master || p.rule("tower-out")) {
			for _, to := range p.reach(from, referenceTower{t.owner, 1, false}) {
				out = append(out, from+"/"+to)
			}
		}
	}
	sort.Strings(out)
	return out
}

// canImport implements "not when the master's cell is locked" and import-first.
func (p *reference) canImport() bool {
	if p.locked[p.master(p.to)] {
		return false
	}
	if p.rule("import-first") {
		for _, token := range p.played {
			if token[0] != '+' {
				return false
			}
		}
	}
	return true
}

// reach returns the targets of a piece: in a straight line, over empty cells,
// each at the cost of its height.
func (p *reference) reach(from string, mover referenceTower) []string {
	x, y := referenceSquare(from)
	var out []string
	for _, d := range [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
		for n := 1; mover.height*n <= p.points; n++ {
			if tx, ty := x+n*d[0], y+n*d[1]; tx < 0 || tx >= p.size || ty < 1 || ty > p.size {
				break
			}
			to := referenceName(x+n*d[0], y+n*d[1])
			there, occupied := p.board[to]
			if !occupied {
				out = append(out, to)
				continue
			}
			if !p.locked[to] && p.enters(mover, there) {
				out = append(out, to)
			}
			break
		}
	}
	return out
}

// enters implements "The target is": it reports whether a piece can enter an
// occupied square.
func (p *reference) enters(mover, there referenceTower) bool {
	if there.owner != mover.owner {
		if p.rule("no-master-win") && mover.master && there.master {
			return false
		}
		return there.height <= mover.height
	}
	if mover.height != 1 {
		return false
	}
	return !mover.master || there.height == 1
}

func referenceSquare(s string) (x, rank int) {
	rank, _ = strconv.Atoi(s[1:])
	return int(s[0] - 'a'), rank
}

// play plays a legal action.
func (p *reference) play(token string) {
	if token == "end" {
		p.end()
		return
	}
	p.played = append(p.played, token)
	if token[0] == '+' {
		n, _ := strconv.Atoi(token[1:])
		at := p.master(p.to)
		t := p.board[at]
		t.height += n
		p.board[at] = t
		p.reserve[p.to] -= n
		p.points -= n
		return
	}
	sign := strings.IndexAny(token, "-/")
	from, to := token[:sign], token[sign+1:]
	mover := p.board[from]
	if token[sign] == '-' {
		delete(p.board, from)
	} else {
		p.board[from] = referenceTower{mover.owner, mover.height - 1, mover.master}
		mover = referenceTower{mover.owner, 1, false}
		if p.rule("lock-split-tower") {
			p.locked[from] = true
		}
	}
	x, y := referenceSquare(from)
	tx, ty := referenceSquare(to)
	p.points -= mover.height * (max(x-tx, tx-x) + max(y-ty, ty-y))
	p.arrive(mover, to)
}

func (p *reference) arrive(mover referenceTower, to string) {
	there, occupied := p.board[to]
	if occupied || p.rule("lock-after-move") {
		p.locked[to] = true
	}
	switch {
	case !occupied:
		p.board[to] = mover
	case there.owner == mover.owner:
		p.board[to] = referenceTower{mover.owner, mover.height + there.height, mover.master || there.master}
	case mover.master:
		p.board[to] = referenceTower{mover.owner, mover.height + there.height, true}
	default:
		p.board[to] = mover
	}
	if occupied && there.owner != mover.owner && there.master {
		p.over, p.winner, p.reason = true, mover.owner, "master"
		p.turns++
	}
}

// end ends the turn: "At the end of the turn" and "End" of the rules page.
func (p *reference) end() {
	at := p.master(p.to)
	t := p.board[at]
	p.reserve[p.to] += t.height - 1
	p.board[at] = referenceTower{t.owner, 1, true}
	p.locked = map[string]bool{}

	pass := p.position() == p.begin
	if pass && p.passed {
		p.over, p.reason = true, "passes"
	}
	p.passed = pass
	p.to = 3 - p.to
	p.turns++
	p.start()
	p.history = append(p.history, p.begin)
	if n := len(p.history); !p.over && p.stood(n-1) && p.stood(n-2) {
		p.over, p.reason = true, "repetition"
	}
}

// stood reports whether position number n occurred before.
func (p *reference) stood(n int) bool { return n >= 0 && slices.Contains(p.history[:n], p.history[n]) }
