package arena

import (
	"fmt"
	"slices"
)

// contest holds the sides of a contest and the seatings of each of its sets.
type contest struct {
	sides    []int   // indices of entrants
	seatings [][]int // the sides by seat, for each game of a set
}

// fair returns the share of the points that a side of average strength has.
func (c contest) fair(side int) float64 {
	seats, all := 0, 0
	for _, seating := range c.seatings {
		for _, s := range seating {
			if all++; s == side {
				seats++
			}
		}
	}
	return float64(seats) / float64(all)
}

// contests returns every pair of players, alternating by seat, or with more
// than two seats and as many players, the line-up of all.
func contests(names []string, seats int) ([]contest, error) {
	if len(names) < 2 {
		return nil, fmt.Errorf("at least two players are needed, not %d", len(names))
	}
	if seats > 2 && len(names) == seats {
		return []contest{lineUp(names)}, nil
	}
	var all []contest
	for a := range names {
		for b := a + 1; b < len(names); b++ {
			one, other := make([]int, seats), make([]int, seats)
			for seat := range seats {
				one[seat], other[seat] = seat%2, 1-seat%2
			}
			all = append(all, contest{[]int{a, b}, append(rotations(one), without(rotations(other), rotations(one))...)})
		}
	}
	return all, nil
}

// lineUp returns the contest with one player in each seat. Players with the
// same name are one side.
func lineUp(names []string) contest {
	var c contest
	var order []int
	first := map[string]int{}
	for i, name := range names {
		side, known := first[name]
		if !known {
			side = len(c.sides)
			first[name] = side
			c.sides = append(c.sides, i)
		}
		order = append(order, side)
	}
	c.seatings = rotations(order)
	return c
}

func rotations(seating []int) [][]int {
	var all [][]int
	for i := range seating {
		turned := append(slices.Clone(seating[i:]), seating[:i]...)
		all = append(all, without([][]int{turned}, all)...)
	}
	return all
}

func without(seatings, others [][]int) [][]int {
	return slices.DeleteFunc(seatings, func(s []int) bool {
		return slices.ContainsFunc(others, func(o []int) bool { return slices.Equal(s, o) })
	})
}
