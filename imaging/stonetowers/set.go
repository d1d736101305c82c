package stonetowers

import (
	"image"
	"math"
	"sync"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// colours lists the colours of the seats.
var colours = [...]engine.Colour{engine.Red, engine.Blue}

// Lengths of Stone Towers in cells.
const (
	unownedDot   = 0.045
	levelCapital = 0.215
	smallCell    = 92 // pixels: below it there is no room for castles and flags
	smallCapital = 0.46
	offerDot     = 0.07
	ringCapital  = 0.26 // of the numbers in a picked file
	tagCapital   = 0.22

	pickedLine     = 0.085
	pickedFileLine = 0.055
)

// set holds the sprites of Stone Towers for a theme and size of board.
type set struct {
	*draw.Board
	made *made

	small bool // cells have no room for castles and flags

	unowned, offered *draw.Mask // dots, the latter of a legal square
	castles          [2][4]*draw.Sprite
	flags            [2]*draw.Sprite
	mark, cornerMark [2]*draw.Mask // by seat: on land, and at the corner of a castle
	cornerKey        [2]*draw.Mask
	levels           *draw.Face
	recent           draw.Sign
	ear              draw.Sign
	ring, tag        draw.Sign
	tagX, tagY       float64 // the middle of the tag, from the corner
	ringNumber       *draw.Face
	tagNumber        *draw.Face

	panel panel
}

// made holds the sprites of land, each made when first needed.
type made struct {
	mu   sync.Mutex
	land map[tile]*draw.Sprite
}

func newSet(s draw.Style, size image.Point) imaging.Set[*stonetowers.Position] {
	k := &set{Board: draw.NewBoard(s, size.X, size.Y, len(seats)), made: &made{land: map[tile]*draw.Sprite{}}}
	k.small = k.Grid.Cell < smallCell
	k.paintPieces()
	k.paintSigns()
	k.panel = newPanel(k.Board)
	return k
}

func (k *set) paintPieces() {
	g, m := k.Grid, k.Grid.Centre()
	box := image.Rect(0, 0, g.Inner(), g.Inner())
	mask := func(drawing func(*gg.Context)) *draw.Mask { return draw.NewMask(box, drawing) }
	k.unowned = mask(func(dc *gg.Context) { draw.FillDisc(dc, m, m, math.Max(2, g.Length(unownedDot))) })
	k.offered = mask(func(dc *gg.Context) { draw.FillDisc(dc, m, m, math.Max(4, g.Length(offerDot))) })
	k.levels = k.Face(max(draw.Px(draw.NotationCapital), int(g.Length(levelCapital)+0.5)))
	if k.small {
		k.levels = k.Face(max(draw.Px(draw.NotationCapital), int(g.Length(smallCapital)+0.5)))
	}
	for i, colour := range colours {
		k.mark[i] = mask(func(dc *gg.Context) { draw.FillMark(dc, colour, m, m, math.Max(4, g.Length(landMark))) })
		at := m + g.Length(0.40)
		corner := func(grown float64) *draw.Mask {
			return mask(func(dc *gg.Context) { draw.FillGrownMark(dc, colour, at, at, math.Max(3, g.Length(0.05)), grown) })
		}
		k.cornerMark[i], k.cornerKey[i] = corner(0), corner(g.KeyLine())
		k.flags[i] = k.Sprite(box, func(dc *gg.Context) { castle{dc, g, k.Theme, colour}.flag() })
		for level := 1; level < len(k.castles[i]); level++ {
			k.castles[i][level] = k.Sprite(box, func(dc *gg.Context) {
				if k.small {
					dc.SetColor(k.Ink)
					draw.FillTile(dc, colour, m, m, 0.80*float64(g.Inner())+4)
					dc.SetColor(k.Seat(colour))
					draw.FillTile(dc, colour, m, m, 0.80*float64(g.Inner()))
					return
				}
				castle{dc, g, k.Theme, colour}.paint(level)
			})
		}
	}
}

func (k *set) paintSigns() {
	g := k.Grid
	k.ear = ear(g)
	m, inset, w := g.Centre(), 0.07*float64(g.Inner()), math.Max(4, g.Length(0.05))
	k.recent = draw.NewSign(image.Rect(0, 0, g.Inner(), g.Inner()), g.KeyLine(), func(dc *gg.Context, grown float64) {
		h := m - inset
		dc.SetFillRuleEvenOdd()
		dc.DrawRoundedRectangle(m-h-grown, m-h-grown, 2*(h+grown), 2*(h+grown), g.Length(0.10)+grown)
		dc.DrawRoundedRectangle(m-h+w+grown, m-h+w+grown, 2*(h-w-grown), 2*(h-w-grown), math.Max(0, g.Length(0.10)-w-grown))
		dc.Fill()
		dc.SetFillRuleWinding()
	})
	k.ring = g.Ring(0.27, 0.06)
	k.tag, k.tagX, k.tagY, _ = g.Tag(0.20, 0.20)
	least := draw.Px(draw.NotationCapital)
	k.ringNumber = k.Face(max(least, int(g.Length(ringCapital))))
	k.tagNumber = k.Face(max(least, int(g.Length(tagCapital))))
}

// ear returns a dog-ear: the folded upper right corner of a tile.
func ear(g draw.Grid) draw.Sign {
	m, side, e := g.Centre(), g.TileSide(), math.Round(g.Length(0.30))
	right, top := m+side/2, m-side/2
	return draw.NewSign(image.Rect(0, 0, g.Inner(), g.Inner()), g.KeyLine(), func(dc *gg.Context, grown float64) {
		e := e + grown*math.Sqrt2
		draw.FillPolygon(dc, []gg.Point{{X: right - e, Y: top}, {X: right, Y: top}, {X: right, Y: top + e}})
	})
}
