package draw

import (
	"fmt"
	"image"
	"sync"

	"github.com/fogleman/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Font is a parsed font. It is safe for concurrent use.
//
// It uses sfnt directly: an opentype.Face cannot be shared between goroutines,
// and its Kern does not scale to the size.
type Font struct {
	font      *sfnt.Font
	capHeight float64 // of a flat capital, in em

	mu    sync.Mutex
	faces map[int]*Face
}

// ParseFont parses a TrueType or OpenType file.
func ParseFont(file []byte) (*Font, error) {
	f, err := sfnt.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("draw: reading the font: %w", err)
	}
	const em = 2048
	var b sfnt.Buffer
	h, err := f.GlyphIndex(&b, 'H')
	if err != nil || h == 0 {
		return nil, fmt.Errorf("draw: the font has no letter H: %w", err)
	}
	bounds, _, err := f.GlyphBounds(&b, h, fixed.I(em), font.HintingNone)
	if err != nil {
		return nil, fmt.Errorf("draw: measuring the font: %w", err)
	}
	return &Font{font: f, capHeight: -float64(bounds.Min.Y) / 64 / em, faces: map[int]*Face{}}, nil
}

// has reports whether the font has a glyph for r.
func (t *Font) has(r rune) bool {
	var b sfnt.Buffer
	i, err := t.font.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// Face returns the font with capitals exactly that many pixels high, so that
// small text begins and ends on whole pixels and stays crisp.
func (t *Font) Face(capital int) *Face {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.faces[capital]
	if !ok {
		f = &Face{
			Font: t, Capital: capital,
			size:   fixed.Int26_6(float64(capital)/t.capHeight*64 + 0.5),
			glyphs: map[glyphKey]*Mask{},
		}
		t.faces[capital] = f
	}
	return f
}

// Face is a font at one size. It rasterises each glyph once and keeps the mask.
// It is safe for concurrent use.
type Face struct {
	*Font
	Capital int           // height of capitals in pixels
	size    fixed.Int26_6 // of the em, in pixels

	mu     sync.RWMutex
	glyphs map[glyphKey]*Mask
}

// glyphKey is a glyph and its horizontal offset in a pixel, in quarters.
type glyphKey struct {
	index sfnt.GlyphIndex
	phase uint8
}

// placed is a glyph at its place in a line.
type placed struct {
	index sfnt.GlyphIndex
	x     fixed.Int26_6 // from the start of the line
}

// set places the glyphs of a line and returns its width. It leaves out
// characters that the font lacks.
func (f *Face) set(s string) (line []placed, width fixed.Int26_6) {
	var b sfnt.Buffer
	var before sfnt.GlyphIndex
	for _, r := range s {
		i, err := f.font.GlyphIndex(&b, r)
		if err != nil || i == 0 {
			continue
		}
		if before != 0 {
			// A font without kerning returns an error.
			if k, err := f.font.Kern(&b, before, i, f.size, font.HintingNone); err == nil {
				width += k
			}
		}
		line = append(line, placed{i, width})
		if a, err := f.font.GlyphAdvance(&b, i, f.size, font.HintingNone); err == nil {
			width += a
		}
		before = i
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
		c.Stamp(f.glyph(g.index, uint8(pen&63)/16), pen.Floor(), baseline, with)
	}
}

// WriteGG writes a line with gg, in the colour of its context, the capitals
// centred on y. It expects a line in visual order, see [Face.Printable].
func (f *Face) WriteGG(dc *gg.Context, s string, x, y float64, at Align) {
	face, err := opentype.NewFace(f.font, &opentype.FaceOptions{Size: float64(f.size) / 64, DPI: 72})
	if err != nil {
		return // sizes are positive, so there is no error
	}
	defer face.Close()
	dc.SetFontFace(face)
	dc.DrawStringAnchored(s, x, float64(f.baseline(y)), float64(at), 0)
}

// baseline returns the baseline of capitals that are centred on y.
func (f *Face) baseline(y float64) int {
	return int(y + float64(f.Capital)/2 + 0.5)
}

// glyph returns the mask of a glyph, its anchor on the baseline.
func (f *Face) glyph(i sfnt.GlyphIndex, phase uint8) *Mask {
	key := glyphKey{i, phase}
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

// rasterise draws a glyph. A glyph without an outline, such as a space, is
// empty.
func (f *Face) rasterise(k glyphKey) *Mask {
	var b sfnt.Buffer
	outline, err := f.font.LoadGlyph(&b, k.index, f.size, nil)
	if err != nil || len(outline) == 0 {
		return &Mask{}
	}
	dot := fixed.Point26_6{X: fixed.Int26_6(k.phase) * 16}
	box := outline.Bounds().Add(dot)
	r := image.Rect(box.Min.X.Floor(), box.Min.Y.Floor(), box.Max.X.Ceil(), box.Max.Y.Ceil())
	if r.Empty() {
		return &Mask{}
	}
	at := func(p fixed.Point26_6) (x, y float32) {
		p = p.Add(dot)
		return float32(p.X)/64 - float32(r.Min.X), float32(p.Y)/64 - float32(r.Min.Y)
	}
	v := vector.NewRasterizer(r.Dx(), r.Dy())
	for _, s := range outline {
		ax, ay := at(s.Args[0])
		bx, by := at(s.Args[1])
		cx, cy := at(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			v.ClosePath()
			v.MoveTo(ax, ay)
		case sfnt.SegmentOpLineTo:
			v.LineTo(ax, ay)
		case sfnt.SegmentOpQuadTo:
			v.QuadTo(ax, ay, bx, by)
		case sfnt.SegmentOpCubeTo:
			v.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	v.ClosePath()
	alpha := image.NewAlpha(image.Rect(0, 0, r.Dx(), r.Dy()))
	v.Draw(alpha, alpha.Rect, image.Opaque, image.Point{})
	m := &Mask{r, make([]uint8, len(alpha.Pix))}
	for i, a := range alpha.Pix {
		m.quarters[i] = quarters(a)
	}
	return m
}
