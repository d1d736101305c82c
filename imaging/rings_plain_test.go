package imaging_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
)

// plainRings draws Rings as one would without sprites: every shape of every
// picture with gg, in true colour. It is the oracle of the sprites and the
// baseline of their benchmark.
type plainRings struct {
	font  *opentype.Font
	faces map[int]font.Face
}

func newPlainRings(t testing.TB) *plainRings {
	t.Helper()
	f, err := opentype.Parse(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	return &plainRings{f, map[int]font.Face{}}
}

// face is the typeface with capitals that high.
func (p *plainRings) face(capital int) font.Face {
	if f, ok := p.faces[capital]; ok {
		return f
	}
	f, err := opentype.NewFace(p.font, &opentype.FaceOptions{Size: float64(capital) / 0.729, DPI: 72})
	if err != nil {
		panic(err)
	}
	p.faces[capital] = f
	return f
}

// ringsPlainPicture is one picture in the making, at one scale.
type ringsPlainPicture struct {
	*plainPicture
	*plainRings
	p     *rings.Position
	s     float64 // radius of a circle
	h     int     // from row to row
	mx    int     // the middle
	my    int
	bands bool
	names bool // of points instead of dots

	column  int
	rows    []rings.Point
	picked  string // point
	chosen  int
	flipped map[rings.Point]bool
	bandC   color.RGBA
	bandB   color.RGBA
	guideC  color.RGBA
	zoom    bool
}

func ringsBlend(a, b color.RGBA, share float64) color.RGBA {
	ch := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*share + 0.5) }
	return color.RGBA{ch(a.R, b.R), ch(a.G, b.G), ch(a.B, b.B), 255}
}

// picture draws a scene.
func (t *plainRings) picture(s imaging.Scene, theme imaging.Theme) *gg.Context {
	p := s.Position.(*rings.Position)
	n := p.Side()
	d := &ringsPlainPicture{
		plainPicture: &plainPicture{Context: gg.NewContext(1100, 900), Theme: theme, scene: s},
		plainRings:   t, p: p, column: -1, mx: 405, my: 445,
		bandC: ringsBlend(theme.Cell, theme.Line, 0.13), bandB: ringsBlend(theme.Background, theme.Line, 0.13), guideC: ringsBlend(theme.Cell, theme.Mark, 0.12),
	}
	if result, over := p.Result(); over {
		d.winners, d.over = result.Winners, true
	}
	d.read()
	d.h = min(595/(3*n-1), 770/(4*n-2))
	var window image.Rectangle
	if s.Zoom > 0 {
		d.zoom, d.h = true, 77
		z := 154 / math.Sqrt(3)
		w, h := max(818, int(float64(3*n-1)*z)+72), max(900, (4*n-2)*77+50)
		window = image.Rect(0, 0, 818, 900)
		if s.Zoom%2 == 0 {
			window = window.Add(image.Pt(w-818, 0))
		}
		if s.Zoom > 2 {
			window = window.Add(image.Pt(0, h-900))
		}
		d.mx, d.my = w/2-window.Min.X, h/2-window.Min.Y
		window = window.Sub(image.Pt(w/2, h/2))
	}
	d.s = float64(d.h) * 2 / math.Sqrt(3)
	d.names = d.s >= imaging.RingsNamed
	d.bands = d.column < 0 && !d.names
	d.SetColor(theme.Background)
	d.Clear()
	d.ground()
	d.pieces()
	d.marks()
	if d.zoom {
		d.rect(818, 0, 282, 900, theme.Background)
		d.part(window)
		return d.Context
	}
	y := 26.0
	for i := range p.Seats() {
		d.card(engine.Seat(i+1), y)
		y += 84
	}
	d.turn(y + 33)
	return d.Context
}

func (t *plainRings) png(s imaging.Scene, theme imaging.Theme) ([]byte, error) {
	var b bytes.Buffer
	err := t.picture(s, theme).EncodePNG(&b)
	return b.Bytes(), err
}

// read takes what is picked and flipped from the scene.
func (d *ringsPlainPicture) read() {
	d.flipped = map[rings.Point]bool{}
	if before, ok := d.scene.Turn.Before.(*rings.Position); ok {
		for _, at := range d.p.Points() {
			if was := before.Owner(at); was != engine.Nobody && was != d.p.Owner(at) {
				d.flipped[at] = true
			}
		}
	}
	if len(d.scene.Picked) == 0 || d.over {
		return
	}
	first := d.scene.Picked[0]
	if n, err := strconv.Atoi(first); err == nil {
		d.chosen = n
		return
	}
	for _, a := range d.p.Legal() {
		if steps := a.Steps(); steps[0] == first {
			d.column = int(first[0] - 'A')
			d.rows = append(d.rows, a.(rings.Action).Point)
			if len(d.scene.Picked) > 1 && steps[1] == d.scene.Picked[1] {
				d.picked = a.String()
			}
		}
	}
}

func (d *ringsPlainPicture) px(length float64) float64 { return math.Round(length * d.s) }

func ringsU(length float64) float64 { return math.Round(length * 27.5) }

func (d *ringsPlainPicture) y(row int) float64 { return float64(d.my + (row-2*d.p.Side())*d.h) }

// x is the place of a column, counted from the middle of the board, which lies
// between the columns 2n-1 and 2n: they come in pairs s apart, every 1.5 s.
func (d *ringsPlainPicture) x(column int) float64 {
	pair, right := (column+1)/2, (column+1)%2 // 0 or 1
	return float64(d.mx) + math.Round((1.5*float64(pair-d.p.Side())+float64(right)-0.5)*d.s)
}

func (d *ringsPlainPicture) point(at rings.Point) (x, y float64) { return d.x(at.Column), d.y(at.Row) }

func (d *ringsPlainPicture) middle(c rings.Circle) (x, y float64) {
	return float64(d.mx) + math.Round(1.5*float64(c.Column-d.p.Side()+1)*d.s), d.y(c.Row)
}

// shape traces a mark: "Marks have equal weight" of the design.
func (d *ringsPlainPicture) shape(seat engine.Seat, x, y, r float64) {
	var points []gg.Point
	add := func(px, py float64) { points = append(points, gg.Point{X: x + px*r, Y: y + py*r}) }
	switch seat {
	case 1:
		d.DrawCircle(x, y, r)
		return
	case 2:
		add(0, -1.25)
		add(1.25, 0)
		add(0, 1.25)
		add(-1.25, 0)
	case 3, 6:
		// About the centre of the circle through the corners.
		radius := (1.31*1.31 + 2.2*2.2) / (2 * 2.2)
		sign := 1.0
		if seat == 6 {
			sign = -1
		}
		add(0, -sign*radius)
		add(1.31, sign*(2.2-radius))
		add(-1.31, sign*(2.2-radius))
	case 4:
		add(-0.92, -0.92)
		add(0.92, -0.92)
		add(0.92, 0.92)
		add(-0.92, 0.92)
	case 5:
		for _, p := range [][2]float64{
			{-0.46, -1.18}, {0.46, -1.18}, {0.46, -0.46}, {1.18, -0.46}, {1.18, 0.46}, {0.46, 0.46},
			{0.46, 1.18}, {-0.46, 1.18}, {-0.46, 0.46}, {-1.18, 0.46}, {-1.18, -0.46}, {-0.46, -0.46},
		} {
			add(p[0], p[1])
		}
	}
	d.NewSubPath()
	for _, p := range points {
		d.LineTo(p.X, p.Y)
	}
	d.ClosePath()
}

// stone fills a mark, grown by that much.
func (d *ringsPlainPicture) stone(seat engine.Seat, x, y, r, by float64, c color.Color) {
	d.SetColor(c)
	if seat == 1 {
		d.disc(x, y, r+by, c)
		return
	}
	d.shape(seat, x, y, r)
	if by > 0 {
		d.SetLineWidth(2 * by)
		d.SetLineJoinRound()
		d.StrokePreserve()
	}
	d.Fill()
}

func (d *ringsPlainPicture) write(s string, x, y float64, capital int, anchor float64, c color.Color) float64 {
	return d.text(d.face(capital), s, x, y, float64(capital), anchor, c)
}

func (d *ringsPlainPicture) ground() {
	n := d.p.Side()
	for row := 2; row < 4*n && d.bands; row += 2 {
		d.rect(0, d.y(row)-float64(d.h/2), float64(2*d.mx), float64(d.h), d.bandB)
	}
	for _, c := range d.p.Circles() {
		x, y := d.middle(c)
		d.disc(x, y, d.s, d.Cell)
	}
	if d.bands {
		for row := 2; row < 4*n; row += 2 {
			d.DrawRectangle(0, d.y(row)-float64(d.h/2), float64(2*d.mx), float64(d.h))
		}
		d.Clip()
		for _, c := range d.p.Circles() {
			x, y := d.middle(c)
			d.DrawCircle(x, y, d.s)
		}
		d.SetColor(d.bandC)
		d.Fill()
		d.ResetClip()
	}
	if d.column >= 0 {
		half := d.px(0.33)
		d.rect(d.x(d.column)-half, 0, 2*half, 900, d.guideC)
	}
	for _, c := range d.p.Circles() {
		x, y := d.middle(c)
		d.ring(x, y, d.s, math.Max(1.4, 0.035*d.s), d.Line)
		if d.p.Majority(c.Number) == engine.Nobody {
			d.write(strconv.Itoa(c.Number), x, y, int(d.px(0.44)), 0.5, d.Dim)
		}
	}
	for _, at := range d.p.Points() {
		if x, y := d.point(at); !d.names {
			d.disc(x, y, 0.085*d.s, d.Line)
		}
	}
	if !d.names {
		d.rulers()
	}
}

func (d *ringsPlainPicture) rulers() {
	n := d.p.Side()
	for row := 1; row < 4*n; row++ {
		d.write(strconv.Itoa(row), 28, d.y(row), 20, 0.5, d.Dim)
		d.write(strconv.Itoa(row), float64(2*d.mx)-28, d.y(row), 20, 0.5, d.Dim)
	}
	for column := range 4 * n {
		if column == d.column {
			continue
		}
		first, last := d.ends(column)
		shift := d.px(0.11)
		if column%2 == 0 {
			shift = -shift
		}
		if away := column - d.column; d.column >= 0 && away >= -2 && away <= 2 {
			shift += d.px(0.10) * float64(away) / math.Abs(float64(away))
		}
		far := math.Floor(0.36*d.s + 0.47*27.5)
		letter := string(rune('A' + column))
		d.write(letter, d.x(column)+shift, first-far, 20, 0.5, d.Dim)
		d.write(letter, d.x(column)+shift, last+far, 20, 0.5, d.Dim)
	}
}

// ends is the heights of the first and the last point of a column.
func (d *ringsPlainPicture) ends(column int) (first, last float64) {
	first, last = 10000, -10000
	for _, at := range d.p.Points() {
		if at.Column == column {
			first, last = min(first, d.y(at.Row)), max(last, d.y(at.Row))
		}
	}
	return first, last
}

func (d *ringsPlainPicture) keyed() float64 { return math.Max(2, 0.05*d.s) }

func (d *ringsPlainPicture) pieces() {
	legal := d.p.Convertible()
	for _, c := range d.p.Circles() {
		x, y := d.middle(c)
		holder := d.p.Majority(c.Number)
		if holder == engine.Nobody {
			continue
		}
		d.disc(x, y, 0.66*d.s, d.Tint(engine.Colour(holder)))
		d.stone(holder, x, y-d.px(0.37), 0.19*d.s, 0, d.colour(holder))
		d.write(strconv.Itoa(c.Number), x, y+d.px(0.19), int(d.px(0.44)), 0.5, d.Text)
	}
	for _, c := range d.p.Circles() {
		if x, y := d.middle(c); d.scene.Legal && !d.over && slices.Contains(legal, c.Number) && c.Number != d.chosen {
			d.ring(x, y, 0.66*d.s, 0.10*d.s+2*d.keyed(), d.Background)
			d.ring(x, y, 0.66*d.s, 0.10*d.s, d.Mark)
		}
	}
	for _, c := range d.p.Circles() {
		if owner := d.p.Ring(c.Number); owner != engine.Nobody {
			x, y := d.middle(c)
			d.ring(x, y, d.s, 0.13*d.s, d.colour(owner))
		}
	}
	key, r := math.Max(2, 0.07*d.s), 0.27*d.s
	for _, at := range d.p.Points() {
		owner := d.p.Owner(at)
		x, y := d.point(at)
		if owner == engine.Nobody {
			continue
		}
		if d.flipped[at] {
			d.stone(owner, x, y, r, key+0.08*d.s+d.keyed(), d.Background)
			d.stone(owner, x, y, r, key+0.08*d.s, d.Mark)
		}
		d.stone(owner, x, y, r, key, d.Background)
		d.stone(owner, x, y, r, 0, d.colour(owner))
		if d.p.Safe(at) {
			d.disc(x, y, 0.42*r, d.Ink)
		}
	}
}

func (d *ringsPlainPicture) marks() {
	for _, at := range d.p.Points() {
		x, y := d.point(at)
		name := at.String()
		if !d.names || d.p.Owner(at) != engine.Nobody {
			continue
		}
		capital := int(d.px(0.24))
		w := float64(font.MeasureString(d.face(capital), "W28"[:len("W28")-3+len(name)][:len(name)]))/64/2 + 0.09*d.s
		if len(name) == 2 {
			w = float64(font.MeasureString(d.face(capital), "W8"))/64/2 + 0.09*d.s
		}
		d.SetColor(d.Background)
		d.DrawRoundedRectangle(x-w, y-0.22*d.s, 2*w, 0.44*d.s, 0.12*d.s)
		d.Fill()
		d.write(name, x, y, capital, 0.5, d.Text)
	}
	if d.column >= 0 {
		d.columnMarks()
	}
	for _, action := range d.scene.Turn.Actions {
		switch a := action.(rings.Action); a.Kind {
		case rings.Convert:
			x, y := d.middle(d.p.Circles()[a.Circle-1])
			d.bracket(x, y, 1.14)
		}
	}
	for _, action := range d.scene.Turn.Actions {
		if a := action.(rings.Action); a.Kind == rings.Place {
			x, y := d.point(a.Point)
			d.bracket(x, y, 0.90)
		}
	}
	if d.chosen > 0 {
		x, y := d.middle(d.p.Circles()[d.chosen-1])
		d.frame(x, y, 1.36)
	}
	for _, at := range d.rows {
		if at.String() == d.picked {
			x, y := d.point(at)
			d.frame(x, y, 1)
		}
	}
}

func (d *ringsPlainPicture) columnMarks() {
	if !d.zoom {
		first, last := d.ends(d.column)
		away := d.px(0.5) + ringsU(0.5+0.55-0.22)
		letter := string(rune('A' + d.column))
		d.write(letter, d.x(d.column), first-away, int(ringsU(1.1)), 0.5, d.Text)
		d.write(letter, d.x(d.column), last+away, int(ringsU(1.1)), 0.5, d.Text)
	}
	for _, at := range d.rows {
		x, y := d.point(at)
		d.disc(x, y, 0.5*d.s, d.Background)
		if at.String() != d.picked {
			w := math.Max(2.5, 0.06*d.s)
			d.ring(x, y, 0.5*d.s, w+2*d.keyed(), d.Background)
			d.ring(x, y, 0.5*d.s, w, d.Mark)
		}
		d.write(strconv.Itoa(at.Row), x, y, int(d.px(0.42)), 0.5, d.Text)
	}
}

func (d *ringsPlainPicture) bracket(x, y, width float64) {
	half, arm, thick := d.px(width/2), d.px(0.27*width), math.Max(3, d.px(0.07))
	d.corners(x-half, y-half, x+half, y+half, arm, thick, math.Max(2, d.px(0.05)))
}

// corners draws four corner brackets inside a box.
func (d *ringsPlainPicture) corners(x0, y0, x1, y1, arm, thick, key float64) {
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{key, d.Background}, {0, d.Mark}} {
		g := pass.grow
		for _, x := range []float64{x0, x1 - arm} {
			for _, y := range []float64{y0, y1 - thick} {
				d.rect(x-g, y-g, arm+2*g, thick+2*g, pass.c)
			}
		}
		for _, x := range []float64{x0, x1 - thick} {
			for _, y := range []float64{y0, y1 - arm} {
				d.rect(x-g, y-g, thick+2*g, arm+2*g, pass.c)
			}
		}
	}
}

func (d *ringsPlainPicture) frame(x, y, width float64) {
	half, thick, key := d.px(width/2), math.Max(3, d.px(0.09)), math.Max(2, d.px(0.05))
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{key, d.Background}, {0, d.Mark}} {
		g, w := pass.grow, 2*half
		d.rect(x-half-g, y-half-g, w+2*g, thick+2*g, pass.c)
		d.rect(x-half-g, y+half-thick-g, w+2*g, thick+2*g, pass.c)
		d.rect(x-half-g, y-half-g, thick+2*g, w+2*g, pass.c)
		d.rect(x+half-thick-g, y-half-g, thick+2*g, w+2*g, pass.c)
	}
}
