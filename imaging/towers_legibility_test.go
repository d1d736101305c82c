package imaging

import (
	"image"
	"math"
	"strconv"
	"testing"

	"castellan/engine"
	"castellan/imaging/fonts"
)

func newTestTowersKit(t *testing.T, size int) *towersKit {
	t.Helper()
	typeface, err := parseTypeface(fonts.CondensedBold)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPalette(darkTheme(), towersPainter{}.design())
	if err != nil {
		t.Fatal(err)
	}
	return newTowersKit(look{darkTheme(), p, typeface}, newGrid(boardUnit, size, false))
}

// Heights and costs are read on a phone, 400 pixels wide, and stand within what
// they are written on, whatever the size of the board.
func TestNumbersOfTowersAreReadAndFit(t *testing.T) {
	for size := 5; size <= 10; size++ {
		k := newTestTowersKit(t, size)
		width, _ := k.grid.bounds()
		for _, c := range []struct {
			what  string
			f     *face
			n     int
			least float64 // height of capitals on a phone
			room  float64 // radius of what it is written in, in cells
		}{
			{"a height", k.numeral, 14, 6, towerRadius},
			{"the largest height", k.numeral, 52, 6, towerRadius},
			{"a height below a crown", k.crowned, 9, 6, towerRadius},
			{"a cost", k.cost[0], 9, 6, emptyRing - signLine/2},
			{"a cost of two digits", k.cost[1], 26, 5, emptyRing - signLine/2},
			{"a cost in a tag", k.tagCost[0], 9, 6, 0.22},
			{"a cost of two digits in a tag", k.tagCost[1], 26, 4.5, 0.22},
		} {
			if high := float64(c.f.capital) * 400 / float64(width); high < c.least {
				t.Errorf("size %d: %s has capitals %.1f pixels high on a phone", size, c.what, high)
			}
			// The corners of the number lie in the circle about its middle.
			w, h := c.f.width(strconv.Itoa(c.n))/2, float64(c.f.capital)/2
			if r := math.Hypot(w, h); r > k.grid.length(c.room)+0.5 {
				t.Errorf("size %d: %s reaches %.1f pixels, and there are %.1f", size, c.what, r, k.grid.length(c.room))
			}
		}
	}
}

// The panel's parts stand apart: each seat's block, with as many rows of pips
// as there can be, and the turn between them.
func TestThePanelOfTowersHasRoom(t *testing.T) {
	for size := 5; size <= 10; size++ {
		k := newTestTowersKit(t, size)
		n := &k.panel
		lines := (k.turnBottom - k.turnTop - n.px(notationCapital)) / k.turnBy
		if k.cards[1] >= k.turnTop || k.turnBottom >= k.cards[0] || lines < 5 {
			t.Errorf("size %d: cards at %v, the turn from %d to %d in %d lines", size, k.cards, k.turnTop, k.turnBottom, lines)
		}
		if wide := n.notation.width("j10-i10"); wide > float64(n.right-n.left)/2 {
			t.Errorf("size %d: an action is %.1f pixels wide, and a column %d", size, wide, (n.right-n.left)/2)
		}
		if right := n.left + n.px(pipRadius)*2 + (pipsInRow-1)*n.px(pipPitch); right > n.right {
			t.Errorf("size %d: pips end at %d, beyond %d", size, right, n.right)
		}
	}
}

// More move points than there are pips for, 26 at the most, are a number.
func TestManyPointsOfTowersAreANumber(t *testing.T) {
	k := newTestTowersKit(t, 10)
	c := k.blank()
	k.points(c, 800, 12, 26)
	last := image.Point{}
	for i, index := range c.Pix {
		if index != c.palette.base[background] {
			last.X, last.Y = max(last.X, i%c.Stride), max(last.Y, i/c.Stride)
		}
	}
	if last.X < k.panel.left+k.panel.px(3) || last.X > k.panel.right || last.Y > 830 {
		t.Errorf("what is drawn ends at %v", last)
	}
}

// The forms of both seats weigh about the same.
func TestPiecesHaveEqualWeight(t *testing.T) {
	k := newTestTowersKit(t, 5)
	var area [2]float64
	for i := range k.of {
		for _, q := range k.of[i].pawn.layers[0].quarters {
			area[i] += float64(q) / full
		}
	}
	if share := area[1] / area[0]; share < 0.88 || share > 1.12 {
		t.Errorf("%v has %.2f of the area of %v", engine.Red, share, engine.Blue)
	}
}

// Every blend that pictures of Towers need is in the palette of every theme.
func TestThePaletteOfTowersHoldsWhatTouches(t *testing.T) {
	d := towersPainter{}.design()
	for _, name := range Themes() {
		theme, err := ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPalette(theme, d)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d colours", name, len(p.colours))
		for under, uppers := range d {
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
