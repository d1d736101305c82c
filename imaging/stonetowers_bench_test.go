package imaging_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"castellan/imaging"
)

// benchmarkStoneTowers is BenchmarkBoard for Stone Towers.
func benchmarkStoneTowers(b *testing.B) {
	scene := stoneScene(b, "", stoneMiddle)
	theme, err := imaging.ThemeByName(imaging.Dark)
	if err != nil {
		b.Fatal(err)
	}
	plain := newPlainStone(b)

	b.Run("stone-towers/sprites", func(b *testing.B) {
		r := newStoneRenderer(b)
		stoneBoard(b, r, scene, imaging.Dark)
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
		b.StopTimer()
		var took []time.Duration
		for range 7 {
			start := time.Now()
			if _, err := plain.png(scene, theme); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2])/float64(each), "x-plain")
	})
	b.Run("stone-towers/plain", func(b *testing.B) {
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
}
