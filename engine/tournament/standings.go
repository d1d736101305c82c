package tournament

import (
	"cmp"
	"slices"

	"castellan/engine/tournament/tiebreak"
)

// Standing is the line of a player in the table.
type Standing struct {
	Player int
	Place  int // from 1; players who cannot be separated share it
	Points int // half points
	// Tiebreak is the first figure that separates players with the same points, in points:
	// Buchholz without the weakest opponent in Swiss, Sonneborn-Berger in a round robin. In
	// a knock-out it is 0.
	Tiebreak float64
	// Reached is the last round of a knock-out that the player has reached, one more for
	// the winner.
	Reached int
	// Withdrawn reports that the player left before half of their games, and that none of
	// them counts. Only in a round robin, where the others have not all met them.
	Withdrawn bool
}

// criterion gives each of some tied players a figure; more is better.
type criterion func(tied []int) []float64

// Standings returns the table, best first. Ties are broken in Swiss by Buchholz without
// the weakest opponent, the games among the tied, wins, and games as the second to move;
// in a round robin by the games among the tied, Sonneborn-Berger, and wins. In a knock-out,
// those who have come equally far share their place.
func (e Event) Standings() []Standing {
	n := len(e.Players)
	withdrawn := e.withdrawn()
	var results []tiebreak.Result
	for _, g := range e.Games {
		if withdrawn[g.First] || g.Second != Nobody && withdrawn[g.Second] {
			continue
		}
		first, second := g.Outcome.Points()
		results = append(results, tiebreak.Result{Round: g.Round, First: g.First, Second: g.Second, FirstPoints: first, SecondPoints: second, Unplayed: g.Outcome != Open && !g.Outcome.Played(), Open: g.Outcome == Open})
	}
	scores, reached := tiebreak.Scores(n, results), e.reached()
	shown := make([]float64, n)
	// fixed has the same figures for every group of tied players.
	fixed := func(figures []float64) criterion {
		return func(tied []int) (of []float64) {
			for _, p := range tied {
				of = append(of, figures[p])
			}
			return of
		}
	}
	counted := results // among the tied: in Swiss, only what was played
	if e.Format == Swiss {
		counted = slices.DeleteFunc(slices.Clone(results), func(r tiebreak.Result) bool { return r.Unplayed })
	}
	among := func(tied []int) (of []float64) {
		points, met := tiebreak.DirectEncounter(n, counted, tied)
		if !met {
			return make([]float64, len(tied))
		}
		return floats(points)
	}
	wins := fixed(floats(tiebreak.Wins(n, results)))
	var order []criterion
	switch e.Format {
	case Knockout:
		order = []criterion{fixed(floats(reached))}
	case Swiss:
		shown = tiebreak.Buchholz(n, results, 1)
		order = []criterion{fixed(floats(scores)), fixed(shown), among, wins, fixed(floats(tiebreak.SecondsPlayed(n, results)))}
	default:
		shown = tiebreak.SonnebornBerger(n, results)
		order = []criterion{fixed(floats(scores)), among, fixed(shown), wins}
	}
	order = append([]criterion{func(tied []int) (of []float64) {
		for _, p := range tied {
			of = append(of, map[bool]float64{true: -1}[withdrawn[p]])
		}
		return of
	}}, order...)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	var table []Standing
	for _, group := range separate(all, order) {
		place := len(table) + 1
		for _, p := range group {
			table = append(table, Standing{Player: p, Place: place, Points: scores[p], Tiebreak: shown[p], Reached: reached[p], Withdrawn: withdrawn[p]})
		}
	}
	return table
}

// separate returns groups of players who are equal by all criteria, best first.
func separate(tied []int, order []criterion) (groups [][]int) {
	if len(tied) < 2 || len(order) == 0 {
		return [][]int{tied}
	}
	figures := order[0](tied)
	index := make([]int, len(tied))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(figures[b], figures[a]) })
	for len(index) > 0 {
		var same []int
		for len(index) > 0 && (len(same) == 0 || figures[index[0]] == figures[slices.Index(tied, same[0])]) {
			same, index = append(same, tied[index[0]]), index[1:]
		}
		groups = append(groups, separate(same, order[1:])...)
	}
	return groups
}

// withdrawn returns who has left a round robin before half of their games.
func (e Event) withdrawn() []bool {
	all := make([]bool, len(e.Players))
	if e.Format != RoundRobin && e.Format != Double {
		return all
	}
	for i, p := range e.Players {
		played := 0
		for _, g := range e.Games {
			if g.has(i) && g.Outcome.Played() {
				played++
			}
		}
		games := len(e.Players) - 1
		if e.Format == Double {
			games *= 2
		}
		all[i] = p.Left > 0 && 2*played < games
	}
	return all
}

// reached returns how far the players of a knock-out have come, see Standing.
func (e Event) reached() []int {
	all := make([]int, len(e.Players))
	if e.Format != Knockout {
		return all
	}
	for _, g := range e.Games {
		all[g.First] = max(all[g.First], g.Round)
		if g.Second != Nobody {
			all[g.Second] = max(all[g.Second], g.Round)
		}
	}
	if round := e.Round(); round == e.Rounds && round > 0 {
		slots := e.slots(round)
		if w := e.winner(round, 1, slots[0], slots[1]); w >= 0 {
			all[w] = round + 1
		}
	}
	return all
}

func floats(all []int) (of []float64) {
	of = make([]float64, len(all))
	for i, v := range all {
		of[i] = float64(v)
	}
	return of
}
