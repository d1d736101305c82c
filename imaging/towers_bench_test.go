package imaging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"castellan/imaging"
)

// benchmarkTowers is the part of BenchmarkBoard for Towers: the largest board,
// a tower picked.
func benchmarkTowers(b *testing.B) {
	scene := towersScene(b, "size=10", towersLarge)
	scene.Picked = []string{"g3"}
	theme, err := imaging.ThemeByName(imaging.Dark)
	if err != nil {
		b.Fatal(err)
	}
	plain := newPlainTowers(b)
	draw := func() int {
		png, err := plain.png(scene, theme)
		if err != nil {
			b.Fatal(err)
		}
		return len(png)
	}

	b.Run("sprites", func(b *testing.B) {
		r := newTowersRenderer(b)
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
		var took []time.Duration
		for range 7 {
			start := time.Now()
			draw()
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2])/float64(each), "x-plain")
	})
	b.Run("plain", func(b *testing.B) {
		var size int
		b.ReportAllocs()
		for b.Loop() {
			size = draw()
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/1e6, "ms/op")
		b.ReportMetric(float64(size), "bytes")
	})
}
