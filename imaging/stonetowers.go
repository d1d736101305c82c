package imaging

import (
	"fmt"
	"image"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/stonetowers"
)

// StoneTowers is the painter of Stone Towers.
func StoneTowers() Painter { return stonePainter{} }

type stonePainter struct{}

func (stonePainter) Key() string { return stonetowers.Key }

// design is what lies on what: tints, castles and signs on cells, castles,
// flags and dog-ears on tints, ink and signs on castles, cards and writing on
// the background.
func (stonePainter) design() design {
	blue, red := seatRole(engine.Blue), seatRole(engine.Red)
	bluish, reddish := tintRole(engine.Blue), tintRole(engine.Red)
	return design{
		background: {cell, line, text, dim, mark, neutral, blue, red, bluish, reddish},
		cell:       {line, text, mark, neutral, blue, red, bluish, reddish},
		bluish:     {blue, red, neutral, mark, background},
		reddish:    {blue, red, neutral, mark, background},
		blue:       {ink, mark, background},
		red:        {ink, mark, background},
	}
}

// stoneFormat is the size of the board.
type stoneFormat struct{ files, ranks int }

func (stonePainter) format(p engine.Position) (any, error) {
	pos, ok := p.(*stonetowers.Position)
	if !ok {
		return nil, fmt.Errorf("imaging: a position of stone-towers was expected, not a %T", p)
	}
	return stoneFormat{pos.Width(), pos.Height()}, nil
}

func (stonePainter) kit(l look, format any) kit {
	f := format.(stoneFormat)
	return newStoneKit(l, newOblongGrid(boardUnit, f.files, f.ranks, l.WholeLines))
}

// seatsOfStone is both seats, in the order in which the panel shows them.
var seatsOfStone = [...]engine.Seat{1, 2}

func (k *stoneKit) blank() *canvas {
	w, h := k.grid.bounds()
	return newCanvas(k.palette, w, h)
}

func (k *stoneKit) paint(c *canvas, s Scene) {
	p := s.Position.(*stonetowers.Position)
	copy(c.Pix, k.ground.Pix)
	k.squares(c, p)
	turn := stoneTurnOf(s, p)
	k.lastTurn(c, turn)
	if s.outcome() == nil {
		k.legal(c, s, p)
	}
	k.side(c, s, p, turn)
}

// corner is where sprites and signs of a square are anchored.
func (k *stoneKit) corner(at stonetowers.Square) image.Point { return k.grid.corner(at.X, at.Y) }

// squares draws what stands on the board.
func (k *stoneKit) squares(c *canvas, p *stonetowers.Position) {
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			sprite := k.unowned
			if owner := p.Owner(s); owner != engine.Nobody {
				sprite = k.of[owner-1][p.Level(s)]
			}
			at := k.corner(s)
			c.copy(sprite, at.X, at.Y)
		}
	}
}

// stoneTurn is what the turn that the scene marks has done.
type stoneTurn struct {
	seat   engine.Seat
	action stonetowers.Action
	// flipped is the squares that have changed hands, by who had them:
	// element 0 is nobody's, element 1 seat 1's.
	flipped [3][]stonetowers.Square
	fallen  int // castles of the opponent
}

// stoneTurnOf is that turn; nil where there is none, as at the start.
func stoneTurnOf(s Scene, p *stonetowers.Position) *stoneTurn {
	if len(s.Turn.Actions) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seatsOfStone) {
		return nil
	}
	a, ok := s.Turn.Actions[len(s.Turn.Actions)-1].(stonetowers.Action)
	if !ok {
		return nil
	}
	t := &stoneTurn{seat: s.Turn.Seat, action: a}
	before, ok := s.Turn.Before.(*stonetowers.Position)
	if !ok || before.Width() != p.Width() || before.Height() != p.Height() {
		return t
	}
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			if had := before.Owner(s); had != p.Owner(s) {
				t.flipped[had] = append(t.flipped[had], s)
			}
		}
	}
	t.fallen = before.CastleCount(3-t.seat) - p.CastleCount(3-t.seat)
	return t
}

// lastTurn turns down a corner of every square that has changed hands, in the
// colour of who had it, and puts brackets around the square of the action.
func (k *stoneKit) lastTurn(c *canvas, t *stoneTurn) {
	if t == nil {
		return
	}
	for had, squares := range t.flipped {
		for _, s := range squares {
			at := k.corner(s)
			c.stamp(k.ear.key, at.X, at.Y, background)
			c.stamp(k.ear.form, at.X, at.Y, stoneRole(engine.Seat(had)))
		}
	}
	if t.action.Kind != stonetowers.Pass {
		at := image.Pt(t.action.Square.X, t.action.Square.Y)
		k.grid.brackets(c, at, at)
	}
}

// stoneRole is the colour of a seat, or of nobody.
func stoneRole(seat engine.Seat) role {
	if seat == engine.Nobody {
		return neutral
	}
	return seatRole(stoneColours[seat-1])
}

// legal shows where the seat to move can build and fortify: an unowned square
// has a ring, a square of the seat's own a plus. With a file picked that is
// framed, and each legal square in it has the number of its rank.
//
// Where cells are small a plus would be lost among the tiles, and is left out
// but in a picked file: every square of one's own is legal but for the castles
// of level 3, and their numerals say so.
func (k *stoneKit) legal(c *canvas, s Scene, p *stonetowers.Position) {
	if len(s.Picked) > 0 {
		k.picked(c, s, p)
		return
	}
	if !s.Legal {
		return
	}
	for _, a := range p.Legal() {
		a := a.(stonetowers.Action)
		if a.Kind == stonetowers.Pass {
			continue
		}
		at := k.corner(a.Square)
		if p.Owner(a.Square) == engine.Nobody {
			c.copy(k.offered, at.X, at.Y)
		} else if !k.small {
			k.plus.put(c, at.X, at.Y)
		}
	}
}

// picked frames the picked file, or the square where the rank is picked too.
func (k *stoneKit) picked(c *canvas, s Scene, p *stonetowers.Position) {
	var in []stonetowers.Square // that the picked steps lead to
	for _, a := range p.Legal() {
		a := a.(stonetowers.Action)
		if steps := a.Steps(); a.Kind != stonetowers.Pass && len(s.Picked) <= len(steps) && slices.Equal(steps[:len(s.Picked)], s.Picked) {
			in = append(in, a.Square)
		}
	}
	if len(in) == 0 {
		return
	}
	if len(s.Picked) > 1 {
		at := image.Pt(in[0].X, in[0].Y)
		k.grid.frameAround(c, at, at, pickedLine)
		return
	}
	// What fills a cell comes before the frame, and the signs after it.
	for _, s := range in {
		if p.Owner(s) == engine.Nobody {
			sprite, at := k.empty, k.corner(s)
			if k.small {
				sprite = k.offered
			}
			c.copy(sprite, at.X, at.Y)
		}
	}
	k.grid.frameAround(c, image.Pt(in[0].X, 0), image.Pt(in[0].X, p.Height()-1), pickedFileLine)
	for _, s := range in {
		k.number(c, s, p.Owner(s) == engine.Nobody)
	}
}

// number marks a legal square of the picked file with the number of its rank,
// in a ring where nothing stands and in a tag elsewhere. Where cells are small
// the ring of the sprite and a plus have to do.
func (k *stoneKit) number(c *canvas, s stonetowers.Square, unowned bool) {
	at, number := k.corner(s), strconv.Itoa(s.Y+1)
	switch {
	case k.small && !unowned:
		k.plus.put(c, at.X, at.Y)
	case k.small:
	case unowned:
		k.ring.put(c, at.X, at.Y)
		k.ringNumber.write(c, number, float64(at.X)+k.grid.centre(), float64(at.Y)+k.grid.centre(), middle, mark)
	default:
		k.tag.put(c, at.X, at.Y)
		k.tagNumber.write(c, number, float64(at.X)+k.tagX, float64(at.Y)+k.tagY, middle, background)
	}
}
