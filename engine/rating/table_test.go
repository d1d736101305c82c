package rating_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"castellan/engine/rating"
)

func anyRating(t *rapid.T) rating.Rating {
	return rating.Rating{
		Mean:       rapid.Float64Range(500, 2800).Draw(t, "mean"),
		Deviation:  rapid.Float64Range(rating.MinDeviation, rating.MaxDeviation).Draw(t, "deviation"),
		Volatility: rapid.Float64Range(0.03, 0.1).Draw(t, "volatility"),
	}
}

// anyTable is two to six players with places as engine.Result.Ranks gives
// them: one more than the number of those who did better.
func anyTable(t *rapid.T) []rating.Player {
	players := make([]rating.Player, rapid.IntRange(2, 6).Draw(t, "players"))
	for i, rank := range anyPlaces(t, len(players)) {
		players[i] = rating.Player{
			Rating: anyRating(t), Rank: rank,
			Idle: time.Duration(rapid.IntRange(0, 4000).Draw(t, "hours")) * time.Hour,
		}
	}
	return players
}

func anyPlaces(t *rapid.T, n int) []int {
	strength, places := make([]int, n), make([]int, n)
	for i := range strength {
		strength[i] = rapid.IntRange(1, n).Draw(t, "strength")
	}
	for i := range places {
		places[i] = 1
		for _, s := range strength {
			if s > strength[i] {
				places[i]++
			}
		}
	}
	return places
}

func same(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)) }

// Between two a table is what the paper has.
func TestATableOfTwoIsGlicko2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRating(t), anyRating(t)
		for _, c := range []struct {
			places [2]int
			score  float64
		}{{[2]int{1, 2}, 1}, {[2]int{1, 1}, 0.5}, {[2]int{2, 1}, 0}} {
			got := rating.RateMatch([]rating.Player{{Rating: a, Rank: c.places[0]}, {Rating: b, Rank: c.places[1]}})
			want := []rating.Rating{
				rating.Update(a, 0, rating.Result{Opponent: b, Score: c.score, Weight: 1}),
				rating.Update(b, 0, rating.Result{Opponent: a, Score: 1 - c.score, Weight: 1}),
			}
			if !slices.Equal(got, want) {
				t.Fatalf("places %v: %+v, want %+v", c.places, got, want)
			}
		}
	})
}

// All figures are numbers within their bounds, whatever comes in.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyTable(t)
		for range 20 {
			for i, r := range rating.RateMatch(players) {
				if !(r.Deviation >= rating.MinDeviation && r.Deviation <= rating.MaxDeviation) ||
					!(r.Volatility > 0 && r.Volatility < 1) || math.IsNaN(r.Mean) || math.Abs(r.Mean-players[i].Rating.Mean) > 1500 {
					t.Fatalf("player %d goes from %+v to %+v", i, players[i], r)
				}
				players[i].Rating = r
			}
		}
	})
}

// Nobody's seat matters: whoever sits where, each gets the same rating.
func TestSeatsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyTable(t)
		order := rapid.Permutation(seatsOf(players)).Draw(t, "order")
		moved := make([]rating.Player, len(players))
		for i, from := range order {
			moved[i] = players[from]
		}
		was, is := rating.RateMatch(players), rating.RateMatch(moved)
		for i, from := range order {
			if a, b := was[from], is[i]; !same(a.Mean, b.Mean) || !same(a.Deviation, b.Deviation) || !same(a.Volatility, b.Volatility) {
				t.Fatalf("in seat %d %+v, in seat %d %+v", from, a, i, b)
			}
		}
	})
}

func seatsOf(players []rating.Player) (all []int) {
	for i := range players {
		all = append(all, i)
	}
	return all
}

// Among equals nothing is made or lost, better places never gain less, equal
// places gain the same, and those who share a win gain by it.
func TestAmongEquals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRating(t)
		players := make([]rating.Player, rapid.IntRange(2, 6).Draw(t, "players"))
		level := true
		for i, place := range anyPlaces(t, len(players)) {
			players[i] = rating.Player{Rating: r, Rank: place}
			level = level && place == 1
		}
		after := rating.RateMatch(players)
		var sum float64
		for i, a := range after {
			sum += a.Mean - r.Mean
			if players[i].Rank == 1 && !level && a.Mean <= r.Mean {
				t.Fatalf("a winner of %+v gains %v", players, a.Mean-r.Mean)
			}
			for j, b := range after {
				if players[i].Rank == players[j].Rank && !same(a.Mean, b.Mean) || players[i].Rank < players[j].Rank && a.Mean <= b.Mean {
					t.Fatalf("places %d and %d come to %v and %v", players[i].Rank, players[j].Rank, a.Mean, b.Mean)
				}
			}
		}
		// Volatilities can differ in their last digits, and with them the gains.
		if math.Abs(sum) > 0.5 {
			t.Fatalf("%v comes out of nowhere", sum)
		}
	})
}

// Where all are known equally well, what some gain others lose: the changes,
// each by how much it takes to move that player, add up to nothing.
func TestNothingIsMadeAmongTheEquallyKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyTable(t)
		for i := range players {
			players[i].Rating.Deviation, players[i].Idle = 200, 0
		}
		var sum, size float64
		for i, a := range rating.RateMatch(players) {
			change := (a.Mean - players[i].Rating.Mean) / (a.Deviation * a.Deviation)
			sum, size = sum+change, size+math.Abs(change)
		}
		if math.Abs(sum) > 1e-9*(1+size) {
			t.Fatalf("they add up to %v of %v", sum, size)
		}
	})
}

// A better place never makes a worse rating.
func TestABetterPlaceIsBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyTable(t)
		i := rapid.IntRange(0, len(players)-1).Draw(t, "who")
		was := rating.RateMatch(players)[i]
		better := slices.Clone(players)
		better[i].Rank = rapid.IntRange(0, players[i].Rank).Draw(t, "place")
		if is := rating.RateMatch(better)[i]; is.Mean < was.Mean-1e-9 {
			t.Fatalf("place %d gives %v, place %d %v", players[i].Rank, was.Mean, better[i].Rank, is.Mean)
		}
	})
}

// A table of many says about as much of a player as one match does, not as
// several would.
func TestATableIsOneMatch(t *testing.T) {
	table := make([]rating.Player, 6)
	for i := range table {
		table[i] = rating.Player{Rating: rating.New(), Rank: i + 1}
	}
	two := rating.RateMatch(table[:2])
	six := rating.RateMatch(table)
	if math.Abs(six[0].Deviation-two[0].Deviation) > 1 || math.Abs(six[0].Mean-two[0].Mean) > 1 {
		t.Errorf("the winner of six comes to %+v, of two to %+v", six[0], two[0])
	}
	if six[2].Mean <= rating.NewMean || six[2].Mean >= six[1].Mean {
		t.Errorf("the third of six comes to %+v", six[2])
	}
}

// Strength shows: of players who win as often as the formula expects of their
// strengths, the ratings come to stand in the order of these.
func TestStrengthShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rapid.Uint64().Draw(t, "seed")
		next := func() float64 { // xorshift, in [0, 1)
			random |= 1
			random ^= random << 13
			random ^= random >> 7
			random ^= random << 17
			return float64(random>>11) / (1 << 53)
		}
		strengths := []float64{1200, 1500, 1800}
		ratings := []rating.Rating{rating.New(), rating.New(), rating.New()}
		for range 400 {
			// A table of three in which luck spreads everybody alike.
			form := make([]float64, 3)
			for i, s := range strengths {
				u := next()
				form[i] = s - 173.7178*math.Log(1/max(u, 1e-9)-1)
			}
			players := make([]rating.Player, 3)
			for i := range players {
				place := 1
				for _, f := range form {
					if f > form[i] {
						place++
					}
				}
				players[i] = rating.Player{Rating: ratings[i], Rank: place, Idle: 24 * time.Hour}
			}
			ratings = rating.RateMatch(players)
		}
		if !(ratings[0].Mean < ratings[1].Mean && ratings[1].Mean < ratings[2].Mean) || ratings[2].IsProvisional() {
			t.Fatalf("after 400 matches: %+v", ratings)
		}
	})
}
