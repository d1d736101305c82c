package imaging

import (
	"fmt"
	"image"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// typeface is the outlines of a font, parsed once. It is safe for concurrent
// use.
//
// It works on sfnt itself: opentype.Face may not be shared between
// goroutines, and its Kern does not scale to the size.
type typeface struct {
	font      *sfnt.Font
	capHeight float64 // of a flat capital, in em

	mu    sync.Mutex
	faces map[int]*face
}

// parseTypeface reads a TrueType or OpenType file.
func parseTypeface(file []byte) (*typeface, error) {
	f, err := sfnt.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("imaging: reading the font: %w", err)
	}
	const em = 2048
	var b sfnt.Buffer
	h, err := f.GlyphIndex(&b, 'H')
	if err != nil || h == 0 {
		return nil, fmt.Errorf("imaging: the font has no letter H: %w", err)
	}
	bounds, _, err := f.GlyphBounds(&b, h, fixed.I(em), font.HintingNone)
	if err != nil {
		return nil, fmt.Errorf("imaging: measuring the font: %w", err)
	}
	return &typeface{font: f, capHeight: -float64(bounds.Min.Y) / 64 / em, faces: map[int]*face{}}, nil
}

// has reports whether the typeface has a glyph for r.
func (t *typeface) has(r rune) bool {
	var b sfnt.Buffer
	i, err := t.font.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// face is the typeface with capitals exactly that many pixels high. A size
// said so begins and ends on whole pixels, which keeps small text crisp.
func (t *typeface) face(capital int) *face {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.faces[capital]
	if !ok {
		f = &face{
			typeface: t, capital: capital,
			size:   fixed.Int26_6(float64(capital)/t.capHeight*64 + 0.5),
			glyphs: map[glyphKey]*mask{},
		}
		t.faces[capital] = f
	}
	return f
}

// face is a typeface at one size: its glyphs as masks, made when first asked
// for and kept; the typeface bounds their number. Safe for concurrent use.
type face struct {
	*typeface
	capital int           // height of capitals in pixels
	size    fixed.Int26_6 // of the em, in pixels

	mu     sync.RWMutex
	glyphs map[glyphKey]*mask
}

// glyphKey is a glyph and where in a pixel it starts, in quarters.
type glyphKey struct {
	index sfnt.GlyphIndex
	phase uint8
}

// placed is a glyph of a line of text.
type placed struct {
	index sfnt.GlyphIndex
	x     fixed.Int26_6 // from the start of the line
}

// set places the glyphs of a line and gives its width. Characters that the
// typeface lacks are left out.
func (f *face) set(s string) (line []placed, width fixed.Int26_6) {
	var b sfnt.Buffer
	var before sfnt.GlyphIndex
	for _, r := range s {
		i, err := f.font.GlyphIndex(&b, r)
		if err != nil || i == 0 {
			continue
		}
		if before != 0 {
			// A font without kerning answers with an error: then there is none.
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

// width is how wide a line of text is, in pixels.
func (f *face) width(s string) float64 {
	_, w := f.set(s)
	return float64(w) / 64
}

// align is the side of a line of text that is put at a point.
type align float64

const (
	left   align = 0
	middle align = 0.5
	right  align = 1
)

// write puts a line of text on the canvas. Its capitals are centred on y,
// which keeps lines level whatever their letters.
func (f *face) write(c *canvas, s string, x, y float64, at align, with role) {
	line, width := f.set(s)
	start := fixed.Int26_6(x*64+0.5) - fixed.Int26_6(float64(width)*float64(at))
	baseline := f.baseline(y)
	for _, g := range line {
		pen := start + g.x + 8 // half of a quarter: to the nearest phase
		c.stamp(f.glyph(g.index, uint8(pen&63)/16), pen.Floor(), baseline, with)
	}
}

// baseline is where letters stand whose capitals are centred on y.
func (f *face) baseline(y float64) int {
	return int(y + float64(f.capital)/2 + 0.5)
}

// glyph is the mask of a glyph, its anchor on the baseline.
func (f *face) glyph(i sfnt.GlyphIndex, phase uint8) *mask {
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

// rasterise draws a glyph. One without an outline, such as a space, is empty.
func (f *face) rasterise(k glyphKey) *mask {
	var b sfnt.Buffer
	outline, err := f.font.LoadGlyph(&b, k.index, f.size, nil)
	if err != nil || len(outline) == 0 {
		return &mask{}
	}
	dot := fixed.Point26_6{X: fixed.Int26_6(k.phase) * 16}
	box := outline.Bounds().Add(dot)
	r := image.Rect(box.Min.X.Floor(), box.Min.Y.Floor(), box.Max.X.Ceil(), box.Max.Y.Ceil())
	if r.Empty() {
		return &mask{}
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
	m := &mask{r, make([]uint8, len(alpha.Pix))}
	for i, a := range alpha.Pix {
		m.quarters[i] = quarters(a)
	}
	return m
}
