package imaging_test

import (
	"bytes"
	"context"
	"image"
	"math"
	"strings"
	"testing"
	"time"

	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
	"castellan/imaging/trails"
)

var plotStart = time.Date(2026, 2, 3, 20, 0, 0, 0, time.UTC)

// course returns the ratings of a player who wins and loses, from the first
// match on.
func course(n int, gap time.Duration) (p imaging.Plot) {
	mean, deviation := 1500.0, 350.0
	for i := range n {
		mean += (deviation / 2) * math.Sin(float64(i*i+1))
		deviation = max(58, deviation*0.9)
		at := plotStart.Add(time.Duration(i)*gap + time.Duration(i%3)*gap/3)
		p.Points = append(p.Points, imaging.PlotPoint{At: at, Mean: mean, Deviation: deviation, Provisional: deviation > 110})
	}
	return p
}

func plots() map[string]imaging.Plot {
	return map[string]imaging.Plot{
		"plot-one":  course(1, 0),
		"plot-few":  course(6, 26*time.Hour),
		"plot-some": course(40, 80*time.Hour),
		"plot-many": course(300, 30*time.Hour),
	}
}

func TestPlotGolden(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, trails.Painter())
	for name, p := range plots() {
		for _, theme := range draw.Themes() {
			if theme != draw.Dark && name != "plot-some" {
				continue
			}
			t.Run(name+"-"+theme, func(t *testing.T) {
				imagingtest.GoldenPicture(t, name+"-"+theme, decodePlot(t, r, p, theme), *update)
			})
		}
	}
}

func decodePlot(t *testing.T, r *imaging.Renderer, p imaging.Plot, theme string) *image.Paletted {
	t.Helper()
	file, err := r.Plot(context.Background(), p, theme)
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 60<<10 {
		t.Errorf("%d bytes", len(file))
	}
	img := imagingtest.Decode(t, file)
	if img.Bounds() != image.Rect(0, 0, 1080, 540) {
		t.Fatalf("the plot is %v", img.Bounds())
	}
	return img
}

// Nothing runs over the edge, however high, low, long or short the course is.
func TestPlotEdges(t *testing.T) {
	t.Parallel()
	r := imagingtest.Renderer(t, trails.Painter())
	at := func(i int, mean float64) imaging.PlotPoint {
		return imaging.PlotPoint{At: plotStart.Add(time.Duration(i) * time.Hour), Mean: mean, Deviation: 350, Provisional: true}
	}
	for name, p := range map[string]imaging.Plot{
		"a great rise":  {Points: []imaging.PlotPoint{at(0, 100), at(1, 4000)}},
		"a great fall":  {Points: []imaging.PlotPoint{at(0, 3900), at(1, 100)}},
		"a flat line":   {Points: []imaging.PlotPoint{at(0, 1500), at(1, 1500), at(2, 1500)}},
		"at one moment": {Points: []imaging.PlotPoint{at(0, 1500), at(0, 1600), at(0, 1400)}},
		"a century":     {Points: []imaging.PlotPoint{at(0, 1500), at(24*365*100, 1700)}},
	} {
		for _, theme := range draw.Themes() {
			img := decodePlot(t, r, p, theme)
			ground := img.Pix[0]
			for y := range 540 {
				for x := range 1080 {
					if edge := x < 4 || y < 4 || x >= 1076 || y >= 536; edge && img.Pix[y*img.Stride+x] != ground {
						t.Fatalf("%s, %s: something is at (%d, %d)", name, theme, x, y)
					}
				}
			}
		}
	}
}

func TestPlotSameBytes(t *testing.T) {
	t.Parallel()
	var files [2][]byte
	for i := range files {
		var err error
		files[i], err = imagingtest.Renderer(t, trails.Painter()).Plot(context.Background(), course(40, time.Hour), draw.Light)
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two pictures of a plot differ")
	}
}

func TestPlotErrors(t *testing.T) {
	r := imagingtest.Renderer(t, trails.Painter())
	p := course(3, time.Hour)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		plot  imaging.Plot
		theme string
		want  string
	}{
		{context.Background(), imaging.Plot{}, "", "no points"},
		{context.Background(), imaging.Plot{Points: []imaging.PlotPoint{p.Points[1], p.Points[0]}}, "", "order of time"},
		{context.Background(), p, "sepia", "sepia"},
		{cancelled, p, "", "canceled"},
	} {
		if _, err := r.Plot(c.ctx, c.plot, c.theme); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is not about %q: %v", c.want, err)
		}
	}
}
