package trails

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"
	"castellan/imaging/imagingtest"

	"github.com/fogleman/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
)

// The tests below compare pictures of sprites with pictures that gg draws in
// true colour, shape by shape, with none of the canvas kit but its outlines.
// Trails uses most of the kit: grid, panel, text, marks and signs.

func TestLikePlainDrawing(t *testing.T) {
	t.Parallel()
	r, fonts := imagingtest.Renderer(t, Painter()), newPlainFonts(t)
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			theme, err := draw.ThemeByName(c.Theme)
			if err != nil {
				t.Fatal(err)
			}
			got, want := imagingtest.Picture(t, r, c.Scene, c.Theme), plainDrawing(fonts, c.Scene, theme)
			// Anti-aliasing has five steps instead of 256. A shape in another
			// place, size or colour is off by 100 and more.
			if d := imagingtest.Compare(t, got, want); d.RMS > 3.5 || d.Worst > 80 {
				t.Errorf("the pictures differ: RMS %.2f, worst %d of 255", d.RMS, d.Worst)
				imagingtest.Save(t, "sprites.png", got)
				imagingtest.Save(t, "plain.png", want)
				imagingtest.Save(t, "difference.png", d.Picture)
			}
		})
	}
}

// BenchmarkPlain draws with gg what BenchmarkBoard draws with sprites.
func BenchmarkPlain(b *testing.B) {
	fonts, s := newPlainFonts(b), scene(b, "size=11", middle)
	theme, err := draw.ThemeByName(draw.Dark)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := png.Encode(io.Discard, plainDrawing(fonts, s, theme)); err != nil {
			b.Fatal(err)
		}
	}
}

// plainFonts are the font at the sizes of the picture.
type plainFonts struct {
	name, coordinate, notation, number font.Face
}

func newPlainFonts(t testing.TB) plainFonts {
	t.Helper()
	f, err := opentype.Parse(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	const capHeight = 0.729 // of the em
	face := func(capital float64) font.Face {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: capital / capHeight, DPI: 72})
		if err != nil {
			t.Fatal(err)
		}
		return face
	}
	return plainFonts{name: face(22), coordinate: face(24), notation: face(25), number: face(28)}
}

// plainPicture is a picture that is being drawn.
type plainPicture struct {
	*gg.Context
	plainFonts
	draw.Theme
	scene   imaging.Scene
	pos     *trails.Position
	winners []engine.Seat
	over    bool
	n       int     // cells a side
	c       float64 // side of a cell
	x, y    float64 // upper left corner of the board
	key     float64
}

// plainDrawing draws a scene.
func plainDrawing(f plainFonts, s imaging.Scene, theme draw.Theme) image.Image {
	p := s.Position.(*trails.Position)
	d := &plainPicture{Context: gg.NewContext(1200, 900), plainFonts: f, Theme: theme, scene: s, pos: p, n: p.Size()}
	c := 819 / d.n
	spare := (816 - d.n*c) / 2
	d.c, d.x, d.y = float64(c), float64(57+spare)+0.5, float64(21+spare)+0.5
	d.key = math.Max(2, math.Round(0.03*d.c))
	if end := s.Ending(); end != nil {
		d.winners, d.over = end.Winners, true
	}
	d.board()
	d.pieces()
	d.brackets()
	d.signs()
	d.panel()
	return d.Image()
}

// at returns the middle of a square.
func (d *plainPicture) at(s trails.Square) (x, y float64) {
	return d.x + (float64(s.X)+0.5)*d.c, d.y + (float64(d.n-1-s.Y)+0.5)*d.c
}

func (d *plainPicture) rect(x, y, w, h float64, c color.Color) {
	d.SetColor(c)
	d.DrawRectangle(x, y, w, h)
	d.Fill()
}

func (d *plainPicture) disc(x, y, r float64, c color.Color) {
	d.SetColor(c)
	draw.FillDisc(d.Context, x, y, r)
}

func (d *plainPicture) polygon(points []gg.Point, c color.Color) {
	d.SetColor(c)
	draw.FillPolygon(d.Context, points)
}

func (d *plainPicture) ring(x, y, r, w float64, c color.Color) {
	d.SetColor(c)
	draw.FillRing(d.Context, x, y, r, w)
}

func (d *plainPicture) keyedRing(x, y, r float64) {
	w := math.Max(2.5, 0.06*d.c)
	d.ring(x, y, r*d.c, w+2*d.key, d.Background)
	d.ring(x, y, r*d.c, w, d.Mark)
}

func (d *plainPicture) mark(seat engine.Seat, x, y, r float64, c color.Color) {
	if seat == 1 {
		d.disc(x, y, r, c)
		return
	}
	h := 1.25 * r
	d.polygon([]gg.Point{{X: x, Y: y - h}, {X: x + h, Y: y}, {X: x, Y: y + h}, {X: x - h, Y: y}}, c)
}

// text writes with the capitals centred on y, anchored left, middle or right
// (0, ½, 1).
func (d *plainPicture) text(f font.Face, s string, x, y, capital, anchor float64, c color.Color) float64 {
	d.SetFontFace(f)
	d.SetColor(c)
	// MeasureString of gg rounds down to whole pixels.
	w := float64(font.MeasureString(f, s)) / 64
	d.DrawString(s, x-w*anchor, math.Floor(y+capital/2+0.5))
	return w
}

func (d *plainPicture) colour(seat engine.Seat) color.RGBA { return d.Seats[seat-1] }

func (d *plainPicture) board() {
	d.SetColor(d.Background)
	d.Clear()
	side := float64(d.n) * d.c
	if d.WholeLines {
		d.rect(d.x-1.5, d.y-1.5, side+3, side+3, d.Line)
	}
	for i := range d.n {
		for j := range d.n {
			d.rect(d.x+float64(i)*d.c+1.5, d.y+float64(j)*d.c+1.5, d.c-3, d.c-3, d.Cell)
		}
	}
	for i := 1; i < d.n && !d.WholeLines; i++ {
		for j := 1; j < d.n; j++ {
			d.cross(d.x+float64(i)*d.c, d.y+float64(j)*d.c, d.Line)
		}
	}
	for i := range d.n {
		x, y := d.at(trails.Square{X: i, Y: i})
		d.text(d.coordinate, string(rune('a'+i)), x, d.y+side+1.5+27, 24, 0.5, d.Dim)
		d.text(d.coordinate, strconv.Itoa(i+1), d.x-1.5-8, y, 24, 1, d.Dim)
	}
}

func (d *plainPicture) cross(x, y float64, c color.Color) {
	arm, half := math.Max(3, math.Round(0.085*d.c))+0.5, 0.5
	if 0.03*d.c >= 1.5 {
		half = 1.5
	}
	d.rect(x-arm, y-half, 2*arm, 2*half, c)
	d.rect(x-half, y-arm, 2*half, 2*arm, c)
}

// rook is a tower whose height and width, in cells, are made whole and of the
// parity of the cell.
func (d *plainPicture) rook(x, y, height float64, c color.Color) {
	parity := func(v float64) float64 {
		n := math.Round(v)
		if int(n)%2 == int(d.c-3)%2 {
			return n
		}
		if n < v {
			return n + 1
		}
		return n - 1
	}
	h, w := parity(height*d.c), parity(height*d.c*0.52/0.72)
	d.polygon(rook(x, y+h/2, w, h), c)
}

func (d *plainPicture) tile(seat engine.Seat, s trails.Square) (x, y float64) {
	x, y = d.at(s)
	side := d.c - 3 - 2*math.Max(1, math.Round(0.055*d.c-1.5))
	h := side / 2
	if seat == 1 {
		d.SetColor(d.colour(seat))
		d.DrawRoundedRectangle(x-h, y-h, side, side, 0.30*side)
		d.Fill()
		return x, y
	}
	k := h - 0.22*side
	d.polygon([]gg.Point{
		{X: x - k, Y: y - h}, {X: x + k, Y: y - h}, {X: x + h, Y: y - k}, {X: x + h, Y: y + k},
		{X: x + k, Y: y + h}, {X: x - k, Y: y + h}, {X: x - h, Y: y + k}, {X: x - h, Y: y - k},
	}, d.colour(seat))
	return x, y
}

func (d *plainPicture) tower(s trails.Square) (trails.Tower, bool) {
	for _, t := range d.pos.Towers() {
		if t.Square == s {
			return t, true
		}
	}
	return trails.Tower{}, false
}

// target reports whether the move to be shown takes the tower there.
func (d *plainPicture) target(s trails.Square) bool {
	for _, a := range d.pos.Legal() {
		if to, ok := d.pos.Target(a.(trails.Direction)); ok && to == s && d.scene.Legal && !d.over {
			return true
		}
	}
	return false
}

func (d *plainPicture) pieces() {
	p := d.pos
	for i := range d.n {
		for j := range d.n {
			s := trails.Square{X: i, Y: j}
			seat := p.Owner(s)
			tower, isTower := d.tower(s)
			switch {
			case seat != engine.Nobody && p.Head(seat) == s:
				d.head(seat, s, isTower)
			case isTower && seat != engine.Nobody:
				x, y := d.at(s)
				d.rook(x, y, 0.72, d.colour(seat))
				d.mark(seat, x, y+0.07*d.c, 0.13*d.c, d.Ink)
			case isTower && tower.Owner == engine.Nobody:
				x, y := d.at(s)
				height := 0.72
				if d.target(s) {
					height = 0.56
				}
				d.rook(x, y, height, d.Neutral)
			case seat != engine.Nobody && p.Base(seat) == s:
				x, y := d.tile(seat, s)
				d.ring(x, y, 0.27*d.c, math.Max(2.5, 0.055*d.c), d.Ink)
				d.mark(seat, x, y, 0.10*d.c, d.Ink)
			case seat != engine.Nobody:
				x, y := d.tile(seat, s)
				r := 0.10
				if d.n > 13 {
					r = 0.17
				}
				d.mark(seat, x, y, r*d.c, d.Ink)
			}
		}
	}
}

func (d *plainPicture) won(seat engine.Seat) bool {
	return d.over && len(d.winners) == 1 && d.winners[0] == seat
}

func (d *plainPicture) head(seat engine.Seat, s trails.Square, tower bool) {
	x, y := d.tile(seat, s)
	d.disc(x, y, 0.36*d.c, d.Ink)
	_, ruled := d.pos.Result()
	d.SetColor(d.colour(seat))
	switch {
	case d.won(seat):
		draw.FillCrown(d.Context, x, y, 0.54*d.c)
	case ruled && d.pos.Taken(3-seat) < d.pos.TowersToWin():
		draw.FillCross(d.Context, x, y, 0.24*d.c, 0.10*d.c)
	case tower:
		d.rook(x, y, 0.44, d.colour(seat))
	default:
		d.mark(seat, x, y, 0.21*d.c, d.colour(seat))
	}
}

func (d *plainPicture) brackets() {
	turn := d.scene.Turn
	if len(turn.Actions) == 0 {
		return
	}
	from, to := turn.Before.(*trails.Position).Head(turn.Seat), d.pos.Head(turn.Seat)
	x0, y0 := d.at(from)
	x1, y1 := d.at(to)
	if l := math.Hypot(x1-x0, y1-y0); l > 0 {
		x0, y0 = x0+(x1-x0)/l*d.c, y0+(y1-y0)/l*d.c
	}
	h := d.c/2 + 1.5
	left, right, top, bottom := math.Min(x0, x1)-h, math.Max(x0, x1)+h, math.Min(y0, y1)-h, math.Max(y0, y1)+h
	for _, x := range []float64{left + 1.5, right - 1.5} {
		for _, y := range []float64{top + 1.5, bottom - 1.5} {
			if !d.WholeLines {
				d.cross(x, y, d.Background)
			}
		}
	}
	arm, width := math.Round(0.26*d.c)+3, math.Max(3, math.Round(0.055*d.c))
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{d.key, d.Background}, {0, d.Mark}} {
		for _, x := range []float64{left, right - arm} {
			for _, y := range []float64{top, bottom - width} {
				d.rect(x-pass.grow, y-pass.grow, arm+2*pass.grow, width+2*pass.grow, pass.c)
			}
		}
		for _, x := range []float64{left, right - width} {
			for _, y := range []float64{top, bottom - arm} {
				d.rect(x-pass.grow, y-pass.grow, width+2*pass.grow, arm+2*pass.grow, pass.c)
			}
		}
	}
}

func (d *plainPicture) signs() {
	seat := d.pos.Seat()
	if seat == engine.Nobody || d.over {
		return
	}
	hx, hy := d.at(d.pos.Head(seat))
	for pass := range 2 {
		for _, a := range d.pos.Legal() {
			to, ok := d.pos.Target(a.(trails.Direction))
			if !ok || !d.scene.Legal {
				continue
			}
			x, y := d.at(to)
			_, tower := d.tower(to)
			if pass == 0 {
				d.dashes(hx, hy, x, y, tower)
			} else {
				d.goal(x, y, int(a.(trails.Direction)), tower)
			}
		}
	}
	d.keyedRing(hx, hy, 0.40)
}

func (d *plainPicture) goal(x, y float64, heading int, tower bool) {
	dx, dy := [...]float64{0, 0, -1, 1}[heading], [...]float64{-1, 1, 0, 0}[heading]
	if !tower {
		d.keyedRing(x, y, 0.30)
		shift := 0.02 * d.c
		d.polygon(draw.Arrow(x+dx*shift, y+dy*shift, 0.17*d.c, draw.Heading(heading)), d.Mark)
		return
	}
	d.keyedRing(x, y, 0.44)
	x, y, r := x+0.34*d.c, y-0.34*d.c, 0.22*d.c
	d.disc(x, y, r+d.key, d.Background)
	d.disc(x, y, r, d.Mark)
	d.polygon(draw.Arrow(x, y, 0.7*r, draw.Heading(heading)), d.Background)
}

func (d *plainPicture) dashes(x0, y0, x1, y1 float64, tower bool) {
	l := math.Hypot(x1-x0, y1-y0)
	ux, uy := (x1-x0)/l, (y1-y0)/l
	end := 0.38
	if tower {
		end = 0.51
	}
	space := l/d.c - 0.47 - end
	n := math.Max(1, math.Round((space+0.12)/0.28))
	period := (space + 0.12) / n
	width := math.Max(3, math.Round(0.055*d.c))
	if int(width)%2 != int(d.c-3)%2 {
		if width < 0.055*d.c || width <= 3 {
			width++
		} else {
			width--
		}
	}
	half := 0.0 // the middle of a cell may be in the middle of a pixel
	if int(d.c-3)%2 == 1 {
		half = 0.5
	}
	for i := range int(n) {
		from := math.Round((0.47+float64(i)*period)*d.c) + half
		to := from + math.Round((period-0.12)*d.c)
		ax, ay, bx, by := x0+ux*from, y0+uy*from, x0+ux*to, y0+uy*to
		x, y := math.Min(ax, bx)-math.Abs(uy)*width/2, math.Min(ay, by)-math.Abs(ux)*width/2
		w, h := math.Abs(bx-ax)+math.Abs(uy)*width, math.Abs(by-ay)+math.Abs(ux)*width
		d.rect(x-d.key, y-d.key, w+2*d.key, h+2*d.key, d.Background)
		d.rect(x, y, w, h, d.Mark)
	}
}

func (d *plainPicture) panel() {
	top, bottom := d.y+1.5, d.y+float64(d.n)*d.c-1.5
	const block = 58 + 93 + 47 + 14
	d.seat(1, top)
	d.seat(2, bottom-block)
	turn := d.scene.Turn
	if len(turn.Actions) == 0 {
		return
	}
	y := math.Floor((top + block + bottom - block) / 2)
	w := d.text(d.notation, strconv.Itoa(turn.Number)+".", 913, y, 25, 0, d.Dim)
	x := 913 + math.Floor(w+0.5) + 29
	d.mark(turn.Seat, x, y, 15, d.colour(turn.Seat))
	d.polygon(draw.Arrow(x+48, y, 16.5, draw.Heading(turn.Actions[0].(trails.Direction))), d.Text)
}

func (d *plainPicture) seat(seat engine.Seat, y float64) {
	own := d.colour(seat)
	var ground, shape, letters color.Color = d.Cell, own, d.Text
	moves := !d.over && d.pos.Seat() == seat
	if moves || d.won(seat) {
		ground, shape, letters = own, d.Ink, d.Ink
	}
	d.SetColor(ground)
	d.DrawRoundedRectangle(900, y, 280, 58, 8.1)
	d.Fill()
	m := y + 29
	d.mark(seat, 928, m, 15, shape)
	d.text(d.name, d.scene.Names[seat-1], 956, m, 22, 0, letters)
	d.SetColor(letters)
	switch {
	case moves:
		d.polygon(draw.Arrow(1167-11+1.5, m, 13.5, draw.Leftward), letters)
	case d.won(seat):
		draw.FillCrown(d.Context, 1167-11, m, 27)
	case d.over && len(d.winners) == 0:
		d.rect(1156-12, m-9, 24, 6, letters)
		d.rect(1156-12, m+3, 24, 6, letters)
	}

	feet := y + 58 + 93
	need := d.pos.TowersToWin()
	pitch := min(74, (254+12)/need)
	w := float64(2 * (min(48, pitch-12) / 2))
	h := math.Round(w * 0.72 / 0.52)
	for i := range need {
		x := float64(913+i*pitch) + w/2
		outline := rook(x, feet, w, h)
		if i < d.pos.Taken(seat) {
			d.polygon(outline, own)
		} else {
			d.outline(outline, 3)
		}
	}

	boost := d.pos.Boost(seat)
	y = feet + 47
	last, moved := d.pos.LastDirection(seat)
	if !moved {
		return
	}
	x := 913 + math.Floor(d.text(d.name, "next:", 913, y, 22, 0, d.Dim)+0.5) + 11
	x += math.Floor(d.text(d.number, strconv.Itoa(boost+2), x, y, 28, 0, d.Text)) + 24
	if boost == 0 {
		d.outline(draw.Arrow(x, y, 16.5, draw.Heading(last)), 3)
	} else {
		d.polygon(draw.Arrow(x, y, 16.5, draw.Heading(last)), own)
	}
}

// outline draws the inner rim of a polygon in the colour of lines.
func (d *plainPicture) outline(points []gg.Point, width float64) {
	d.SetColor(d.Line)
	draw.FillOutline(d.Context, points, width)
}
