package rings

import (
	"image"
	"math"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Lengths of Rings in radii of a circle, s.
const (
	stoneRadius    = 0.33  // radius of a stone's mark
	stoneKey       = 0.045 // key line of a stone
	stoneRim       = 0.08  // of a stone that changed hands, outside the key line
	safeHole       = 0.42  // of a safe stone, in radii of the mark
	pointDot       = 0.10  // of an empty point
	circleLine     = 0.035 // of a circle
	ringWidth      = 0.16  // of a ring
	majorityRadius = 0.66  // radius of what a majority fills
	badgeRadius    = 0.19  // radius of its mark
	badgeUp        = 0.37  // of its middle above the circle's
	numberCapital  = 0.44  // height of a circle's number
	numberDown     = 0.19  // of a number below a mark
	legalLine      = 0.10  // line of the ring around a circle that can be converted
	convertedWidth = 1.14  // width of the brackets around one that was
	placedWidth    = 0.90  // width of the brackets around a stone
	chosenWidth    = 1.36  // width of the frame around a picked circle
	labelRadius    = 0.42  // half the height of the label on a point of the picked column
	labelCapital   = 0.42  // height of its text
	pointCapital   = 0.24  // height of the name of a point
	tagCapital     = 0.34  // height of the number of a turn
	tagHalf        = 0.65  // half the height of its tag, in such heights
	tagBelow       = 0.31  // of the tag of a circle, below its number
	numberUp       = 0.28  // of a number above a tag
	tagDown        = 0.50  // of the tag of a stone
	tagAside       = 0.28  // of the tag of a stone to the side
	guideWidth     = 0.66  // width of the guide along a column
)

// leastCapital is the least height of capitals in pixels: letters have a size of 11
// pixels on a phone that shows a picture 341 pixels wide.
const leastCapital = 23

// namedRadius is the least radius of a circle in pixels at which points have
// names: their capitals are six pixels high on a phone.
const namedRadius = 75

// view is a board at one scale: its layout and its masks. Masks are anchored at
// the middle of what they show.
type view struct {
	draw.Style
	side int
	row  int     // pixels from a row to the next
	s    float64 // radius of a circle
	mid  image.Point

	circles []rings.Circle
	points  []rings.Point

	line, disc, hole *draw.Mask
	socket           *draw.Sprite // of an empty point
	badge            [6]*draw.Mask
	stone            [6]stoneLooks
	band, glow       [6]*draw.Sprite // of a ring and of a majority
	legal, label     draw.Sign       // label is the outline
	labelGround      *draw.Mask
	pills            [2]*draw.Mask // behind names of two and three characters

	tags [3]draw.Sign // behind numbers of one to three digits

	numbers, names, steps, turns *draw.Face
	lift                         [256]uint8 // colours under the guide
}

// stoneLooks are a stone, and the line around it if it changed hands.
type stoneLooks struct {
	form        *draw.Sprite
	rim, rimKey *draw.Mask
}

// newView lays out a board with its middle at a point. Row is the distance of
// rows in pixels.
func newView(l draw.Style, side, row int, mid image.Point) *view {
	v := &view{
		Style: l, side: side, row: row, s: float64(row) * 2 / math.Sqrt(3), mid: mid,
		circles: rings.Circles(side), points: rings.Points(side),
	}
	v.numbers = l.Face(v.px(numberCapital))
	v.steps = l.Face(v.px(labelCapital))
	v.names = l.Face(max(leastCapital, v.px(pointCapital)))
	v.turns = l.Face(max(leastCapital, v.px(tagCapital)))
	v.shapes()
	v.lift = lifted(l)
	return v
}

// px returns a length in radii as whole pixels.
func (v *view) px(length float64) int { return int(math.Round(length * v.s)) }

func (v *view) y(row int) int { return v.mid.Y + (row-2*v.side)*v.row }

// x returns the place of a column of points. To each column of circles belongs
// a pair of columns of points, one radius apart.
func (v *view) x(column int) int {
	circle, side := besideColumn(column)
	return v.columnX(circle) + side*v.px(0.5)
}

// columnX returns the place of a column of circles: a whole number of pixels from the
// next, so that rows of the picture repeat and compress well.
func (v *view) columnX(column int) int { return v.mid.X + (column-(v.side-1))*v.px(1.5) }

// besideColumn returns the column of circles to which a column of points belongs, and
// -1 or 1 for its left or right side.
func besideColumn(column int) (circles, side int) {
	if column%2 == 0 {
		return column/2 - 1, 1
	}
	return (column - 1) / 2, -1
}

func (v *view) at(p rings.Point) image.Point { return image.Pt(v.x(p.Column), v.y(p.Row)) }

func (v *view) centre(c rings.Circle) image.Point {
	return image.Pt(v.columnX(c.Column), v.y(c.Row))
}

func (v *view) named() bool { return v.s >= namedRadius }

func (v *view) shapes() {
	s := v.s
	ring := func(r, width float64) *draw.Mask {
		return draw.NewMask(draw.Around(0, 0, r+width/2), func(dc *gg.Context) { draw.FillRing(dc, 0, 0, r, width) })
	}
	key := max(2, 0.05*s)
	keyedRing := func(r, width float64) draw.Sign { return draw.Sign{Key: ring(r, width+2*key), Form: ring(r, width)} }

	v.line = ring(s, max(1.4, circleLine*s))
	v.disc = draw.NewDisc(s)
	v.hole = draw.NewDisc(safeHole * stoneRadius * s)
	v.legal = keyedRing(majorityRadius*s, legalLine*s)
	v.socket = v.socketOf()
	high := labelRadius * s
	wide := max(high, v.steps.Width("W22")/2+0.05*s)
	pill := func(by float64) *draw.Mask {
		box := image.Rect(-int(wide+by)-1, -int(high+by)-1, int(wide+by)+1, int(high+by)+1)
		return draw.NewMask(box, func(dc *gg.Context) {
			dc.DrawRoundedRectangle(-wide-by, -high-by, 2*(wide+by), 2*(high+by), 0.25*s+by)
			dc.Fill()
		})
	}
	line := max(2.5, 0.06*s)
	v.labelGround, v.label = pill(-line/2), draw.Sign{Key: pill(line/2 + key), Form: pill(line / 2)}
	for i := range v.stone {
		c := engine.Blue + engine.Colour(i)
		r := stoneRadius * s
		grown := func(by float64) *draw.Mask {
			return draw.NewMask(draw.Around(0, 0, 1.5*r+by), func(dc *gg.Context) { draw.FillGrownMark(dc, c, 0, 0, r, by) })
		}
		k := max(2, stoneKey*s)
		v.stone[i] = stoneLooks{v.stoneOf(c), grown(k + stoneRim*s), grown(k + stoneRim*s + key)}
		v.band[i], v.glow[i] = v.bandOf(c), v.glowOf(c)
		v.badge[i] = draw.NewMask(draw.Around(0, 0, 1.5*badgeRadius*s), func(dc *gg.Context) { draw.FillMark(dc, c, 0, 0, badgeRadius*s) })
	}
	for i, number := range []string{"8", "88", "888"} {
		w, h := v.turns.Width(number)/2+0.09*s, v.tagHalf()
		v.tags[i] = draw.NewSign(image.Rect(-int(w+key)-1, -int(h+key)-1, int(w+key)+1, int(h+key)+1), key, func(dc *gg.Context, grown float64) {
			dc.DrawRoundedRectangle(-w-grown, -h-grown, 2*(w+grown), 2*(h+grown), 0.12*s)
			dc.Fill()
		})
	}
	for i, name := range []string{"W8", "W28"} {
		w, h := v.names.Width(name)/2+0.09*s, 0.22*s
		v.pills[i] = draw.NewMask(image.Rect(-int(w)-1, -int(h)-1, int(w)+1, int(h)+1), func(dc *gg.Context) {
			dc.DrawRoundedRectangle(-w, -h, 2*w, 2*h, 0.12*s)
			dc.Fill()
		})
	}
}

// pieces draws majorities, signs around legal circles, rings and stones.
func (v *view) pieces(c *draw.Canvas, p *rings.Position, m marks) {
	for _, circle := range v.circles {
		at := v.centre(circle)
		if holder := p.Majority(circle.Number); holder != engine.Nobody {
			colour := colourOf(holder)
			c.Put(v.glow[holder-1], at.X, at.Y)
			if m.tagged(circle.Number) {
				v.number(c, circle, -numberUp, draw.Text)
				continue
			}
			c.Stamp(v.badge[holder-1], at.X, at.Y-v.px(badgeUp), draw.Seat(colour))
			v.number(c, circle, numberDown, draw.Text)
		}
	}
	for _, n := range m.legal {
		if n == m.chosen {
			continue // its frame is enough
		}
		at := v.centre(v.circles[n-1])
		v.legal.Put(c, at.X, at.Y)
		if p.Majority(n) == engine.Nobody {
			v.number(c, v.circles[n-1], 0, draw.Text)
		}
	}
	for _, circle := range v.circles {
		if owner := p.Ring(circle.Number); owner != engine.Nobody {
			at := v.centre(circle)
			c.Put(v.band[owner-1], at.X, at.Y)
		}
	}
	for _, point := range v.points {
		owner := p.Owner(point)
		if owner == engine.Nobody {
			continue
		}
		at, own := v.at(point), &v.stone[owner-1]
		if m.flipped[point] {
			c.Stamp(own.rimKey, at.X, at.Y, draw.Background)
			c.Stamp(own.rim, at.X, at.Y, draw.Mark)
		}
		c.Put(own.form, at.X, at.Y)
		if p.Safe(point) {
			c.Stamp(v.hole, at.X, at.Y, draw.Ink)
		}
	}
}

// signs draws brackets and frames over everything.
func (v *view) signs(c *draw.Canvas, p *rings.Position, m marks) {
	key := max(2, v.px(0.05))
	around := func(at image.Point, width float64) image.Rectangle {
		half := v.px(width / 2)
		return image.Rect(at.X-half, at.Y-half, at.X+half, at.Y+half)
	}
	brackets := func(at image.Point, width float64) {
		c.Brackets(around(at, width), v.px(0.27*width), max(3, v.px(0.07)), key)
	}
	frame := func(at image.Point, width float64) { c.Frame(around(at, width), max(3, v.px(0.09)), key) }
	for _, m := range m.converted {
		if m.circle >= 1 && m.circle <= len(v.circles) {
			at := v.centre(v.circles[m.circle-1])
			brackets(at, convertedWidth)
			v.tag(c, at.Add(image.Pt(0, v.px(tagBelow))), m.turn)
		}
	}
	for _, m := range m.placed {
		at := v.at(m.at)
		brackets(at, placedWidth)
		v.tag(c, v.tagPlace(at, p), m.turn)
	}
	if m.chosen > 0 {
		frame(v.centre(v.circles[m.chosen-1]), chosenWidth)
	}
	if m.picked != nil {
		line := max(3, v.px(0.09))
		c.Frame(v.labelGround.Rect.Inset(-line).Add(v.at(*m.picked)), line, key)
	}
}

// tagPlace returns the place beside a stone where a tag covers the fewest rings
// and stones.
func (v *view) tagPlace(stone image.Point, p *rings.Position) (best image.Point) {
	least, half := math.MaxInt, v.tagHalf()/v.s
	for _, side := range []image.Point{{X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}} {
		at, covered := stone.Add(image.Pt(side.X*v.px(tagAside), side.Y*v.px(tagDown))), 0
		far := func(from image.Point) float64 { return math.Hypot(float64(at.X-from.X), float64(at.Y-from.Y)) / v.s }
		for _, circle := range v.circles {
			if p.Ring(circle.Number) != engine.Nobody && math.Abs(far(v.centre(circle))-1) < half+ringWidth {
				covered++
			}
		}
		for _, point := range v.points {
			if p.Owner(point) != engine.Nobody && far(v.at(point)) < half+stoneRadius {
				covered++
			}
		}
		if covered < least {
			best, least = at, covered
		}
	}
	return best
}

// number writes the number of a circle, moved down by some radii.
func (v *view) number(c *draw.Canvas, circle rings.Circle, down float64, with draw.Role) {
	at := v.centre(circle)
	v.numbers.Write(c, strconv.Itoa(circle.Number), float64(at.X), float64(at.Y+v.px(down)), draw.Middle, with)
}

// tag writes the number of a turn in a tag about a point, nothing for 0.
func (v *view) tag(c *draw.Canvas, at image.Point, turn int) {
	if turn == 0 {
		return
	}
	number := strconv.Itoa(turn)
	v.tags[min(len(number), len(v.tags))-1].Put(c, at.X, at.Y)
	v.turns.Write(c, number, float64(at.X), float64(at.Y), draw.Middle, draw.Background)
}

// tagHalf returns half the height of a tag in pixels.
func (v *view) tagHalf() float64 { return tagHalf * float64(v.turns.Capital) }

// labels writes the names of the empty points within a window.
func (v *view) labels(c *draw.Canvas, p *rings.Position, window image.Rectangle) {
	for _, point := range v.points {
		at := v.at(point)
		if p.Owner(point) != engine.Nobody || !at.In(window.Inset(-v.px(1))) {
			continue
		}
		name := point.String()
		c.Stamp(v.pills[min(len(name), 3)-2], at.X, at.Y, draw.Background)
		v.names.Write(c, name, float64(at.X), float64(at.Y), draw.Middle, draw.Text)
	}
}
