package draw

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"
	"sync"

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
	CellDark
	Recent
	RecentDark
	RecentEdge
	Plate
	Written
	Faint
	Frame
	FrameLight
	FrameDark
	Carved
	Shade
	Gold
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
	// Over lists, for each role, the roles drawn on top of it. Their blends are
	// in the palette, or colours that are hardly different if it has no room.
	// Other pairs may touch too: their blends are replaced by the nearest colour.
	Over map[Role][]Role
	// Shaded lists the roles of things with light and shade: darker and lighter
	// tones of them are in the palette.
	Shaded []Role
	// Custom gives the colours of the roles Custom, Custom+1 and so on, at most
	// eight.
	Custom []func(Theme) color.RGBA
}

// BoardDesign returns the colours of a framed board of squares of two tones, and
// of the name plates of seats below it.
func BoardDesign(seats ...engine.Colour) Design {
	d := Design{Over: map[Role][]Role{}}
	d.Lay(Frame, Carved, FrameLight, FrameDark, Shade)
	d.Lay(Background, Frame, Plate, Text, Dim, Line, Shade, Gold)
	d.Lay(Plate, Written, Faint, Line, Background, CellDark)
	for _, ground := range []Role{Cell, CellDark} {
		d.Lay(ground, Shade, Line, Mark, Background)
	}
	d.Lay(Recent, RecentEdge, Shade, Mark)
	d.Lay(RecentDark, RecentEdge, Shade, Mark)
	d.Shaded = []Role{Frame, Plate, Gold}
	for _, c := range seats {
		for _, ground := range []Role{Background, Plate, Cell, CellDark, Recent, RecentDark} {
			d.Lay(ground, Seat(c))
		}
		d.Lay(Seat(c), Ink, Mark)
		d.Shaded = append(d.Shaded, Seat(c))
	}
	return d
}

// Lay adds roles drawn on top of another.
func (d *Design) Lay(under Role, over ...Role) {
	for _, r := range over {
		if !slices.Contains(d.Over[under], r) {
			d.Over[under] = append(d.Over[under], r)
		}
	}
}

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
		Background: t.Background, Cell: t.Cell, CellDark: t.CellDark,
		Recent: t.Recent, RecentDark: t.RecentDark, RecentEdge: t.RecentEdge,
		Plate: t.Plate, Written: t.Written, Faint: t.Faint, Frame: t.Frame, FrameLight: t.FrameLight, FrameDark: t.FrameDark,
		Carved: t.Carved, Shade: t.Shade, Gold: t.Gold,
		Line: t.Line, Text: t.Text, Dim: t.Dim, Mark: t.Mark, Ink: t.Ink, Neutral: t.Neutral,
	}[r]
}

// Palette holds every colour that the pictures of one game may have in one
// theme. It is safe for concurrent use.
type Palette struct {
	Colours color.Palette // at most maxColours
	all     []color.RGBA  // the same
	base    [roles]uint8  // index of a role's colour
	// over[r][g] is the colour nearest to the middle of role r and the colour g.
	over [roles][256]uint8

	mu    sync.Mutex
	glaze map[glaze]*[256]uint8 // see [Palette.glazed]
}

// maxColours is the most colours that a palette holds: half of what it could. The
// others would make files a twentieth larger and show no difference.
const maxColours = 128

// NewPalette computes the palette of a design in a theme. The colours of its
// roles are exact. Of the others, those that resemble one before are left out if
// there are too many. It fails if a custom role has no colour.
func NewPalette(t Theme, d Design) (*Palette, error) {
	var used [roles]bool
	use := func(r Role) error {
		if int(r) >= roles || r >= Custom+Role(len(d.Custom)) && r < firstSeat {
			return fmt.Errorf("draw: role %d has no colour", r)
		}
		used[r] = true
		return nil
	}
	for under, uppers := range d.Over {
		for _, r := range append(uppers[:len(uppers):len(uppers)], under) {
			if err := use(r); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range d.Shaded {
		if err := use(r); err != nil {
			return nil, err
		}
	}
	exact, wanted := d.colours(t, used)
	all := choose(exact, wanted)
	p := &Palette{all: all, glaze: map[glaze]*[256]uint8{}}
	for _, c := range all {
		p.Colours = append(p.Colours, c)
	}
	for r := range Role(roles) {
		if !used[r] {
			continue
		}
		c := d.colour(t, r)
		p.base[r] = nearest(all, c)
		for g, ground := range all {
			p.over[r][g] = nearest(all, Mix(ground, c, 0.5))
		}
	}
	return p, nil
}

// The shares of black and of white in the tones of things with light and shade.
var (
	darker  = [...]float64{0.16, 0.32, 0.48, 0.64}
	lighter = [...]float64{0.16, 0.34, 0.55}
)

// colours returns the colours of the roles, and others by how much they matter.
// They are in the order of the roles, not of a map: the same palette every time.
func (d Design) colours(t Theme, used [roles]bool) (exact, wanted []color.RGBA) {
	for r := range Role(roles) {
		if used[r] {
			exact = append(exact, d.colour(t, r))
		}
	}
	if !t.Plain {
		for _, r := range d.Shaded {
			c := d.colour(t, r)
			for _, share := range darker {
				wanted = append(wanted, t.Darker(c, share))
			}
			for _, share := range lighter {
				wanted = append(wanted, t.Lighter(c, share))
			}
		}
		if used[CellDark] {
			wanted = append(wanted, t.grounds()...)
		}
	}
	for under := range Role(roles) {
		for _, upper := range d.Over[under] {
			wanted = append(wanted, Mix(d.colour(t, under), d.colour(t, upper), 0.5))
		}
	}
	return exact, wanted
}

// choose returns different colours: the exact ones, and of those wanted only what
// is far enough from all before to leave room for the rest.
func choose(exact, wanted []color.RGBA) []color.RGBA {
	for apart := 0; ; apart++ {
		var all []color.RGBA
		add := func(c color.RGBA, apart int) {
			for _, o := range all {
				if distance(o, c) <= apart*apart {
					return
				}
			}
			all = append(all, c)
		}
		for _, c := range exact {
			add(c, 0)
		}
		for _, c := range wanted {
			add(c, apart)
		}
		if len(all) <= maxColours {
			return all
		}
	}
}

// Thin returns at most so many colours of a picture's palette: those of most pixels
// first, without those that resemble one before.
func Thin(p *image.Paletted, most int) color.Palette {
	var pixels [256]int
	for y := range p.Rect.Dy() {
		for _, i := range p.Pix[y*p.Stride:][:p.Rect.Dx()] {
			pixels[i]++
		}
	}
	order := make([]int, len(p.Palette))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return pixels[b] - pixels[a] })
	for apart := 0; ; apart++ {
		var kept color.Palette
		var all []color.RGBA
		for _, i := range order {
			c := color.RGBAModel.Convert(p.Palette[i]).(color.RGBA)
			if !slices.ContainsFunc(all, func(o color.RGBA) bool { return distance(o, c) <= apart*apart }) {
				all, kept = append(all, c), append(kept, c)
			}
		}
		if len(kept) <= most {
			return kept
		}
	}
}

// distance returns the square of the distance of two colours.
func distance(a, b color.RGBA) int {
	dr, dg, db := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
	return dr*dr + dg*dg + db*db
}

// glaze is a share of a colour, in parts of [opaque].
type glaze struct{ index, share uint8 }

// glazed returns the colours that a share of a colour makes of those below it.
func (p *Palette) glazed(g glaze) *[256]uint8 {
	p.mu.Lock()
	defer p.mu.Unlock()
	table, ok := p.glaze[g]
	if !ok {
		table = &[256]uint8{}
		for i, ground := range p.all {
			table[i] = nearest(p.all, Mix(ground, p.all[g.index], float64(g.share)/opaque))
		}
		p.glaze[g] = table
	}
	return table
}

// Map returns a table for [Canvas.Recolour]: every colour becomes the palette's
// nearest to what change makes of it.
func (p *Palette) Map(change func(color.RGBA) color.RGBA) (table [256]uint8) {
	for i, c := range p.all {
		table[i] = nearest(p.all, change(c))
	}
	return table
}

// Index returns the index of a role's colour.
func (p *Palette) Index(r Role) uint8 { return p.base[r] }

// nearest returns the index of the colour nearest to c.
func nearest(all []color.RGBA, c color.RGBA) uint8 {
	best, at := 1<<30, 0
	for i, o := range all {
		if d := distance(o, c); d < best {
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
