package pairing

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The tables of FIDE Handbook C.05, annex 1, for 3 or 4 to 15 or 16 players.
func TestBergerTables(t *testing.T) {
	for even, rounds := range map[int]string{
		4: "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
		6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
		8: "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | 3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1",
		10: "1-10 2-9 3-8 4-7 5-6 | 10-6 7-5 8-4 9-3 1-2 | 2-10 3-1 4-9 5-8 6-7 | 10-7 8-6 9-5 1-4 2-3 | 3-10 4-2 5-1 6-9 7-8 | " +
			"10-8 9-7 1-6 2-5 3-4 | 4-10 5-3 6-2 7-1 8-9 | 10-9 1-8 2-7 3-6 4-5 | 5-10 6-4 7-3 8-2 9-1",
		12: "1-12 2-11 3-10 4-9 5-8 6-7 | 12-7 8-6 9-5 10-4 11-3 1-2 | 2-12 3-1 4-11 5-10 6-9 7-8 | 12-8 9-7 10-6 11-5 1-4 2-3 | " +
			"3-12 4-2 5-1 6-11 7-10 8-9 | 12-9 10-8 11-7 1-6 2-5 3-4 | 4-12 5-3 6-2 7-1 8-11 9-10 | 12-10 11-9 1-8 2-7 3-6 4-5 | " +
			"5-12 6-4 7-3 8-2 9-1 10-11 | 12-11 1-10 2-9 3-8 4-7 5-6 | 6-12 7-5 8-4 9-3 10-2 11-1",
		14: "1-14 2-13 3-12 4-11 5-10 6-9 7-8 | 14-8 9-7 10-6 11-5 12-4 13-3 1-2 | 2-14 3-1 4-13 5-12 6-11 7-10 8-9 | " +
			"14-9 10-8 11-7 12-6 13-5 1-4 2-3 | 3-14 4-2 5-1 6-13 7-12 8-11 9-10 | 14-10 11-9 12-8 13-7 1-6 2-5 3-4 | " +
			"4-14 5-3 6-2 7-1 8-13 9-12 10-11 | 14-11 12-10 13-9 1-8 2-7 3-6 4-5 | 5-14 6-4 7-3 8-2 9-1 10-13 11-12 | " +
			"14-12 13-11 1-10 2-9 3-8 4-7 5-6 | 6-14 7-5 8-4 9-3 10-2 11-1 12-13 | 14-13 1-12 2-11 3-10 4-9 5-8 6-7 | " +
			"7-14 8-6 9-5 10-4 11-3 12-2 13-1",
		16: "1-16 2-15 3-14 4-13 5-12 6-11 7-10 8-9 | 16-9 10-8 11-7 12-6 13-5 14-4 15-3 1-2 | 2-16 3-1 4-15 5-14 6-13 7-12 8-11 9-10 | " +
			"16-10 11-9 12-8 13-7 14-6 15-5 1-4 2-3 | 3-16 4-2 5-1 6-15 7-14 8-13 9-12 10-11 | 16-11 12-10 13-9 14-8 15-7 1-6 2-5 3-4 | " +
			"4-16 5-3 6-2 7-1 8-15 9-14 10-13 11-12 | 16-12 13-11 14-10 15-9 1-8 2-7 3-6 4-5 | 5-16 6-4 7-3 8-2 9-1 10-15 11-14 12-13 | " +
			"16-13 14-12 15-11 1-10 2-9 3-8 4-7 5-6 | 6-16 7-5 8-4 9-3 10-2 11-1 12-15 13-14 | 16-14 15-13 1-12 2-11 3-10 4-9 5-8 6-7 | " +
			"7-16 8-6 9-5 10-4 11-3 12-2 13-1 14-15 | 16-15 1-14 2-13 3-12 4-11 5-10 6-9 7-8 | 8-16 9-7 10-6 11-5 12-4 13-3 14-2 15-1",
	} {
		for _, n := range []int{even - 1, even} {
			var want [][]Game
			for _, round := range strings.Split(rounds, " | ") {
				var games []Game
				for _, pair := range strings.Fields(round) {
					var g Game
					if _, err := fmt.Sscanf(pair, "%d-%d", &g.First, &g.Second); err != nil {
						t.Fatal(err)
					}
					g = Game{g.First - 1, g.Second - 1}
					if g.First == n || g.Second == n { // the highest number is a bye
						g = Game{min(g.First, g.Second), Nobody}
					}
					games = append(games, g)
				}
				want = append(want, games)
			}
			if got := Berger(n, false); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%d players: %v, want %v", n, got, want)
			}
			want[even-3], want[even-2] = want[even-2], want[even-3]
			if got := Berger(n, true); !slices.EqualFunc(got[:even-1], want, slices.Equal) {
				t.Errorf("%d players, double: the first half is %v, want %v", n, got[:even-1], want)
			}
		}
	}
}

func TestBergerProperties(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for _, double := range []bool{false, true} {
			met, firsts, byes, row := map[Game]int{}, make([]int, n), make([]int, n), make([]int, n)
			for _, round := range Berger(n, double) {
				seen := map[int]bool{}
				for _, g := range round {
					if seen[g.First] || seen[g.Second] {
						t.Fatalf("%d players: somebody plays twice in a round", n)
					}
					seen[g.First] = true
					if g.Second == Nobody {
						byes[g.First]++
						continue
					}
					seen[g.Second] = true
					met[g]++
					firsts[g.First]++
					firsts[g.Second]--
					row[g.First], row[g.Second] = max(row[g.First], 0)+1, min(row[g.Second], 0)-1
					if max(row[g.First], -row[g.Second]) > 2 && double {
						t.Errorf("%d players, double: three times in a row", n)
					}
				}
				if len(seen) != n {
					t.Errorf("%d players: %d in a round", n, len(seen))
				}
			}
			for a := range n {
				for b := range a {
					one, other := met[Game{a, b}], met[Game{b, a}]
					if double && (one != 1 || other != 1) || !double && one+other != 1 {
						t.Errorf("%d players, double %t: %d and %d meet %d and %d times", n, double, a, b, one, other)
					}
				}
				if most := 1; firsts[a] > most || firsts[a] < -most {
					t.Errorf("%d players, double %t: %d moves first %d times more", n, double, a, firsts[a])
				}
				if want := n % 2 * (1 + map[bool]int{true: 1}[double]); byes[a] != want {
					t.Errorf("%d players: %d has %d byes, want %d", n, a, byes[a], want)
				}
			}
		}
	}
}

func TestBracket(t *testing.T) {
	if got := fmt.Sprint(Bracket(8)); got != "[0 7 3 4 1 6 2 5]" {
		t.Errorf("8 players: %s", got)
	}
	for n := 2; n <= 64; n++ {
		order := Bracket(n)
		for i := 0; i < len(order); i += 2 {
			if a, b := order[i], order[i+1]; a == Nobody && b == Nobody {
				t.Errorf("%d players: nobody meets nobody", n)
			}
		}
		// The better seed always wins: then the seeds meet in their order.
		for len(order) > 1 {
			var next []int
			for i := 0; i < len(order); i += 2 {
				a, b := order[i], order[i+1]
				if a != Nobody && b != Nobody && a+b != len(order)-1 {
					t.Errorf("%d players: seeds %d and %d meet among %d", n, a, b, len(order))
				}
				if a == Nobody || b != Nobody && b < a {
					a = b
				}
				next = append(next, a)
			}
			order = next
		}
	}
}

// best returns the greatest weight of a matching, by trying all.
func best(w [][]int64, used []bool) int64 {
	v := slices.Index(used, false)
	if v < 0 {
		return 0
	}
	used[v] = true
	most := best(w, used)
	for u := v + 1; u < len(w); u++ {
		if !used[u] && w[v][u] > 0 {
			used[u] = true
			most = max(most, w[v][u]+best(w, used))
			used[u] = false
		}
	}
	used[v] = false
	return most
}

func TestMatchingIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "vertices")
		most := rapid.SampledFrom([]int64{1, 3, 20, allowed}).Draw(t, "greatest weight")
		w := make([][]int64, n)
		for v := range w {
			w[v] = make([]int64, n)
		}
		for v := range n {
			for u := range v {
				if rapid.IntRange(0, 3).Draw(t, "edge") > 0 {
					w[u][v] = rapid.Int64Range(1, most).Draw(t, "weight")
					w[v][u] = w[u][v]
				}
			}
		}
		got := int64(0)
		mates := maxWeightMatching(w)
		for v, u := range mates {
			if u >= 0 {
				if mates[u] != v || w[v][u] == 0 {
					t.Fatalf("%d is matched with %d", v, u)
				}
				if u < v {
					got += w[v][u]
				}
			}
		}
		if want := best(w, make([]bool, n)); got != want {
			t.Fatalf("a matching of weight %d, the best has %d", got, want)
		}
	})
}

// play plays a round: the stronger usually wins.
func play(players []Player, games []Game, r *rand.Rand) {
	for _, g := range games {
		p := &players[g.First]
		if g.Second == Nobody {
			p.Score, p.Bye = p.Score+2, true
			continue
		}
		q := &players[g.Second]
		switch d := r.Float64()*400 - 200 + p.Rating - q.Rating; {
		case d > 30:
			p.Score += 2
		case d < -30:
			q.Score += 2
		default:
			p.Score, q.Score = p.Score+1, q.Score+1
		}
		p.Met, q.Met = append(p.Met, g.Second), append(q.Met, g.First)
		p.Firsts, q.Firsts = append(p.Firsts, true), append(q.Firsts, false)
	}
}

func field(n int, r *rand.Rand) []Player {
	players := make([]Player, n)
	for i := range players {
		players[i].Rating = float64(1000 + r.IntN(1000))
	}
	return players
}

// Over whole events, everybody who is present is paired with somebody new, the bye goes to
// the lowest player who has had none, and nobody moves first, or second, a third time in a
// row or three times more often than the other way. With few players, the last three may
// contradict each other: TestSwissIsBest has those.
func TestSwissProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(2, 24), rapid.IntRange(2, 300)).Draw(t, "players")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		players := field(n, r)
		log := bits.Len(uint(n - 1))
		absences := rapid.Bool().Draw(t, "absences")
		for round := range log + 1 {
			present := 0
			for i := range players {
				players[i].Absent = absences && r.IntN(8) == 0
				if !players[i].Absent {
					present++
				}
			}
			games, err := Swiss(players)
			if err != nil && round < present/2 { // there is one for certain, by Dirac's theorem
				t.Fatalf("round %d of %d players, %d present: %v", round+1, n, present, err)
			}
			if err != nil {
				return
			}
			check(t, players, games, n > 4*log)
			play(players, games, r)
		}
	})
}

// check checks what must hold for every pairing, and if there is enough choice, what is
// relaxed without.
func check(t *rapid.T, players []Player, games []Game, choice bool) {
	seen := map[int]bool{}
	for i, g := range games {
		for _, p := range []int{g.First, g.Second} {
			if p != Nobody && (seen[p] || players[p].Absent) {
				t.Fatalf("%d is paired twice, or though absent", p)
			}
			seen[p] = true
		}
		if g.Second == Nobody {
			if i != len(games)-1 {
				t.Fatal("a bye is not the last game")
			}
			continue
		}
		if slices.Contains(players[g.First].Met, g.Second) {
			t.Fatalf("%d and %d meet again", g.First, g.Second)
		}
		if choice && tooFar(players[g.First], true)+tooFar(players[g.Second], false) > 0 {
			t.Fatalf("%+v moves first against %+v", players[g.First], players[g.Second])
		}
		if i > 0 && sum(players, games[i-1]) < sum(players, g) {
			t.Fatalf("table %d has a higher sum of scores than the one before", i+1)
		}
	}
	for i, p := range players {
		if !p.Absent && !seen[i] {
			t.Fatalf("%d is not paired", i)
		}
	}
	if len(games) == 0 {
		return
	}
	if last := games[len(games)-1]; last.Second == Nobody && choice {
		for i, p := range players {
			q := players[last.First]
			if q.Bye || !p.Absent && !p.Bye && (p.Score < q.Score || p.Score == q.Score && p.Rating < q.Rating) {
				t.Fatalf("%d has the bye with %+v, %d is %+v", last.First, q, i, p)
			}
		}
	}
}

func sum(players []Player, g Game) int { return players[g.First].Score + players[g.Second].Score }

// tooFar returns 1 if one more game as the first, or second, is a third one in a row, or
// takes the player to three more of these than of the others.
func tooFar(p Player, first bool) int {
	same, row := 0, true
	after := append(slices.Clone(p.Firsts), first)
	for i, f := range after {
		if f == first {
			same++
		}
		row = row && (i < len(after)-3 || f == first)
	}
	if len(after) >= 3 && row || 2*same-len(after) > 2 {
		return 1
	}
	return 0
}

// costs returns what Swiss keeps small, the most important first.
func costs(players []Player, games []Game) []int {
	var present []int
	for i, p := range players {
		if !p.Absent {
			present = append(present, i)
		}
	}
	slices.SortStableFunc(present, func(a, b int) int {
		return cmp.Or(players[b].Score-players[a].Score, cmp.Compare(players[b].Rating, players[a].Rating))
	})
	var again, third, bye, squares, clashes, fold int
	for _, g := range games {
		if g.Second == Nobody {
			bye = len(present) - slices.Index(present, g.First)
			if players[g.First].Bye {
				again++
			}
			continue
		}
		p, q := players[g.First], players[g.Second]
		third += tooFar(p, true) + tooFar(q, false)
		squares += (p.Score - q.Score) * (p.Score - q.Score)
		if balance(p) > 0 && balance(q) > 0 || balance(p) < 0 && balance(q) < 0 {
			clashes++
		}
		upper, lower := slices.Index(present, g.First), slices.Index(present, g.Second)
		if upper > lower {
			upper, lower = lower, upper
		}
		group := func(score int) (from, to int) {
			same := func(i int) bool { return players[i].Score == score }
			from = slices.IndexFunc(present, same)
			for to = from; to < len(present) && same(present[to]); to++ {
			}
			return from, to
		}
		from, end := group(players[present[upper]].Score)
		if p.Score == q.Score {
			fold += max(lower-upper-(end-from)/2, (end-from)/2-(lower-upper))
		} else {
			start, _ := group(players[present[lower]].Score)
			fold += end - 1 - upper + lower - start
		}
	}
	return []int{again, third, bye, squares, clashes, fold}
}

// pairings calls do for every way to pair the players that nobody forbids, with both
// orders of each pair.
func pairings(players []Player, games []Game, do func([]Game)) {
	var left []int
	for i, p := range players {
		if !p.Absent && !slices.ContainsFunc(games, func(g Game) bool { return g.First == i || g.Second == i }) {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		do(games)
		return
	}
	a := left[0]
	for _, b := range left[1:] {
		p, q := players[a], players[b]
		if !slices.Contains(p.Met, b) && !slices.Contains(p.Avoid, b) && !slices.Contains(q.Avoid, a) {
			pairings(players, append(slices.Clone(games), Game{a, b}), do)
			pairings(players, append(slices.Clone(games), Game{b, a}), do)
		}
	}
	if bye := func(g Game) bool { return g.Second == Nobody }; len(left)%2 == 1 && !slices.ContainsFunc(games, bye) {
		pairings(players, append(slices.Clone(games), Game{a, Nobody}), do)
	}
}

// Of up to seven players with any past, no pairing is better than that of Swiss, and there
// is none if it finds none.
func TestSwissIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "players")
		players := make([]Player, n)
		often := rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "how often two have met, of ten")
		for i := range players {
			players[i] = Player{
				Score:  rapid.IntRange(0, 5).Draw(t, "score"),
				Rating: float64(1000 + 10*rapid.IntRange(0, 3).Draw(t, "rating") + i),
				Firsts: rapid.SliceOfN(rapid.Bool(), 0, 5).Draw(t, "firsts"),
				Bye:    rapid.IntRange(0, 2).Draw(t, "bye") == 0,
				Absent: rapid.IntRange(0, 9).Draw(t, "absent") == 0,
			}
			for j := range i {
				switch k := rapid.IntRange(0, 9).Draw(t, "met"); {
				case k < often:
					players[i].Met, players[j].Met = append(players[i].Met, j), append(players[j].Met, i)
				case k == 9:
					players[i].Avoid = append(players[i].Avoid, j)
				}
			}
		}
		var best []int
		pairings(players, nil, func(games []Game) {
			if c := costs(players, games); best == nil || slices.Compare(c, best) < 0 {
				best = c
			}
		})
		games, err := Swiss(players)
		if (best == nil) != errors.Is(err, ErrNoPairing) {
			t.Fatalf("the best costs are %v, Swiss returns %v", best, err)
		}
		if err == nil {
			check(t, players, games, false)
			if got := costs(players, games); !slices.Equal(got, best) {
				t.Fatalf("%v costs %v, the best %v", games, got, best)
			}
		}
	})
}

func TestSwissFirstRound(t *testing.T) {
	players := make([]Player, 8)
	for i := range players {
		players[i].Rating = float64(2000 - 100*i)
	}
	games, err := Swiss(players)
	if got, want := fmt.Sprint(games, err), "[{0 4} {5 1} {2 6} {7 3}] <nil>"; got != want {
		t.Errorf("the first round is %s, want %s", got, want)
	}
}

func TestSwissAvoids(t *testing.T) {
	players := make([]Player, 4)
	players[0].Avoid = []int{1, 2}
	games, err := Swiss(players)
	if err != nil || len(games) != 2 {
		t.Fatalf("%v, %v", games, err)
	}
	for _, g := range games {
		if g.First+g.Second != 3 {
			t.Errorf("the pairs are %v", games)
		}
	}
	players[0].Avoid = append(players[0].Avoid, 3)
	if games, err := Swiss(players); !errors.Is(err, ErrNoPairing) {
		t.Errorf("somebody avoids everybody: %v, %v", games, err)
	}
}

// neighbours pairs neighbours of the table who have not met, without going back: what
// BenchmarkSwiss compares with. It may leave players without an opponent.
func neighbours(players []Player) (pairs int) {
	order, taken := make([]int, len(players)), make([]bool, len(players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return players[b].Score - players[a].Score })
	for i, a := range order {
		for _, b := range order[i+1:] {
			if !taken[a] && !taken[b] && !slices.Contains(players[a].Met, b) {
				taken[a], taken[b] = true, true
				pairs++
			}
		}
	}
	return pairs
}

// BenchmarkSwiss pairs the last round of 300 players, and reports how much longer that
// takes than to pair neighbours of the table.
func BenchmarkSwiss(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	players := field(300, r)
	for range 9 {
		games, err := Swiss(players)
		if err != nil {
			b.Fatal(err)
		}
		play(players, games, r)
	}
	for b.Loop() {
		if _, err := Swiss(players); err != nil {
			b.Fatal(err)
		}
	}
	each := b.Elapsed() / time.Duration(b.N)
	const times = 1000
	start := time.Now()
	for range times {
		neighbours(players)
	}
	b.ReportMetric(float64(each.Microseconds())/1000, "ms/round")
	b.ReportMetric(float64(each)/(float64(time.Since(start))/times), "x-neighbours")
}
