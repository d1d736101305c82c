package imaging

import (
	"fmt"
	"image"

	"castellan/engine"
	"castellan/imaging/draw"
)

// Painter draws the positions of one game. [NewPainter] and [Plain] make one.
type Painter struct {
	game   string
	design draw.Design
	// format returns a comparable value on which the set for a position
	// depends, or an error for a position of another game.
	format func(engine.Position) (any, error)
	set    func(s draw.Style, format any) set
}

// Key returns the key of the painter's game.
func (p Painter) Key() string { return p.game }

// Design returns the colours of the game's pictures. It is empty for a painter
// made by [Plain].
func (p Painter) Design() draw.Design { return p.design }

// Set is everything that the pictures of one game, theme and format have in
// common: the empty board, sprites, fonts. P is the game's type of positions.
// A set is used by several goroutines at once.
type Set[P engine.Position] interface {
	// Size returns the size of the pictures in pixels.
	Size() image.Point
	// Paint draws a scene with its position. The canvas still holds an earlier
	// picture, so Paint starts with a copy of the empty board. It uses the
	// methods of the canvas only: of a replay, they draw what has changed.
	Paint(c *draw.Canvas, s Scene, p P)
}

// Locator is a [Set] that knows where its pictures show actions.
type Locator[P engine.Position] interface {
	// Locate returns the part of the picture in which a person who has picked
	// some steps of an action would point next, and how many steps are picked
	// then. ok is false if the picture shows no such place.
	Locate(p P, a engine.Action, picked int) (area image.Rectangle, steps int, ok bool)
}

// Zoomer is a set that can enlarge parts of its boards, see [Scene]. Zooms
// reports whether it does for boards of this format: a small one is shown whole.
type Zoomer interface{ Zooms() bool }

// NewPainter returns a painter that keeps sets of sprites.
//
// The format of a position is what its pictures depend on besides the theme,
// such as the size of the board. newSet prepares the pictures of one format and
// style; the renderer calls it once for each and keeps the set. P is the game's
// type of positions; positions of other types are refused.
func NewPainter[P engine.Position, F comparable](game string, d draw.Design, format func(P) F, newSet func(draw.Style, F) Set[P]) Painter {
	return Painter{
		game: game, design: d,
		format: func(position engine.Position) (any, error) {
			p, err := typed[P](game, position)
			if err != nil {
				return nil, err
			}
			return format(p), nil
		},
		set: func(s draw.Style, format any) set { return sprites[P]{s.Palette, newSet(s, format.(F))} },
	}
}

// typed returns a position as the type of a game.
func typed[P engine.Position](game string, position engine.Position) (P, error) {
	p, ok := position.(P)
	if !ok {
		return p, fmt.Errorf("imaging: a position of %s is a %T, not a %T", game, p, position)
	}
	return p, nil
}

// set draws scenes of one game, theme and format.
type set interface {
	blank() *draw.Canvas
	paint(*draw.Canvas, Scene) *image.Paletted
	locate(s Scene, a engine.Action, picked int) (Spot, bool)
}

// sprites is the set of a painter made by NewPainter.
type sprites[P engine.Position] struct {
	palette *draw.Palette
	set     Set[P]
}

func (s sprites[P]) blank() *draw.Canvas {
	size := s.set.Size()
	return draw.NewCanvas(s.palette, size.X, size.Y)
}

func (s sprites[P]) zooms() bool {
	z, ok := s.set.(Zoomer)
	return ok && z.Zooms()
}

func (s sprites[P]) paint(c *draw.Canvas, scene Scene) *image.Paletted {
	s.set.Paint(c, scene, scene.Position.(P))
	return c.Paletted
}

func (s sprites[P]) locate(scene Scene, a engine.Action, picked int) (Spot, bool) {
	l, ok := s.set.(Locator[P])
	if !ok {
		return Spot{}, false
	}
	area, steps, ok := l.Locate(scene.Position.(P), a, picked)
	return Spot{Area: area, Picture: image.Rectangle{Max: s.set.Size()}, Steps: steps}, ok
}
