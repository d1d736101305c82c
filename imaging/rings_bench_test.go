package imaging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"castellan/imaging"
)

// benchmarkRings draws a board of six seats, 1100 pixels by 900, half full, in
// the middle of a turn: the whole of it, a column and a part, from sprites and
// plainly with gg; and it makes what pictures have in common.
func benchmarkRings(b *testing.B) {
	chain, placing := ringsChain(b, 6, 6), ringsPlacing(b, 6, 6)
	theme, err := imaging.ThemeByName(imaging.Dark)
	if err != nil {
		b.Fatal(err)
	}
	plain := newPlainRings(b)
	for _, kind := range []struct {
		name  string
		scene imaging.Scene
	}{{"rings", chain}, {"rings-column", ringsPicked(placing, "M")}, {"rings-zoom", ringsZoomed(chain, 1)}} {
		b.Run(kind.name+"/sprites", func(b *testing.B) {
			r := newRingsRenderer(b)
			if _, err := r.Board(context.Background(), kind.scene, imaging.Dark); err != nil {
				b.Fatal(err)
			}
			var size int
			b.ReportAllocs()
			for b.Loop() {
				png, err := r.Board(context.Background(), kind.scene, imaging.Dark)
				if err != nil {
					b.Fatal(err)
				}
				size = len(png)
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each)/1e6, "ms/op")
			b.ReportMetric(float64(size), "bytes")
			b.StopTimer()
			var took []time.Duration
			for range 7 {
				start := time.Now()
				if _, err := plain.png(kind.scene, theme); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/float64(each), "x-plain")
		})
	}
	b.Run("rings/plain", func(b *testing.B) {
		var size int
		b.ReportAllocs()
		for b.Loop() {
			png, err := plain.png(chain, theme)
			if err != nil {
				b.Fatal(err)
			}
			size = len(png)
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e6, "ms/op")
		b.ReportMetric(float64(size), "bytes")
	})
	b.Run("rings/kit", func(b *testing.B) {
		for b.Loop() {
			r := newRingsRenderer(b)
			if _, err := r.Board(context.Background(), chain, imaging.Dark); err != nil {
				b.Fatal(err)
			}
		}
	})
}
