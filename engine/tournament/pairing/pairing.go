// Package pairing says who meets whom: in a round robin by the Berger tables, in Swiss by
// a matching of least cost, in a knock-out by the usual order of seeds.
package pairing

import (
	"cmp"
	"errors"
	"slices"
)

// Nobody is the Second of a Game that is a bye.
const Nobody = -1

// Game pairs two players, named by their index. First moves first.
type Game struct{ First, Second int }

// Berger returns the rounds of a round robin of n players by the Berger tables (FIDE
// Handbook C.05, annex 1). An odd n gives one player a bye in every round. In a double
// round robin the second half exchanges the first move, and the last two rounds of the
// first half change places, so that nobody moves first three times in a row.
func Berger(n int, double bool) [][]Game {
	if n < 2 {
		return nil
	}
	even := n + n%2
	last := even - 1 // who does not rotate; a bye if n is odd
	rounds := make([][]Game, even-1)
	for r := range rounds {
		// In odd rounds the last player moves second. The others sit on a circle, which
		// turns by half a circle a round.
		start := r * (even / 2) % last
		pair := func(first, second int) {
			if n%2 == 1 && (first == last || second == last) {
				first, second = min(first, second), Nobody
			}
			rounds[r] = append(rounds[r], Game{first, second})
		}
		if r%2 == 0 {
			pair(start, last)
		} else {
			pair(last, start)
		}
		for i := 1; i < even/2; i++ {
			pair((start+i)%last, (start-i+last)%last)
		}
	}
	if !double {
		return rounds
	}
	if k := len(rounds); k >= 3 {
		rounds[k-1], rounds[k-2] = rounds[k-2], rounds[k-1]
	}
	first := Berger(n, false)
	for _, round := range first {
		var back []Game
		for _, g := range round {
			if g.Second != Nobody {
				g.First, g.Second = g.Second, g.First
			}
			back = append(back, g)
		}
		rounds = append(rounds, back)
	}
	return rounds
}

// Bracket returns the first round of a knock-out: seeds, 0 for the best, of whom neighbours
// meet, and the winners of neighbouring pairs in the next round. There are as many places
// as the next power of two; the best seeds meet Nobody. Seeds meet as late as possible.
func Bracket(n int) []int {
	order := []int{0}
	for len(order) < n {
		var next []int
		for _, seed := range order {
			next = append(next, seed, 2*len(order)-1-seed)
		}
		order = next
	}
	for i, seed := range order {
		if seed >= n {
			order[i] = Nobody
		}
	}
	return order
}

// Player is what a Swiss pairing knows of a player.
type Player struct {
	Score  int     // half points
	Rating float64 // more is stronger
	Met    []int   // who has been an opponent; it is enough that one of two says so
	Avoid  []int   // who must not be one; likewise
	Firsts []bool  // for each game, oldest first, whether the player moved first
	Bye    bool    // has had a point without a game
	Absent bool    // is not paired
}

// ErrNoPairing is the error of Swiss if not everybody can be paired.
var ErrNoPairing = errors.New("there is no pairing in which nobody meets the same opponent again")

// The cost of a pairing is a sum of these, of which each outweighs all of those above it,
// for up to 300 players. Duals of the matching stay below twice allowed.
const (
	costFold  = 1       // a place away from the half of the score group that follows
	costOrder = 1 << 16 // two players of whom both should move first, or both second
	costScore = 1 << 24 // times the square of the difference of scores, in half points
	costBye   = 1 << 40 // somebody who stands below the player with the bye
	costThird = 1 << 49 // somebody moves first or second a third time in a row, or three times more than the other
	allowed   = 1 << 58 // more than the cost of all pairs
	mostScore = 16      // differences of scores above count like this one
)

// Swiss pairs the players who are not absent, and returns the games by the sum of scores,
// highest first, with the bye at the end. Nobody meets an opponent again or somebody they
// avoid. Of all such pairings it returns one with, in this order,
//   - no second bye for anybody,
//   - the fewest players who move first, or second, a third time in a row or three times
//     more often than the other way,
//   - the bye, if their number is odd, for the lowest score, then rating, that has had none,
//   - the least sum of the squares of the differences of scores,
//   - the fewest pairs in which both have moved first more often, or both less often,
//   - pairs of the upper half of each score group, sorted by ratings, with the lower half,
//     both in their order.
//
// Of two players, the one moves first who has done so less often, or not the last time, or
// has the lower rating at every other table. It fails with ErrNoPairing.
func Swiss(players []Player) ([]Game, error) {
	var present []int
	for i, p := range players {
		if !p.Absent {
			present = append(present, i)
		}
	}
	slices.SortStableFunc(present, func(a, b int) int {
		return cmp.Or(cmp.Compare(players[b].Score, players[a].Score), cmp.Compare(players[b].Rating, players[a].Rating))
	})
	for _, again := range []bool{false, true} { // a second bye only if it cannot be helped
		if games, ok := match(players, present, again); ok {
			return games, nil
		}
	}
	return nil, ErrNoPairing
}

// place is where a player stands in the group of those with the same score.
type place struct{ at, of int }

func match(players []Player, present []int, byeAgain bool) ([]Game, bool) {
	n := len(present)
	if n == 0 {
		return nil, true
	}
	places := make([]place, n)
	for from := 0; from < n; {
		to := from
		for to < n && players[present[to]].Score == players[present[from]].Score {
			to++
		}
		for i := from; i < to; i++ {
			places[i] = place{i - from, to - from}
		}
		from = to
	}
	weight := make([][]int64, n+n%2) // of sorted players, and of the bye
	for i := range weight {
		weight[i] = make([]int64, n+n%2)
	}
	set := func(i, j int, cost int64) { weight[i][j], weight[j][i] = allowed-cost, allowed-cost }
	for i, a := range present {
		p := players[a]
		if n%2 == 1 && (byeAgain || !p.Bye) {
			set(i, n, costBye*int64(n-1-i))
		}
		for j, b := range present[:i] {
			q := players[b]
			if slices.Contains(p.Met, b) || slices.Contains(q.Met, a) || slices.Contains(p.Avoid, b) || slices.Contains(q.Avoid, a) {
				continue
			}
			d := int64(min(q.Score-p.Score, mostScore))
			_, third, clash := moves(q, p, 0)
			cost := costScore * d * d
			cost += costThird*int64(third) + costOrder*clash
			if d == 0 {
				cost += costFold * abs(abs(int64(i-j))-int64(places[i].of/2))
			} else { // the last of the upper group against the first of the lower one
				cost += costFold * int64(places[j].of-1-places[j].at+places[i].at)
			}
			set(i, j, cost)
		}
	}
	mates := maxWeightMatching(weight)
	var games []Game
	var bye []Game
	for i, a := range present {
		switch j := mates[i]; {
		case j < 0:
			return nil, false
		case j == n:
			bye = []Game{{a, Nobody}}
		case j > i:
			b := present[j]
			g := Game{a, b}
			if second, _, _ := moves(players[a], players[b], len(games)); second {
				g = Game{b, a}
			}
			games = append(games, g)
		}
	}
	slices.SortStableFunc(games, func(g, h Game) int {
		return cmp.Compare(players[h.First].Score+players[h.Second].Score, players[g.First].Score+players[g.Second].Score)
	})
	return append(games, bye...), true
}

// moves decides who of two moves first. It returns whether q does, how many of them then
// go too far in one way, and 1 if both have moved first more often than second, or both
// less often.
func moves(p, q Player, table int) (swapped bool, third int, clash int64) {
	a, b := balance(p), balance(q)
	if a*b > 0 {
		clash = 1
	}
	straight, exchanged := tooMany(p, true)+tooMany(q, false), tooMany(p, false)+tooMany(q, true)
	switch {
	case straight != exchanged:
		swapped = exchanged < straight
	case a != b:
		swapped = b < a
	default:
		swapped = table%2 == 1
		for i := 1; i <= min(len(p.Firsts), len(q.Firsts)); i++ {
			if x, y := p.Firsts[len(p.Firsts)-i], q.Firsts[len(q.Firsts)-i]; x != y {
				swapped = x // p moved first then
				break
			}
		}
	}
	return swapped, min(straight, exchanged), clash
}

// balance returns how much more often a player has moved first than second.
func balance(p Player) (n int) {
	for _, first := range p.Firsts {
		if first {
			n++
		} else {
			n--
		}
	}
	return n
}

// tooMany returns 1 if a player who moves first, or second, does so a third time in a row
// or three times more than the other way.
func tooMany(p Player, first bool) int {
	n := balance(p)
	if !first {
		n = -n
	}
	k := len(p.Firsts)
	if n >= 2 || k >= 2 && p.Firsts[k-1] == first && p.Firsts[k-2] == first {
		return 1
	}
	return 0
}

func abs(n int64) int64 { return max(n, -n) }
