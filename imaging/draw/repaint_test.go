package draw

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"castellan/engine"
)

// A repainter shows the same as a canvas on which each picture is drawn whole,
// and names every area in which the picture changes, but not the whole of it.
func TestRepainter(t *testing.T) {
	s := testStyle(t)
	size := image.Rect(0, 0, 10*patch+7, 6*patch+5)
	ground := NewCanvas(s.Palette, size.Dx(), size.Dy())
	sprite := NewCanvas(s.Palette, 40, 40)
	sprite.Fill(sprite.Rect, Cell)
	disc := NewDisc(20)
	dark, same := s.Map(func(color.RGBA) color.RGBA { return s.Background }), s.Map(func(c color.RGBA) color.RGBA { return c })
	blue, red := Seat(engine.Blue), Seat(engine.Red)
	at := image.Rect(100, 100, 140, 140)
	pictures := map[string][]func(*Canvas){ // each but the first differs from the one before
		"fill":     {func(c *Canvas) { c.Fill(at, blue) }, func(c *Canvas) { c.Fill(at, red) }, func(*Canvas) {}},
		"sprite":   {func(c *Canvas) { c.Copy(sprite, 20, 30) }, func(c *Canvas) { c.Copy(sprite, 21, 30) }},
		"mask":     {func(c *Canvas) { c.Stamp(disc, 50, 60, blue) }, func(c *Canvas) { c.Stamp(disc, 50, 60, red) }, func(c *Canvas) { c.Stamp(disc, 50, 61, red) }},
		"order":    {func(c *Canvas) { c.Fill(at, blue); c.Stamp(disc, 110, 110, red) }, func(c *Canvas) { c.Stamp(disc, 110, 110, red); c.Fill(at, blue) }},
		"twice":    {func(c *Canvas) { c.Stamp(disc, 50, 60, blue) }, func(c *Canvas) { c.Stamp(disc, 50, 60, blue); c.Stamp(disc, 50, 60, blue) }},
		"recolour": {func(c *Canvas) { c.Copy(sprite, 90, 90); c.Recolour(at, &same) }, func(c *Canvas) { c.Copy(sprite, 90, 90); c.Recolour(at, &dark) }},
		"part":     {func(c *Canvas) { c.Within(at).Stamp(disc, 110, 110, red) }, func(c *Canvas) { c.Within(at.Inset(3)).Stamp(disc, 110, 110, red) }},
		"edge":     {func(c *Canvas) { c.Stamp(disc, size.Max.X, size.Max.Y, red) }, func(c *Canvas) { c.Stamp(disc, 0, 0, red) }, func(c *Canvas) { c.Stamp(disc, -20, -90, red) }},
	}
	for name, all := range pictures {
		t.Run(name, func(t *testing.T) {
			r := NewRepainter(NewCanvas(s.Palette, size.Dx(), size.Dy()))
			then, whole := NewCanvas(s.Palette, size.Dx(), size.Dy()), NewCanvas(s.Palette, size.Dx(), size.Dy())
			for i, draw := range append(all, all[len(all)-1]) {
				picture := func(c *Canvas) { c.Copy(ground, 0, 0); draw(c) }
				area := 0
				r.Paint(picture, func(changed image.Rectangle) {
					area += changed.Dx() * changed.Dy()
					then.Within(changed).Copy(r.Canvas, 0, 0)
				})
				picture(whole)
				if !bytes.Equal(r.Pix, whole.Pix) || !bytes.Equal(then.Pix, whole.Pix) {
					t.Errorf("picture %d differs from the same picture drawn whole, or changes elsewhere too", i)
				}
				if i > 0 && area > 100*100 || i == 0 && area != size.Dx()*size.Dy() || i == len(all) && area != 0 {
					t.Errorf("picture %d changes %d pixels of %v", i, area, size)
				}
			}
		})
	}
}
