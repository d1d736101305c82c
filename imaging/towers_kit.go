package imaging

import (
	"image"
	"math"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Lengths of Towers in cells.
const (
	pawnRadius   = 0.27
	towerRadius  = 0.40
	plinthDown   = 0.10 // from the middle of a tower to that of its plinth
	towerUp      = 0.05 // from the middle of the cell to that of a tower
	plinthLine   = 0.03
	masterCrown  = 0.50 // width
	towerCrown   = 0.36 // width, above a numeral
	crownUp      = 0.245
	numeralDown  = 0.115 // below a crown
	actRing      = 0.44
	pawnActs     = 0.335
	towerActs    = 0.455
	actLine      = 0.03
	emptyRing    = 0.27
	capitalShare = 0.73 // of the size of a letter
	numeralSize  = 0.48
	crownedSize  = 0.42
	costSize     = 0.36
	tagSize      = 0.34
	narrow       = 0.78 // of a size, for two digits where one has room
)

// Lengths of the panel of Towers in u.
const (
	reserveCapital = 2.1 * capitalShare
	reserveDown    = 1.78 // from the card to the middle of the reserve
	pipsDown       = 2.42 // from there to the middle of the first pips
	pipPitch       = 1.2
	pipRadius      = 0.43
	pipsInRow      = 7
	pipRows        = 3
	turnPitch      = 1.27
)

// towersKit is the sprites of Towers for a theme and size of board.
type towersKit struct {
	look
	grid   grid
	ground *canvas // the empty board

	of [2]towersPieces // by seat

	hatch                *mask
	padlock              sign
	act                  [2]sign // around a pawn and around a tower
	target, onPiece, tag sign
	paths                pathSigns
	tagX, tagY           float64 // the middle of the tag, from a corner

	numeral, crowned            *face    // heights of towers, below a crown
	cost, tagCost               [2]*face // costs of one and of two digits
	panel                       panel
	reserve                     *face
	stack                       [2]stackIcon
	pip, spent                  *mask
	cards                       [2]int // upper edges of the cards, by seat
	turnTop, turnBottom, turnBy int    // room of the turn's actions, and between two
}

// towersPieces is what is drawn in the colour of a seat.
type towersPieces struct {
	pawn, tower, master, masterTower towersPiece
}

// towersPiece is a piece: its layers, and a cell with nothing else on it.
type towersPiece struct {
	layers []painted
	sprite *canvas
}

// painted is a layer as a mask.
type painted struct {
	role
	*mask
}

// stackIcon is two pieces, one behind the other: the sign of a reserve.
type stackIcon struct{ back, gap, front *mask }

func newTowersKit(l look, g grid) *towersKit {
	k := &towersKit{look: l, grid: g, panel: *newPanel(g.unit, l.typeface)}
	w, h := g.bounds()
	k.ground = newCanvas(l.palette, w, h)
	g.draw(k.ground, l.face(g.px(coordinateCapital)))
	for i := range k.of {
		k.of[i] = k.pieces(engine.Blue + engine.Colour(i))
	}
	k.hatch, k.padlock = g.hatch(), g.padlock()
	k.act = [2]sign{g.ring(pawnActs, actLine), g.ring(towerActs, actLine)}
	k.target = g.ring(emptyRing, signLine)
	k.onPiece = g.ring(actRing, signLine)
	k.tag, k.tagX, k.tagY, _ = g.tag()
	k.paths = newPathSigns(g)

	size := func(cells float64) *face { return l.face(int(math.Round(g.length(cells * capitalShare)))) }
	k.numeral, k.crowned = size(numeralSize), size(crownedSize)
	k.cost = [2]*face{size(costSize), size(costSize * narrow)}
	k.tagCost = [2]*face{size(tagSize), size(tagSize * narrow)}
	k.placePanel()
	return k
}

// placePanel puts Red's block level with the upper edge of the board and
// Blue's with its lower, and the turn's actions between.
func (k *towersKit) placePanel() {
	n, b := &k.panel, k.grid.board().Inset(lineWidth)
	u := float64(n.unit)
	block := n.height + n.px(reserveDown) + n.px(pipsDown) + (pipRows-1)*n.px(pipPitch) + n.px(pipRadius)
	k.cards = [2]int{b.Max.Y - block, b.Min.Y}
	k.turnTop, k.turnBottom = b.Min.Y+block+n.px(0.8), k.cards[0]-n.px(0.8)
	k.turnBy = n.px(turnPitch)
	k.reserve = k.face(n.px(reserveCapital))
	r := pipRadius * u
	k.pip = paint(around(0, 0, r), func(dc *gg.Context) { fillDisc(dc, 0, 0, r) })
	k.spent = paint(around(0, 0, r), func(dc *gg.Context) { fillRing(dc, 0, 0, r-0.06*u, 0.12*u) })
	for i := range k.stack {
		c, r := engine.Blue+engine.Colour(i), 0.55*u
		box := around(0, 0, 2.2*u)
		k.stack[i] = stackIcon{
			back:  paint(box, func(dc *gg.Context) { fillPiece(dc, c, -0.6*u, 0, r, 0) }),
			gap:   paint(box, func(dc *gg.Context) { fillPiece(dc, c, 0, 0, r, 0.1*u) }),
			front: paint(box, func(dc *gg.Context) { fillPiece(dc, c, 0, 0, r, 0) }),
		}
	}
}

// pieces paints the pieces of a colour.
func (k *towersKit) pieces(c engine.Colour) towersPieces {
	g, m, own := k.grid, k.grid.centre(), seatRole(c)
	body := func(radius, down, grown float64) *mask {
		return k.inCell(func(dc *gg.Context) { fillPiece(dc, c, m, m+g.length(down), g.length(radius), grown) })
	}
	crown := func(width, down float64) painted {
		return painted{ink, k.inCell(func(dc *gg.Context) { fillCrown(dc, m, m+g.length(down), g.length(width)) })}
	}
	// The plinth shows below the tower, which casts a line on it.
	plinth := body(towerRadius, plinthDown-towerUp, 0)
	line := body(towerRadius, -towerUp, max(2, g.length(plinthLine)))
	line.within(plinth)
	tower := []painted{{own, plinth}, {ink, line}, {own, body(towerRadius, -towerUp, 0)}}
	return towersPieces{
		pawn:        k.sprite(painted{own, body(pawnRadius, 0, 0)}),
		tower:       k.sprite(tower...),
		master:      k.sprite(painted{own, body(towerRadius, 0, 0)}, crown(masterCrown, -0.01)),
		masterTower: k.sprite(append(tower[:len(tower):len(tower)], crown(towerCrown, -crownUp))...),
	}
}

// inCell paints a drawing that stays in a cell.
func (k *towersKit) inCell(drawing func(*gg.Context)) *mask {
	return paint(image.Rect(0, 0, k.grid.inner(), k.grid.inner()), drawing)
}

// sprite is a piece of those layers, lowest first.
func (k *towersKit) sprite(layers ...painted) towersPiece {
	s := towersPiece{layers: layers, sprite: newCanvas(k.palette, k.grid.inner(), k.grid.inner())}
	s.sprite.fill(s.sprite.Rect, cell)
	for _, l := range layers {
		s.sprite.stamp(l.mask, 0, 0, l.role)
	}
	return s
}

// within leaves of a mask what another of the same bounds covers too.
func (m *mask) within(other *mask) {
	for i, q := range other.quarters {
		m.quarters[i] = min(m.quarters[i], q)
	}
}

// fillPiece fills a pawn's form of that radius, grown by some pixels, about
// (x, y): Blue's are round, Red's diamonds with cut tips, of the same weight.
func fillPiece(dc *gg.Context, c engine.Colour, x, y, r, grown float64) {
	if c == engine.Red {
		fillPolygon(dc, inset(cutDiamond(x, y, r), -grown))
		return
	}
	fillDisc(dc, x, y, r+grown)
}

// cutDiamond is the outline of a diamond about (x, y), clockwise, whose tips
// are cut at distance r. It has the area of a disc of radius r, nearly.
func cutDiamond(x, y, r float64) []gg.Point {
	k := 0.22 * r // half of what a cut leaves
	return []gg.Point{
		{X: x - k, Y: y - r}, {X: x + k, Y: y - r}, {X: x + r, Y: y - k}, {X: x + r, Y: y + k},
		{X: x + k, Y: y + r}, {X: x - k, Y: y + r}, {X: x - r, Y: y + k}, {X: x - r, Y: y - k},
	}
}
