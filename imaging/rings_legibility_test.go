package imaging

import (
	"image"
	"testing"

	"castellan/engine/rings"
	"castellan/imaging/fonts"
)

// phone is how much smaller a picture of Rings is on a phone, 400 pixels wide.
const phone = 400.0 / ringsWidth

func testLook(t *testing.T, theme Theme) look {
	t.Helper()
	typeface, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	colours, err := newPalette(theme, ringsPainter{}.design())
	if err != nil {
		t.Fatal(err)
	}
	return look{theme, colours, typeface}
}

// What must be read on a phone has capitals of six pixels and more, on every
// board and in every part; what a point is called has them wherever it is
// written.
func TestRingsAreReadOnAPhone(t *testing.T) {
	for what, size := range map[string]float64{
		"names": nameRings, "scores": scoreRings, "coordinates": coordinateRings, "notation": notationRings, "the letter": letterRings,
	} {
		if high := float64(ringsPx(size)) * phone; high < 6 {
			t.Errorf("%s have capitals %.1f pixels high", what, high)
		}
	}
	l := testLook(t, darkTheme())
	for side := 3; side <= 6; side++ {
		k := newRingsKit(l, side)
		for what, v := range map[string]*ringsView{"board": k.overview, "part": k.zoom().view} {
			if high := float64(v.numbers.capital) * phone; high < 6 {
				t.Errorf("side %d, %s: circle numbers are %.1f pixels high", side, what, high)
			}
			if high := float64(v.steps.capital) * phone; high < 6 {
				t.Errorf("side %d, %s: rows are %.1f pixels high", side, what, high)
			}
			if high := float64(v.names.capital) * phone; v.named() && high < 6 {
				t.Errorf("side %d, %s: names of points are %.1f pixels high", side, what, high)
			}
			if what == "part" && !v.named() {
				t.Errorf("side %d: the points of a part have no names", side)
			}
		}
	}
}

// Every point of every board has a place of its own, inside what the board may
// fill, and stands where its circles are.
func TestRingsPointsHavePlaces(t *testing.T) {
	l := testLook(t, darkTheme())
	for side := 3; side <= 6; side++ {
		v := newRingsKit(l, side).overview
		room := image.Rect(0, 0, ringsBoard, ringsHeight).Inset(v.px(ringsStone * 1.31))
		seen := map[image.Point]rings.Point{}
		for _, p := range v.points {
			at := v.at(p)
			if other, taken := seen[at]; taken || !at.In(room) {
				t.Errorf("side %d: %v is at %v, where %v is, or outside", side, p, at, other)
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

// The names in full stand clear of each other.
func TestRingsNamesHaveRoom(t *testing.T) {
	l := testLook(t, darkTheme())
	for side := 3; side <= 6; side++ {
		v := newRingsZoom(l, side).view
		for i, p := range v.points {
			for _, q := range v.points[:i] {
				a, b := v.at(p), v.at(q)
				if gap := float64(max(a.X-b.X, b.X-a.X)) - (v.names.width(p.String())+v.names.width(q.String()))/2; p.Row == q.Row && gap < 4 {
					t.Errorf("side %d: %v and %v are %.1f apart", side, p, q, gap)
				}
			}
		}
	}
}

// No palette is larger than PNG can hold.
func TestTheRingsPaletteHoldsWhatTouches(t *testing.T) {
	for _, name := range Themes() {
		theme, err := ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p := testLook(t, theme).palette
		t.Logf("%s: %d colours", name, len(p.colours))
		for under, uppers := range (ringsPainter{}).design() {
			for _, upper := range uppers {
				for q := 1; q < full; q++ {
					want := mix(theme.colour(under), theme.colour(upper), float64(q)/full)
					if got := p.colours[p.over[upper][q-1][p.base[under]]]; got != want {
						t.Errorf("%s: %d quarters of role %d over %d is %v, not %v", name, q, upper, under, got, want)
					}
				}
			}
		}
	}
}
