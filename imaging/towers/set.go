package towers

import (
	"image"
	"sync"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"

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
	signLine     = 0.06
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
	reserveDown    = 1.66 // from the card to the middle of the reserve
	wordsDown      = 1.44 // from there to the words above the move points
	wordCapital    = 0.64
	pipsDown       = 2.6 // from the reserve to the middle of the first pips
	pipPitch       = 1.2
	pipRadius      = 0.43
	pipsInRow      = 7
	pipRows        = 3
	turnPitch      = 1.27
)

// set holds the sprites of Towers for a theme and size of board.
type set struct {
	*draw.Board
	turned func() *set // seen from Red's side

	of [2]pieces // by seat

	hatch                *draw.Mask
	padlock              draw.Sign
	act                  [2]draw.Sign // around a pawn and around a tower
	target, onPiece, tag draw.Sign
	paths                pathSigns
	tagX, tagY           float64 // the middle of the tag, from a corner

	numeral, crowned *draw.Face    // heights of towers, without and below a crown
	costs, tagCosts  [2]*draw.Face // costs of one and of two digits

	reserveFace, words          *draw.Face
	inReserve, movePoints       engine.Phrase
	stack                       [2]stackIcon
	pip, spent                  *draw.Mask
	cards                       [2]int // upper edges of the cards, by seat
	turnTop, turnBottom, turnBy int    // space for the turn's actions, and from one to the next
}

// pieces are the pieces in the colour of a seat.
type pieces struct {
	pawn, tower, master, masterTower pieceLook
}

// pieceLook is a piece as layers, and as a cell with nothing else on it.
type pieceLook struct {
	layers []layer
	sprite *draw.Canvas
}

// layer is a mask in one colour.
type layer struct {
	role draw.Role
	mask *draw.Mask
}

// stackIcon is two pieces, one behind the other: the sign of a reserve.
type stackIcon struct{ back, gap, front *draw.Mask }

func newSet(s draw.Style, size int) imaging.Set[*towers.Position] {
	k := &set{Board: draw.NewBoard(s, size, size)}
	for i := range k.of {
		k.of[i] = k.newPieces(engine.Blue + engine.Colour(i))
	}
	g := k.Grid
	k.hatch, k.padlock = hatch(g), padlock(g)
	k.act = [2]draw.Sign{g.Ring(pawnActs, actLine), g.Ring(towerActs, actLine)}
	k.target = g.Ring(emptyRing, signLine)
	k.onPiece = g.Ring(actRing, signLine)
	k.tag, k.tagX, k.tagY, _ = g.Tag(0.34, 0.22)
	k.paths = newPathSigns(g)

	face := func(size float64) *draw.Face { return k.FaceInCells(size * capitalShare) }
	k.numeral, k.crowned = face(numeralSize), face(crownedSize)
	k.costs = [2]*draw.Face{face(costSize), face(costSize * narrow)}
	k.tagCosts = [2]*draw.Face{face(tagSize), face(tagSize * narrow)}
	k.placePanel()
	k.turned = sync.OnceValue(func() *set {
		t := *k
		t.Board = k.Turned()
		t.cards[0], t.cards[1] = k.cards[1], k.cards[0]
		return &t
	})
	return k
}

// placePanel puts Red's block level with the upper edge of the board and
// Blue's with its lower, and the turn's actions between.
func (k *set) placePanel() {
	n, b := k.Panel, k.Grid.Bounds().Inset(draw.LineWidth)
	block := n.CardHeight + draw.Px(reserveDown) + draw.Px(pipsDown) + (pipRows-1)*draw.Px(pipPitch) + draw.Px(pipRadius)
	k.cards = [2]int{b.Max.Y - block, b.Min.Y}
	k.turnTop, k.turnBottom = b.Min.Y+block+draw.Px(0.8), k.cards[0]-draw.Px(0.8)
	k.turnBy = draw.Px(turnPitch)
	k.reserveFace, k.words = k.Face(draw.Px(reserveCapital)), k.Face(draw.Px(wordCapital))
	texts := towers.Game{}.Texts()
	k.inReserve, k.movePoints = texts.Phrase("towers.panel.reserve"), texts.Phrase("towers.panel.points")
	r := pipRadius * draw.U
	k.pip = draw.NewDisc(r)
	k.spent = draw.NewMask(draw.Around(0, 0, r), func(dc *gg.Context) { draw.FillRing(dc, 0, 0, r-0.06*draw.U, 0.12*draw.U) })
	for i := range k.stack {
		c, r := engine.Blue+engine.Colour(i), 0.55*draw.U
		box := draw.Around(0, 0, 2.2*draw.U)
		k.stack[i] = stackIcon{
			back:  draw.NewMask(box, func(dc *gg.Context) { fillPiece(dc, c, -0.6*draw.U, 0, r, 0) }),
			gap:   draw.NewMask(box, func(dc *gg.Context) { fillPiece(dc, c, 0, 0, r, 0.1*draw.U) }),
			front: draw.NewMask(box, func(dc *gg.Context) { fillPiece(dc, c, 0, 0, r, 0) }),
		}
	}
}

func (k *set) newPieces(c engine.Colour) pieces {
	g, m, own := k.Grid, k.Grid.Centre(), draw.Seat(c)
	inCell := func(drawing func(*gg.Context)) *draw.Mask {
		return draw.NewMask(image.Rect(0, 0, g.Inner(), g.Inner()), drawing)
	}
	body := func(radius, down, grown float64) *draw.Mask {
		return inCell(func(dc *gg.Context) { fillPiece(dc, c, m, m+g.Length(down), g.Length(radius), grown) })
	}
	crown := func(width, down float64) layer {
		return layer{draw.Ink, inCell(func(dc *gg.Context) { draw.FillCrown(dc, m, m+g.Length(down), g.Length(width)) })}
	}
	// The plinth shows below the tower, which casts a line on it.
	plinth := body(towerRadius, plinthDown-towerUp, 0)
	line := body(towerRadius, -towerUp, max(2, g.Length(plinthLine)))
	line.Intersect(plinth)
	tower := []layer{{own, plinth}, {draw.Ink, line}, {own, body(towerRadius, -towerUp, 0)}}
	return pieces{
		pawn:        k.newPiece(layer{own, body(pawnRadius, 0, 0)}),
		tower:       k.newPiece(tower...),
		master:      k.newPiece(layer{own, body(towerRadius, 0, 0)}, crown(masterCrown, -0.01)),
		masterTower: k.newPiece(append(tower[:len(tower):len(tower)], crown(towerCrown, -crownUp))...),
	}
}

// newPiece returns a piece of layers, the lowest first.
func (k *set) newPiece(layers ...layer) pieceLook {
	sprite := k.Sprite()
	for _, l := range layers {
		sprite.Stamp(l.mask, 0, 0, l.role)
	}
	return pieceLook{layers, sprite}
}

// fillPiece fills the shape of a piece about (x, y), grown by some pixels:
// Blue's are round, Red's diamonds with cut tips, of about the same area.
func fillPiece(dc *gg.Context, c engine.Colour, x, y, r, grown float64) {
	if c == engine.Red {
		draw.FillPolygon(dc, draw.Inset(cutDiamond(x, y, r), -grown))
		return
	}
	draw.FillDisc(dc, x, y, r+grown)
}

// cutDiamond returns the outline of a diamond about (x, y), clockwise, whose
// tips are cut at distance r. It has nearly the area of a disc of radius r.
func cutDiamond(x, y, r float64) []gg.Point {
	k := 0.22 * r // half of what a cut leaves
	return []gg.Point{
		{X: x - k, Y: y - r}, {X: x + k, Y: y - r}, {X: x + r, Y: y - k}, {X: x + r, Y: y + k},
		{X: x + k, Y: y + r}, {X: x - k, Y: y + r}, {X: x - r, Y: y + k}, {X: x - r, Y: y - k},
	}
}
