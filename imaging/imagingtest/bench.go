package imagingtest

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"castellan/imaging"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Benchmark draws a scene again and again. It reports the size of the file and,
// as x-plain, how many times slower a yardstick is: a picture of 1200 by 900
// pixels with 400 shapes that gg draws in true colour, as the median of seven
// in the same run.
func Benchmark(b *testing.B, p imaging.Painter, s imaging.Scene) {
	r := Renderer(b, p)
	size := len(File(b, r, s, ""))
	b.ReportAllocs()
	for b.Loop() {
		File(b, r, s, "")
	}
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(each)/1e6, "ms/op")
	b.ReportMetric(float64(size), "bytes")
	b.StopTimer()
	var took []time.Duration
	for range 7 {
		start := time.Now()
		if err := yardstick(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/float64(each), "x-plain")
}

// yardstick draws tiles, discs and rings on 11 by 11 cells with gg and encodes
// them as PNG.
func yardstick() error {
	theme, err := draw.ThemeByName(draw.Dark)
	if err != nil {
		return err
	}
	dc := gg.NewContext(1200, 900)
	dc.SetColor(theme.Background)
	dc.Clear()
	const cells, cell = 11, 74.0
	for i := range cells * cells {
		x, y := 94+cell*float64(i%cells), 58+cell*float64(i/cells)
		dc.SetColor(theme.Cell)
		dc.DrawRectangle(x-35, y-35, 70, 70)
		dc.Fill()
		dc.SetColor(theme.Seats[i%6])
		dc.DrawRoundedRectangle(x-31, y-31, 62, 62, 18)
		dc.Fill()
		dc.SetColor(theme.Ink)
		draw.FillRing(dc, x, y, 20, 4)
		if i%3 == 0 {
			draw.FillMark(dc, 1, x, y, 8)
		}
	}
	return dc.EncodePNG(new(bytes.Buffer))
}
