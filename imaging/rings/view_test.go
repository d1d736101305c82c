package rings

import (
	"image"
	"testing"

	"castellan/engine/rings"
	"castellan/imaging/draw"
	"castellan/imaging/fonts"
	"castellan/imaging/imagingtest"
)

func testStyle(t testing.TB) draw.Style {
	t.Helper()
	font, err := draw.ParseFonts(fonts.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	theme, err := draw.ThemeByName(draw.Dark)
	if err != nil {
		t.Fatal(err)
	}
	colours, err := draw.NewPalette(theme, design())
	if err != nil {
		t.Fatal(err)
	}
	return draw.Style{Theme: theme, Palette: colours, Font: font}
}

// On a phone that shows a picture 341 pixels wide, text has a size of 11 pixels at
// least, on every board and in every quarter, and stones are as wide.
func TestTextIsLegible(t *testing.T) {
	const phone, least = 341.0 / width, 11
	style := testStyle(t)
	for side := 3; side <= 6; side++ {
		k := newSet(style, format{side, 2}).(*set)
		for what, v := range map[string]*view{"whole": k.whole, "quarter": k.zoomed().view} {
			for text, f := range map[string]*draw.Face{"circle numbers": v.numbers, "rows": v.steps, "names of points": v.names, "numbers of turns": v.turns} {
				if size := f.Size() * phone; size < least && (f != v.names || v.named()) {
					t.Errorf("side %d, %s: %s have a size of %.1f pixels", side, what, text, size)
				}
			}
			if wide := 2 * stoneRadius * v.s * phone; wide < least {
				t.Errorf("side %d, %s: stones are %.1f pixels wide", side, what, wide)
			}
		}
		if !k.zoomed().view.named() {
			t.Errorf("side %d: the points of a quarter have no names", side)
		}
	}
}

// Every point has a place of its own in the space for the board, on its circles.
func TestPlacesOfPoints(t *testing.T) {
	style := testStyle(t)
	for side := 3; side <= 6; side++ {
		v := newSet(style, format{side, 2}).(*set).whole
		room := image.Rect(0, 0, width, height).Inset(v.px(stoneRadius * 1.31))
		seen := map[image.Point]rings.Point{}
		for _, p := range v.points {
			at := v.at(p)
			if other, taken := seen[at]; taken || !at.In(room) {
				t.Errorf("side %d: %v is at %v, outside or where %v is", side, p, at, other)
			}
			seen[at] = p
		}
		for _, c := range v.circles {
			m := v.centre(c)
			for _, p := range c.Points() {
				d := v.at(p).Sub(m)
				if far := float64(d.X*d.X + d.Y*d.Y); far < (v.s-1.5)*(v.s-1.5) || far > (v.s+1.5)*(v.s+1.5) {
					t.Errorf("side %d: %v is not on circle %d", side, p, c.Number)
				}
			}
		}
	}
}

// Names of points stay clear of each other, and each is whole in one quarter.
func TestPlacesOfNames(t *testing.T) {
	style := testStyle(t)
	for side := 3; side <= 6; side++ {
		z := newZoomed(style, side)
		v := z.view
		for i, p := range v.points {
			for _, q := range v.points[:i] {
				a, b := v.at(p), v.at(q)
				if gap := float64(max(a.X-b.X, b.X-a.X)) - (v.names.Width(p.String())+v.names.Width(q.String()))/2; p.Row == q.Row && gap < 4 {
					t.Errorf("side %d: %v and %v are %.1f apart", side, p, q, gap)
				}
			}
			half := image.Pt(int(v.names.Width(p.String())/2)+2, v.names.Capital)
			box := image.Rectangle{Min: v.at(p).Sub(half), Max: v.at(p).Add(half)}
			if !box.In(z.window(1)) && !box.In(z.window(2)) && !box.In(z.window(3)) && !box.In(z.window(4)) {
				t.Errorf("side %d: the name of %v is whole in no quarter", side, p)
			}
		}
	}
}

// Coordinates have a contrast of 4.5 on bands and on the guide, as WCAG 2.2
// requires (1.4.3).
func TestContrastOnBands(t *testing.T) {
	for _, name := range draw.Themes() {
		theme, err := draw.ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []draw.Role{band, guide} {
			ground := imagingtest.Linear(design().Custom[role-draw.Custom](theme))
			if got := imagingtest.Contrast(imagingtest.Linear(theme.Dim), ground); got < 4.5 {
				t.Errorf("%s: coordinates on role %d have contrast %.2f", name, role, got)
			}
		}
	}
}
