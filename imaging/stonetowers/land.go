package stonetowers

import (
	"image"
	"image/color"
	"math"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Lengths of land in cells.
const (
	groove     = 0.022 // between two lands
	border     = 0.045 // line along the edge of a land
	landCorner = 0.17  // radius of its corners
	landMark   = 0.075 // radius of the mark on a square of land
)

// The sides and corners of a square, as bits.
const (
	up = 1 << iota
	down
	left
	right
	upLeft
	upRight
	downLeft
	downRight
)

// tile says what a square of land looks like: whose it is, its tone, at which
// sides the land ends, and at which corners it has a notch.
type tile struct {
	seat    engine.Seat
	dark    bool
	borders uint8
}

// tileOf returns the look of an owned square as it lies on the picture.
func (k *set) tileOf(p *stonetowers.Position, s stonetowers.Square) tile {
	t := tile{seat: p.Owner(s), dark: k.Grid.IsDark(s.X, s.Y)}
	own := func(dx, dy int) bool {
		at := stonetowers.Square{X: s.X + dx, Y: s.Y + dy}
		return at.X >= 0 && at.Y >= 0 && at.X < p.Width() && at.Y < p.Height() && p.Owner(at) == t.seat
	}
	for _, side := range []struct {
		dx, dy int
		bit    uint8
	}{{0, 1, up}, {0, -1, down}, {-1, 0, left}, {1, 0, right}} {
		if !own(side.dx, side.dy) {
			t.borders |= side.bit
		}
	}
	for _, corner := range []struct {
		dx, dy int
		sides  uint8
		bit    uint8
	}{{-1, 1, up | left, upLeft}, {1, 1, up | right, upRight}, {-1, -1, down | left, downLeft}, {1, -1, down | right, downRight}} {
		if t.borders&corner.sides == 0 && !own(corner.dx, corner.dy) {
			t.borders |= corner.bit
		}
	}
	return t
}

// land returns the picture of a square of land.
func (k *set) land(t tile) *draw.Sprite {
	k.made.mu.Lock()
	defer k.made.mu.Unlock()
	s, ok := k.made.land[t]
	if !ok {
		box := image.Rect(0, 0, k.Grid.Inner(), k.Grid.Inner())
		s = k.Sprite(box, func(dc *gg.Context) { k.paintLand(dc, t) })
		k.made.land[t] = s
	}
	return s
}

// tones returns the colour of a land and of a square below it.
func (k *set) tones(t tile) (land, ground color.RGBA) {
	land, ground = k.Tint(colours[t.seat-1]), k.Cell
	if t.dark {
		land, ground = darkLand(k.Theme, colours[t.seat-1]), k.CellDark
	}
	return land, ground
}

// darkLand returns the colour of land on dark squares.
func darkLand(t draw.Theme, c engine.Colour) color.RGBA {
	if t.Plain {
		return t.Tint(c)
	}
	return draw.Mix(t.Tint(c), t.CellDark, 0.30)
}

func (k *set) paintLand(dc *gg.Context, t tile) {
	side := float64(k.Grid.Inner())
	gap, line, r := math.Max(1.5, math.Round(k.Grid.Length(groove))), math.Max(3, math.Round(k.Grid.Length(border))), k.Grid.Length(landCorner)
	// Sides without a border go on beyond the square.
	fill := func(c color.RGBA, inset float64) {
		edge := func(bit uint8, at, out float64) float64 {
			if t.borders&bit != 0 {
				return at
			}
			return out
		}
		x0, y0 := edge(left, inset, -r), edge(up, inset, -r)
		x1, y1 := edge(right, side-inset, side+r), edge(down, side-inset, side+r)
		dc.SetColor(c)
		dc.DrawRoundedRectangle(x0, y0, x1-x0, y1-y0, math.Max(0, r-inset))
		dc.Fill()
	}
	own := k.Seat(colours[t.seat-1])
	land, ground := k.tones(t)
	fill(k.Darker(own, 0.64), gap)
	if !k.Plain {
		fill(own, gap+1)
	} else {
		fill(own, gap)
	}
	if !k.Plain {
		fill(k.Darker(land, 0.32), gap+line)
		fill(land, gap+line+2)
	} else {
		fill(land, gap+line)
	}
	for _, corner := range []struct {
		bit  uint8
		x, y float64
	}{{upLeft, 0, 0}, {upRight, side, 0}, {downLeft, 0, side}, {downRight, side, side}} {
		if t.borders&corner.bit == 0 {
			continue
		}
		square := func(c color.RGBA, half float64) {
			dc.SetColor(c)
			dc.DrawRoundedRectangle(corner.x-half, corner.y-half, 2*half, 2*half, half/3)
			dc.Fill()
		}
		square(own, gap+line)
		square(ground, gap)
	}
}

// flagSquares returns a square for the flag of each region: the land nearest to
// its middle.
func flagSquares(p *stonetowers.Position) map[stonetowers.Square]bool {
	flags, seen := map[stonetowers.Square]bool{}, map[stonetowers.Square]bool{}
	for x := range p.Width() {
		for y := range p.Height() {
			first := stonetowers.Square{X: x, Y: y}
			if p.Owner(first) == engine.Nobody || seen[first] {
				continue
			}
			region := []stonetowers.Square{first}
			seen[first] = true
			sx, sy := 0, 0
			for i := 0; i < len(region); i++ {
				at := region[i]
				sx, sy = sx+at.X, sy+at.Y
				for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
					next := stonetowers.Square{X: at.X + d[0], Y: at.Y + d[1]}
					if next.X < 0 || next.Y < 0 || next.X >= p.Width() || next.Y >= p.Height() || seen[next] || p.Owner(next) != p.Owner(first) {
						continue
					}
					seen[next] = true
					region = append(region, next)
				}
			}
			best, at := math.MaxInt, stonetowers.Square{X: -1}
			n := len(region)
			for _, s := range region {
				dx, dy := s.X*n-sx, s.Y*n-sy
				if far := dx*dx + dy*dy; p.Level(s) == 0 && far < best {
					best, at = far, s
				}
			}
			if at.X >= 0 {
				flags[at] = true
			}
		}
	}
	return flags
}
