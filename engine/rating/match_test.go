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

// anyPlayers returns two to six players with ranks as in engine.Result.
func anyPlayers(t *rapid.T) []rating.Player {
	players := make([]rating.Player, rapid.IntRange(2, 6).Draw(t, "players"))
	for i, rank := range anyRanks(t, len(players)) {
		players[i] = rating.Player{
			Rating: anyRating(t), Rank: rank,
			Idle: time.Duration(rapid.IntRange(0, 4000).Draw(t, "hours")) * time.Hour,
		}
	}
	return players
}

func anyRanks(t *rapid.T, n int) []int {
	strength, ranks := make([]int, n), make([]int, n)
	for i := range strength {
		strength[i] = rapid.IntRange(1, n).Draw(t, "strength")
	}
	for i := range ranks {
		ranks[i] = 1
		for _, s := range strength {
			if s > strength[i] {
				ranks[i]++
			}
		}
	}
	return ranks
}

func same(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)) }

func TestMatchOfTwoIsGlicko2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRating(t), anyRating(t)
		b.Deviation = a.Deviation // otherwise the less certain rating counts less
		for _, c := range []struct {
			ranks [2]int
			score float64
		}{{[2]int{1, 2}, 1}, {[2]int{1, 1}, 0.5}, {[2]int{2, 1}, 0}} {
			got := rating.RateMatch([]rating.Player{{Rating: a, Rank: c.ranks[0]}, {Rating: b, Rank: c.ranks[1]}})
			want := []rating.Rating{
				rating.Update(a, 0, rating.Result{Opponent: b, Score: c.score, Weight: 1}),
				rating.Update(b, 0, rating.Result{Opponent: a, Score: 1 - c.score, Weight: 1}),
			}
			if !slices.Equal(got, want) {
				t.Fatalf("ranks %v: %+v, want %+v", c.ranks, got, want)
			}
		}
	})
}

// All figures stay within their bounds, whatever the results.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyPlayers(t)
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

func TestSeatsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyPlayers(t)
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}[:len(players)]).Draw(t, "order")
		var moved []rating.Player
		for _, from := range order {
			moved = append(moved, players[from])
		}
		before, after := rating.RateMatch(players), rating.RateMatch(moved)
		for i, from := range order {
			if a, b := before[from], after[i]; !same(a.Mean, b.Mean) || !same(a.Deviation, b.Deviation) || !same(a.Volatility, b.Volatility) {
				t.Fatalf("in seat %d %+v, in seat %d %+v", from, a, i, b)
			}
		}
	})
}

// Among players of the same rating the gains add up to zero, a better rank gains
// more, the same rank gains the same, and winners gain even if they share the
// win.
func TestPlayersOfTheSameRating(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRating(t)
		players := make([]rating.Player, rapid.IntRange(2, 6).Draw(t, "players"))
		allTied := true
		for i, rank := range anyRanks(t, len(players)) {
			players[i] = rating.Player{Rating: r, Rank: rank}
			allTied = allTied && rank == 1
		}
		after := rating.RateMatch(players)
		var sum float64
		for i, a := range after {
			sum += a.Mean - r.Mean
			if players[i].Rank == 1 && !allTied && a.Mean <= r.Mean {
				t.Fatalf("a winner of %+v gains %v", players, a.Mean-r.Mean)
			}
			for j, b := range after {
				if players[i].Rank == players[j].Rank && !same(a.Mean, b.Mean) || players[i].Rank < players[j].Rank && a.Mean <= b.Mean {
					t.Fatalf("ranks %d and %d come to %v and %v", players[i].Rank, players[j].Rank, a.Mean, b.Mean)
				}
			}
		}
		// The gains differ in their last digits, as the volatilities do.
		if math.Abs(sum) > 0.5 {
			t.Fatalf("the gains add up to %v", sum)
		}
	})
}

func TestBetterRankNeverLowersRating(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := anyPlayers(t)
		i := rapid.IntRange(0, len(players)-1).Draw(t, "who")
		was := rating.RateMatch(players)[i]
		better := slices.Clone(players)
		better[i].Rank = rapid.IntRange(0, players[i].Rank).Draw(t, "rank")
		if is := rating.RateMatch(better)[i]; is.Mean < was.Mean-1e-9 {
			t.Fatalf("rank %d gives %v, rank %d %v", players[i].Rank, was.Mean, better[i].Rank, is.Mean)
		}
	})
}

// A match of six changes a rating about as much as a match of two, not as much
// as five matches.
func TestMatchOfSixCountsAsOne(t *testing.T) {
	players := make([]rating.Player, 6)
	for i := range players {
		players[i] = rating.Player{Rating: rating.New(), Rank: i + 1}
	}
	two := rating.RateMatch(players[:2])
	six := rating.RateMatch(players)
	if math.Abs(six[0].Deviation-two[0].Deviation) > 1 || math.Abs(six[0].Mean-two[0].Mean) > 1 {
		t.Errorf("the winner of six comes to %+v, of two to %+v", six[0], two[0])
	}
	if six[2].Mean <= rating.NewMean || six[2].Mean >= six[1].Mean {
		t.Errorf("the third of six comes to %+v", six[2])
	}
}

// Of the matches with the same player in a week the first three count in full and
// every further one half of the one before, so that no week counts more than four;
// with several players this holds for each two of them.
func TestMeetings(t *testing.T) {
	var week float64
	for met := range 2000 {
		players := []rating.Player{{Rating: rating.New(), Rank: 1, Met: []int{0, met}}, {Rating: rating.New(), Rank: 2, Met: []int{met}}}
		want := math.Pow(2, -max(float64(met)-2, 0))
		got := rating.Weight(players, 0)
		if got != want && met < 50 || !(got > 0) || rating.Weight(players, 1) != got {
			t.Fatalf("after %d it counts %v, want %v", met, got, want)
		}
		week += got
		after := rating.RateMatch(players)
		if by := rating.Update(players[0].Rating, 0, rating.Result{Opponent: players[1].Rating, Score: 1, Weight: got}); after[0] != by {
			t.Fatalf("after %d it comes to %+v, want %+v", met, after[0], by)
		}
	}
	if !same(week, 4) {
		t.Errorf("a week counts as %v matches", week)
	}
	// The first has met the second, neither has met the third.
	r := rating.New()
	three := []rating.Player{{Rating: r, Rank: 1, Met: []int{0, 4, 0}}, {Rating: r, Rank: 2, Met: []int{4, 0, 0}}, {Rating: r, Rank: 3}}
	for i, want := range []float64{0.625, 0.625, 1} {
		if got := rating.Weight(three, i); got != want {
			t.Errorf("it counts %v for player %d, want %v", got, i, want)
		}
	}
	want := rating.Update(r, 0, rating.Result{Opponent: r, Score: 1, Weight: 0.125}, rating.Result{Opponent: r, Score: 1, Weight: 0.5})
	if got := rating.RateMatch(three); got[0] != want {
		t.Errorf("the winner comes to %+v, want %+v", got[0], want)
	}
	if got := rating.Weight(three[:1], 0); got != 1 {
		t.Errorf("alone it counts %v", got)
	}
}
