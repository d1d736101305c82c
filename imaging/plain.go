package imaging

import (
	"fmt"
	"image"
	"image/color"
	"slices"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// maxPlain is the longest edge of a plain picture, in pixels.
const maxPlain = 4096

// Plain is a painter that draws each picture anew with gg alone: for a game
// whose own painter is not written yet, and for tests. Pictures are that wide
// and high, in pixels, from 1 to 4,096.
//
// P is the game's type of positions; a position of another type is refused.
// Draw is called with a picture of the theme's background. It draws in any
// colours, and may be called by several goroutines at once.
//
// What it costs: a picture of 1200 by 900 with a few shapes takes about 10 ms
// and 5 MB of memory, and every further shape adds to that; a painter of
// sprites takes 3 ms and 0.2 MB however full the board is. The drawing is
// reduced to 256 colours, exact for flat areas and close by for edges where it
// has more. Nothing is kept between pictures.
func Plain[P engine.Position](key string, width, height int, draw func(*Drawing, P)) Painter {
	return plainPainter[P]{key, width, height, draw}
}

type plainPainter[P engine.Position] struct {
	key           string
	width, height int
	draw          func(*Drawing, P)
}

func (p plainPainter[P]) Key() string { return p.key }

// design is empty: a plain picture brings its own colours.
func (plainPainter[P]) design() design { return nil }

func (p plainPainter[P]) format(position engine.Position) (any, error) {
	if _, ok := position.(P); !ok {
		var want P
		return nil, fmt.Errorf("imaging: a position of %s was expected, a %T, not a %T", p.key, want, position)
	}
	if p.width < 1 || p.height < 1 || p.width > maxPlain || p.height > maxPlain {
		return nil, fmt.Errorf("imaging: pictures of %s are %d by %d pixels, not from 1 to %d", p.key, p.width, p.height, maxPlain)
	}
	return image.Pt(p.width, p.height), nil
}

func (p plainPainter[P]) kit(l look, _ any) kit { return &plainKit[P]{l, p} }

// plainKit draws plain pictures in a theme.
type plainKit[P engine.Position] struct {
	look
	plainPainter[P]
}

func (k *plainKit[P]) blank() *canvas {
	return &canvas{Paletted: image.NewPaletted(image.Rect(0, 0, k.width, k.height), nil), palette: k.palette}
}

func (k *plainKit[P]) paint(c *canvas, s Scene) {
	d := newDrawing(k.look, k.width, k.height, s)
	k.draw(d, s.Position.(P))
	reduce(c.Paletted, d.Image().(*image.RGBA))
}

// reduce makes a picture one of at most 256 colours: those that most pixels
// have, and for every other the closest of them. The same picture always gives
// the same pixels.
func reduce(to *image.Paletted, from *image.RGBA) {
	count := map[color.RGBA]int{}
	eachRun(from, func(c color.RGBA, _, n int) { count[c] += n })
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return number(a) - number(b)
	})
	kept := all[:min(len(all), 256)]
	index := make(map[color.RGBA]uint8, len(all))
	to.Palette = make(color.Palette, len(kept))
	for i, c := range kept {
		index[c], to.Palette[i] = uint8(i), c
	}
	for _, c := range all[len(kept):] {
		index[c] = nearest(kept, c)
	}
	eachRun(from, func(c color.RGBA, at, n int) {
		i := index[c]
		for j := range to.Pix[at : at+n] {
			to.Pix[at+j] = i
		}
	})
}

// eachRun visits the runs of equal pixels in a picture, row by row: the
// colour, the number of the first pixel, and how many there are. All are
// opaque: a drawing starts with its background.
func eachRun(img *image.RGBA, visit func(c color.RGBA, at, n int)) {
	pixel := func(i int) color.RGBA {
		p := img.Pix[4*i : 4*i+4 : 4*i+4]
		return color.RGBA{R: p[0], G: p[1], B: p[2], A: 0xFF}
	}
	pixels := len(img.Pix) / 4
	for from := 0; from < pixels; {
		c, to := pixel(from), from+1
		for to < pixels && pixel(to) == c {
			to++
		}
		visit(c, from, to-from)
		from = to
	}
}

// number is a colour as a number, to put colours in an order.
func number(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }

// newDrawing is an empty picture of the theme's background.
func newDrawing(l look, width, height int, s Scene) *Drawing {
	d := &Drawing{Context: gg.NewContext(width, height), Scene: s, Theme: l.Theme, typeface: l.typeface}
	d.SetColor(d.Theme.Background)
	d.Clear()
	d.SetColor(d.Theme.Text)
	return d
}
