package stonetowers_test

import "fmt"

// The reference implementation, written from the rules page alone, as simply as
// possible, to compare the fast one with.

type (
	reference struct {
		width, height int
		turns         int               // of each player
		square        [][]referenceCell // by file, then rank
		to            int               // the player to move, 1 Red or 2 Blue
		played        [3]int            // turns, by player
		// order is the squares in the order in which they are counted.
		order []spot
	}
	referenceCell struct{ owner, level int }
	spot          struct{ file, rank int } // from 0
)

const referencePass = "pass"

func newReference(width, height, turns int) *reference {
	p := &reference{width: width, height: height, turns: turns, to: 1}
	for file := range width {
		p.square = append(p.square, make([]referenceCell, height))
		for rank := range height {
			p.order = append(p.order, spot{file, rank})
		}
	}
	return p
}

func (p *reference) at(s spot) *referenceCell { return &p.square[s.file][s.rank] }

func (p *reference) onBoard(s spot) bool {
	return s.file >= 0 && s.file < p.width && s.rank >= 0 && s.rank < p.height
}

// over implements "After both players have had turns turns".
func (p *reference) over() bool { return p.played[1] == p.turns && p.played[2] == p.turns }

// referenceAction is an action: "A turn" of the rules page.
type referenceAction struct {
	spot
	fortify, pass bool
}

func (a referenceAction) String() string {
	switch {
	case a.pass:
		return referencePass
	case a.fortify:
		return fmt.Sprintf("%c%d+", 'a'+a.file, a.rank+1)
	}
	return fmt.Sprintf("%c%d", 'a'+a.file, a.rank+1)
}

// legal returns the legal actions, none when the game is over.
func (p *reference) legal() []referenceAction {
	if p.over() {
		return nil
	}
	var out []referenceAction
	for file := range p.width {
		for rank := range p.height {
			s := spot{file, rank}
			switch c := p.at(s); {
			case c.level == 0 && (c.owner == 0 || c.owner == p.to):
				out = append(out, referenceAction{spot: s})
			case c.owner == p.to && (c.level == 1 || c.level == 2):
				out = append(out, referenceAction{spot: s, fortify: true})
			}
		}
	}
	if len(out) == 0 {
		out = append(out, referenceAction{pass: true})
	}
	return out
}

// influence returns the sum of the levels of the castles of a player on a
// square and on its up to four orthogonal neighbours.
func (p *reference) influence(player int, s spot) (sum int) {
	for _, n := range []spot{s, {s.file + 1, s.rank}, {s.file - 1, s.rank}, {s.file, s.rank + 1}, {s.file, s.rank - 1}} {
		if p.onBoard(n) && p.at(n).owner == player {
			sum += p.at(n).level
		}
	}
	return sum
}

// play plays a legal action and counts until nothing changes.
func (p *reference) play(a referenceAction) {
	if !a.pass {
		c := p.at(a.spot)
		c.owner = p.to
		c.level++
	}
	for p.count() {
	}
	p.played[p.to]++
	p.to = 3 - p.to
}

// count gives every square in turn to the player with more influence and
// reports whether anything has changed.
func (p *reference) count() (changed bool) {
	for _, s := range p.order {
		red, blue := p.influence(1, s), p.influence(2, s)
		owner := 0
		switch {
		case red > blue:
			owner = 1
		case blue > red:
			owner = 2
		default:
			continue
		}
		if c := p.at(s); c.owner != owner {
			*c = referenceCell{owner: owner}
			changed = true
		}
	}
	return changed
}

func (p *reference) score(player int) (n int) {
	for _, file := range p.square {
		for _, c := range file {
			if c.owner == player {
				n++
			}
		}
	}
	return n
}

// winner implements "More squares wins; equal is a draw": it returns 1, 2 or 0.
func (p *reference) winner() int {
	switch red, blue := p.score(1), p.score(2); {
	case red > blue:
		return 1
	case blue > red:
		return 2
	}
	return 0
}
