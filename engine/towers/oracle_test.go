package towers_test

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The second implementation: written from the rules page alone, with a map of
// squares and no cleverness, to compare the fast one with and to measure it by.

type (
	plainTower struct {
		owner  int // 1 or 2
		height int
		master bool
	}
	plain struct {
		size    int
		rules   []string
		board   map[string]plainTower // by the name of the square
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

// newPlain returns the start: "Setup" of the rules page.
func newPlain(size int, rules ...string) *plain {
	p := &plain{
		size: size, rules: rules, to: 1,
		board: map[string]plainTower{}, locked: map[string]bool{}, reserve: map[int]int{1: size - 4, 2: size - 4},
	}
	for x := range size {
		for _, y := range []int{1, 2} {
			p.board[plainName(x, y)] = plainTower{owner: 1, height: 1}
			p.board[plainName(x, size+1-y)] = plainTower{owner: 2, height: 1}
		}
	}
	one, two := plainName(size/2, 1), plainName((size-1)/2, size)
	if p.rule("master-at-corner") {
		one, two = plainName(size-1, 1), plainName(0, size)
	}
	p.board[one] = plainTower{1, 1, true}
	p.board[two] = plainTower{2, 1, true}
	p.start()
	p.history = []string{p.begin}
	if !p.rule("no-first-lock-master") {
		p.locked[one] = true
	}
	return p
}

func (p *plain) rule(name string) bool { return slices.Contains(p.rules, name) }

// plainName returns the square of that file, from 0, and rank, from 1.
func plainName(x, rank int) string { return string(rune('a'+x)) + strconv.Itoa(rank) }

// start gives the player to move his points.
func (p *plain) start() {
	p.points = p.reserve[p.to]
	p.played = nil
	p.begin = p.position()
}

// position returns the cells, the reserves and who is to move, in words.
func (p *plain) position() string {
	return fmt.Sprint(p.cells(), " player ", p.to)
}

// cells returns the cells and the reserves in words.
func (p *plain) cells() string {
	var squares []string
	for s, t := range p.board {
		squares = append(squares, fmt.Sprint(s, t))
	}
	sort.Strings(squares)
	return fmt.Sprint(squares, p.reserve[1], p.reserve[2])
}

func (p *plain) master(player int) string {
	for s, t := range p.board {
		if t.owner == player && t.master {
			return s
		}
	}
	return ""
}

// legal returns the complete list of legal actions in code point order.
func (p *plain) legal() []string {
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
			for _, to := range p.reach(from, plainTower{t.owner, 1, false}) {
				out = append(out, from+"/"+to)
			}
		}
	}
	sort.Strings(out)
	return out
}

// canImport: "not when the master's cell is locked", and import-first.
func (p *plain) canImport() bool {
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

// reach returns the targets of what goes from a square: in a straight line, over
// empty cells, at the cost of its height for each.
func (p *plain) reach(from string, goer plainTower) []string {
	x, y := plainSquare(from)
	var out []string
	for _, d := range [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
		for n := 1; goer.height*n <= p.points; n++ {
			if tx, ty := x+n*d[0], y+n*d[1]; tx < 0 || tx >= p.size || ty < 1 || ty > p.size {
				break
			}
			to := plainName(x+n*d[0], y+n*d[1])
			there, occupied := p.board[to]
			if !occupied {
				out = append(out, to)
				continue
			}
			if !p.locked[to] && p.enters(goer, there) {
				out = append(out, to)
			}
			break
		}
	}
	return out
}

// enters: "The target is", with what stands there.
func (p *plain) enters(goer, there plainTower) bool {
	if there.owner != goer.owner {
		if p.rule("no-master-win") && goer.master && there.master {
			return false
		}
		return there.height <= goer.height
	}
	if goer.height != 1 {
		return false
	}
	return !goer.master || there.height == 1
}

func plainSquare(s string) (x, rank int) {
	rank, _ = strconv.Atoi(s[1:])
	return int(s[0] - 'a'), rank
}

// play plays a legal action.
func (p *plain) play(token string) {
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
	goer := p.board[from]
	if token[sign] == '-' {
		delete(p.board, from)
	} else {
		p.board[from] = plainTower{goer.owner, goer.height - 1, goer.master}
		goer = plainTower{goer.owner, 1, false}
		if p.rule("lock-split-tower") {
			p.locked[from] = true
		}
	}
	x, y := plainSquare(from)
	tx, ty := plainSquare(to)
	p.points -= goer.height * (max(x-tx, tx-x) + max(y-ty, ty-y))
	p.arrive(goer, to)
}

func (p *plain) arrive(goer plainTower, to string) {
	there, occupied := p.board[to]
	if occupied || p.rule("lock-after-move") {
		p.locked[to] = true
	}
	switch {
	case !occupied:
		p.board[to] = goer
	case there.owner == goer.owner:
		p.board[to] = plainTower{goer.owner, goer.height + there.height, goer.master || there.master}
	case goer.master:
		p.board[to] = plainTower{goer.owner, goer.height + there.height, true}
	default:
		p.board[to] = goer
	}
	if occupied && there.owner != goer.owner && there.master {
		p.over, p.winner, p.reason = true, goer.owner, "master"
		p.turns++
	}
}

// end ends the turn: "At the end of the turn" and "End".
func (p *plain) end() {
	at := p.master(p.to)
	t := p.board[at]
	p.reserve[p.to] += t.height - 1
	p.board[at] = plainTower{t.owner, 1, true}
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

// stood reports whether the position of that number had stood before.
func (p *plain) stood(n int) bool { return n >= 0 && slices.Contains(p.history[:n], p.history[n]) }
