package rings

import (
	"image/color"
	"math"

	"castellan/engine"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// stoneOf draws a stone: a rim of light above, a darker side below.
func (v *view) stoneOf(c engine.Colour) *draw.Sprite {
	r, own, key := stoneRadius*v.s, v.Seat(c), max(2, stoneKey*v.s)
	return v.Sprite(draw.Around(0, 0, 1.6*r+2*key), func(dc *gg.Context) {
		fill := func(with color.Color, x, y, r, grown float64) {
			dc.SetColor(with)
			draw.FillGrownMark(dc, c, x, y, r, grown)
		}
		if v.Plain {
			fill(v.Background, 0, 0, r, key)
			fill(own, 0, 0, r, 0)
			return
		}
		fill(v.Background, 0, 0, r, key)
		rim := max(1.5, 0.11*r)
		fill(v.Darker(own, 0.48), 0, 0, r, 0)
		fill(v.Lighter(own, 0.55), -0.25*rim, -0.5*rim, r-0.5*rim, 0)
		fill(own, 0, 0.25*rim, r-1.4*rim, 0)
	})
}

// bandOf draws a ring: a band of metal, with light from above on the left.
func (v *view) bandOf(c engine.Colour) *draw.Sprite {
	s, own, w := v.s, v.Seat(c), ringWidth*v.s
	return v.Sprite(draw.Around(0, 0, s+w), func(dc *gg.Context) {
		edge := max(1.5, 0.03*s)
		dc.SetColor(v.Background)
		draw.FillRing(dc, 0, 0, s, w+2*edge)
		dc.SetColor(own)
		draw.FillRing(dc, 0, 0, s, w)
		if v.Plain {
			return
		}
		dc.SetColor(v.Darker(own, 0.32))
		draw.FillRing(dc, 0, 0, s, w)
		dc.SetColor(own)
		draw.FillRing(dc, 0, 0, s, 0.68*w)
		// Light and its reflection on the opposite side.
		dc.SetColor(v.Lighter(own, 0.55))
		dc.SetLineCapRound()
		dc.SetLineWidth(0.3 * w)
		for _, at := range []float64{-0.7 * math.Pi, 0.3 * math.Pi} {
			dc.NewSubPath()
			dc.DrawArc(0, 0, s, at-0.42, at+0.42)
			dc.Stroke()
		}
	})
}

// glowOf draws the ground of a circle that a seat holds. A soft edge would make files
// a twentieth larger.
func (v *view) glowOf(c engine.Colour) *draw.Sprite {
	return v.Sprite(draw.Around(0, 0, v.s), func(dc *gg.Context) {
		dc.SetColor(v.Tint(c))
		draw.FillDisc(dc, 0, 0, majorityRadius*v.s)
	})
}

// socketOf draws an empty point.
func (v *view) socketOf() *draw.Sprite {
	r := pointDot * v.s
	return v.Sprite(draw.Around(0, 0, r+2), func(dc *gg.Context) {
		dc.SetColor(v.Line)
		draw.FillDisc(dc, 0, 0, r)
		if !v.Plain {
			dc.SetColor(v.Background)
			draw.FillDisc(dc, -0.10*r, -0.14*r, 0.68*r)
		}
	})
}
