package towers

import (
	"image"
	"sync"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Lengths of Towers in cells.
const (
	actRing      = 0.44
	signLine     = 0.06
	emptyRing    = 0.27
	capitalShare = 0.65 // of the size of a letter
	numberSize   = 0.47
	crownedSize  = 0.40
	costSize     = 0.42
	tagSize      = 0.40
	narrow       = 0.80 // of a size, for two digits where one has room
	orderRadius  = 0.165
)

// Lengths of the plates of Towers in u.
const (
	wordCapital = 0.90
	iconRadius  = 0.62
	pipPitch    = 1.12
	pipRadius   = 0.40
	mostPips    = 8
	reserveRoom = 4 // for the sign and the number of the reserve
)

// set holds the sprites of Towers for a theme and size of board.
type set struct {
	*draw.Board
	turned func() *set // seen from Red's side
	pieces *pieces

	hatch                *draw.Mask
	padlock              draw.Sign
	target, onPiece, tag draw.Sign
	order                draw.Sign
	paths                pathSigns
	tagX, tagY           float64 // the middle of the tag, from a corner
	orderX               float64 // the same of the order, in both directions

	number, crowned *draw.Face    // heights of towers, without and below a crown
	costs, tagCosts [2]*draw.Face // costs of one and of two digits
	orders          *draw.Face

	words                 *draw.Face
	inReserve, movePoints engine.Phrase
	icon                  [2]*draw.Sprite // by seat
	pip, spent            *draw.Mask
}

// pieces holds the sprites of pieces, each made when first needed.
type pieces struct {
	mu      sync.Mutex
	sprites map[look]*draw.Sprite
}

func newSet(s draw.Style, size int) imaging.Set[*towers.Position] {
	k := &set{Board: draw.NewBoard(s, size, size, len(seats)), pieces: &pieces{sprites: map[look]*draw.Sprite{}}}
	g := k.Grid
	k.hatch, k.padlock = hatch(g), padlock(g)
	k.target = g.Ring(emptyRing, signLine)
	k.onPiece = g.Ring(actRing, signLine)
	k.tag, k.tagX, k.tagY, _ = g.Tag(0.30, 0.19)
	r := g.Length(orderRadius)
	x := r + g.KeyLine()
	k.orderX = x
	k.order = draw.NewSign(draw.Around(x, x, x), g.KeyLine(), func(dc *gg.Context, grown float64) { draw.FillDisc(dc, x, x, r+grown) })
	k.paths = newPathSigns(g)

	least := draw.Px(wordCapital)
	face := func(size float64) *draw.Face { return k.Face(max(least, int(g.Length(size*capitalShare)+0.5))) }
	k.number, k.crowned = face(numberSize), face(crownedSize)
	k.costs = [2]*draw.Face{face(costSize), face(costSize * narrow)}
	k.tagCosts = [2]*draw.Face{face(tagSize * narrow), face(tagSize * narrow)}
	k.orders = face(0.3)
	k.plates()
	k.turned = sync.OnceValue(func() *set {
		t := *k
		t.Board = k.Turned()
		return &t
	})
	return k
}

// plates prepares what the game adds to the name plates.
func (k *set) plates() {
	k.words = k.Face(draw.Px(wordCapital))
	texts := towers.Game{}.Texts()
	k.inReserve, k.movePoints = texts.Phrase("towers.panel.reserve"), texts.Phrase("towers.panel.points")
	r := pipRadius * draw.U
	k.pip = draw.NewDisc(r)
	k.spent = draw.NewMask(draw.Around(0, 0, r), func(dc *gg.Context) { draw.FillRing(dc, 0, 0, r-0.06*draw.U, 0.12*draw.U) })
	for i := range k.icon {
		icon := draw.Grid{Cell: draw.Px(2.3)}
		k.icon[i] = k.Sprite(image.Rect(-icon.Cell, -icon.Cell, icon.Cell, icon.Cell), func(dc *gg.Context) {
			dc.Translate(-icon.Centre(), -icon.Centre())
			stack{dc, k.Theme, icon, engine.Blue + engine.Colour(i)}.paint(look{discs: 2})
		})
	}
}
