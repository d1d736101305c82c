package trails_test

import (
	"errors"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

// start returns the start with options that may be refused.
func start(options string) (engine.Position, error) {
	o, err := trails.Game{}.Options().Parse(options)
	if err != nil {
		return nil, err
	}
	return trails.Game{}.New(o, 2)
}

// Towers that do not all fit are refused with advice, and the advice is right.
func TestTowersThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{"size=5 towers=5 distance=2", "5 towers with a distance of 2 don’t fit on 5 by 5. Choose at most 2 towers, or a board of at least 13 by 13."},
		{"size=9 towers=9 distance=3", "9 towers with a distance of 3 fit on no board. Choose a smaller distance, or at most 3 towers on 9 by 9."},
	} {
		_, err := start(c.options)
		var refused *engine.OptionError
		if !errors.As(err, &refused) || refused.Option != "" || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.options, err, c.want)
		}
	}

	fitting := boards()
	for size := 5; size <= 21; size += 2 {
		for towers := 1; towers <= 9; towers++ {
			for distance := range 4 {
				b := board{size, towers, distance}
				_, err := start(b.String())
				if slices.Contains(fitting, b) != (err == nil) {
					t.Errorf("%s: %v", b, err)
				}
				var refused *engine.OptionError
				if !errors.As(err, &refused) {
					continue
				}
				fewer := board{size, refused.Why.Args["Count"].(int), distance}
				if more := (board{size, fewer.towers + 1, distance}); !slices.Contains(fitting, fewer) || slices.Contains(fitting, more) {
					t.Errorf("%s: %d is not the most that fit", b, fewer.towers)
				}
				if wide, ok := refused.Why.Args["Wide"].(int); ok {
					if !slices.Contains(fitting, board{wide, towers, distance}) || slices.Contains(fitting, board{wide - 2, towers, distance}) {
						t.Errorf("%s: %d is not the smallest board that fits", b, wide)
					}
				} else if slices.Contains(fitting, board{21, towers, distance}) {
					t.Errorf("%s: fits on the largest board, but the sentence says on none", b)
				}
			}
		}
	}
}
