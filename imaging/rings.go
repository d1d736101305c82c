package imaging

import (
	"fmt"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"
)

// Rings is the painter of Rings. There are three pictures: the whole board with
// rulers; the same with the points of one column ringed and numbered, where the
// scene has picked its letter; and a quarter of the board, large, with the name
// of every empty point, where the scene asks for it.
func Rings() Painter { return ringsPainter{} }

type ringsPainter struct{}

func (ringsPainter) Key() string { return rings.Key }

// design is what lies on what. The circles are nearly all edge, so there are
// many pairs; those that are as good as another one (a seat on a band and on a
// cell) are left out, and their blends are looked up among the others'.
func (ringsPainter) design() design {
	d := design{
		background: {cell, line, text, dim, mark, bandCell},
		cell:       {line, text, dim, mark},
		band:       {line, dim},
		bandCell:   {line, dim},
		guide:      {background, line, dim, text},
	}
	for c := engine.Blue; c <= engine.White; c++ {
		own, tint := seatRole(c), tintRole(c)
		d[background] = append(d[background], own, tint)
		d[cell] = append(d[cell], own, tint)
		d[tint] = []role{own, text, mark}
		d[own] = []role{ink, mark}
	}
	return d
}

// ringsFormat is the number of circles along an edge.
type ringsFormat int

func (ringsPainter) format(p engine.Position) (any, error) {
	pos, ok := p.(*rings.Position)
	if !ok {
		return nil, fmt.Errorf("imaging: a position of rings was expected, not a %T", p)
	}
	return ringsFormat(pos.Side()), nil
}

func (ringsPainter) kit(l look, format any) kit { return newRingsKit(l, int(format.(ringsFormat))) }

func (k *ringsKit) blank() *canvas { return newCanvas(k.palette, ringsWidth, ringsHeight) }

func (k *ringsKit) paint(c *canvas, s Scene) {
	p := s.Position.(*rings.Position)
	m := ringsMarksOf(s, p)
	if s.Zoom >= 1 && s.Zoom <= ringsWindows {
		k.paintZoom(c, s, p, m)
		return
	}
	if m.column >= 0 {
		copy(c.Pix, k.columnGround().Pix)
		k.overview.guide(c, m.column)
		k.overview.letters(c, m.column)
	} else {
		copy(c.Pix, k.ground.Pix)
	}
	k.overview.pieces(c, p, m)
	if k.overview.named() {
		k.overview.labels(c, p, c.Rect)
	}
	if m.column >= 0 {
		k.overview.letter(c, m)
		k.overview.column(c, m)
	}
	k.overview.signs(c, m)
	k.panel.draw(c, s, p)
}

// ringsMarks is what the signs of a scene speak of.
type ringsMarks struct {
	placed    []rings.Point        // by the marked turn
	converted []int                // circles, by the marked turn
	flipped   map[rings.Point]bool // stones that changed hands in it
	legal     []int                // circles that can be converted
	column    int                  // whose letter is picked; -1 for none
	rows      []rings.Point        // of the column, legal
	picked    *rings.Point         // in full
	chosen    int                  // picked circle; 0 for none
}

// ringsMarksOf reads them from the scene.
func ringsMarksOf(s Scene, p *rings.Position) ringsMarks {
	m := ringsMarks{column: -1, flipped: map[rings.Point]bool{}}
	before, _ := s.Turn.Before.(*rings.Position)
	for _, action := range s.Turn.Actions {
		a, ok := action.(rings.Action)
		switch {
		case ok && a.Kind == rings.Place:
			m.placed = append(m.placed, a.Point)
		case ok && a.Kind == rings.Convert:
			m.converted = append(m.converted, a.Circle)
		}
	}
	if before != nil && len(m.converted) > 0 {
		for _, at := range p.Points() {
			was := before.Owner(at)
			if was != engine.Nobody && was != p.Owner(at) {
				m.flipped[at] = true
			}
		}
	}
	if s.outcome() != nil {
		return m
	}
	if s.Legal {
		m.legal = p.Convertible()
	}
	m.pick(s.Picked, p)
	return m
}

// pick reads the steps picked so far: a letter, then a row; or a circle.
func (m *ringsMarks) pick(steps []string, p *rings.Position) {
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
