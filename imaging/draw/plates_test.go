package draw

import (
	"bytes"
	"image"
	"testing"

	"castellan/engine"
)

// On every plate the sign of a standing is clear of the name, and never costs a name
// letters, but for that of a draw: the colour of the plate says the others as well.
func TestLongNamesOnPlates(t *testing.T) {
	style := testStyle(t)
	const gap = 4 // pixels
	for seats := 1; seats <= 6; seats++ {
		p := NewPlates(style, seats, 0)
		for _, standing := range []Standing{ToMove, Won, Drawn} {
			blank, unsigned := *p, *p
			blank.signs[standing], unsigned.signs[standing] = &Mask{}, nil
			for _, score := range []string{"", "7", "104"} {
				for _, name := range []string{"Bartholomäus Weltenwanderer", "Margarethe", "Mira"} {
					drawn := func(p *Plates, name string) *Canvas {
						c := NewCanvas(style.Palette, Width, p.Bottom)
						p.Draw(c, NamePlate{Seat: 1, Colour: engine.Red, Names: []string{name}, Standing: standing, Score: score})
						return c
					}
					sign := differing(drawn(p, name), drawn(&blank, name))
					if letters := differing(drawn(&blank, name), drawn(&blank, " ")); letters.Inset(-gap).Overlaps(sign) {
						t.Errorf("%d seats, standing %d, score %q: %q at %v, the sign at %v", seats, standing, score, name, letters, sign)
					}
					if cut := differing(drawn(&blank, name), drawn(&unsigned, name)); standing != Drawn && !cut.Empty() {
						t.Errorf("%d seats, standing %d, score %q: %q is cut for the sign", seats, standing, score, name)
					}
				}
			}
		}
	}
}

// differing returns the smallest area that holds all pixels in which two pictures
// differ.
func differing(a, b *Canvas) (area image.Rectangle) {
	for y := range a.Rect.Dy() {
		p, q := a.Pix[y*a.Stride:][:a.Stride], b.Pix[y*b.Stride:][:b.Stride]
		if bytes.Equal(p, q) {
			continue
		}
		for x := range p {
			if p[x] != q[x] {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return area
}
