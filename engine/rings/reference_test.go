package rings_test

import (
	"fmt"
	"sort"
	"strconv"
)

// The reference implementation, written from the rules page alone, as simply as
// possible, to compare the fast one with.

type (
	spot      struct{ letter, row int } // the letter's index from 0
	reference struct {
		seats   int
		circles map[int][6]spot // by number
		beside  map[int][]int   // neighbours, by number
		on      map[spot][]int  // the circles of a point
		point   map[spot]bool   // that the board has
		stone   map[spot]int    // the player, only occupied points
		turn    int
		placed  bool         // or passed, in this turn
		passed  map[int]bool // in the unbroken sequence
		retired []int        // in order
		turns   int
		over    bool
		reason  string
	}
)

// newReference returns the start: "The board" of the rules page.
func newReference(side, seats int) *reference {
	p := &reference{
		seats: seats, turn: 1,
		circles: map[int][6]spot{}, beside: map[int][]int{}, on: map[spot][]int{},
		point: map[spot]bool{}, stone: map[spot]int{}, passed: map[int]bool{},
	}
	type middle struct{ row, column int }
	var middles []middle
	for c := 0; c <= 2*side-2; c++ {
		away := c - (side - 1)
		if away < 0 {
			away = -away
		}
		m := 2*side - 1 - away
		for r := 2*side - (m - 1); r <= 2*side+(m-1); r += 2 {
			middles = append(middles, middle{r, c})
		}
	}
	sort.Slice(middles, func(i, j int) bool {
		a, b := middles[i], middles[j]
		return a.row < b.row || a.row == b.row && a.column < b.column
	})
	for i, at := range middles {
		c, r := at.column, at.row
		six := [6]spot{
			{2 * c, r}, {2*c + 3, r}, {2*c + 1, r - 1}, {2*c + 2, r - 1}, {2*c + 1, r + 1}, {2*c + 2, r + 1},
		}
		p.circles[i+1] = six
		for _, s := range six {
			p.point[s] = true
			p.on[s] = append(p.on[s], i+1)
		}
	}
	for a := range p.circles {
		for b := range p.circles {
			if p.neighbours(a, b) {
				p.beside[a] = append(p.beside[a], b)
			}
		}
	}
	return p
}

func (s spot) String() string { return string(rune('A'+s.letter)) + strconv.Itoa(s.row) }

// ringOf returns the owner of the ring on a circle, or 0.
func (p *reference) ringOf(circle int) int {
	six := p.circles[circle]
	owner := p.stone[six[0]]
	for _, s := range six {
		if p.stone[s] != owner {
			return 0
		}
	}
	return owner
}

func (p *reference) safe(s spot) bool {
	for _, n := range p.on[s] {
		if p.ringOf(n) != 0 {
			return true
		}
	}
	return false
}

func (p *reference) neighbours(a, b int) bool {
	shared := 0
	for _, s := range p.circles[a] {
		for _, t := range p.circles[b] {
			if s == t {
				shared++
			}
		}
	}
	return shared == 2
}

func (p *reference) influence(player, circle int) (n int) {
	for _, s := range p.circles[circle] {
		if p.stone[s] == player {
			n++
		}
	}
	for _, other := range p.beside[circle] {
		if p.ringOf(other) == player {
			n++
		}
	}
	return n
}

// majority returns the player with the majority on a circle, or 0.
func (p *reference) majority(circle int) int {
	var all, empty int
	own := map[int]int{}
	for player := 1; player <= p.seats; player++ {
		own[player] = p.influence(player, circle)
		all += own[player]
	}
	for _, s := range p.circles[circle] {
		if p.stone[s] == 0 {
			empty++
		}
	}
	for player, n := range own {
		if n > all-n+empty {
			return player
		}
	}
	return 0
}

func (p *reference) score(player int) (n int) {
	for c := range p.circles {
		if p.majority(c) == player {
			n++
		}
	}
	return n
}

// canConvert implements "A turn", 2: it takes the majority and a stone of
// another player that is not safe.
func (p *reference) canConvert(circle int) bool {
	return len(p.taken(circle)) > 0 && p.majority(circle) == p.turn
}

// taken returns the stones that a conversion takes.
func (p *reference) taken(circle int) (out []spot) {
	for _, s := range p.circles[circle] {
		if owner := p.stone[s]; owner != 0 && owner != p.turn && !p.safe(s) {
			out = append(out, s)
		}
	}
	return out
}

// legal returns every legal action, sorted by code point.
func (p *reference) legal() (out []string) {
	switch {
	case p.over:
		return nil
	case !p.placed:
		for s := range p.point {
			if p.stone[s] == 0 {
				out = append(out, s.String())
			}
		}
		out = append(out, "pass")
	default:
		for c := range p.circles {
			if p.canConvert(c) {
				out = append(out, strconv.Itoa(c))
			}
		}
		out = append(out, "end")
	}
	sort.Strings(out)
	return out
}

// play plays a legal action.
func (p *reference) play(token string) {
	switch {
	case token == "pass":
		p.passed[p.turn] = true
		p.placed = true
	case token == "end":
		p.placed = false
		p.turns++
		p.next()
		p.checkEnd()
	case token[0] >= 'A':
		row, _ := strconv.Atoi(token[1:])
		p.stone[spot{int(token[0] - 'A'), row}] = p.turn
		p.passed = map[int]bool{}
		p.placed = true
	default:
		circle, _ := strconv.Atoi(token)
		for _, s := range p.taken(circle) {
			p.stone[s] = p.turn
		}
	}
}

func (p *reference) gone(player int) bool {
	for _, r := range p.retired {
		if r == player {
			return true
		}
	}
	return false
}

// next passes the turn to the next player who has not retired.
func (p *reference) next() {
	for {
		if p.turn++; p.turn > p.seats {
			p.turn = 1
		}
		if !p.gone(p.turn) {
			return
		}
	}
}

// checkEnd ends the game: "End" of the rules page.
func (p *reference) checkEnd() {
	if len(p.retired) == p.seats-1 {
		p.over, p.reason = true, "alone"
		return
	}
	for player := 1; player <= p.seats; player++ {
		if !p.gone(player) && !p.passed[player] {
			return
		}
	}
	p.over, p.reason = true, "passes"
}

// retire implements the decision about retired seats.
func (p *reference) retire(player int) {
	p.retired = append(p.retired, player)
	if p.turn == player {
		p.next()
	}
	p.checkEnd()
}

// ranks returns the rank of every player: those playing by score, then the
// retired ones, the last first.
func (p *reference) ranks() (ranks []int) {
	value := map[int]int{}
	for player := 1; player <= p.seats; player++ {
		value[player] = p.score(player)
		for i, r := range p.retired {
			if r == player {
				value[player] = i - 1000
			}
		}
	}
	for player := 1; player <= p.seats; player++ {
		rank := 1
		for _, v := range value {
			if v > value[player] {
				rank++
			}
		}
		ranks = append(ranks, rank)
	}
	return ranks
}

func (p *reference) winners() string {
	var out []int
	for i, r := range p.ranks() {
		if r == 1 {
			out = append(out, i+1)
		}
	}
	return fmt.Sprint(out)
}
