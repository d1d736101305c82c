package imaging

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"sync"

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
	// Part returns the part of pictures that is the board.
	Part() image.Rectangle
	// Paint draws a scene with its position. The canvas still holds an earlier
	// picture, so Paint starts with a copy of the empty board. It uses the
	// methods of the canvas only: of a replay, they draw what has changed.
	Paint(c *draw.Canvas, s Scene, p P)
}

// Zoomer is a set that can enlarge parts of its boards, see [Scene]. Zooms
// reports whether it does for boards of this format: a small one is shown whole.
type Zoomer interface{ Zooms() bool }

// Mover is a set that shows how actions are carried out, between the turns of a
// replay.
type Mover[P engine.Position] interface {
	// Moving returns a function that draws a scene of a position while an action,
	// legal there, is being carried out. Share, above 0 and below 1, says how much
	// is done. The function is nil if nothing moves.
	Moving(s Scene, p P, a engine.Action) func(c *draw.Canvas, share float64)
}

// Scorer is a set of a game with a score.
type Scorer[P engine.Position] interface {
	Points(p P, seat engine.Seat) int
}

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
		set: func(s draw.Style, format any) set {
			return &sprites[P]{style: s, set: newSet(s, format.(F)), finish: sync.OnceValue(func() *draw.Finish { return draw.NewFinish(s) })}
		},
	}
}

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
	// moving is nil if the set does not show how an action is carried out.
	moving(Scene, engine.Action) func(*draw.Canvas, float64)
	part() image.Rectangle
	// finished adds to the picture of a scene what only a picture of the end has.
	finished(*draw.Canvas, Scene) *image.Paletted
}

// sprites is the set of a painter made by NewPainter.
type sprites[P engine.Position] struct {
	style  draw.Style
	set    Set[P]
	finish func() *draw.Finish
}

func (s *sprites[P]) blank() *draw.Canvas {
	size := s.set.Size()
	return draw.NewCanvas(s.style.Palette, size.X, size.Y)
}

func (s *sprites[P]) zooms() bool {
	z, ok := s.set.(Zoomer)
	return ok && z.Zooms()
}

func (s *sprites[P]) part() image.Rectangle { return s.set.Part() }

func (s *sprites[P]) paint(c *draw.Canvas, scene Scene) *image.Paletted {
	s.set.Paint(c, scene, scene.Position.(P))
	return c.Paletted
}

func (s *sprites[P]) moving(scene Scene, a engine.Action) func(*draw.Canvas, float64) {
	if m, ok := s.set.(Mover[P]); ok {
		return m.Moving(scene, scene.Position.(P), a)
	}
	return nil
}

// finished returns the picture of a match that is over with the card below it, or
// the picture itself if the scene asks for none.
func (s *sprites[P]) finished(c *draw.Canvas, scene Scene) *image.Paletted {
	end := scene.Ending()
	if len(scene.History) == 0 || end == nil || end.Void || scene.Zoom > 0 || scene.Thumbnail {
		return c.Paletted
	}
	seats := len(scene.Names)
	r := draw.Result{Colours: scene.Game.Colours(seats), Names: scene.Names, Winners: end.Winners, Footer: scene.Footer}
	if scorer, ok := s.set.(Scorer[P]); ok {
		all := append(slices.Clip(scene.History), scene.Position)
		for i, position := range all {
			p, ok := position.(P)
			if !ok {
				return c.Paletted
			}
			if i%max(seats, 1) != 0 && i < len(all)-1 {
				continue // a turn often leads for itself alone: rounds are compared
			}
			points := make([]int, seats)
			for i := range points {
				points[i] = scorer.Points(p, engine.Seat(i+1))
			}
			r.Course = append(r.Course, points)
		}
		r.Score = score(scorer, scene.Position.(P), seats, end.Winners)
	}
	high := c.Rect.Dy()
	card := s.finish()
	whole := draw.NewCanvas(s.style.Palette, c.Rect.Dx(), high+card.Height(r))
	whole.Copy(c, 0, 0)
	card.Paint(whole, high, r)
	return whole.Paletted
}

// score returns the winner's points, and those of the other of two seats behind
// them. It is empty if there is no single winner.
func score[P engine.Position](s Scorer[P], p P, seats int, winners []engine.Seat) string {
	if len(winners) != 1 {
		return ""
	}
	text := strconv.Itoa(s.Points(p, winners[0]))
	if seats == 2 {
		text += " – " + strconv.Itoa(s.Points(p, 3-winners[0]))
	}
	return text
}
