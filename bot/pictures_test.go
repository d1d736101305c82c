package bot

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"castellan/engine/enginetest/sample"
	"castellan/imaging"
)

// SamplePictures draws the sample game, which has no painter: a row of counters
// for each pile. All other games are drawn by the Pictures in it.
type SamplePictures struct{ Pictures }

// Board implements Pictures.
func (p SamplePictures) Board(ctx context.Context, s imaging.Scene, theme string) ([]byte, error) {
	if s.Game.Key() != sample.Key {
		return p.Pictures.Board(ctx, s, theme)
	}
	const width, height, grid = 1200, 800, 60
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		color.RGBA{0x1e, 0x22, 0x2b, 0xff}, color.RGBA{0xe8, 0xc1, 0x6a, 0xff},
	})
	for row, line := range s.Position.Describe() {
		pile, counters, _ := strings.Cut(line.String(), " ")
		if len(pile) != 1 {
			continue // a sentence
		}
		for i := range strings.Count(counters, "o") {
			at := image.Pt(grid*(i+1), grid*(row+1))
			draw.Draw(img, image.Rectangle{at, at.Add(image.Pt(grid*2/3, grid*2/3))}, image.NewUniform(img.Palette[1]), image.Point{}, draw.Src)
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}
