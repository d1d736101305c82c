package imaging_test

import (
	"bytes"
	"image/color"
	"math"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
)

// plainStone draws Stone Towers as one would without sprites: every shape of
// every picture with gg, in true colour. It is the oracle of the sprites and
// the baseline of their benchmark.
type plainStone struct {
	*plainTrails
	font  *opentype.Font
	score font.Face
	faces map[float64]font.Face // of numerals, by the height of capitals
}

func newPlainStone(t testing.TB) *plainStone {
	t.Helper()
	f, err := opentype.Parse(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	p := &plainStone{plainTrails: newPlainTrails(t), font: f, faces: map[float64]font.Face{}}
	p.score = p.face(64)
	return p
}

func (t *plainStone) face(capital float64) font.Face {
	f, ok := t.faces[capital]
	if !ok {
		const capHeight = 0.729 // of the em
		f, _ = opentype.NewFace(t.font, &opentype.FaceOptions{Size: capital / capHeight, DPI: 72})
		t.faces[capital] = f
	}
	return f
}

// plainStonePicture is one picture in the making. Its seats are those of the
// game; the picture of Trails that it builds on has Blue first.
type plainStonePicture struct {
	plainPicture
	fonts        *plainStone
	pos          *stonetowers.Position
	files, ranks int
	small        bool
}

func (t *plainStone) picture(s imaging.Scene, theme imaging.Theme) *gg.Context {
	p := s.Position.(*stonetowers.Position)
	d := &plainStonePicture{
		plainPicture: plainPicture{Context: gg.NewContext(1200, 900), plainTrails: t.plainTrails, Theme: theme, scene: s},
		fonts:        t, pos: p, files: p.Width(), ranks: p.Height(),
	}
	d.n = max(d.files, d.ranks)
	c := 819 / d.n
	d.c, d.x, d.y = float64(c), float64(57+(816-d.files*c)/2)+0.5, float64(21+(816-d.ranks*c)/2)+0.5
	d.key = math.Max(2, math.Round(0.03*d.c))
	d.small = c < 64
	if result, over := p.Result(); over {
		d.winners, d.over = result.Winners, true
	}
	if s.Outcome != nil {
		d.winners, d.over = s.Outcome.Winners, true
	}
	d.board()
	d.squares()
	d.lastTurn()
	if len(s.Picked) > 0 {
		d.picked()
	} else if s.Legal {
		for _, a := range d.legal() {
			if d.pos.Owner(a.Square) == engine.Nobody || !d.small {
				d.offer(a.Square)
			}
		}
	}
	d.panel()
	return d.Context
}

func (t *plainStone) png(s imaging.Scene, theme imaging.Theme) ([]byte, error) {
	var b bytes.Buffer
	err := t.picture(s, theme).EncodePNG(&b)
	return b.Bytes(), err
}

func (d *plainStonePicture) at(s stonetowers.Square) (x, y float64) {
	return d.x + (float64(s.X)+0.5)*d.c, d.y + (float64(d.ranks-1-s.Y)+0.5)*d.c
}

// trailsSeat is the seat of the same colour in Trails.
func trailsSeat(seat engine.Seat) engine.Seat { return 3 - seat }

func (d *plainStonePicture) own(seat engine.Seat) color.RGBA {
	if seat == engine.Nobody {
		return d.Neutral
	}
	return d.colour(trailsSeat(seat))
}

func stoneColour(seat engine.Seat) engine.Colour {
	return stonetowers.Game{}.Colours(2)[seat-1]
}

func (d *plainStonePicture) board() {
	d.SetColor(d.Background)
	d.Clear()
	w, h := float64(d.files)*d.c, float64(d.ranks)*d.c
	if d.WholeLines {
		d.rect(d.x-1.5, d.y-1.5, w+3, h+3, d.Line)
	}
	for i := range d.files {
		for j := range d.ranks {
			d.rect(d.x+float64(i)*d.c+1.5, d.y+float64(j)*d.c+1.5, d.c-3, d.c-3, d.Cell)
		}
	}
	for i := 1; i < d.files && !d.WholeLines; i++ {
		for j := 1; j < d.ranks; j++ {
			d.cross(d.x+float64(i)*d.c, d.y+float64(j)*d.c, d.Line)
		}
	}
	for i := range d.files {
		x, _ := d.at(stonetowers.Square{X: i})
		d.text(d.coordinate, string(rune('a'+i)), x, d.y+h+1.5+27, 24, 0.5, d.Dim)
	}
	for i := range d.ranks {
		_, y := d.at(stonetowers.Square{Y: i})
		d.text(d.coordinate, strconv.Itoa(i+1), d.x-1.5-8, y, 24, 1, d.Dim)
	}
}

// side is the side of a tile.
func (d *plainStonePicture) side() float64 {
	return d.c - 3 - 2*math.Max(1, math.Round(0.055*d.c-1.5))
}

func (d *plainStonePicture) tile(seat engine.Seat, x, y, side float64, c color.Color) {
	h := side / 2
	if stoneColour(seat) == engine.Blue {
		d.SetColor(c)
		d.DrawRoundedRectangle(x-h, y-h, side, side, 0.30*side)
		d.Fill()
		return
	}
	k := h - 0.22*side
	d.polygon([]gg.Point{
		{X: x - k, Y: y - h}, {X: x + k, Y: y - h}, {X: x + h, Y: y - k}, {X: x + h, Y: y + k},
		{X: x + k, Y: y + h}, {X: x - k, Y: y + h}, {X: x - h, Y: y + k}, {X: x - h, Y: y - k},
	}, c)
}

// inCell draws with the upper left corner of what is seen of a cell at the
// origin.
func (d *plainStonePicture) inCell(x, y float64, c color.Color, drawing func()) {
	d.Push()
	d.Translate(x-(d.c-3)/2, y-(d.c-3)/2)
	d.SetColor(c)
	drawing()
	d.Pop()
}

func (d *plainStonePicture) squares() {
	for i := range d.files {
		for j := range d.ranks {
			s := stonetowers.Square{X: i, Y: j}
			x, y := d.at(s)
			seat, level := d.pos.Owner(s), d.pos.Level(s)
			if seat == engine.Nobody {
				d.disc(x, y, math.Max(2, 0.045*d.c), d.Line)
				continue
			}
			own, c := d.own(seat), stoneColour(seat)
			numeral := func(share, up float64) {
				capital := math.Round(share * 0.73 * d.c)
				top := y - (d.c-3)/2
				d.text(d.fonts.face(capital), strconv.Itoa(level), x, top+math.Round((d.c-3)/2-up*d.c), capital, 0.5, d.Ink)
			}
			switch {
			case level > 0 && d.small:
				d.tile(seat, x, y, d.side(), own)
				capital := math.Round(0.66 * 0.73 * d.c)
				d.text(d.fonts.face(capital), strconv.Itoa(level), x, y, capital, 0.5, d.Ink)
			case level > 0:
				d.tile(seat, x, y, d.side(), d.Tint(c))
				d.inCell(x, y, own, func() { imaging.FillCastle(d.Context, int(d.c), c, level) })
				numeral(0.38, -0.205)
			case d.small:
				d.tile(seat, x, y, d.side(), d.Tint(c))
				d.mark(trailsSeat(seat), x, y, 0.16*d.c, own)
			default:
				d.tile(seat, x, y, d.side(), d.Tint(c))
				d.inCell(x, y, own, func() { imaging.FillFlag(d.Context, int(d.c), c) })
				d.inCell(x, y, d.Ink, func() { imaging.FillFlagMark(d.Context, int(d.c), c) })
			}
		}
	}
}

// flips is the squares that the marked turn has won, by who had them.
func (d *plainStonePicture) flips() (out [3][]stonetowers.Square) {
	before, ok := d.scene.Turn.Before.(*stonetowers.Position)
	for i := range d.files {
		for j := range d.ranks {
			s := stonetowers.Square{X: i, Y: j}
			if ok && before.Owner(s) != d.pos.Owner(s) {
				out[before.Owner(s)] = append(out[before.Owner(s)], s)
			}
		}
	}
	return out
}

func (d *plainStonePicture) lastTurn() {
	if len(d.scene.Turn.Actions) == 0 {
		return
	}
	for had, squares := range d.flips() {
		for _, s := range squares {
			x, y := d.at(s)
			right, top, e := x+d.side()/2, y-d.side()/2, math.Round(0.30*d.c)
			for _, pass := range []struct {
				leg float64
				c   color.Color
			}{{e + d.key*math.Sqrt2, d.Background}, {e, d.own(engine.Seat(had))}} {
				d.polygon([]gg.Point{{X: right - pass.leg, Y: top}, {X: right, Y: top}, {X: right, Y: top + pass.leg}}, pass.c)
			}
		}
	}
	a := d.scene.Turn.Actions[0].(stonetowers.Action)
	if a.Kind == stonetowers.Pass {
		return
	}
	x, y := d.at(a.Square)
	h := d.c/2 + 1.5
	arm, width := math.Round(0.26*d.c)+3, math.Max(3, math.Round(0.055*d.c))
	for _, cx := range []float64{x - h + 1.5, x + h - 1.5} {
		for _, cy := range []float64{y - h + 1.5, y + h - 1.5} {
			if !d.WholeLines {
				d.cross(cx, cy, d.Background)
			}
		}
	}
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{d.key, d.Background}, {0, d.Mark}} {
		g := pass.grow
		for _, at := range [][4]float64{
			{x - h, y - h, arm, width}, {x + h - arm, y - h, arm, width}, {x - h, y + h - width, arm, width}, {x + h - arm, y + h - width, arm, width},
			{x - h, y - h, width, arm}, {x + h - width, y - h, width, arm}, {x - h, y + h - arm, width, arm}, {x + h - width, y + h - arm, width, arm},
		} {
			d.rect(at[0]-g, at[1]-g, at[2]+2*g, at[3]+2*g, pass.c)
		}
	}
}

// legal is the legal actions on squares, while the match goes on.
func (d *plainStonePicture) legal() (out []stonetowers.Action) {
	for _, a := range d.pos.Legal() {
		if a := a.(stonetowers.Action); a.Kind != stonetowers.Pass && !d.over {
			out = append(out, a)
		}
	}
	return out
}

func (d *plainStonePicture) offer(s stonetowers.Square) {
	x, y := d.at(s)
	if d.pos.Owner(s) == engine.Nobody {
		d.rect(x-(d.c-3)/2, y-(d.c-3)/2, d.c-3, d.c-3, d.Cell)
		d.ring(x, y, 0.11*d.c, math.Max(2, 0.035*d.c), d.Mark)
		return
	}
	x, y = x+0.38*d.c, y+0.38*d.c
	arm, w := math.Max(4, 0.07*d.c), math.Max(2, 0.04*d.c)
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{d.key, d.Background}, {0, d.Mark}} {
		g := pass.grow
		d.SetColor(pass.c)
		d.DrawRectangle(x-arm-g, y-w/2-g, 2*(arm+g), w+2*g)
		d.DrawRectangle(x-w/2-g, y-arm-g, w+2*g, 2*(arm+g))
		d.Fill()
	}
}

func (d *plainStonePicture) picked() {
	steps := d.scene.Picked
	var in []stonetowers.Square
	for _, a := range d.legal() {
		if s := a.Steps(); s[0] == steps[0] && (len(steps) == 1 || s[1] == steps[1]) {
			in = append(in, a.Square)
		}
	}
	if len(in) == 0 {
		return
	}
	if len(steps) == 2 {
		d.frame(in[0], in[0], 0.085)
		return
	}
	for _, s := range in {
		if d.pos.Owner(s) == engine.Nobody {
			x, y := d.at(s)
			d.rect(x-(d.c-3)/2, y-(d.c-3)/2, d.c-3, d.c-3, d.Cell)
		}
	}
	d.frame(stonetowers.Square{X: in[0].X}, stonetowers.Square{X: in[0].X, Y: d.ranks - 1}, 0.055)
	for _, s := range in {
		x, y := d.at(s)
		number := strconv.Itoa(s.Y + 1)
		switch {
		case d.small && d.pos.Owner(s) == engine.Nobody:
			d.ring(x, y, 0.11*d.c, math.Max(2, 0.035*d.c), d.Mark)
		case d.small:
			d.offer(s)
		case d.pos.Owner(s) == engine.Nobody:
			d.keyedRing(x, y, 0.27)
			capital := math.Round(0.24 * d.c)
			d.text(d.fonts.face(capital), number, x, y, capital, 0.5, d.Mark)
		default:
			x, y := x+0.20*d.c, y-0.20*d.c
			d.disc(x, y, 0.20*d.c+d.key, d.Background)
			d.disc(x, y, 0.20*d.c, d.Mark)
			capital := math.Round(0.22 * d.c)
			d.text(d.fonts.face(capital), number, x, y, capital, 0.5, d.Background)
		}
	}
}

func (d *plainStonePicture) frame(low, high stonetowers.Square, line float64) {
	x, bottom := d.at(low)
	_, top := d.at(high)
	h := d.c/2 + 1.5
	if !d.WholeLines {
		for y := top - d.c/2; y < bottom+d.c; y += d.c {
			d.cross(x-d.c/2, y, d.Background)
			d.cross(x+d.c/2, y, d.Background)
		}
	}
	w := math.Max(4, math.Round(line*d.c))
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{d.key, d.Background}, {0, d.Mark}} {
		g, tall := pass.grow, bottom-top+2*h
		for _, r := range [][4]float64{
			{x - h, top - h, 2 * h, w}, {x - h, bottom + h - w, 2 * h, w},
			{x - h, top - h, w, tall}, {x + h - w, top - h, w, tall},
		} {
			d.rect(r[0]-g, r[1]-g, r[2]+2*g, r[3]+2*g, pass.c)
		}
	}
}

func (d *plainStonePicture) panel() {
	c := 819 / d.n // the board as if it were square
	upper := float64(21+(816-d.n*c)/2) + 2
	lower := upper + float64(d.n*c) - 3
	const score, block = 58 + 32 + 32, 58 + 32 + 64
	d.seat(1, upper, score)
	d.seat(2, lower-block, score)

	middle := math.Floor((upper + block + lower - block) / 2)
	bar := middle - 105
	d.rect(913, bar-11, 254, 22, d.Line)
	d.rect(915, bar-9, 250, 18, d.Cell)
	all := d.files * d.ranks
	for seat, x := range map[engine.Seat]float64{1: 924, 2: 1156} {
		w := math.Floor(float64(d.pos.SquareCount(seat)*254+all/2) / float64(all))
		left := 913.0
		if seat == 2 {
			left = 1167 - w
		}
		d.rect(left, bar-11, w, 22, d.own(seat))
		if w > 22 {
			d.mark(trailsSeat(seat), x, bar, 0.36*15, d.Ink)
		}
	}
	d.rect(1037, bar-19, 7, 38, d.Background)
	d.rect(1039, bar-17, 3, 34, d.Mark)

	pie := bar + 58
	d.ring(928, pie, 15, 0.16*15, d.Dim)
	if part := float64(d.pos.Turns() * 40 / (2 * d.pos.TurnsPerPlayer())); part > 0 {
		d.SetColor(d.Dim)
		d.NewSubPath()
		d.MoveTo(928, pie)
		d.DrawArc(928, pie, 0.8*15, -math.Pi/2, -math.Pi/2+2*math.Pi*part/40)
		d.ClosePath()
		d.Fill()
	}
	turns := strconv.Itoa(d.pos.TurnsPerPlayer())
	d.text(d.notation, strconv.Itoa(min(d.pos.Turns()/2+1, d.pos.TurnsPerPlayer()))+"/"+turns, 956, pie, 25, 0, d.Dim)
	if len(d.scene.Turn.Actions) > 0 {
		d.turn(bar+110, bar+163, bar+215)
	}
}

// turn tells the marked turn on three lines.
func (d *plainStonePicture) turn(line, flips, falls float64) {
	seat := d.scene.Turn.Seat
	d.mark(trailsSeat(seat), 928, line, 15, d.own(seat))
	d.text(d.notation, d.scene.Turn.Actions[0].String(), 956, line, 25, 0, d.Text)
	x, r := 0.0, 15.0
	squares := d.flips()
	for had := 2; had >= 0; had-- {
		if len(squares[had]) == 0 {
			continue
		}
		d.tile(seat, x+928, flips, 2.2*r, d.Tint(stoneColour(seat)))
		d.polygon([]gg.Point{
			{X: x + 928 - 0.1*r, Y: flips - 1.1*r}, {X: x + 928 + 1.1*r, Y: flips - 1.1*r}, {X: x + 928 + 1.1*r, Y: flips + 0.1*r},
		}, d.own(engine.Seat(had)))
		d.text(d.notation, strconv.Itoa(len(squares[had])), x+956, flips, 25, 0, d.Text)
		x += 96
	}
	before := d.scene.Turn.Before.(*stonetowers.Position)
	if n := before.CastleCount(3-seat) - d.pos.CastleCount(3-seat); n > 0 {
		d.Push()
		d.Translate(928-24, falls-24)
		d.SetColor(d.own(3 - seat))
		imaging.FillCastle(d.Context, 51, stoneColour(3-seat), 1)
		d.Pop()
		d.text(d.notation, "−"+strconv.Itoa(n), 956, falls, 25, 0, d.Text)
	}
}

func (d *plainStonePicture) seat(seat engine.Seat, y, score float64) {
	own := d.own(seat)
	var ground, shape, letters color.Color = d.Cell, own, d.Text
	moves := !d.over && d.pos.Seat() == seat
	if moves || d.won(seat) {
		ground, shape, letters = own, d.Ink, d.Ink
	}
	d.SetColor(ground)
	d.DrawRoundedRectangle(900, y, 280, 58, 8.1)
	d.Fill()
	m := y + 29
	d.mark(trailsSeat(seat), 928, m, 15, shape)
	d.text(d.name, d.scene.Names[seat-1], 956, m, 22, 0, letters)
	d.SetColor(letters)
	switch {
	case moves:
		d.polygon(imaging.Arrow(1167-11+1.5, m, 13.5, 2), letters)
	case d.won(seat):
		imaging.FillCrown(d.Context, 1167-11, m, 27)
	case d.over && len(d.winners) == 0:
		d.rect(1156-12, m-9, 24, 6, letters)
		d.rect(1156-12, m+3, 24, 6, letters)
	}
	d.text(d.fonts.score, strconv.Itoa(d.pos.SquareCount(seat)), 913, y+score, 64, 0, d.Text)
}
