package hosttest

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"sync"

	"castellan/imaging"
)

// Renderer draws blank pictures of any game. OnBoard, if set, is called first;
// its error is returned.
type Renderer struct {
	OnBoard func(imaging.Scene) error
}

// Board implements message.Renderer.
func (r Renderer) Board(_ context.Context, s imaging.Scene, _ string) ([]byte, error) {
	if r.OnBoard != nil {
		if err := r.OnBoard(s); err != nil {
			return nil, err
		}
	}
	return blank(), nil
}

// Zooms implements message.Renderer.
func (r Renderer) Zooms(imaging.Scene) bool { return false }

// Table implements message.Renderer.
func (r Renderer) Table(context.Context, imaging.Table, string) ([]byte, error) { return blank(), nil }

// Plot implements message.Renderer.
func (r Renderer) Plot(context.Context, imaging.Plot, string) ([]byte, error) { return blank(), nil }

// Replay implements message.Renderer. It calls OnBoard with every scene.
func (r Renderer) Replay(ctx context.Context, p imaging.Replay, theme string) ([]byte, error) {
	for _, s := range p.Scenes {
		if _, err := r.Board(ctx, s, theme); err != nil {
			return nil, err
		}
	}
	return []byte("GIF89a"), nil
}

var blank = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, 3, 2))) // a buffer takes everything
	return out.Bytes()
})
