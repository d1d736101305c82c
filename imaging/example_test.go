package imaging_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"

	"castellan/engine/trails"
	"castellan/imaging"
)

func ExampleRenderer_Board() {
	renderer, err := imaging.New(imaging.Trails())
	if err != nil {
		fmt.Println(err)
		return
	}
	game := trails.Game{}
	position, err := game.New(game.Options().Defaults(), 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := renderer.Board(context.Background(), imaging.Scene{
		Game:     game,
		Position: position,
		Names:    []string{"Ann", "Ben"},
		Legal:    true,
	}, imaging.Light)
	if err != nil {
		fmt.Println(err)
		return
	}
	picture, err := png.DecodeConfig(bytes.NewReader(file))
	fmt.Println(picture.Width, picture.Height, err)
	// Output: 1200 900 <nil>
}
