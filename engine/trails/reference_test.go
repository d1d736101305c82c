package trails_test

// The reference implementation, written from the rules page alone, as simply as
// possible, to compare the fast one with.

type (
	spot      struct{ file, rank int } // from 0
	reference struct {
		size   int
		square [][]byte // by rank, then file: free, tower, or the player 1 or 2
		towers int
		to     int // the player to move, 1 or 2
		player [3]referencePlayer

		over   bool
		winner int
		reason string
	}
	referencePlayer struct {
		head   spot
		moved  bool
		last   string
		boost  int
		taken  int
		played int
	}
)

const (
	referenceFree  = 0
	referenceTower = 9
)

var referenceDirections = []string{"up", "down", "left", "right"}

// newReference returns the start: "Setup" of the rules page.
func newReference(size, towers, distance int) *reference {
	p := &reference{size: size, towers: towers, to: 1}
	for range size {
		p.square = append(p.square, make([]byte, size))
	}
	p.player[1].head = spot{0, size - 1}
	p.player[2].head = spot{size - 1, 0}
	p.square[size-1][0] = 1
	p.square[0][size-1] = 2
	for _, at := range referenceTowers(size, towers, distance) {
		p.square[at.rank][at.file] = referenceTower
	}
	return p
}

// referenceTowers returns the squares of the towers from the centre outwards.
func referenceTowers(size, towers, distance int) []spot {
	centre := (size - 1) / 2
	var out []spot
	pair := func(away int) {
		out = append(out, spot{centre - away, centre - away}, spot{centre + away, centre + away})
	}
	if towers%2 == 1 {
		out = append(out, spot{centre, centre})
		for k := 1; len(out) < towers; k++ {
			pair(k * (distance + 1))
		}
	} else {
		for k := 0; len(out) < towers; k++ {
			pair(distance/2 + 1 + k*(distance+1))
		}
	}
	return out
}

func (p *reference) onBoard(s spot) bool {
	return s.file >= 0 && s.rank >= 0 && s.file < p.size && s.rank < p.size
}

func (p *reference) at(s spot) byte { return p.square[s.rank][s.file] }

func beside(s spot, direction string) spot {
	switch direction {
	case "up":
		s.rank++
	case "down":
		s.rank--
	case "left":
		s.file--
	case "right":
		s.file++
	}
	return s
}

// try returns the target and the boost of a move: "A turn" of the rules page.
func (p *reference) try(player int, direction string) (target spot, boost int, legal bool) {
	me := p.player[player]
	if me.moved && me.last == direction {
		boost = me.boost + 1
	}
	target = me.head
	for range boost + 1 {
		next := beside(target, direction)
		if !p.onBoard(next) {
			return target, boost, p.at(target) == referenceFree
		}
		target = next
	}
	switch p.at(target) {
	case referenceFree:
		return target, boost, true
	case referenceTower:
		return target, boost, boost >= 1
	}
	return target, boost, false
}

func (p *reference) legalFor(player int) []string {
	var out []string
	for _, d := range referenceDirections {
		if _, _, ok := p.try(player, d); ok {
			out = append(out, d)
		}
	}
	return out
}

// legal returns the legal moves, none when the game is over.
func (p *reference) legal() []string {
	if p.over {
		return nil
	}
	return p.legalFor(p.to)
}

// play plays a legal move and checks whether the game has ended.
func (p *reference) play(direction string) {
	target, boost, _ := p.try(p.to, direction)
	me := &p.player[p.to]
	if p.at(target) == referenceTower {
		me.taken++
	}
	for s := me.head; s != target; {
		s = beside(s, direction)
		if s == target || p.at(s) == referenceFree {
			p.square[s.rank][s.file] = byte(p.to)
		}
	}
	me.head, me.moved, me.last, me.boost = target, true, direction, boost
	me.played++

	mover, other := p.to, 3-p.to
	p.to = other
	switch {
	case 2*me.taken > p.towers:
		p.over, p.winner, p.reason = true, mover, "towers"
	case len(p.legalFor(other)) == 0:
		p.over, p.winner, p.reason = true, mover, "opponent-stuck"
	case len(p.legalFor(mover)) == 0:
		p.over, p.winner, p.reason = true, other, "self-stuck"
	}
}
