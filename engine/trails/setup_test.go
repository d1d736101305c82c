package trails_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/trails"
)

func TestSetup(t *testing.T) {
	for _, c := range []struct{ options, board string }{
		{"",
			"towers=3 distance=1 move=blue B........../.........../.........../.......T.../.........../.....T...../.........../...T......./.........../.........../..........R"},
		{"size=11 towers=4 distance=2",
			"towers=4 distance=2 move=blue B.........T/.........../.........../.......T.../.........../.........../.........../...T......./.........../.........../T.........R"},
		{"size=5 towers=5 distance=0",
			"towers=5 distance=0 move=blue B...T/...T./..T../.T.../T...R"},
	} {
		if got := draw(position(t, c.options)); got != c.board {
			t.Errorf("%s: got %s, want %s", c.options, got, c.board)
		}
	}
}

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
		{"size=5 towers=5 distance=2", "5 towers with a distance of 2 do not fit on 5 by 5. Choose at most 2 towers, or a board of at least 13 by 13."},
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
				if err == nil {
					continue
				}
				var refused *engine.OptionError
				if !errors.As(err, &refused) {
					t.Fatalf("%s: %v", b, err)
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

func TestPositionAtTheStart(t *testing.T) {
	p := position(t, "size=9 towers=4 distance=1")
	if p.Size() != 9 || p.TowersToWin() != 3 || p.Turns() != 0 || p.Seat() != 1 {
		t.Errorf("size %d, needed %d, turns %d, seat %d", p.Size(), p.TowersToWin(), p.Turns(), p.Seat())
	}
	want := []trails.Tower{{Square: trails.Square{X: 1, Y: 1}}, {Square: trails.Square{X: 3, Y: 3}}, {Square: trails.Square{X: 5, Y: 5}}, {Square: trails.Square{X: 7, Y: 7}}}
	if got := p.Towers(); !slices.Equal(got, want) {
		t.Errorf("towers %v", got)
	}
	for seat, corner := range map[engine.Seat]string{1: "a9", 2: "i1"} {
		if p.Head(seat).String() != corner || p.Base(seat).String() != corner || p.Owner(p.Base(seat)) != seat {
			t.Errorf("seat %d starts on %v, base %v", seat, p.Head(seat), p.Base(seat))
		}
		if d, ok := p.LastDirection(seat); ok || p.Boost(seat) != 0 || p.Taken(seat) != 0 {
			t.Errorf("seat %d has moved %v, boost %d, taken %d", seat, d, p.Boost(seat), p.Taken(seat))
		}
	}
	for _, s := range []trails.Square{{X: -1}, {Y: -1}, {X: 9}, {Y: 9}, {X: 1 << 40, Y: 1 << 40}} {
		if p.Owner(s) != engine.Nobody {
			t.Errorf("%v, off the board, belongs to seat %d", s, p.Owner(s))
		}
	}
	if got := fmt.Sprint(p.Legal()); got != "[down right]" {
		t.Errorf("legal %s", got)
	}
	if _, ok := p.Target(trails.Up); ok {
		t.Error("up reaches something beyond the edge")
	}
	if s, ok := p.Target(trails.Right); !ok || s.String() != "b9" {
		t.Errorf("right reaches %v, %t", s, ok)
	}
	p.Towers()[0].Owner = 2
	if p.Towers()[0].Owner != engine.Nobody {
		t.Error("a change of the slice reaches into the position")
	}
}
