package draw

import (
	"hash/maphash"
	"image"
)

// patch is the side in pixels of the squares into which a [Repainter] divides a
// picture.
const patch = 32 // even, so that pictures of half the size have whole patches too

// Repainter draws pictures that follow each other on one canvas. It draws only
// those patches anew on which something else is drawn than in the picture before.
type Repainter struct {
	*Canvas
	seed         maphash.Seed
	now, then    []op // of this picture and of the one before, so that its masks keep their addresses
	across       int
	sums, before []uint64            // of what is drawn on each patch, row by row
	runs         [][]image.Rectangle // of patches to draw, by row
}

// op is a drawing that is put off. It fills its area if it has neither mask nor
// sprite nor table.
type op struct {
	area   image.Rectangle
	mask   *Mask
	sprite *Canvas
	drawn  *Sprite
	table  *[256]uint8
	x, y   int
	with   Role
}

// NewRepainter returns a repainter that draws on a canvas.
func NewRepainter(c *Canvas) *Repainter {
	across, down := (c.Rect.Dx()+patch-1)/patch, (c.Rect.Dy()+patch-1)/patch
	return &Repainter{
		Canvas: c, seed: maphash.MakeSeed(), across: across,
		sums: make([]uint64, across*down), before: make([]uint64, across*down), runs: make([][]image.Rectangle, down),
	}
}

// Paint draws a picture by a function that draws it whole with the methods of
// its canvas. It calls changed with each area that may differ from the picture
// before: of the first picture, with all.
func (r *Repainter) Paint(paint func(*Canvas), changed func(image.Rectangle)) {
	r.now, r.then = r.then[:0], r.now
	r.sums, r.before = r.before, r.sums
	clear(r.sums)
	paint(&Canvas{Paletted: r.Paletted, palette: r.palette, ops: &r.now})
	for _, o := range r.now {
		const odd = 0x9E3779B97F4A7C15 // so that the order counts
		sum, patches := maphash.Comparable(r.seed, o), patchesOf(o.area)
		for y := patches.Min.Y; y < patches.Max.Y; y++ {
			row := r.sums[y*r.across:][patches.Min.X:patches.Max.X]
			for x := range row {
				row[x] = (row[x] ^ sum) * odd
			}
		}
	}
	for y := range r.runs {
		r.runs[y] = r.runs[y][:0]
		for x := 0; x < r.across; x++ {
			from := x
			for x < r.across && (len(r.then) == 0 || r.sums[y*r.across+x] != r.before[y*r.across+x]) {
				x++
			}
			if x > from {
				r.runs[y] = append(r.runs[y], image.Rect(from*patch, y*patch, x*patch, (y+1)*patch).Intersect(r.Rect))
			}
		}
	}
	part := &Canvas{Paletted: &image.Paletted{Stride: r.Stride, Palette: r.Palette}, palette: r.palette}
	for _, o := range r.now {
		patches := patchesOf(o.area)
		for _, runs := range r.runs[patches.Min.Y:patches.Max.Y] {
			for _, run := range runs {
				if part.Rect = run.Intersect(o.area); !part.Rect.Empty() {
					part.Pix = r.Pix[r.PixOffset(part.Rect.Min.X, part.Rect.Min.Y):]
					o.draw(part)
				}
			}
		}
	}
	for _, runs := range r.runs {
		for _, run := range runs {
			changed(run)
		}
	}
}

func patchesOf(area image.Rectangle) image.Rectangle {
	return image.Rect(area.Min.X/patch, area.Min.Y/patch, (area.Max.X+patch-1)/patch, (area.Max.Y+patch-1)/patch)
}

func (o *op) draw(c *Canvas) {
	switch {
	case o.mask != nil:
		c.Stamp(o.mask, o.x, o.y, o.with)
	case o.sprite != nil:
		c.Copy(o.sprite, o.x, o.y)
	case o.drawn != nil:
		c.Put(o.drawn, o.x, o.y)
	case o.table != nil:
		c.Recolour(o.area, o.table)
	default:
		c.Fill(o.area, o.with)
	}
}

// later puts a drawing off if a [Repainter] asks for that.
func (c *Canvas) later(o op) bool {
	if c.ops != nil {
		*c.ops = append(*c.ops, o)
	}
	return c.ops != nil
}
