package trails

import (
	"strconv"

	"castellan/engine"
)

// Square is a square of the board: X is the file from 0 (a), Y the rank from 0
// (rank 1, the bottom).
type Square struct{ X, Y int }

// String is the name of the square, "a1".
func (s Square) String() string {
	return string(rune('a'+s.X)) + strconv.Itoa(s.Y+1)
}

// Tower is a tower and who has taken it: Nobody while it is free.
type Tower struct {
	Square Square
	Owner  engine.Seat
}

// offsets is where towers stand on the rising diagonal, in squares from the
// centre, from the lower left: the rules page's "Setup".
func offsets(towers, distance int) []int {
	apart := distance + 1
	var out []int
	if towers%2 == 1 {
		for i := -(towers / 2); i <= towers/2; i++ {
			out = append(out, i*apart)
		}
		return out
	}
	inner := distance/2 + 1
	for i := towers/2 - 1; i >= 0; i-- {
		out = append(out, -(inner + i*apart))
	}
	for i := range towers / 2 {
		out = append(out, inner+i*apart)
	}
	return out
}

// fits reports whether all the towers stand on a board of that size.
func fits(size, towers, distance int) bool {
	o := offsets(towers, distance)
	return o[len(o)-1] <= size/2
}
