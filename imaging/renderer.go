package imaging

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"castellan/engine"
	"castellan/imaging/fonts"
)

// Painter draws the positions of one game. The painters are those of this
// package, such as [Trails].
type Painter interface {
	// Key is the key of the game.
	Key() string

	// design is the colours of the game's pictures and which of them touch.
	design() design
	// format is what the look of a position's pictures depends on apart from
	// the theme, such as the size of its board: a comparable value. It fails
	// where the position is of another game.
	format(engine.Position) (any, error)
	// kit paints what pictures of that format are put together from.
	kit(look, any) kit
}

// look is what a kit is painted with.
type look struct {
	Theme
	*palette
	*typeface
}

// kit is everything that the pictures of one game, theme and format have in
// common. It is safe for concurrent use.
type kit interface {
	// blank is a canvas of the right size, its contents of no matter.
	blank() *canvas
	// paint draws a whole scene over whatever the canvas holds.
	paint(*canvas, Scene)
}

// Renderer draws pictures. It is safe for concurrent use. What pictures have
// in common is painted when first needed, in a few milliseconds, and kept:
// about 1.2 MB for each game, theme and size of board, and up to six in Rings.
type Renderer struct {
	painters map[string]Painter
	order    []string // keys of painters
	typeface *typeface
	encoders encoders

	mu   sync.Mutex
	sets map[setKey]func() (*set, error)

	plots map[string]*palette // by theme
}

// setKey is what a set is for.
type setKey struct {
	game, theme string
	format      any
}

// set is a kit with canvases to use again.
type set struct {
	kit
	canvases sync.Pool
}

// New is a renderer for the games of the painters. Two painters of one game
// are an error.
func New(painters ...Painter) (*Renderer, error) {
	t, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		return nil, err
	}
	r := &Renderer{
		painters: make(map[string]Painter, len(painters)),
		typeface: t,
		sets:     map[setKey]func() (*set, error){},
		plots:    map[string]*palette{},
	}
	for _, p := range painters {
		if _, dup := r.painters[p.Key()]; dup {
			return nil, fmt.Errorf("imaging: two painters draw %s", p.Key())
		}
		r.painters[p.Key()] = p
		r.order = append(r.order, p.Key())
	}
	return r, nil
}

// Board is a picture of the scene as PNG: 1200 by 900 pixels, in Rings 1100 by
// 900 (a painter made by [Plain] has a size of its own), in at most 256
// colours. The empty theme is the default, [Dark]. The same scene always gives
// the same bytes.
func (r *Renderer) Board(ctx context.Context, s Scene, theme string) ([]byte, error) {
	set, err := r.set(s, theme)
	if err != nil {
		return nil, err
	}
	// The two stages that take time; a picture is a matter of milliseconds.
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: drawing a picture: %w", err)
	}
	c := set.canvases.Get().(*canvas)
	defer set.canvases.Put(c)
	set.paint(c, s)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
	}
	return r.encoders.encode(c.Paletted)
}

// set is what is needed to draw the scene, made if this is the first of its
// kind.
func (r *Renderer) set(s Scene, theme string) (*set, error) {
	if s.Game == nil || s.Position == nil {
		return nil, errors.New("imaging: the scene has no game or no position")
	}
	t, err := ThemeByName(theme)
	if err != nil {
		return nil, err
	}
	game := s.Game.Key()
	p, ok := r.painters[game]
	if !ok {
		return nil, fmt.Errorf("imaging: nothing draws the game %q; there is %s", game, strings.Join(r.order, ", "))
	}
	format, err := p.format(s.Position)
	if err != nil {
		return nil, err
	}
	key := setKey{game, t.Name, format}
	r.mu.Lock()
	made, ok := r.sets[key]
	if !ok {
		made = sync.OnceValues(func() (*set, error) { return r.newSet(p, t, format) })
		r.sets[key] = made
	}
	r.mu.Unlock()
	return made()
}

func (r *Renderer) newSet(p Painter, t Theme, format any) (*set, error) {
	colours, err := newPalette(t, p.design())
	if err != nil {
		return nil, err
	}
	k := p.kit(look{t, colours, r.typeface}, format)
	return &set{kit: k, canvases: sync.Pool{New: func() any { return k.blank() }}}, nil
}
