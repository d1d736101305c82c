package draw

import (
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/fogleman/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Font is a typeface with others behind it for the characters that it lacks. It
// is safe for concurrent use.
//
// It uses sfnt directly: an opentype.Face cannot be shared between goroutines,
// and its Kern does not scale to the size.
type Font struct {
	files []func() *typeface // the preferred first; nil if a file cannot be read

	mu    sync.Mutex
	faces map[int]*Face
}

// typeface is a file of a font.
type typeface struct {
	font *sfnt.Font
	em   float64 // in heights of a capital
}

// ideographEm is the size in heights of a capital in which a font without
// capitals stands beside one that has some: its signs are centred on them.
const ideographEm = 1.32

// ParseFonts returns a font of TrueType or OpenType files. A character is written
// in the first that has it. Only the first file is read at once.
func ParseFonts(files ...func() ([]byte, error)) (*Font, error) {
	t := &Font{faces: map[int]*Face{}}
	for i, file := range files {
		if i > 0 {
			t.files = append(t.files, sync.OnceValue(func() *typeface {
				f, _ := parse(file)
				return f
			}))
			continue
		}
		first, err := parse(file)
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, func() *typeface { return first })
	}
	if len(t.files) == 0 {
		return nil, errors.New("draw: there is no font")
	}
	return t, nil
}

func parse(file func() ([]byte, error)) (*typeface, error) {
	bytes, err := file()
	if err != nil {
		return nil, fmt.Errorf("draw: reading the font: %w", err)
	}
	f, err := sfnt.Parse(bytes)
	if err != nil {
		return nil, fmt.Errorf("draw: reading the font: %w", err)
	}
	const em = 2048
	var b sfnt.Buffer
	h, err := f.GlyphIndex(&b, 'H')
	if err != nil || h == 0 {
		return &typeface{f, ideographEm}, nil
	}
	bounds, _, err := f.GlyphBounds(&b, h, fixed.I(em), font.HintingNone)
	if err != nil || bounds.Min.Y >= 0 {
		return nil, fmt.Errorf("draw: measuring the font: %w", err)
	}
	return &typeface{f, em / (-float64(bounds.Min.Y) / 64)}, nil
}

// find returns the file that has a character, and its glyph there. It reports
// false if there is none.
func (t *Font) find(b *sfnt.Buffer, r rune) (file uint8, glyph sfnt.GlyphIndex, ok bool) {
	for i, file := range t.files {
		f := file()
		if f == nil {
			continue
		}
		if g, err := f.font.GlyphIndex(b, r); err == nil && g != 0 {
			return uint8(i), g, true
		}
	}
	return 0, 0, false
}

func (t *Font) has(r rune) bool {
	var b sfnt.Buffer
	_, _, ok := t.find(&b, r)
	return ok
}

// Face returns the font with capitals exactly that many pixels high, so that
// small text begins and ends on whole pixels and stays crisp.
func (t *Font) Face(capital int) *Face {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.faces[capital]
	if !ok {
		f = &Face{Font: t, Capital: capital, glyphs: map[glyphKey]*Mask{}}
		t.faces[capital] = f
	}
	return f
}

// Face is a font at one size. It rasterises each glyph once and keeps the mask.
// It is safe for concurrent use.
type Face struct {
	*Font
	Capital int // height of capitals in pixels

	mu     sync.RWMutex
	glyphs map[glyphKey]*Mask
}

// Size returns the size of the em in pixels.
func (f *Face) Size() float64 { return float64(f.size(0)) / 64 }

// size returns the size of the em of a file.
func (f *Face) size(file uint8) fixed.Int26_6 {
	return fixed.Int26_6(float64(f.Capital)*f.files[file]().em*64 + 0.5)
}

// glyphKey is a glyph of a file and its horizontal offset in a pixel, in
// quarters.
type glyphKey struct {
	file  uint8
	index sfnt.GlyphIndex
	phase uint8
}

// placed is a glyph at its place in a line.
type placed struct {
	file  uint8
	index sfnt.GlyphIndex
	x     fixed.Int26_6 // from the start of the line
}

// set places the glyphs of a line and returns its width. It leaves out
// characters that the font lacks.
func (f *Face) set(s string) (line []placed, width fixed.Int26_6) {
	var b sfnt.Buffer
	var before placed
	for _, r := range s {
		file, i, ok := f.find(&b, r)
		if !ok {
			continue
		}
		t, size := f.files[file]().font, f.size(file)
		if before.index != 0 && before.file == file {
			// A font without kerning returns an error.
			if k, err := t.Kern(&b, before.index, i, size, font.HintingNone); err == nil {
				width += k
			}
		}
		before = placed{file, i, width}
		line = append(line, before)
		if a, err := t.GlyphAdvance(&b, i, size, font.HintingNone); err == nil {
			width += a
		}
	}
	return line, width
}

// Width returns the width of a line in pixels.
func (f *Face) Width(s string) float64 {
	_, w := f.set(s)
	return float64(w) / 64
}

// Align says which part of a line stands at the given x.
type Align float64

// Left puts the start of a line at x, Middle its middle and Right its end.

const (
	Left   Align = 0
	Middle Align = 0.5
	Right  Align = 1
)

// Write writes a line on the canvas, its capitals centred on y.
func (f *Face) Write(c *Canvas, s string, x, y float64, at Align, with Role) {
	line, width := f.set(s)
	start := fixed.Int26_6(x*64+0.5) - fixed.Int26_6(float64(width)*float64(at))
	baseline := f.baseline(y)
	for _, g := range line {
		pen := start + g.x + 8 // half of a quarter: to the nearest phase
		c.Stamp(f.glyph(g.file, g.index, uint8(pen&63)/16), pen.Floor(), baseline, with)
	}
}

// WriteGG writes a line with gg, in the colour of its context, the capitals
// centred on y. It expects a line in visual order, see [Face.Printable].
func (f *Face) WriteGG(dc *gg.Context, s string, x, y float64, at Align) {
	line, width := f.set(s)
	start, baseline := x-float64(width)/64*float64(at), float64(f.baseline(y))
	for _, g := range line {
		fillOutline(dc, f.outline(g.file, g.index), start+float64(g.x)/64, baseline)
	}
}

// baseline returns the baseline of capitals that are centred on y.
func (f *Face) baseline(y float64) int {
	return int(y + float64(f.Capital)/2 + 0.5)
}

// glyph returns the mask of a glyph, its anchor on the baseline.
func (f *Face) glyph(file uint8, i sfnt.GlyphIndex, phase uint8) *Mask {
	key := glyphKey{file, i, phase}
	f.mu.RLock()
	m, ok := f.glyphs[key]
	f.mu.RUnlock()
	if ok {
		return m
	}
	m = f.rasterise(key)
	f.mu.Lock()
	f.glyphs[key] = m
	f.mu.Unlock()
	return m
}

// outline returns the outline of a glyph. That of a glyph without one, such as a
// space, is empty.
func (f *Face) outline(file uint8, i sfnt.GlyphIndex) sfnt.Segments {
	outline, err := f.files[file]().font.LoadGlyph(new(sfnt.Buffer), i, f.size(file), nil)
	if err != nil {
		return nil
	}
	return outline
}

// rasterise draws a glyph. A glyph without an outline is empty.
func (f *Face) rasterise(k glyphKey) *Mask {
	outline := f.outline(k.file, k.index)
	x := float64(k.phase) / 4
	box := outline.Bounds().Add(fixed.Point26_6{X: fixed.Int26_6(k.phase) * 16})
	r := image.Rect(box.Min.X.Floor(), box.Min.Y.Floor(), box.Max.X.Ceil(), box.Max.Y.Ceil())
	if r.Empty() {
		return &Mask{}
	}
	return NewMask(r, func(dc *gg.Context) { fillOutline(dc, outline, x, 0) })
}

// fillOutline fills the outline of a glyph whose origin is at (x, y).
func fillOutline(dc *gg.Context, outline sfnt.Segments, x, y float64) {
	at := func(p fixed.Point26_6) (float64, float64) { return x + float64(p.X)/64, y + float64(p.Y)/64 }
	for _, s := range outline {
		ax, ay := at(s.Args[0])
		bx, by := at(s.Args[1])
		cx, cy := at(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			dc.ClosePath()
			dc.MoveTo(ax, ay)
		case sfnt.SegmentOpLineTo:
			dc.LineTo(ax, ay)
		case sfnt.SegmentOpQuadTo:
			dc.QuadraticTo(ax, ay, bx, by)
		case sfnt.SegmentOpCubeTo:
			dc.CubicTo(ax, ay, bx, by, cx, cy)
		}
	}
	dc.ClosePath()
	dc.Fill()
}
