package imaging

import (
	"fmt"
	"image/color"

	"castellan/engine"
)

// role is a base colour by what it is for. The same drawing works on every
// theme because it names roles only.
type role uint8

const (
	background role = iota
	cell
	line
	text
	dim
	mark
	ink
	neutral
	band                      // every second row of a ruled board, beside it
	bandCell                  // the same on cells
	guide                     // a column that is being looked at
	seatRoles                 // the first of six, by colour
	tintRoles = seatRoles + 6 // the first of six, by colour
	roles     = int(tintRoles) + 6
)

// bandShare is the line's share of a band, guideShare the mark's of a guide.
const (
	bandShare  = 0.13
	guideShare = 0.12
)

// seatRole is the role of a seat's colour.
func seatRole(c engine.Colour) role { return seatRoles + role(c-engine.Blue) }

// tintRole is the role of the ground that a seat owns.
func tintRole(c engine.Colour) role { return tintRoles + role(c-engine.Blue) }

// colour is the base colour that the role has in a theme.
func (t Theme) colour(r role) color.RGBA {
	switch {
	case r >= tintRoles:
		return t.Tint(engine.Blue + engine.Colour(r-tintRoles))
	case r >= seatRoles:
		return t.Seats[r-seatRoles]
	}
	return [...]color.RGBA{
		background: t.Background, cell: t.Cell, line: t.Line, text: t.Text,
		dim: t.Dim, mark: t.Mark, ink: t.Ink, neutral: t.Neutral,
		band: mix(t.Background, t.Line, bandShare), bandCell: mix(t.Cell, t.Line, bandShare),
		guide: mix(t.Cell, t.Mark, guideShare),
	}[r]
}

// design says which colours a game's pictures are made of: which roles lie on
// which, and so which blends its anti-aliased edges need.
type design map[role][]role

// Coverage is counted in quarters: enough for edges that look smooth, and few
// enough for one palette a game and theme.
const (
	none = 0
	full = 4
)

// palette is every colour that the pictures of one game may have in one theme:
// the base colours and, for each pair that touches, the blends at a quarter, a
// half and three quarters. It never changes once made.
type palette struct {
	colours color.Palette // at most 256
	base    [roles]uint8  // index of a role's colour
	// over[r][q-1][g] is the colour closest to q quarters of role r over the
	// colour g. Looking it up is all that blending takes at run time.
	over [roles][full - 1][256]uint8
}

// newPalette makes the palette of a design in a theme.
func newPalette(t Theme, d design) (*palette, error) {
	p := &palette{}
	var all []color.RGBA
	index := map[color.RGBA]uint8{}
	add := func(c color.RGBA) {
		if _, ok := index[c]; !ok {
			index[c] = uint8(len(all))
			all = append(all, c)
		}
	}
	// In the order of the roles, not of the map: the same palette every time.
	var used [roles]bool
	for under := range role(roles) {
		for _, upper := range d[under] {
			used[under], used[upper] = true, true
		}
	}
	for r := range role(roles) {
		if used[r] {
			add(t.colour(r))
		}
	}
	for under := range role(roles) {
		for _, upper := range d[under] {
			for q := 1; q < full; q++ {
				add(mix(t.colour(under), t.colour(upper), float64(q)/full))
			}
		}
	}
	if len(all) > 256 {
		return nil, fmt.Errorf("imaging: theme %s needs %d colours, and a palette holds 256", t.Name, len(all))
	}
	for r := range role(roles) {
		if !used[r] {
			continue
		}
		c := t.colour(r)
		p.base[r] = index[c]
		for q := 1; q < full; q++ {
			for g, ground := range all {
				p.over[r][q-1][g] = nearest(all, mix(ground, c, float64(q)/full))
			}
		}
	}
	for _, c := range all {
		p.colours = append(p.colours, c)
	}
	return p, nil
}

// nearest is the index of the colour closest to c.
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
