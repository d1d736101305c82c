package imaging

import (
	"image"
	"math"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Where the dashed line to a legal target begins and ends, in cells from the
// middle of the head and of the target: a little off the rings there.
const (
	clearOfHead      = 0.47
	clearOfRing      = 0.38
	clearOfTowerRing = 0.51
)

// Lengths of Trails in cells.
const (
	tileInset   = 0.055
	smallMark   = 0.10 // of a trail
	largeMark   = 0.17 // of a trail on boards above largeBoard
	largeBoard  = 13
	baseRing    = 0.27
	baseLine    = 0.055
	headDisc    = 0.36
	headMark    = 0.21
	headRing    = 0.40
	legalRing   = 0.30
	towerRing   = 0.44
	signLine    = 0.06
	towerHeight = 0.72
	towerWidth  = 0.52
	towerMark   = 0.13
	goalHeight  = 0.56
)

// trailsKit is the sprites of Trails for a theme and size of board. Those that
// fill a cell are opaque, painted on the ground that they stand on.
type trailsKit struct {
	look
	grid   grid
	ground *canvas // the empty board

	of        [2]trailsPieces // by seat
	freeTower *canvas
	goal      *canvas // a free tower small enough for the ring around it

	headRing, ring, towerRing, tag sign
	arrow, tagArrow                [headings]*mask

	panel                 panel
	cards                 [2]int // upper edges of the cards, by seat
	towersDown, boostDown int    // from there to the towers' feet and the boost's middle
	turnY                 int    // the middle of the last turn
	rows                  [mostNeeded]rookRow
}

// mostNeeded is how many towers a win can take: five of nine.
const mostNeeded = 5

// trailsPieces is what is drawn in the colour of a seat.
type trailsPieces struct {
	trail, base, tower                  *canvas
	head, towerHead, wonHead, stuckHead *canvas
}

// rookRow is the towers of the panel when so many are to be shown.
type rookRow struct {
	solid, hollow *mask // anchored at the left of the foot
	pitch         int
}

func newTrailsKit(l look, g grid) *trailsKit {
	k := &trailsKit{look: l, grid: g, panel: *newPanel(g.unit, l.typeface)}
	w, h := g.bounds()
	k.ground = newCanvas(l.palette, w, h)
	g.draw(k.ground, l.face(g.px(coordinateCapital)))
	for i := range k.of {
		k.of[i] = k.pieceSprites(engine.Blue + engine.Colour(i))
	}
	k.freeTower = k.sprite(layer{neutral, k.rook(towerHeight)})
	k.goal = k.sprite(layer{neutral, k.rook(goalHeight)})
	k.headRing = g.ring(headRing, signLine)
	k.ring = g.ring(legalRing, signLine)
	k.towerRing = g.ring(towerRing, signLine)
	var x, y, r float64
	k.tag, x, y, r = g.tag()
	m := g.centre()
	for d := range heading(headings) {
		dx, dy := d.step()
		// An arrow's weight lies behind the middle of its circle.
		shift := g.length(0.02)
		k.arrow[d] = paint(around(m, m, g.length(0.25)), func(dc *gg.Context) {
			fillArrow(dc, m+float64(dx)*shift, m+float64(dy)*shift, g.length(0.17), d)
		})
		k.tagArrow[d] = paint(around(x, y, r), func(dc *gg.Context) { fillArrow(dc, x, y, 0.7*r, d) })
	}
	k.placePanel()
	return k
}

// placePanel spreads the panel along the height of the board: Blue's block
// ends level with its upper edge, Red's with its lower.
func (k *trailsKit) placePanel() {
	n, b := &k.panel, k.grid.board().Inset(lineWidth)
	k.towersDown = n.height + n.px(3.1)
	k.boostDown = k.towersDown + n.px(1.55)
	block := k.boostDown + n.px(numberCapital)/2
	k.cards = [2]int{b.Min.Y, b.Max.Y - block}
	k.turnY = (k.cards[0] + block + k.cards[1]) / 2
	for i := range k.rows {
		need := i + 1
		// As large as three stand side by side; more share the width.
		pitch := min(n.px(2.47), (n.right-n.left+n.px(0.4))/need)
		width := 2 * (min(n.px(1.6), pitch-n.px(0.4)) / 2)
		height := math.Round(float64(width) * towerHeight / towerWidth)
		outline := rook(float64(width)/2, 0, float64(width), height)
		box := image.Rect(0, -int(height), width, 0)
		rim := math.Round(0.09 * float64(k.grid.unit))
		k.rows[i] = rookRow{
			solid:  paint(box, func(dc *gg.Context) { fillPolygon(dc, outline) }),
			hollow: paint(box, func(dc *gg.Context) { fillOutline(dc, outline, rim) }),
			pitch:  pitch,
		}
	}
}

// layer is a drawing in the middle of a cell in one colour.
type layer struct {
	role
	drawing func(*gg.Context)
}

// sprite paints layers over a cell, lowest first.
func (k *trailsKit) sprite(layers ...layer) *canvas {
	box := image.Rect(0, 0, k.grid.inner(), k.grid.inner())
	c := newCanvas(k.palette, box.Max.X, box.Max.Y)
	c.fill(box, cell)
	for _, l := range layers {
		c.stamp(paint(box, l.drawing), 0, 0, l.role)
	}
	return c
}

// rook is a tower in the middle of a cell, its height in cells, its corners
// on whole pixels.
func (k *trailsKit) rook(height float64) func(*gg.Context) {
	g := k.grid
	h := float64(g.even(height, 6))
	w := float64(g.even(height*towerWidth/towerHeight, 5))
	return func(dc *gg.Context) { fillRook(dc, g.centre(), g.centre()+h/2, w, h) }
}

// pieceSprites paints the pieces of a colour.
func (k *trailsKit) pieceSprites(c engine.Colour) trailsPieces {
	g, m, own := k.grid, k.grid.centre(), seatRole(c)
	inset := math.Max(1, math.Round(g.length(tileInset)-lineWidth/2.0))
	side := float64(g.inner()) - 2*inset
	markRadius := smallMark
	if g.size > largeBoard {
		markRadius = largeMark
	}
	tile := layer{own, func(dc *gg.Context) { fillTile(dc, c, m, m, side) }}
	marked := func(r float64, with role) layer {
		return layer{with, func(dc *gg.Context) { fillMark(dc, c, m, m, g.length(r)) }}
	}
	disc := layer{ink, func(dc *gg.Context) { fillDisc(dc, m, m, g.length(headDisc)) }}
	ring := layer{ink, func(dc *gg.Context) {
		fillRing(dc, m, m, g.length(baseRing), math.Max(2.5, g.length(baseLine)))
	}}
	crown := layer{own, func(dc *gg.Context) { fillCrown(dc, m, m, g.length(0.54)) }}
	cross := layer{own, func(dc *gg.Context) { fillCross(dc, m, m, g.length(0.24), g.length(0.10)) }}
	// A tower's body is narrower than the battlement: its mark stands there.
	body := layer{ink, func(dc *gg.Context) {
		fillMark(dc, c, m, m+g.length(0.07), g.length(towerMark))
	}}
	return trailsPieces{
		trail:     k.sprite(tile, marked(markRadius, ink)),
		base:      k.sprite(tile, ring, marked(smallMark, ink)),
		tower:     k.sprite(layer{own, k.rook(towerHeight)}, body),
		head:      k.sprite(tile, disc, marked(headMark, own)),
		towerHead: k.sprite(tile, disc, layer{own, k.rook(0.44)}),
		wonHead:   k.sprite(tile, disc, crown),
		stuckHead: k.sprite(tile, disc, cross),
	}
}
