package draw

import (
	"image"
	"image/color"

	"github.com/fogleman/gg"
)

// opaque is the number of shares into which the opacity of a sprite's pixels is
// divided: each more makes files larger.
const opaque = 4

// Sprite is a drawing in many colours with soft edges and shadows, in the colours
// of a palette. It is immutable.
type Sprite struct {
	Rect  image.Rectangle // relative to the anchor
	runs  []spriteRun
	solid []uint8       // pixels of the runs that hide what is below, one after the other
	soft  []*[256]uint8 // what the other pixels make of the colours below them
}

// spriteRun is a level run of pixels of one kind, relative to the anchor.
type spriteRun struct {
	x, y, n int16
	soft    bool
}

// NewSprite rasterises a drawing with gg, once for all pictures: every colour
// becomes the nearest of the palette. The anchor is the point (0, 0) of the
// drawing; bounds, in pixels, says which part of it is kept.
func NewSprite(p *Palette, bounds image.Rectangle, drawing func(*gg.Context)) *Sprite {
	dc := gg.NewContext(bounds.Dx(), bounds.Dy())
	dc.Translate(float64(-bounds.Min.X), float64(-bounds.Min.Y))
	drawing(dc)
	return spriteOf(p, bounds.Min, dc.Image().(*image.RGBA))
}

// spriteOf returns a picture as a sprite whose upper left corner is at a point
// relative to the anchor.
func spriteOf(p *Palette, at image.Point, img *image.RGBA) *Sprite {
	s := &Sprite{Rect: img.Rect.Sub(img.Rect.Min).Add(at)}
	known := map[color.RGBA]uint8{}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			pixel := img.Pix[y*img.Stride+4*x:][:4]
			share := (int(pixel[3])*opaque + 127) / 255
			if share == 0 {
				continue
			}
			c := color.RGBA{A: 0xFF}
			for i, to := range []*uint8{&c.R, &c.G, &c.B} { // undo the premultiplication
				*to = uint8(min(255, (int(pixel[i])*255+int(pixel[3])/2)/int(pixel[3])))
			}
			index, ok := known[c]
			if !ok {
				index = nearest(p.all, c)
				known[c] = index
			}
			soft := share < opaque
			if soft {
				s.soft = append(s.soft, p.glazed(glaze{index, uint8(share)}))
			} else {
				s.solid = append(s.solid, index)
			}
			px, py := int16(x+at.X), int16(y+at.Y)
			if n := len(s.runs); n > 0 && s.runs[n-1].soft == soft && s.runs[n-1].y == py && s.runs[n-1].x+s.runs[n-1].n == px {
				s.runs[n-1].n++
			} else {
				s.runs = append(s.runs, spriteRun{px, py, 1, soft})
			}
		}
	}
	return s
}

// Put draws a sprite with its anchor at (x, y).
func (c *Canvas) Put(s *Sprite, x, y int) {
	r := s.Rect.Add(image.Pt(x, y)).Intersect(c.Rect)
	if r.Empty() || c.later(op{area: r, drawn: s, x: x, y: y}) {
		return
	}
	solid, soft := s.solid, s.soft
	for _, run := range s.runs {
		from, to, row := x+int(run.x), x+int(run.x)+int(run.n), y+int(run.y)
		left, right := max(from, r.Min.X), min(to, r.Max.X)
		visible := row >= r.Min.Y && row < r.Max.Y && left < right
		if run.soft {
			if visible {
				at := c.PixOffset(left, row)
				dst := c.Pix[at : at+right-left]
				for i, table := range soft[left-from : right-from] {
					dst[i] = table[dst[i]]
				}
			}
			soft = soft[run.n:]
			continue
		}
		if visible {
			copy(c.Pix[c.PixOffset(left, row):], solid[left-from:right-from])
		}
		solid = solid[run.n:]
	}
}
