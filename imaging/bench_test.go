package imaging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"castellan/imaging"
)

// BenchmarkBoard draws the same pictures, 1200 pixels by 900, from sprites and
// plainly with gg. bytes is the size of the PNG; x-plain is how many times faster
// the sprites are than the median of plain pictures drawn in the same run.
func BenchmarkBoard(b *testing.B) {
	scene := trailsScene(b, "size=11", middle)
	theme, err := imaging.ThemeByName(imaging.Dark)
	if err != nil {
		b.Fatal(err)
	}
	plain := newPlainTrails(b)

	b.Run("trails/sprites", func(b *testing.B) {
		r := newRenderer(b)
		if _, err := r.Board(context.Background(), scene, imaging.Dark); err != nil {
			b.Fatal(err)
		}
		var size int
		b.ReportAllocs()
		for b.Loop() {
			png, err := r.Board(context.Background(), scene, imaging.Dark)
			if err != nil {
				b.Fatal(err)
			}
			size = len(png)
		}
		each := b.Elapsed() / time.Duration(b.N)
		b.ReportMetric(float64(each)/1e6, "ms/op")
		b.ReportMetric(float64(size), "bytes")
		b.ReportMetric(float64(medianPlain(b, plain, scene, theme))/float64(each), "x-plain")
	})
	b.Run("trails/plain", func(b *testing.B) {
		var size int
		b.ReportAllocs()
		for b.Loop() {
			png, err := plain.png(scene, theme)
			if err != nil {
				b.Fatal(err)
			}
			size = len(png)
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e6, "ms/op")
		b.ReportMetric(float64(size), "bytes")
	})
	b.Run("towers", benchmarkTowers)
	benchmarkStoneTowers(b)
	benchmarkRings(b)
}

// medianPlain is the median time of seven plain pictures.
func medianPlain(b *testing.B, p *plainTrails, s imaging.Scene, t imaging.Theme) time.Duration {
	b.StopTimer()
	var took []time.Duration
	for range 7 {
		start := time.Now()
		if _, err := p.png(s, t); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[len(took)/2]
}
