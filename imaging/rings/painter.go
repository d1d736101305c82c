// Package rings draws Rings: the whole board with rulers, the same with the
// points of a picked column ringed and numbered, or an enlarged quarter of the
// board with the names of the empty points.
package rings

import (
	"image"
	"image/color"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// Painter returns the painter of Rings.
func Painter() imaging.Painter {
	of := func(p *rings.Position) format { return format{p.Side(), p.Seats()} }
	return imaging.NewPainter(rings.Key, design(), of, newSet)
}

// The colours that only Rings has.
const (
	band      = draw.Custom + iota // every second row, beside the circles
	guide                          // the picked column
	leader                         // dots from letters to columns
	circleRim                      // lines of circles
	faint                          // numbers of circles that nobody needs now
)

// guideShare is the share of the colour of signs in the guide.
const guideShare = 0.12

func colourOf(seat engine.Seat) engine.Colour { return engine.Blue + engine.Colour(seat-1) }

// design lists the colours that touch. Circles are nearly all edge, so there
// are many pairs. Pairs that resemble another pair, such as a seat on a band and
// on a cell, are left out.
func design() draw.Design {
	// The shares of the colour of lines and of less important text. Plain themes
	// have nothing faint.
	const bandShare, leaderShare, rimShare, faintShare = 0.06, 0.45, 0.5, 0.38
	share := func(of, with func(draw.Theme) color.RGBA, share float64) func(draw.Theme) color.RGBA {
		return func(t draw.Theme) color.RGBA { return draw.Mix(of(t), with(t), share) }
	}
	unlessPlain := func(of, with func(draw.Theme) color.RGBA, part float64) func(draw.Theme) color.RGBA {
		return func(t draw.Theme) color.RGBA {
			if t.Plain {
				return with(t)
			}
			return share(of, with, part)(t)
		}
	}
	background := func(t draw.Theme) color.RGBA { return t.Background }
	cell := func(t draw.Theme) color.RGBA { return t.Cell }
	line := func(t draw.Theme) color.RGBA { return t.Line }
	dim := func(t draw.Theme) color.RGBA { return t.Dim }
	mark := func(t draw.Theme) color.RGBA { return t.Mark }
	d := draw.Design{
		Over: map[draw.Role][]draw.Role{
			draw.Background: {draw.Cell, draw.Line, draw.Text, draw.Dim, draw.Mark, draw.Plate, draw.Shade, circleRim},
			draw.Plate:      {draw.Written, draw.Faint, draw.CellDark},
			draw.Cell:       {draw.Line, draw.Text, draw.Dim, draw.Mark, circleRim, faint},
			band:            {draw.Line, draw.Dim, circleRim},
			guide:           {draw.Background, draw.Line, draw.Dim, draw.Text, circleRim, faint},
			leader:          {draw.Dim},
		},
		Custom: []func(draw.Theme) color.RGBA{
			share(background, line, bandShare),
			share(cell, mark, guideShare),
			share(background, line, leaderShare),
			unlessPlain(cell, line, rimShare),
			unlessPlain(cell, dim, faintShare),
		},
	}
	for c := engine.Blue; c <= engine.Wedge; c++ {
		own, tint := draw.Seat(c), draw.Tint(c)
		d.Over[draw.Background] = append(d.Over[draw.Background], own, tint)
		d.Over[draw.Cell] = append(d.Over[draw.Cell], own, tint)
		d.Over[tint] = []draw.Role{own, draw.Text, draw.Mark}
		d.Over[own] = []draw.Role{draw.Ink, draw.Mark}
		d.Lay(draw.CellDark, own)
		d.Shaded = append(d.Shaded, own)
	}
	d.Shaded = append(d.Shaded, draw.Plate)
	return d
}

// Zooms implements imaging.Zoomer: on a small board all points have names.
func (k *set) Zooms() bool { return !k.whole.named() }

func (k *set) Size() image.Point { return image.Pt(width, k.bottom) }

// Part implements imaging.Set.
func (k *set) Part() image.Rectangle { return image.Rect(0, 0, width, height) }

func (k *set) Paint(c *draw.Canvas, s imaging.Scene, p *rings.Position) {
	m := marksOf(s, p)
	switch {
	case s.Zoom >= 1 && s.Zoom <= parts:
		k.paintZoomed(c, s, p, m)
		return
	case m.column >= 0 && k.Zooms():
		k.paintColumn(c, s, p, m)
		return
	}
	c.Copy(k.ground, 0, 0)
	if m.column >= 0 {
		k.whole.guide(c, m.column)
	}
	k.whole.pieces(c, p, m)
	if k.whole.named() {
		k.whole.labels(c, p, c.Rect)
	}
	if m.column >= 0 {
		k.whole.letter(c, m)
		k.whole.column(c, m)
	}
	k.whole.signs(c, p, m)
	k.panel.draw(c, s, p)
}

// marks is what the signs of a scene mark.
type marks struct {
	placed    []markedPoint        // in the marked turns
	converted []markedCircle       // in the marked turns
	flipped   map[rings.Point]bool // stones that changed hands in the marked turns
	legal     []int                // circles that can be converted
	column    int                  // picked column; -1 for none
	rows      []rings.Point        // legal points of the picked column
	picked    *rings.Point         // nil if not picked in full
	chosen    int                  // picked circle; 0 for none
}

// markedPoint is a point where a stone was placed, and markedCircle a circle
// that was converted. If several turns are marked, turn is the number of the
// turn; otherwise it is 0.
type (
	markedPoint struct {
		at   rings.Point
		turn int
	}
	markedCircle struct{ circle, turn int }
)

// tagged reports whether a circle has a tag with the number of a turn.
func (m marks) tagged(circle int) bool {
	return slices.ContainsFunc(m.converted, func(c markedCircle) bool { return c.circle == circle && c.turn > 0 })
}

func marksOf(s imaging.Scene, p *rings.Position) marks {
	m := marks{column: -1, flipped: map[rings.Point]bool{}}
	turns := s.Marked()
	for _, t := range turns {
		number := t.Number
		if len(turns) == 1 {
			number = 0
		}
		for _, action := range t.Actions {
			a, ok := action.(rings.Action)
			switch {
			case ok && a.Kind == rings.Place:
				m.placed = append(m.placed, markedPoint{a.Point, number})
			case ok && a.Kind == rings.Convert:
				m.converted = append(m.converted, markedCircle{a.Circle, number})
			}
		}
	}
	if len(m.converted) > 0 {
		before, ok := turns[0].Before.(*rings.Position)
		if !ok {
			before = p
		}
		for _, at := range p.Points() {
			was := before.Owner(at)
			if was != engine.Nobody && was != p.Owner(at) {
				m.flipped[at] = true
			}
		}
	}
	if s.Ending() != nil {
		return m
	}
	if s.Legal {
		m.legal = p.Convertible()
	}
	m.pick(s.Picked, p)
	return m
}

// pick reads the steps picked so far: a letter, then a row; or a circle.
func (m *marks) pick(steps []string, p *rings.Position) {
	if len(steps) == 0 {
		return
	}
	if n, err := strconv.Atoi(steps[0]); err == nil {
		if slices.Contains(p.Convertible(), n) {
			m.chosen = n
		}
		return
	}
	for _, action := range p.Legal() {
		a, _ := action.(rings.Action)
		if own := a.Steps(); a.Kind == rings.Place && own[0] == steps[0] {
			m.column = a.Point.Column
			m.rows = append(m.rows, a.Point)
			if len(steps) > 1 && own[1] == steps[1] {
				m.picked = &a.Point
			}
		}
	}
}
