package rating_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine/rating"
)

// person is somebody in a simulated guild.
type person struct {
	rating.Rating
	strength float64
	fresh    bool // a new account
	matches  int
	settled  int // matches until the rating was established
}

// plain rates a match of two by the paper alone, for comparison.
func plain(players []rating.Player) []rating.Rating {
	a, b := players[0], players[1]
	score := map[bool]float64{true: 1}[a.Rank < b.Rank]
	return []rating.Rating{
		rating.Update(a.Rating, 0, rating.Result{Opponent: b.Rating, Score: score, Weight: rating.Weight(players, 0)}),
		rating.Update(b.Rating, 0, rating.Result{Opponent: a.Rating, Score: 1 - score, Weight: rating.Weight(players, 1)}),
	}
}

// play rates a match that a won after they had met as often within a week.
func play(rate func([]rating.Player) []rating.Rating, a, b *person, met int) {
	after := rate([]rating.Player{
		{Rating: a.Rating, Rank: 1, New: a.fresh, Met: []int{0, met}}, {Rating: b.Rating, Rank: 2, New: b.fresh, Met: []int{met}},
	})
	for i, p := range []*person{a, b} {
		p.Rating = after[i]
		if p.matches++; p.settled == 0 && !p.IsProvisional() {
			p.settled = p.matches
		}
	}
}

// guild returns people with strengths as on the scale of ratings, who have played
// enough to be settled if it is asked for.
func guild(rate func([]rating.Player) []rating.Rating, r *rand.Rand, people, matches int, fresh bool) (all []*person) {
	for range people {
		all = append(all, &person{Rating: rating.New(), strength: 1500 + 250*r.NormFloat64(), fresh: fresh})
	}
	season(rate, r, all, all, matches)
	return all
}

// season has each of some people play so many matches against others.
func season(rate func([]rating.Player) []rating.Rating, r *rand.Rand, some, others []*person, matches int) {
	for range matches {
		for _, a := range some {
			b := others[r.IntN(len(others))]
			if a == b {
				continue
			}
			if r.Float64() > 1/(1+math.Pow(10, (b.strength-a.strength)/400)) {
				a, b = b, a
			}
			play(rate, a, b, 0)
		}
	}
}

// rank returns the place among the established, or "–".
func rank(all []*person, who *person) string {
	if who.IsProvisional() {
		return "–"
	}
	n := 1
	for _, p := range all {
		if p != who && !p.IsProvisional() && p.Mean > who.Mean {
			n++
		}
	}
	return fmt.Sprint(n)
}

// farmed returns a person of mean strength in a guild of forty, with a settled rating
// or none, after accounts have lost so many matches to them; the accounts have played
// each other before if they are seasoned.
func farmed(rate func([]rating.Player) []rating.Rating, accounts, each int, fresh, settled, seasoned bool) (who *person, place string) {
	r := rand.New(rand.NewPCG(1, 2))
	all := guild(rate, r, 40, 40, false)
	who = &person{Rating: rating.New(), strength: 1500}
	if settled {
		season(rate, r, []*person{who}, all, 30)
	}
	farm := make([]*person, accounts)
	for i := range farm {
		farm[i] = &person{Rating: rating.New(), strength: 1500, fresh: fresh}
	}
	if seasoned {
		season(rate, r, farm, farm, 20)
	}
	for met := range each {
		for _, f := range farm {
			play(rate, who, f, met)
		}
	}
	return who, rank(append(slices.Clone(all), farm...), who)
}

// Twenty-eight new accounts that lose to one person make them the first of a guild by
// the paper's method, and do not by this one. docs/play/ratings.md has the figures.
func TestFarm(t *testing.T) {
	for _, c := range []struct {
		name                     string
		each                     int
		fresh, settled, seasoned bool
	}{
		{"28 new accounts lose once", 1, true, false, false},
		{"28 new accounts lose four times", 4, true, false, false},
		{"28 new accounts lose four times to a settled player", 4, true, true, false},
		{"28 new accounts that have played each other lose four times", 4, true, false, true},
		{"28 older accounts lose once", 1, false, false, false},
		{"28 older accounts lose four times", 4, false, false, false},
		{"28 older accounts lose four times to a settled player", 4, false, true, false},
		{"28 older accounts that have played each other lose four times", 4, false, false, true},
	} {
		before, first := farmed(plain, 28, c.each, c.fresh, c.settled, c.seasoned)
		after, now := farmed(rating.RateMatch, 28, c.each, c.fresh, c.settled, c.seasoned)
		t.Logf("%-62s %4.0f ± %3.0f rank %-3s → %4.0f ± %3.0f rank %s", c.name, before.Mean, before.Deviation, first, after.Mean, after.Deviation, now)
		if c.fresh && (now == "1" || after.Mean >= before.Mean) {
			t.Errorf("%s: rank %s with %.0f, by the paper %.0f", c.name, now, after.Mean, before.Mean)
		}
	}
}

// Honest newcomers come to their strength nearly as fast as by the paper's method.
// docs/play/ratings.md has the figures.
func TestNewcomers(t *testing.T) {
	for _, c := range []struct {
		name         string
		others       int // established people
		fresh        bool
		most, slower float64 // error and matches to settle, at most so much of the paper's
	}{
		{"20 newcomers among 40 established", 40, false, 1.05, 1.1},
		{"20 newcomers with new accounts among 40 established", 40, true, 1.15, 1.5},
		{"a guild of 60 newcomers", 0, false, 1.05, 1.25},
		{"a guild of 60 newcomers with new accounts", 0, true, 2, 4},
	} {
		type figures struct{ wrong10, wrong30, settled float64 }
		run := func(rate func([]rating.Player) []rating.Rating) (f figures) {
			const seasons = 20
			for s := range seasons {
				r := rand.New(rand.NewPCG(uint64(s), 7))
				all := guild(rate, r, c.others, 40, false)
				count := 60 - c.others
				newcomers := guild(rate, r, count, 0, c.fresh)
				all = append(all, newcomers...)
				wrong := func() (sum float64) {
					for _, p := range newcomers {
						sum += (p.Mean - p.strength) * (p.Mean - p.strength)
					}
					return math.Sqrt(sum/float64(count)) / seasons
				}
				season(rate, r, newcomers, all, 5) // each is also drawn by others
				season(rate, r, newcomers, all, 5)
				f.wrong10 += wrong()
				season(rate, r, newcomers, all, 20)
				f.wrong30 += wrong()
				for _, p := range newcomers {
					f.settled += float64(cmp.Or(p.settled, p.matches)) / float64(count*seasons)
				}
			}
			return f
		}
		was, is := run(plain), run(rating.RateMatch)
		t.Logf("%-52s error after 10 %3.0f → %3.0f, after 30 %3.0f → %3.0f, settled after %4.1f → %4.1f matches",
			c.name, was.wrong10, is.wrong10, was.wrong30, is.wrong30, was.settled, is.settled)
		if is.wrong10 > was.wrong10*c.most || is.wrong30 > was.wrong30*c.most || is.settled > was.settled*c.slower {
			t.Errorf("%s: %+v, by the paper %+v", c.name, is, was)
		}
	}
}
