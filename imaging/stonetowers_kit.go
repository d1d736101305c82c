package imaging

import (
	"image"
	"math"
	"strconv"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// stoneColours is the colours of the seats.
var stoneColours = [...]engine.Colour{engine.Red, engine.Blue}

// Lengths of Stone Towers in cells.
const (
	unownedDot    = 0.045
	levelCapital  = 0.38 * 0.73
	smallCell     = 64 // pixels: below it there is no room for walls and flags
	smallCapital  = 0.66 * 0.73
	smallLandMark = 0.16
	offerRing     = 0.11
	ringCapital   = 0.24 // of the numbers in a picked file
	tagCapital    = 0.22

	pickedLine     = 0.085
	pickedFileLine = 0.055
)

// stoneKit is the sprites of Stone Towers for a theme and size of board. They
// fill a cell each and are opaque, painted on the ground that they stand on.
type stoneKit struct {
	look
	grid   grid
	ground *canvas // the empty board

	small bool    // cells have no room for walls and flags
	empty *canvas // a square without its dot

	unowned *canvas
	offered *canvas       // a legal one
	of      [2][4]*canvas // by seat and level: land, then castles

	ear        sign
	plus       sign
	ring, tag  sign
	tagX, tagY float64 // the middle of the tag, from the corner
	ringNumber *face
	tagNumber  *face

	panel stonePanel
}

func newStoneKit(l look, g grid) *stoneKit {
	k := &stoneKit{look: l, grid: g, small: g.cell < smallCell}
	w, h := g.bounds()
	k.ground = newCanvas(l.palette, w, h)
	g.draw(k.ground, l.face(g.px(coordinateCapital)))
	k.paintSquares()
	k.paintSigns()
	k.panel = newStonePanel(l, g)
	return k
}

// tileSide is the side of an owned square's tile, in pixels.
func (k *stoneKit) tileSide() float64 {
	inset := math.Max(1, math.Round(k.grid.length(tileInset)-lineWidth/2.0))
	return float64(k.grid.inner()) - 2*inset
}

// sprite paints layers over a cell, lowest first.
func (k *stoneKit) sprite(layers ...layer) *canvas {
	box := image.Rect(0, 0, k.grid.inner(), k.grid.inner())
	c := newCanvas(k.palette, box.Max.X, box.Max.Y)
	c.fill(box, cell)
	for _, l := range layers {
		c.stamp(paint(box, l.drawing), 0, 0, l.role)
	}
	return c
}

func (k *stoneKit) paintSquares() {
	g, m, side := k.grid, k.grid.centre(), k.tileSide()
	k.unowned = k.sprite(layer{line, func(dc *gg.Context) { fillDisc(dc, m, m, math.Max(2, g.length(unownedDot))) }})
	k.empty = k.sprite()
	k.offered = k.sprite(layer{mark, func(dc *gg.Context) { fillRing(dc, m, m, g.length(offerRing), math.Max(2, g.length(0.035))) }})
	pieces := castle{g}
	for i, colour := range stoneColours {
		own := seatRole(colour)
		tile := func(r role) layer {
			return layer{r, func(dc *gg.Context) { fillTile(dc, colour, m, m, side) }}
		}
		for level := range k.of[i] {
			var s *canvas
			switch {
			case level == 0 && k.small:
				s = k.sprite(tile(tintRole(colour)),
					layer{own, func(dc *gg.Context) { fillMark(dc, colour, m, m, g.length(smallLandMark)) }})
			case level == 0:
				s = k.sprite(tile(tintRole(colour)),
					layer{own, func(dc *gg.Context) { pieces.fillFlag(dc, colour) }},
					layer{ink, func(dc *gg.Context) { pieces.fillFlagMark(dc, colour) }})
			case k.small:
				s = k.sprite(tile(own))
				k.numeral(s, level, smallCapital, m)
			default:
				s = k.sprite(tile(tintRole(colour)),
					layer{own, func(dc *gg.Context) { pieces.fill(dc, colour, level) }})
				k.numeral(s, level, levelCapital, pieces.at(numeralTop))
			}
			k.of[i][level] = s
		}
	}
}

// numeral writes the level of a castle in ink, its middle at that height.
func (k *stoneKit) numeral(s *canvas, level int, capital, y float64) {
	f := k.face(int(math.Round(k.grid.length(capital))))
	f.write(s, strconv.Itoa(level), k.grid.centre(), y, middle, ink)
}

func (k *stoneKit) paintSigns() {
	g := k.grid
	k.ear = g.ear(k.tileSide())
	k.plus = g.plus()
	k.ring = g.ring(0.27, 0.06)
	k.tag, k.tagX, k.tagY, _ = g.tagAt(0.20, 0.20)
	k.ringNumber = k.face(int(math.Round(g.length(ringCapital))))
	k.tagNumber = k.face(int(math.Round(g.length(tagCapital))))
}
