package draw

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"

	"castellan/engine"
)

// Role is a base colour by its purpose. A painter names roles only, so that it
// works in every theme. Besides the constants there are [Seat] and [Tint].
type Role uint8

// The roles with a colour of their own in every theme, see [Theme]. A painter
// that needs further colours defines roles from Custom on and gives their
// colours in its [Design].
const (
	Background Role = iota
	Cell
	Line
	Text
	Dim
	Mark
	Ink
	Neutral
	Custom

	customs   = 8
	firstSeat = Custom + customs
	firstTint = firstSeat + 6
	roles     = int(firstTint) + 6
)

// Seat returns the role of a seat's colour.
func Seat(c engine.Colour) Role { return firstSeat + Role(c-engine.Blue) }

// Tint returns the role of the ground that a seat owns.
func Tint(c engine.Colour) Role { return firstTint + Role(c-engine.Blue) }

// Design lists the colours of a game's pictures.
type Design struct {
	// Over lists, for each role, the roles drawn on top of it. Their blends
	// are in the palette. Other pairs may touch too: their blends are replaced
	// by the nearest colour.
	Over map[Role][]Role
	// Custom gives the colours of the roles Custom, Custom+1 and so on, at most
	// eight.
	Custom []func(Theme) color.RGBA
}

// colour returns the base colour of a role in a theme.
func (d Design) colour(t Theme, r Role) color.RGBA {
	switch {
	case r >= firstTint:
		return t.Tint(engine.Blue + engine.Colour(r-firstTint))
	case r >= firstSeat:
		return t.Seats[r-firstSeat]
	case r >= Custom:
		return d.Custom[r-Custom](t)
	}
	return [...]color.RGBA{
		Background: t.Background, Cell: t.Cell, Line: t.Line, Text: t.Text,
		Dim: t.Dim, Mark: t.Mark, Ink: t.Ink, Neutral: t.Neutral,
	}[r]
}

// Palette holds every colour that the pictures of one game may have in one
// theme. It is immutable.
type Palette struct {
	Colours color.Palette // at most 256
	base    [roles]uint8  // index of a role's colour
	// over[r][q-1][g] is the colour nearest to q quarters of role r over the
	// colour g.
	over [roles][full - 1][256]uint8
}

// NewPalette computes the palette of a design in a theme. It fails if more than
// 256 colours are needed or a custom role has no colour.
func NewPalette(t Theme, d Design) (*Palette, error) {
	var used [roles]bool
	for under, uppers := range d.Over {
		for _, r := range append(uppers[:len(uppers):len(uppers)], under) {
			if int(r) >= roles || r >= Custom+Role(len(d.Custom)) && r < firstSeat {
				return nil, fmt.Errorf("draw: role %d has no colour", r)
			}
			used[r] = true
		}
	}
	var all []color.RGBA
	index := map[color.RGBA]uint8{}
	add := func(c color.RGBA) {
		if _, ok := index[c]; !ok {
			index[c] = uint8(len(all))
			all = append(all, c)
		}
	}
	// In the order of the roles, not of the map: the same palette every time.
	for r := range Role(roles) {
		if used[r] {
			add(d.colour(t, r))
		}
	}
	for under := range Role(roles) {
		for _, upper := range d.Over[under] {
			for q := 1; q < full; q++ {
				add(Mix(d.colour(t, under), d.colour(t, upper), float64(q)/full))
			}
		}
	}
	if len(all) > 256 {
		return nil, fmt.Errorf("draw: theme %s needs %d colours, and a palette holds 256", t.Name, len(all))
	}
	p := &Palette{}
	for r := range Role(roles) {
		if !used[r] {
			continue
		}
		c := d.colour(t, r)
		p.base[r] = index[c]
		for q := 1; q < full; q++ {
			for g, ground := range all {
				p.over[r][q-1][g] = nearest(all, Mix(ground, c, float64(q)/full))
			}
		}
	}
	for _, c := range all {
		p.Colours = append(p.Colours, c)
	}
	return p, nil
}

// Map returns a table for [Canvas.Recolour]: every colour becomes the palette's
// nearest to what change makes of it.
func (p *Palette) Map(change func(color.RGBA) color.RGBA) (table [256]uint8) {
	all := make([]color.RGBA, len(p.Colours))
	for i, c := range p.Colours {
		all[i] = c.(color.RGBA)
	}
	for i, c := range all {
		table[i] = nearest(all, change(c))
	}
	return table
}

// Index returns the index of a role's colour.
func (p *Palette) Index(r Role) uint8 { return p.base[r] }

// Crisp changes a table for colours of the palette so that shapes of a role on
// a ground have edges of one blend instead of three.
func (p *Palette) Crisp(table *[256]uint8, on, role Role) {
	ground, blends := p.base[on], &p.over[role]
	table[blends[0][ground]], table[blends[2][ground]] = table[ground], table[p.base[role]]
}

// nearest returns the index of the colour nearest to c.
func nearest(all []color.RGBA, c color.RGBA) uint8 {
	best, at := 1<<30, 0
	for i, o := range all {
		dr, dg, db := int(o.R)-int(c.R), int(o.G)-int(c.G), int(o.B)-int(c.B)
		if d := dr*dr + dg*dg + db*db; d < best {
			best, at = d, i
		}
	}
	return uint8(at)
}

// Quantize returns an opaque picture reduced to at most 256 colours: the most
// frequent ones, and for every other colour the nearest of them. The same
// picture always gives the same pixels.
func Quantize(from *image.RGBA) *image.Paletted {
	count := map[color.RGBA]int{}
	eachRun(from, func(c color.RGBA, _, n int) { count[c] += n })
	all := make([]color.RGBA, 0, len(count))
	for c := range count {
		all = append(all, c)
	}
	number := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], number(a)-number(b))
	})
	kept := all[:min(len(all), 256)]
	index := make(map[color.RGBA]uint8, len(all))
	to := image.NewPaletted(from.Rect, make(color.Palette, len(kept)))
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
	return to
}

// eachRun visits the runs of equal pixels in a picture, row by row: the
// colour, the number of the first pixel, and the length.
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
