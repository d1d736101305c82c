package imaging_test

import (
	"bytes"
	"image/color"
	"math"
	"slices"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/fonts"

	"github.com/fogleman/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
)

// plainTowers draws Towers as one would without sprites: every shape of every
// picture with gg, in true colour.
type plainTowers struct {
	*plainTrails
	font  *opentype.Font
	faces map[float64]font.Face // by height of capitals in pixels
}

// plainTowersPicture is one picture in the making.
type plainTowersPicture struct {
	*plainPicture
	towers *plainTowers
	pos    *towers.Position
}

func newPlainTowers(t testing.TB) *plainTowers {
	t.Helper()
	f, err := opentype.Parse(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	return &plainTowers{plainTrails: newPlainTrails(t), font: f, faces: map[float64]font.Face{}}
}

// face is a face whose capitals are that many whole pixels high.
func (t *plainTowers) face(capital float64) (font.Face, float64) {
	capital = math.Round(capital)
	if _, ok := t.faces[capital]; !ok {
		f, err := opentype.NewFace(t.font, &opentype.FaceOptions{Size: capital / 0.729, DPI: 72})
		if err != nil {
			panic(err)
		}
		t.faces[capital] = f
	}
	return t.faces[capital], capital
}

func (t *plainTowers) picture(s imaging.Scene, theme imaging.Theme) *gg.Context {
	p := s.Position.(*towers.Position)
	d := &plainPicture{Context: gg.NewContext(1200, 900), plainTrails: t.plainTrails, Theme: theme, scene: s, n: p.Size()}
	c := 819 / d.n
	spare := (816 - d.n*c) / 2
	d.c, d.x, d.y = float64(c), float64(57+spare)+0.5, float64(21+spare)+0.5
	d.key = math.Max(2, math.Round(0.03*d.c))
	if result, over := p.Result(); over {
		d.winners, d.over = result.Winners, true
	}
	if s.Outcome != nil {
		d.winners, d.over = s.Outcome.Winners, true
	}
	q := &plainTowersPicture{plainPicture: d, towers: t, pos: p}
	q.board()
	q.pieces()
	q.marks()
	for _, at := range q.squares() {
		if p.Locked(at) {
			q.padlock(at)
		}
	}
	if s.Legal && !d.over {
		q.legal()
	}
	q.panel()
	return d.Context
}

func (t *plainTowers) png(s imaging.Scene, theme imaging.Theme) ([]byte, error) {
	var b bytes.Buffer
	err := t.picture(s, theme).EncodePNG(&b)
	return b.Bytes(), err
}

func (d *plainTowersPicture) squares() (out []towers.Square) {
	for i := range d.n * d.n {
		out = append(out, towers.Square{X: i % d.n, Y: i / d.n})
	}
	return out
}

// at is the middle of a square.
func (d *plainTowersPicture) at(s towers.Square) (x, y float64) {
	return d.x + (float64(s.X)+0.5)*d.c, d.y + (float64(d.n-1-s.Y)+0.5)*d.c
}

// outline is a piece of that radius, grown by some pixels.
func (d *plainTowersPicture) outline(seat engine.Seat, x, y, r, grown float64) []gg.Point {
	if seat == 2 {
		return imaging.Inset(imaging.CutDiamond(x, y, r), -grown)
	}
	var out []gg.Point
	for i := range 360 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 180)
		out = append(out, gg.Point{X: x + (r+grown)*cos, Y: y + (r+grown)*sin})
	}
	return out
}

// common is what two convex polygons, given clockwise, both cover: each edge
// of one cuts the other (Sutherland and Hodgman, 1974).
func common(subject, clip []gg.Point) []gg.Point {
	for i, a := range clip {
		b := clip[(i+1)%len(clip)]
		side := func(p gg.Point) float64 { return (b.X-a.X)*(p.Y-a.Y) - (b.Y-a.Y)*(p.X-a.X) }
		var out []gg.Point
		for j, p := range subject {
			q := subject[(j+1)%len(subject)]
			sp, sq := side(p), side(q)
			if sp >= 0 {
				out = append(out, p)
			}
			if sp*sq < 0 {
				k := sp / (sp - sq)
				out = append(out, gg.Point{X: p.X + k*(q.X-p.X), Y: p.Y + k*(q.Y-p.Y)})
			}
		}
		subject = out
	}
	return subject
}

func (d *plainTowersPicture) pieces() {
	for _, s := range d.squares() {
		x, y := d.at(s)
		if d.pos.Locked(s) {
			d.hatch(x, y)
		}
		t := d.pos.At(s)
		if t.Owner == engine.Nobody {
			continue
		}
		own, c := d.colour(t.Owner), d.c
		switch {
		case t.Height > 1:
			r := 0.40 * c
			plinth := d.outline(t.Owner, x, y+0.05*c, r, 0)
			d.polygon(plinth, own)
			d.polygon(common(d.outline(t.Owner, x, y-0.05*c, r, math.Max(2, 0.03*c)), plinth), d.Ink)
			d.polygon(d.outline(t.Owner, x, y-0.05*c, r, 0), own)
			size, down := 0.48, -0.05
			if t.Master {
				size, down = 0.42, 0.115
				d.SetColor(d.Ink)
				imaging.FillCrown(d.Context, x, y-0.245*c, 0.36*c)
			}
			d.number(t.Height, x, y+down*c, size*c*0.73, d.Ink)
		case t.Master:
			d.polygon(d.outline(t.Owner, x, y, 0.40*c, 0), own)
			d.SetColor(d.Ink)
			imaging.FillCrown(d.Context, x, y-0.01*c, 0.50*c)
		default:
			d.polygon(d.outline(t.Owner, x, y, 0.27*c, 0), own)
		}
	}
}

func (d *plainTowersPicture) number(n int, x, y, capital float64, c color.Color) {
	f, capital := d.towers.face(capital)
	d.text(f, strconv.Itoa(n), x, y, capital, 0.5, c)
}

func (d *plainTowersPicture) hatch(x, y float64) {
	side := d.c - 3
	x, y = x-side/2, y-side/2
	apart, half := 0.17*d.c, math.Max(2, 0.035*d.c)/math.Sqrt2
	cell := []gg.Point{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}}
	for at := math.Mod(side, apart) / 2; at < 2*side; at += apart {
		d.polygon(common([]gg.Point{
			{X: x, Y: y + at - half}, {X: x + at - half, Y: y}, {X: x + at + half, Y: y}, {X: x, Y: y + at + half},
		}, cell), d.Line)
	}
}

func (d *plainTowersPicture) padlock(s towers.Square) {
	x, y := d.at(s)
	x, y = x+0.335*d.c, y+0.325*d.c
	h := 0.27 * d.c
	d.SetColor(d.Background)
	d.DrawRoundedRectangle(x-0.39*h-d.key, y-h/2-d.key, 0.78*h+2*d.key, h+2*d.key, 0.16*h)
	d.Fill()
	d.SetColor(d.Mark)
	imaging.FillPadlock(d.Context, x, y, h)
}

// marks is the brackets and the paths of the marked turn.
func (d *plainTowersPicture) marks() {
	var moved []towers.Action
	seen := map[towers.Square]bool{}
	for _, action := range d.scene.Turn.Actions {
		a := action.(towers.Action)
		at, ok := a.To(), true
		switch a.Kind() {
		case towers.End:
			continue
		case towers.Import:
			at, ok = d.pos.Master(d.scene.Turn.Seat)
			ok = ok && d.scene.Turn.Open
		default:
			moved = append(moved, a)
		}
		if ok && !seen[at] && d.pos.At(at).Owner == d.scene.Turn.Seat {
			seen[at] = true
			d.bracket(at)
		}
	}
	for _, a := range moved {
		d.path(a.From(), a.To())
	}
}

func (d *plainTowersPicture) bracket(s towers.Square) {
	x, y := d.at(s)
	h := d.c/2 + 1.5
	arm, width := math.Round(0.26*d.c)+3, math.Max(3, math.Round(0.055*d.c))
	for _, sx := range []float64{-1, 1} {
		for _, sy := range []float64{-1, 1} {
			if !d.WholeLines {
				d.cross(x+sx*(h-1.5), y+sy*(h-1.5), d.Background)
			}
		}
	}
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{d.key, d.Background}, {0, d.Mark}} {
		for _, box := range [][2]float64{{arm, width}, {width, arm}} {
			for _, left := range []float64{x - h, x + h - box[0]} {
				for _, top := range []float64{y - h, y + h - box[1]} {
					d.rect(left-pass.grow, top-pass.grow, box[0]+2*pass.grow, box[1]+2*pass.grow, pass.c)
				}
			}
		}
	}
}

func (d *plainTowersPicture) path(from, to towers.Square) {
	x0, y0 := d.at(from)
	x1, y1 := d.at(to)
	length := math.Hypot(x1-x0, y1-y0)
	ux, uy := (x1-x0)/length, (y1-y0)/length
	stays := d.pos.At(from).Owner != engine.Nobody
	start := 0.13
	if stays {
		start = 0.47
	}
	width := math.Max(3, math.Round(0.055*d.c))
	if int(width)%2 != int(d.c-3)%2 {
		if width < 0.055*d.c || width <= 3 {
			width++
		} else {
			width--
		}
	}
	// Ends lie on whole pixels, and the middle of an odd cell does not.
	half := 0.0
	if int(d.c-3)%2 == 1 {
		half = 0.5
	}
	a, b := math.Round(start*d.c), math.Round((length/d.c-0.37-1.2*0.15)*d.c)
	if b > a {
		ax, ay, bx, by := x0-half*math.Abs(ux)+ux*a, y0-half*math.Abs(uy)+uy*a, x0-half*math.Abs(ux)+ux*b, y0-half*math.Abs(uy)+uy*b
		x, y := math.Min(ax, bx)-math.Abs(uy)*width/2, math.Min(ay, by)-math.Abs(ux)*width/2
		w, h := math.Abs(bx-ax)+math.Abs(uy)*width, math.Abs(by-ay)+math.Abs(ux)*width
		d.rect(x-d.key, y-d.key, w+2*d.key, h+2*d.key, d.Background)
		d.rect(x, y, w, h, d.Mark)
	}
	if !stays {
		w := math.Max(2.5, 0.055*d.c)
		d.ring(x0, y0, 0.13*d.c, w+2*d.key, d.Background)
		d.ring(x0, y0, 0.13*d.c, w, d.Mark)
	}
	heading := slices.Index([][2]float64{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}, [2]float64{math.Round(ux), math.Round(uy)})
	head := imaging.Arrow(x1-ux*0.52*d.c, y1-uy*0.52*d.c, 0.15*d.c, heading)
	d.SetColor(d.Background)
	imaging.FillKeyed(d.Context, head, d.key)
	d.polygon(head, d.Mark)
}

// legal is what can act, or where what is picked can go.
func (d *plainTowersPicture) legal() {
	picked := d.scene.Picked
	costs := map[towers.Square]int{}
	var from *towers.Square
	for _, action := range d.pos.Legal() {
		a := action.(towers.Action)
		steps := a.Steps()
		if a.Kind() != towers.Move && a.Kind() != towers.TakeOut || len(steps) < len(picked) || !slices.Equal(steps[:len(picked)], picked) {
			continue
		}
		at := a.From()
		if len(picked) == 0 {
			costs[at] = 0
			continue
		}
		from = &at
		x0, y0 := d.at(at)
		x1, y1 := d.at(a.To())
		cost := int(math.Hypot(x1-x0, y1-y0)/d.c + 0.5)
		if a.Kind() == towers.Move {
			cost *= d.pos.At(at).Height
		}
		if was, ok := costs[a.To()]; !ok || cost > was { // the whole tower comes first
			costs[a.To()] = cost
		}
	}
	thin := func(x, y, r float64) {
		w := math.Max(2.5, 0.03*d.c)
		d.ring(x, y, r*d.c, w+2*d.key, d.Background)
		d.ring(x, y, r*d.c, w, d.Mark)
	}
	for _, s := range d.squares() {
		x, y := d.at(s)
		t := d.pos.At(s)
		switch cost, ok := costs[s]; {
		case !ok:
		case len(picked) == 0 && t.Height == 1 && !t.Master:
			thin(x, y, 0.335)
		case len(picked) == 0:
			thin(x, y, 0.455)
		case t.Height == 0:
			d.keyedRing(x, y, 0.27)
			d.number(cost, x, y, 0.36*d.c*0.73, d.Mark)
		default:
			d.keyedRing(x, y, 0.44)
		}
	}
	if from == nil {
		return
	}
	d.frame(*from)
	for s, cost := range costs {
		if d.pos.At(s).Height == 0 {
			continue
		}
		x, y := d.at(s)
		x, y, r := x+0.34*d.c, y-0.34*d.c, 0.22*d.c
		d.disc(x, y, r+d.key, d.Background)
		d.disc(x, y, r, d.Mark)
		d.number(cost, x, y, 0.34*d.c*0.73, d.Background)
	}
}

func (d *plainTowersPicture) frame(s towers.Square) {
	x, y := d.at(s)
	h, width := d.c/2+1.5, math.Max(4, math.Round(0.085*d.c))
	for _, pass := range []struct {
		grow float64
		c    color.Color
	}{{d.key, d.Background}, {0, d.Mark}} {
		o, w := h+pass.grow, width+2*pass.grow
		for _, r := range [][4]float64{{-o, -o, 2 * o, w}, {-o, o - w, 2 * o, w}, {-o, -o, w, 2 * o}, {o - w, -o, w, 2 * o}} {
			d.rect(x+r[0], y+r[1], r[2], r[3], pass.c)
		}
	}
}

func (d *plainTowersPicture) panel() {
	top, bottom := d.y+1.5, d.y+float64(d.n)*d.c-1.5
	const block = 58 + 53 + 73 + 72 + 13
	d.side(2, top)
	d.side(1, bottom-block)
	d.turn(top+block+24, bottom-block-24)
}

func (d *plainTowersPicture) side(seat engine.Seat, y float64) {
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
		d.polygon(imaging.Arrow(1167-11+1.5, m, 13.5, 2), letters)
	case d.won(seat):
		imaging.FillCrown(d.Context, 1167-11, m, 27)
	case d.over && len(d.winners) == 0:
		d.rect(1156-12, m-9, 24, 6, letters)
		d.rect(1156-12, m+3, 24, 6, letters)
	}
	y += 58 + 53
	d.polygon(d.outline(seat, 948-18, y, 16.5, 0), own)
	d.polygon(d.outline(seat, 948, y, 16.5, 3), d.Background)
	d.polygon(d.outline(seat, 948, y, 16.5, 0), own)
	f, capital := d.towers.face(2.1 * 0.73 * 30)
	d.text(f, strconv.Itoa(d.pos.Reserve(seat)), 913+63, y, capital, 0, d.Text)
	if !moves {
		return
	}
	left, of := d.pos.MovePoints()
	for i := range of {
		x, y := 913+13+float64(i%7*36), y+73+float64(i/7*36)
		if i < left {
			d.disc(x, y, 12.9, d.Mark)
		} else {
			d.ring(x, y, 12.9-1.8, 3.6, d.Line)
		}
	}
}

func (d *plainTowersPicture) turn(top, bottom float64) {
	turn := d.scene.Turn
	if len(turn.Actions) == 0 {
		return
	}
	var tokens []string
	for _, a := range turn.Actions {
		if a.String() != engine.End || len(turn.Actions) == 1 {
			tokens = append(tokens, a.String())
		}
	}
	y := math.Floor((top+bottom)/2) - float64(len(tokens)*38/2)
	w := d.text(d.notation, strconv.Itoa(turn.Number)+".", 913, y, 25, 0, d.Dim)
	d.mark(turn.Seat, 913+math.Floor(w+0.5)+29, y, 15, d.colour(turn.Seat))
	for i, token := range tokens {
		d.text(d.notation, token, 913, y+38*float64(i+1), 25, 0, d.Text)
	}
}
