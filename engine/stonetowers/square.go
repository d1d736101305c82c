package stonetowers

import "strconv"

// Square is a square of the board: X is the file from 0 (a), Y the rank from 0
// (rank 1, the bottom).
type Square struct{ X, Y int }

// String is the name of the square, "a1".
func (s Square) String() string {
	return string(rune('a'+s.X)) + strconv.Itoa(s.Y+1)
}

// parseSquare reads the name of a square of the largest board, in lower case.
func parseSquare(name string) (s Square, ok bool) {
	if len(name) < 2 || len(name) > 3 || name[0] < 'a' || name[0] >= 'a'+maxEdge {
		return Square{}, false
	}
	rank, err := strconv.Atoi(name[1:])
	if err != nil || rank < 1 || rank > maxEdge || strconv.Itoa(rank) != name[1:] {
		return Square{}, false
	}
	return Square{X: int(name[0] - 'a'), Y: rank - 1}, true
}
