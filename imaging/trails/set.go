package trails

import (
	"image"
	"math"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"

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

// set holds the sprites of Trails for a theme and size of board.
type set struct {
	*draw.Board

	of        [2]pieces // by seat
	freeTower *draw.Canvas
	goal      *draw.Canvas // a free tower that fits in the ring around it

	headRing, ring, towerRing, tag draw.Sign
	arrow, tagArrow                [draw.Headings]*draw.Mask

	cards                 [2]int        // upper edges of the cards, by seat
	towersDown, boostDown int           // from there to the feet of towers and the middle of the boost
	turnY                 int           // the middle of the last turn
	next                  engine.Phrase // before the length of the next move
	rows                  [mostNeeded]towerRow
}

// mostNeeded is the largest number of towers that a win takes: five of nine.
const mostNeeded = 5

// pieces are the sprites in the colour of a seat.
type pieces struct {
	trail, base, tower                    *draw.Canvas
	head, towerHead, wonHead, blockedHead *draw.Canvas
}

// towerRow is how the panel shows a number of towers.
type towerRow struct {
	solid, hollow *draw.Mask // anchored at the left of the foot
	pitch         int
}

func newSet(s draw.Style, size int) imaging.Set[*trails.Position] {
	k := &set{Board: draw.NewBoard(s, size, size)}
	for i := range k.of {
		k.of[i] = k.newPieces(engine.Blue + engine.Colour(i))
	}
	k.freeTower = k.Sprite(draw.Layer{Role: draw.Neutral, Drawing: k.rook(towerHeight)})
	k.goal = k.Sprite(draw.Layer{Role: draw.Neutral, Drawing: k.rook(goalHeight)})
	g := k.Grid
	k.headRing = g.Ring(headRing, signLine)
	k.ring = g.Ring(legalRing, signLine)
	k.towerRing = g.Ring(towerRing, signLine)
	var x, y, r float64
	k.tag, x, y, r = g.Tag(0.34, 0.22)
	m := g.Centre()
	for d := range draw.Heading(draw.Headings) {
		dx, dy := d.Step()
		// An arrow's weight lies behind the middle of its circle.
		shift := g.Length(0.02)
		k.arrow[d] = draw.NewMask(draw.Around(m, m, g.Length(0.25)), func(dc *gg.Context) {
			draw.FillArrow(dc, m+float64(dx)*shift, m+float64(dy)*shift, g.Length(0.17), d)
		})
		k.tagArrow[d] = draw.NewMask(draw.Around(x, y, r), func(dc *gg.Context) { draw.FillArrow(dc, x, y, 0.7*r, d) })
	}
	k.next = trails.Game{}.Texts().Phrase("trails.panel.next")
	k.placePanel()
	return k
}

// placePanel spreads the panel along the height of the board: Blue's block
// ends level with its upper edge, Red's with its lower.
func (k *set) placePanel() {
	n, b := k.Panel, k.Grid.Bounds().Inset(draw.LineWidth)
	k.towersDown = n.CardHeight + draw.Px(3.1)
	k.boostDown = k.towersDown + draw.Px(1.55)
	block := k.boostDown + draw.Px(draw.NumberCapital)/2
	k.cards = [2]int{b.Min.Y, b.Max.Y - block}
	k.turnY = (k.cards[0] + block + k.cards[1]) / 2
	for i := range k.rows {
		need := i + 1
		// As large as three side by side; more share the width.
		pitch := min(draw.Px(2.47), (n.Right-n.Left+draw.Px(0.4))/need)
		width := 2 * (min(draw.Px(1.6), pitch-draw.Px(0.4)) / 2)
		height := math.Round(float64(width) * towerHeight / towerWidth)
		outline := rook(float64(width)/2, 0, float64(width), height)
		box := image.Rect(0, -int(height), width, 0)
		rim := math.Round(0.09 * draw.U)
		k.rows[i] = towerRow{
			solid:  draw.NewMask(box, func(dc *gg.Context) { draw.FillPolygon(dc, outline) }),
			hollow: draw.NewMask(box, func(dc *gg.Context) { draw.FillOutline(dc, outline, rim) }),
			pitch:  pitch,
		}
	}
}

// rook returns the drawing of a tower in the middle of a cell, its height in
// cells, its corners on whole pixels.
func (k *set) rook(height float64) func(*gg.Context) {
	g := k.Grid
	h := float64(g.Even(height, 6))
	w := float64(g.Even(height*towerWidth/towerHeight, 5))
	return func(dc *gg.Context) { draw.FillPolygon(dc, rook(g.Centre(), g.Centre()+h/2, w, h)) }
}

func (k *set) newPieces(c engine.Colour) pieces {
	g, m, own := k.Grid, k.Grid.Centre(), draw.Seat(c)
	markRadius := smallMark
	if g.Files > largeBoard {
		markRadius = largeMark
	}
	tile := k.Tile(c, own)
	marked := func(r float64, with draw.Role) draw.Layer {
		return draw.Layer{Role: with, Drawing: func(dc *gg.Context) { draw.FillMark(dc, c, m, m, g.Length(r)) }}
	}
	layer := func(with draw.Role, drawing func(dc *gg.Context)) draw.Layer {
		return draw.Layer{Role: with, Drawing: drawing}
	}
	disc := layer(draw.Ink, func(dc *gg.Context) { draw.FillDisc(dc, m, m, g.Length(headDisc)) })
	ring := layer(draw.Ink, func(dc *gg.Context) {
		draw.FillRing(dc, m, m, g.Length(baseRing), math.Max(2.5, g.Length(baseLine)))
	})
	crown := layer(own, func(dc *gg.Context) { draw.FillCrown(dc, m, m, g.Length(0.54)) })
	cross := layer(own, func(dc *gg.Context) { draw.FillCross(dc, m, m, g.Length(0.24), g.Length(0.10)) })
	// The mark is on the body of a tower, below the wider battlement.
	body := layer(draw.Ink, func(dc *gg.Context) {
		draw.FillMark(dc, c, m, m+g.Length(0.07), g.Length(towerMark))
	})
	return pieces{
		trail:       k.Sprite(tile, marked(markRadius, draw.Ink)),
		base:        k.Sprite(tile, ring, marked(smallMark, draw.Ink)),
		tower:       k.Sprite(layer(own, k.rook(towerHeight)), body),
		head:        k.Sprite(tile, disc, marked(headMark, own)),
		towerHead:   k.Sprite(tile, disc, layer(own, k.rook(0.44))),
		wonHead:     k.Sprite(tile, disc, crown),
		blockedHead: k.Sprite(tile, disc, cross),
	}
}

// rook returns the outline of a tower, clockwise from its upper left corner. Its
// foot stands on y and its middle is x. With whole numbers, all corners but
// those of two slopes lie on whole pixels.
func rook(x, y, width, height float64) []gg.Point {
	round := math.Round
	tooth := round(0.22 * width)
	gap := round(0.16 * width)
	deep := round(0.15 * height)
	slope := round(0.12 * width)
	shoulder := round(0.32 * height)
	foot := round(0.13 * height)
	l, r, top := x-width/2, x+width/2, y-height
	return []gg.Point{
		{X: l, Y: top}, {X: l + tooth, Y: top},
		{X: l + tooth, Y: top + deep}, {X: l + tooth + gap, Y: top + deep},
		{X: l + tooth + gap, Y: top}, {X: r - tooth - gap, Y: top},
		{X: r - tooth - gap, Y: top + deep}, {X: r - tooth, Y: top + deep},
		{X: r - tooth, Y: top}, {X: r, Y: top},
		{X: r, Y: top + shoulder}, {X: r - slope, Y: top + shoulder + slope},
		{X: r - slope, Y: y - foot}, {X: r, Y: y - foot}, {X: r, Y: y},
		{X: l, Y: y}, {X: l, Y: y - foot}, {X: l + slope, Y: y - foot},
		{X: l + slope, Y: top + shoulder + slope}, {X: l, Y: top + shoulder},
	}
}

// dashes draws a dashed line from the middle of the head's square towards the
// middle of a target. It leaves out a length in cells at either end, and spreads
// the dashes so that both ends look the same.
func (k *set) dashes(c *draw.Canvas, head trails.Square, t target, start, end float64) {
	const on, off = 0.16, 0.12
	g := k.Grid
	space := float64(t.distance) - start - end
	n := max(1, int(math.Round((space+off)/(on+off))))
	period := (space + off) / float64(n)
	for i := range n {
		from := int(math.Round(g.Length(start + float64(i)*period)))
		to := from + int(math.Round(g.Length(period-off)))
		r := k.bar(head, t.heading, from, to)
		c.Fill(r.Inset(-int(g.KeyLine())), draw.Background)
		c.Fill(r, draw.Mark)
	}
}

// bar returns the rectangle of a dash from one distance from the middle of a
// square to another, in pixels.
func (k *set) bar(at trails.Square, h draw.Heading, from, to int) image.Rectangle {
	width := k.Grid.Even(0.055, 3)
	side, p := k.Grid.Inner(), k.corner(at)
	across := (side - width) / 2
	switch h {
	case draw.Up:
		return image.Rect(p.X+across, p.Y+side/2-to, p.X+across+width, p.Y+side/2-from)
	case draw.Down:
		return image.Rect(p.X+across, p.Y+(side+1)/2+from, p.X+across+width, p.Y+(side+1)/2+to)
	case draw.Leftward:
		return image.Rect(p.X+side/2-to, p.Y+across, p.X+side/2-from, p.Y+across+width)
	}
	return image.Rect(p.X+(side+1)/2+from, p.Y+across, p.X+(side+1)/2+to, p.Y+across+width)
}
