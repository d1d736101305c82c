package pairing

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The tables of FIDE Handbook C.05, annex 1, for 4, 6, 8 and 10 players.
func TestBergerTables(t *testing.T) {
	for n, want := range map[int]string{
		4:  "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
		6:  "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
		8:  "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | 3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1",
		10: "1-10 2-9 3-8 4-7 5-6 | 10-6 7-5 8-4 9-3 1-2 | 2-10 3-1 4-9 5-8 6-7 | 10-7 8-6 9-5 1-4 2-3 | 3-10 4-2 5-1 6-9 7-8 | 10-8 9-7 1-6 2-5 3-4 | 4-10 5-3 6-2 7-1 8-9 | 10-9 1-8 2-7 3-6 4-5 | 5-10 6-4 7-3 8-2 9-1",
	} {
		got := ""
		for i, round := range Berger(n, false) {
			if i > 0 {
				got += " |"
			}
			for j, g := range round {
				if i+j > 0 {
					got += " "
				}
				got += fmt.Sprintf("%d-%d", g.First+1, g.Second+1)
			}
		}
		if got != want {
			t.Errorf("%d players:\n%s, want\n%s", n, got, want)
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
		n := rapid.IntRange(1, 9).Draw(t, "vertices")
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
		for v, u := range maxWeightMatching(w) {
			if u >= 0 {
				if maxWeightMatching(w)[u] != v || w[v][u] == 0 {
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

func TestSwissProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(4, 24), rapid.IntRange(4, 300)).Draw(t, "players")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		players := field(n, r)
		rounds := min(bits.Len(uint(n-1))+1, (n+1)/2)
		absences := rapid.Bool().Draw(t, "absences")
		for round := range rounds {
			for i := range players {
				players[i].Absent = absences && n > 12 && r.IntN(8) == 0
			}
			games, err := Swiss(players)
			if err != nil {
				t.Fatalf("round %d of %d players: %v", round+1, n, err)
			}
			check(t, players, games)
			play(players, games, r)
			for i, p := range players {
				firsts := balance(p)
				if k := len(p.Firsts); n > 12 && !absences && (firsts > 2 || firsts < -2 || k >= 3 && p.Firsts[k-1] == p.Firsts[k-2] && p.Firsts[k-1] == p.Firsts[k-3]) {
					t.Fatalf("round %d of %d players: %d has moved first %v", round+1, n, i, p.Firsts)
				}
			}
		}
	})
}

// check checks what must hold for every pairing.
func check(t *rapid.T, players []Player, games []Game) {
	seen := map[int]bool{}
	for _, g := range games {
		for _, p := range []int{g.First, g.Second} {
			if p != Nobody && (seen[p] || players[p].Absent) {
				t.Fatalf("%d is paired twice, or though absent", p)
			}
			seen[p] = true
		}
		if g.Second != Nobody && slices.Contains(players[g.First].Met, g.Second) {
			t.Fatalf("%d and %d meet again", g.First, g.Second)
		}
	}
	for i, p := range players {
		if !p.Absent && !seen[i] {
			t.Fatalf("%d is not paired", i)
		}
	}
	if last := games[len(games)-1]; last.Second == Nobody {
		for i, p := range players {
			if q := players[last.First]; !p.Absent && !p.Bye && (p.Score < q.Score || q.Bye) && len(players) > 12 {
				t.Fatalf("%d has the bye with %d, %d has had none with %d", last.First, q.Score, i, p.Score)
			}
		}
	}
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
	plain := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			neighbours(players)
		}
	})
	b.ReportMetric(float64(each.Milliseconds()), "ms/round")
	b.ReportMetric(float64(each)/float64(plain.NsPerOp()), "x-neighbours")
}
