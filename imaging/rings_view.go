package imaging

import (
	"image"
	"math"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"

	"github.com/fogleman/gg"
)

// Lengths of Rings in radii of a circle, s.
const (
	ringsStone     = 0.27  // radius of a stone's mark
	ringsKey       = 0.07  // key line of a stone
	ringsRim       = 0.08  // of a stone that changed hands, outside the key line
	ringsHole      = 0.42  // of a safe stone, in radii of the mark
	ringsDot       = 0.085 // of an empty point
	ringsLine      = 0.035 // of a circle
	ringsBand      = 0.13  // of a ring
	ringsMiddle    = 0.66  // radius of what a majority fills
	ringsBadge     = 0.19  // radius of its mark
	ringsBadgeUp   = 0.37  // of its middle above the circle's
	ringsNumber    = 0.44  // height of a circle's number
	ringsNumberLow = 0.19  // of a number below a mark
	ringsLegal     = 0.10  // line of the ring around a circle that can be converted
	ringsConverted = 1.14  // width of the brackets around one that was
	ringsPlaced    = 0.90  // width of the brackets around a stone
	ringsChosen    = 1.36  // width of the frame around a picked circle
	ringsRow       = 0.50  // radius of the ring around a point of the picked column
	ringsRowText   = 0.42  // height of the row in it
	ringsName      = 0.24  // height of the name of a point
	ringsGuide     = 0.66  // width of the guide along a column
)

// ringsNamed is the smallest radius in pixels at which points carry their
// names: these have capitals of six pixels on a phone then.
const ringsNamed = 75

// ringsView is a board at one scale: where everything is, and what it is drawn
// with. All masks are anchored at the middle of what they show.
type ringsView struct {
	look
	side int
	row  int     // pixels from a row to the next
	s    float64 // radius of a circle
	mid  image.Point

	circles []rings.Circle
	points  []rings.Point

	line, dot, disc, middle, band, hole *mask
	badge                               [6]*mask
	stone                               [6]ringsMarkMasks
	legal, rowRing                      sign
	rowDisc                             *mask
	placed, converted, chosen, picked   sign
	pills                               [2]*mask // behind names of two and three characters

	numbers, names, steps *face
	lift                  [256]uint8 // colours under the guide
}

// ringsMarkMasks is a stone of a seat and what sets it off, larger each time.
type ringsMarkMasks struct{ form, key, rim, rimKey *mask }

// newRingsView fits a board whose middle is at a point and whose rows are that
// many pixels apart.
func newRingsView(l look, side, row int, mid image.Point) *ringsView {
	v := &ringsView{
		look: l, side: side, row: row, s: float64(row) * 2 / math.Sqrt(3), mid: mid,
		circles: rings.Circles(side), points: rings.Points(side),
	}
	v.numbers = l.face(v.px(ringsNumber))
	v.steps = l.face(v.px(ringsRowText))
	v.names = l.face(v.px(ringsName))
	v.shapes()
	v.liftColours()
	return v
}

// px is a length in radii in whole pixels.
func (v *ringsView) px(length float64) int { return int(math.Round(length * v.s)) }

// y is the height of a row.
func (v *ringsView) y(row int) int { return v.mid.Y + (row-2*v.side)*v.row }

// x is the place of a column of points: a pair of columns, one radius apart,
// belongs to each column of circles.
func (v *ringsView) x(column int) int {
	circle := (column - 1) / 2
	half := -0.5
	if column%2 == 0 {
		circle, half = column/2-1, 0.5
	}
	return v.mid.X + int(math.Round((1.5*float64(circle-(v.side-1))+half)*v.s))
}

// at is where a point is.
func (v *ringsView) at(p rings.Point) image.Point { return image.Pt(v.x(p.Column), v.y(p.Row)) }

// centre is the middle of a circle.
func (v *ringsView) centre(c rings.Circle) image.Point {
	return image.Pt(v.mid.X+int(math.Round(1.5*float64(c.Column-(v.side-1))*v.s)), v.y(c.Row))
}

// named reports whether points are large enough to carry their names.
func (v *ringsView) named() bool { return v.s >= ringsNamed }

// shapes paints everything once.
func (v *ringsView) shapes() {
	s := v.s
	disc := func(r float64) *mask {
		return paint(around(0, 0, r), func(dc *gg.Context) { fillDisc(dc, 0, 0, r) })
	}
	ring := func(r, width float64) *mask {
		return paint(around(0, 0, r+width/2), func(dc *gg.Context) { fillRing(dc, 0, 0, r, width) })
	}
	key := max(2, 0.05*s)
	keyedRing := func(r, width float64) sign { return sign{key: ring(r, width+2*key), form: ring(r, width)} }

	v.line = ring(s, max(1.4, ringsLine*s))
	v.dot = disc(ringsDot * s)
	v.disc = disc(s)
	v.middle = disc(ringsMiddle * s)
	v.band = ring(s, ringsBand*s)
	v.hole = disc(ringsHole * ringsStone * s)
	v.legal = keyedRing(ringsMiddle*s, ringsLegal*s)
	v.rowRing = keyedRing(ringsRow*s, max(2.5, 0.06*s))
	v.rowDisc = disc(ringsRow * s)
	for i := range v.stone {
		c := engine.Blue + engine.Colour(i)
		r := ringsStone * s
		grown := func(by float64) *mask {
			return paint(around(0, 0, 1.5*r+by), func(dc *gg.Context) { fillGrownMark(dc, c, 0, 0, r, by) })
		}
		k := max(2, ringsKey*s)
		v.stone[i] = ringsMarkMasks{grown(0), grown(k), grown(k + ringsRim*s), grown(k + ringsRim*s + key)}
		v.badge[i] = paint(around(0, 0, 1.5*ringsBadge*s), func(dc *gg.Context) { fillMark(dc, c, 0, 0, ringsBadge*s) })
	}
	v.placed = v.bracketSign(ringsPlaced)
	v.converted = v.bracketSign(ringsConverted)
	v.chosen = v.frameSign(ringsChosen)
	v.picked = v.frameSign(2 * ringsRow)
	for i, name := range []string{"W8", "W28"} {
		w, h := v.names.width(name)/2+0.09*s, 0.22*s
		v.pills[i] = paint(image.Rect(-int(w)-1, -int(h)-1, int(w)+1, int(h)+1), func(dc *gg.Context) {
			dc.DrawRoundedRectangle(-w, -h, 2*w, 2*h, 0.12*s)
			dc.Fill()
		})
	}
}

// bracketSign is four corner brackets around a middle, that wide.
func (v *ringsView) bracketSign(width float64) sign {
	half, arm, thick := v.px(width/2), v.px(0.27*width), max(3, v.px(0.07))
	var corners []image.Rectangle
	for _, x := range []int{-half, half - arm} {
		for _, y := range []int{-half, half - thick} {
			corners = append(corners, image.Rect(x, y, x+arm, y+thick))
		}
	}
	for _, x := range []int{-half, half - thick} {
		for _, y := range []int{-half, half - arm} {
			corners = append(corners, image.Rect(x, y, x+thick, y+arm))
		}
	}
	return v.rectangles(half, corners)
}

// frameSign is a closed square frame around a middle, that wide.
func (v *ringsView) frameSign(width float64) sign {
	half, thick := v.px(width/2), max(3, v.px(0.09))
	return v.rectangles(half, []image.Rectangle{
		image.Rect(-half, -half, half, -half+thick), image.Rect(-half, half-thick, half, half),
		image.Rect(-half, -half, -half+thick, half), image.Rect(half-thick, -half, half, half),
	})
}

// rectangles is a sign of rectangles within half of its middle.
func (v *ringsView) rectangles(half int, all []image.Rectangle) sign {
	key := max(2, v.px(0.05))
	box := image.Rect(-half-key, -half-key, half+key, half+key)
	grown := func(by int) *mask {
		return paint(box, func(dc *gg.Context) {
			for _, r := range all {
				r = r.Inset(-by)
				dc.DrawRectangle(float64(r.Min.X), float64(r.Min.Y), float64(r.Dx()), float64(r.Dy()))
				dc.Fill()
			}
		})
	}
	return sign{key: grown(key), form: grown(0)}
}

// pieces draws majorities, rings and stones, and on them what the last turn
// and the next action do: the signs around circles below the stones.
func (v *ringsView) pieces(c *canvas, p *rings.Position, m ringsMarks) {
	for _, circle := range v.circles {
		at := v.centre(circle)
		if holder := p.Majority(circle.Number); holder != engine.Nobody {
			colour := engine.Blue + engine.Colour(holder-1)
			c.stamp(v.middle, at.X, at.Y, tintRole(colour))
			c.stamp(v.badge[holder-1], at.X, at.Y-v.px(ringsBadgeUp), seatRole(colour))
			v.numbers.write(c, strconv.Itoa(circle.Number), float64(at.X), float64(at.Y+v.px(ringsNumberLow)), middle, text)
		}
	}
	for _, n := range m.legal {
		if n == m.chosen {
			continue // its frame is enough
		}
		at := v.centre(v.circles[n-1])
		v.legal.put(c, at.X, at.Y)
	}
	for _, circle := range v.circles {
		if owner := p.Ring(circle.Number); owner != engine.Nobody {
			at := v.centre(circle)
			c.stamp(v.band, at.X, at.Y, seatRole(engine.Blue+engine.Colour(owner-1)))
		}
	}
	for _, point := range v.points {
		owner := p.Owner(point)
		if owner == engine.Nobody {
			continue
		}
		at, own := v.at(point), &v.stone[owner-1]
		if m.flipped[point] {
			c.stamp(own.rimKey, at.X, at.Y, background)
			c.stamp(own.rim, at.X, at.Y, mark)
		}
		c.stamp(own.key, at.X, at.Y, background)
		c.stamp(own.form, at.X, at.Y, seatRole(engine.Blue+engine.Colour(owner-1)))
		if p.Safe(point) {
			c.stamp(v.hole, at.X, at.Y, ink)
		}
	}
}

// signs draws what lies over everything: brackets and frames.
func (v *ringsView) signs(c *canvas, m ringsMarks) {
	for _, n := range m.converted {
		if n >= 1 && n <= len(v.circles) {
			at := v.centre(v.circles[n-1])
			v.converted.put(c, at.X, at.Y)
		}
	}
	for _, point := range m.placed {
		at := v.at(point)
		v.placed.put(c, at.X, at.Y)
	}
	if m.chosen > 0 {
		at := v.centre(v.circles[m.chosen-1])
		v.chosen.put(c, at.X, at.Y)
	}
	if m.picked != nil {
		at := v.at(*m.picked)
		v.picked.put(c, at.X, at.Y)
	}
}

// labels writes the name of every empty point within a part of the canvas.
func (v *ringsView) labels(c *canvas, p *rings.Position, window image.Rectangle) {
	for _, point := range v.points {
		at := v.at(point)
		if p.Owner(point) != engine.Nobody || !at.In(window.Inset(-v.px(1))) {
			continue
		}
		name := point.String()
		c.stamp(v.pills[min(len(name), 3)-2], at.X, at.Y, background)
		v.names.write(c, name, float64(at.X), float64(at.Y), middle, text)
	}
}
