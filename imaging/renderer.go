package imaging

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"castellan/engine"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"
)

// Renderer draws pictures. It is safe for concurrent use. It prepares what
// pictures of one game, theme and format have in common when first needed, in a
// few milliseconds, and keeps it: about 1.2 MB each, in Rings up to 6 MB.
type Renderer struct {
	painters map[string]Painter
	games    []string // keys of painters, in the order given
	font     *draw.Font
	encoder  encoder

	mu   sync.Mutex
	sets map[setKey]func() (*pooledSet, error)

	plots map[string]*draw.Palette // by theme

	slots      chan struct{} // one per picture that is being drawn
	replaySlot chan struct{} // of the replay that is being drawn
	replays    atomic.Int32  // drawn or waiting
}

type setKey struct {
	game, theme string
	format      any
}

// pooledSet is a set with canvases to reuse.
type pooledSet struct {
	set
	canvases sync.Pool
}

// New returns a renderer for the games of the painters. It fails if two
// painters draw the same game.
func New(painters ...Painter) (*Renderer, error) {
	f, err := draw.ParseFont(fonts.CondensedBold)
	if err != nil {
		return nil, err
	}
	r := &Renderer{
		painters: make(map[string]Painter, len(painters)),
		font:     f,
		sets:     map[setKey]func() (*pooledSet, error){},
		plots:    map[string]*draw.Palette{},
		// One processor stays free for answering people.
		slots:      make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)),
		replaySlot: make(chan struct{}, 1),
	}
	for _, p := range painters {
		if _, dup := r.painters[p.Key()]; dup {
			return nil, fmt.Errorf("imaging: two painters draw %s", p.Key())
		}
		r.painters[p.Key()] = p
		r.games = append(r.games, p.Key())
	}
	return r, nil
}

// Board draws a scene and returns it as PNG. The painter decides its size; it
// has at most 256 colours. The empty theme is [draw.Dark]. The same scene always
// gives the same bytes.
func (r *Renderer) Board(ctx context.Context, s Scene, theme string) ([]byte, error) {
	set, err := r.set(s, theme)
	if err != nil {
		return nil, err
	}
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: drawing a picture: %w", err)
	}
	c := set.canvases.Get().(*draw.Canvas)
	defer set.canvases.Put(c)
	picture := set.paint(c, s)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
	}
	return r.encoder.encode(picture)
}

// Spot is where a picture shows an action.
type Spot struct {
	Area, Picture image.Rectangle
	Steps         int // of the action that are picked by pointing there
}

// Locate returns where the picture of a scene shows an action of which a person
// has picked some steps. ok is false if it shows no such place, or if the picture
// is zoomed or seen from the side of a seat.
func (r *Renderer) Locate(s Scene, a engine.Action, picked int) (spot Spot, ok bool) {
	set, err := r.set(s, "")
	if err != nil || s.Zoom != 0 || s.Side != engine.Nobody {
		return Spot{}, false
	}
	return set.locate(s, a, picked)
}

// Zooms reports whether there are enlarged parts of the board of a scene.
func (r *Renderer) Zooms(s Scene) bool {
	set, err := r.set(s, draw.Dark)
	if err != nil {
		return false
	}
	z, ok := set.set.(interface{ zooms() bool })
	return ok && z.zooms()
}

// set returns the set for a scene, prepared if it is the first of its kind.
func (r *Renderer) set(s Scene, theme string) (*pooledSet, error) {
	if s.Game == nil || s.Position == nil {
		return nil, errors.New("imaging: the scene has no game or no position")
	}
	t, err := draw.ThemeByName(theme)
	if err != nil {
		return nil, err
	}
	game := s.Game.Key()
	p, ok := r.painters[game]
	if !ok {
		return nil, fmt.Errorf("imaging: nothing draws the game %q; there is %s", game, strings.Join(r.games, ", "))
	}
	format, err := p.format(s.Position)
	if err != nil {
		return nil, err
	}
	key := setKey{game, t.Name, format}
	r.mu.Lock()
	prepared, ok := r.sets[key]
	if !ok {
		prepared = sync.OnceValues(func() (*pooledSet, error) { return r.newSet(p, t, format) })
		r.sets[key] = prepared
	}
	r.mu.Unlock()
	return prepared()
}

func (r *Renderer) newSet(p Painter, t draw.Theme, format any) (*pooledSet, error) {
	colours, err := draw.NewPalette(t, p.design)
	if err != nil {
		return nil, err
	}
	set := p.set(draw.Style{Theme: t, Palette: colours, Font: r.font}, format)
	return &pooledSet{set: set, canvases: sync.Pool{New: func() any { return set.blank() }}}, nil
}
