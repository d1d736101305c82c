package imaging

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"castellan/imaging/draw"
	"castellan/imaging/fonts"
)

// Renderer draws pictures. It is safe for concurrent use. It prepares what
// pictures of one game, theme and format have in common when first needed, in a
// few milliseconds, and keeps it: about 2 MB each, in Rings up to 9 MB.
type Renderer struct {
	painters map[string]Painter
	games    []string // keys of painters, in the order given
	font     *draw.Font
	encoder  encoder

	mu   sync.Mutex
	sets map[setKey]func() (*pooledSet, error)

	plots, tables map[string]*draw.Palette // by theme

	slots      chan struct{} // one per picture that is being drawn
	replaySlot chan struct{} // of the replay that is being drawn
	replays    atomic.Int32  // drawn or waiting
}

// maxSets bounds the sets that are kept, of two to nine megabytes each.
const maxSets = 48

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
	f, err := draw.ParseFonts(fonts.Files()...)
	if err != nil {
		return nil, err
	}
	r := &Renderer{
		painters: make(map[string]Painter, len(painters)),
		font:     f,
		sets:     map[setKey]func() (*pooledSet, error){},
		plots:    map[string]*draw.Palette{},
		tables:   map[string]*draw.Palette{},
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
// has at most 128 colours, 256 if the painter is one of [Plain]. The empty theme is [draw.Dark]. The same scene always
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
	if c != nil {
		picture = set.finished(c, s)
	}
	if s.Thumbnail {
		picture = thumbnail(picture, set.part())
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
	}
	return r.encoder.encode(picture)
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
		for old := range r.sets { // any: what is drawn often comes back
			if len(r.sets) < maxSets {
				break
			}
			delete(r.sets, old)
		}
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
