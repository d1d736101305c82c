package imaging

import (
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging/draw"
)

// A renderer does not keep what it has prepared for every format for ever.
func TestSetsAreBounded(t *testing.T) {
	format := 0
	r, err := New(Painter{
		game:   trails.Key,
		format: func(engine.Position) (any, error) { format++; return format, nil },
		set:    func(draw.Style, any) set { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	position, err := trails.Game{}.New(trails.Game{}.Options().Defaults(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxSets {
		if _, err := r.set(Scene{Game: trails.Game{}, Position: position}, draw.Dark); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.sets) > maxSets {
		t.Errorf("%d sets are kept", len(r.sets))
	}
}
