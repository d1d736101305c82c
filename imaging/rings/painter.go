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
	side := func(p *rings.Position) int { return p.Side() }
	return imaging.NewPainter(rings.Key, design(), side, newSet)
}

// The colours that only Rings has.
const (
	band     = draw.Custom + iota // every second row, beside the circles
	bandCell                      // every second column, on circles
	guide                         // the picked column
)

// guideShare is the share of the colour of signs in the guide.
const guideShare = 0.12

func colourOf(seat engine.Seat) engine.Colour { return engine.Blue + engine.Colour(seat-1) }

// design lists the colours that touch. Circles are nearly all edge, so there
// are many pairs. Pairs that resemble another pair, such as a seat on a band and
// on a cell, are left out.
func design() draw.Design {
	const bandShare, bandCellShare = 0.13, 0.20 // of the colour of lines
	d := draw.Design{
		Over: map[draw.Role][]draw.Role{
			draw.Background: {draw.Cell, draw.Line, draw.Text, draw.Dim, draw.Mark, bandCell},
			draw.Cell:       {draw.Line, draw.Text, draw.Dim, draw.Mark},
			band:            {draw.Line, draw.Dim},
			bandCell:        {draw.Line, draw.Dim},
			guide:           {draw.Background, draw.Line, draw.Dim, draw.Text},
		},
		Custom: []func(draw.Theme) color.RGBA{
			func(t draw.Theme) color.RGBA { return draw.Mix(t.Background, t.Line, bandShare) },
			func(t draw.Theme) color.RGBA { return draw.Mix(t.Cell, t.Line, bandCellShare) },
			func(t draw.Theme) color.RGBA { return draw.Mix(t.Cell, t.Mark, guideShare) },
		},
	}
	for c := engine.Blue; c <= engine.White; c++ {
		own, tint := draw.Seat(c), draw.Tint(c)
		d.Over[draw.Background] = append(d.Over[draw.Background], own, tint)
		d.Over[draw.Cell] = append(d.Over[draw.Cell], own, tint)
		d.Over[tint] = []draw.Role{own, draw.Text, draw.Mark}
		d.Over[own] = []draw.Role{draw.Ink, draw.Mark}
	}
	return d
}

// Zooms implements imaging.Zoomer: on a small board all points have names.
func (k *set) Zooms() bool { return !k.whole.named() }

func (k *set) Size() image.Point { return image.Pt(width, height) }

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
	if m.column >= 0 {
		c.Copy(k.columnGround(), 0, 0)
		k.whole.guide(c, m.column)
		k.whole.letters(c, m.column)
	} else {
		c.Copy(k.ground, 0, 0)
	}
	k.whole.pieces(c, p, m)
	if k.whole.named() {
		k.whole.labels(c, p, c.Rect)
	}
	if m.column >= 0 {
		k.whole.letter(c, m)
		k.whole.column(c, m)
	}
	k.whole.signs(c, m)
	k.panel.draw(c, s, p)
}

// Locate returns the surroundings of the point to place a stone on, or the
// middle of the circle to convert. They do not overlap.
func (k *set) Locate(p *rings.Position, action engine.Action, picked int) (area image.Rectangle, steps int, ok bool) {
	a, ok := action.(rings.Action)
	v := k.whole
	half := image.Pt(v.px(0.48), v.row/2)
	around := func(at image.Point) image.Rectangle { return image.Rectangle{Min: at.Sub(half), Max: at.Add(half)} }
	switch {
	case ok && a.Kind == rings.Place && (picked == 0 || !k.Zooms()): // a picked column is enlarged
		return around(v.at(a.Point)), len(a.Steps()), true
	case ok && a.Kind == rings.Convert:
		return around(v.centre(v.circles[a.Circle-1])), len(a.Steps()), true
	}
	return area, 0, false
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
