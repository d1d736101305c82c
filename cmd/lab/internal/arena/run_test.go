package arena_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/cmd/lab/internal/arena"
	"castellan/cmd/lab/internal/protocol"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/trails"
)

func tournament(t testing.TB, g engine.Game, options string, seats int, names ...string) *arena.Tournament {
	t.Helper()
	o, err := g.Options().Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	out := &arena.Tournament{Game: g, Options: o, Seats: seats, Games: 8, Seed: 7, OpeningTurns: 2, Threads: 1}
	for _, n := range names {
		e, err := arena.ParseEntrant(search.Generic(g), n, 20)
		if err != nil {
			t.Fatal(err)
		}
		out.Entrants = append(out.Entrants, e)
	}
	return out
}

func ignore([]arena.Game) error { return nil }

// run plays a tournament. Time passes only while players sleep.
func run(t *testing.T, to *arena.Tournament, before []arena.Game) (games []arena.Game) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if games, err = to.Run(t.Context(), before, ignore); err != nil {
			t.Fatal(err)
		}
	})
	slices.SortFunc(games, func(a, b arena.Game) int {
		return (a.Contest-b.Contest)*1000000 + (a.Set-b.Set)*100 + a.Seating - b.Seating
	})
	return games
}

func summarize(t testing.TB, to *arena.Tournament, games []arena.Game) arena.Summary {
	t.Helper()
	f, err := to.Summarize(games)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const small = "size=5 towers=1"

// Every opening is played with the seats exchanged, and every game can be
// replayed from its record.
func TestSeatings(t *testing.T) {
	for _, c := range []struct {
		game      engine.Game
		options   string
		seats     int
		players   []string
		contests  int
		seatings  []string // of contest 0
		openTurns int
	}{
		{trails.Game{}, small, 2, []string{"top", "random"}, 1, []string{"top random", "random top"}, 2},
		{trails.Game{}, small, 2, []string{"top", "random", "greedy"}, 3, []string{"top random", "random top"}, 3},
		{sample.Game{}, "piles=2 counters=4", 4, []string{"top", "random"}, 1, []string{"top random top random", "random top random top"}, 2},
		{sample.Game{}, "piles=2 counters=4", 3, []string{"top", "random"}, 1, []string{
			"top random top", "random top top", "top top random", "random top random", "top random random", "random random top"}, 2},
		{sample.Game{}, "piles=2 counters=4", 4, []string{"top", "random", "random", "random"}, 1, []string{
			"top random random random", "random random random top", "random random top random", "random top random random"}, 2},
	} {
		to := tournament(t, c.game, c.options, c.seats, c.players...)
		to.OpeningTurns = c.openTurns
		games := run(t, to, nil)
		sets := (to.Games + len(c.seatings) - 1) / len(c.seatings)
		if want := sets * len(c.seatings) * c.contests; len(games) != want || to.TotalGames() != want {
			t.Fatalf("%v: %d games of %d, not %d", c.players, len(games), to.TotalGames(), want)
		}
		for i, g := range games[:sets*len(c.seatings)] {
			if g.Opening != games[i-g.Seating].Opening {
				t.Errorf("%v: set %d has two openings", c.players, g.Set)
			}
			if got := strings.Join(g.Players, " "); got != c.seatings[g.Seating] {
				t.Errorf("seating %d is %s, not %s", g.Seating, got, c.seatings[g.Seating])
			}
		}
		for _, g := range games {
			checkReplay(t, to, g)
		}
	}
}

// checkReplay replays a game and compares the result.
func checkReplay(t *testing.T, to *arena.Tournament, g arena.Game) {
	t.Helper()
	_, opened, err := protocol.ParseHistory(to.Game, fmt.Sprintf("start seats %d options %s turns %s", to.Seats, to.Options, g.Opening))
	if err != nil || opened.Turns() != to.OpeningTurns || opened.Seat() == engine.Nobody {
		t.Fatalf("opening %q: %v", g.Opening, err)
	}
	_, p, err := protocol.ParseHistory(to.Game, fmt.Sprintf("start seats %d options %s turns %s %s", to.Seats, to.Options, g.Opening, g.Actions))
	if err != nil {
		t.Fatal(err)
	}
	result, over := p.Result()
	shares := make([]float64, to.Seats)
	search.Payoffs(result, shares)
	if !over || g.Fault != nil || p.Turns() != g.Turns || !slices.Equal(shares, g.Payoffs) || g.Reason != result.Reason {
		t.Errorf("played again, %+v has the result %+v after %d turns", g, result, p.Turns())
	}
}

// The seed alone determines the games, whatever the number of threads.
func TestDeterministic(t *testing.T) {
	one := tournament(t, trails.Game{}, small, 2, "top", "newcomer", "random")
	many, other := *one, *one
	many.Threads, other.Seed = 4, 8
	a, b, c := run(t, one, nil), run(t, &many, nil), run(t, &other, nil)
	if !reflect.DeepEqual(a, b) {
		t.Error("four threads play other games than one")
	}
	if reflect.DeepEqual(a, c) {
		t.Error("another seed gives the same games")
	}
}

// When openings of a length run out, longer ones follow; none repeats as long
// as there are others.
func TestOpeningsDistinct(t *testing.T) {
	to := tournament(t, trails.Game{}, "size=11", 2, "random", "random")
	to.Games, to.OpeningTurns = 120, 2
	games := run(t, to, nil)
	seen := map[string]bool{}
	for _, g := range games {
		seen[g.Opening] = true
	}
	if f := summarize(t, to, games); f.DistinctOpenings != 60 || len(seen) < 60 {
		t.Errorf("%d openings, %d differ", len(seen), f.DistinctOpenings)
	}
	short := *to
	short.Games = 20
	if first := run(t, &short, nil); !reflect.DeepEqual(first, games[:20]) {
		t.Error("the first openings depend on how many there are")
	}
}

// immediateWinner wins with one action if possible.
type immediateWinner struct{}

func (immediateWinner) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	for _, a := range p.Legal() {
		q, err := p.Apply(a)
		if err != nil {
			return search.Decision{}, err
		}
		if r, over := q.Result(); over && slices.Equal(r.Winners, []engine.Seat{p.Seat()}) {
			return search.Decision{Actions: []engine.Action{a}}, nil
		}
	}
	return search.Random{}.Think(ctx, p, l)
}

// Positions with a win within a turn are not openings.
func TestOpeningsWithoutWins(t *testing.T) {
	short := func(player search.Player) (wins, all int) {
		to := tournament(t, sample.Game{}, "piles=2 counters=4", 2)
		to.Games, to.OpeningTurns, to.WinFinder = 40, 4, player
		to.Entrants = []arena.Entrant{{Name: "a", Player: immediateWinner{}}, {Name: "b", Player: immediateWinner{}}}
		for _, g := range run(t, to, nil) {
			if all++; g.Turns == 5 && g.Payoffs[0] == 1 {
				wins++
			}
		}
		return wins, all
	}
	if wins, all := short(nil); wins == 0 {
		t.Errorf("in %d games nobody wins right after the opening, whatever it is", all)
	}
	if wins, all := short(immediateWinner{}); wins > 0 {
		t.Errorf("in %d of %d games somebody wins right after the opening", wins, all)
	}
}

// hashJudge values a position by its hash, and counts how often it is asked.
type hashJudge struct{ asked int }

func (h *hashJudge) Think(_ context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
	h.asked++
	v := float64(p.Hash()%1000) / 1000
	return search.Decision{Values: []float64{v, 1 - v}}, nil
}

// With a judge, openings are nearly even by its values. A summary does not ask it again.
func TestBalancedOpenings(t *testing.T) {
	judge, other := &hashJudge{}, &hashJudge{}
	uneven := func(by search.Player) (sum float64) {
		to := tournament(t, trails.Game{}, "size=9 towers=4", 2, "random", "random")
		to.Games, to.OpeningTurns, to.Judge = 40, 14, by
		games := run(t, to, nil)
		if before := judge.asked; summarize(t, to, games).DistinctOpenings != 20 || judge.asked != before {
			t.Errorf("a summary asks the judge %d times", judge.asked-before)
		}
		for _, g := range games {
			_, p, err := protocol.ParseHistory(to.Game, fmt.Sprintf("start options %s turns %s", to.Options, g.Opening))
			if err != nil {
				t.Fatal(err)
			}
			d, _ := other.Think(t.Context(), p, search.Limits{})
			sum += math.Abs(d.Values[0]-0.5) / 40
		}
		return sum
	}
	if without, with := uneven(nil), uneven(judge); with > 0.05 || without < 0.15 {
		t.Errorf("the openings are %.2f from even, without a judge %.2f", with, without)
	}
}

// greedyOnly tells that it has chosen.
type greedyOnly struct{}

func (greedyOnly) Think(context.Context, engine.Position, search.Limits) (search.Decision, error) {
	return search.Decision{Depth: 1}, nil
}

// The child plays about half of its turns like the greedy player.
func TestChild(t *testing.T) {
	ai := search.Generic(trails.Game{})
	ai.Greedy = greedyOnly{}
	e, err := arena.ParseEntrant(ai, "child", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := protocol.ParseHistory(trails.Game{}, "start options size=9 towers=4")
	if err != nil {
		t.Fatal(err)
	}
	greedy := 0
	for chance := range uint64(200) {
		d, err := e.Player.Think(t.Context(), p, search.Limits{Seed: chance})
		if err != nil {
			t.Fatal(err)
		}
		greedy += d.Depth
	}
	if greedy < 70 || greedy > 130 {
		t.Errorf("%d of 200 turns are greedy", greedy)
	}
}

// A resumed run plays exactly the missing games and ends with the same summary.
func TestRunResumed(t *testing.T) {
	to := tournament(t, trails.Game{}, small, 2, "top", "random", "greedy")
	whole := run(t, to, nil)
	for _, n := range []int{1, 7, len(whole) - 1, len(whole)} {
		played := 0
		some := slices.Clone(whole[:n])
		var games []arena.Game
		synctest.Test(t, func(t *testing.T) {
			var err error
			if games, err = to.Run(t.Context(), append(some, some[0]), func([]arena.Game) error { played++; return nil }); err != nil {
				t.Fatal(err)
			}
		})
		if played != len(whole)-n || len(games) != len(whole) {
			t.Errorf("after %d of %d games %d are played, %d in all", n, len(whole), played, len(games))
		}
		if a, b := summarize(t, to, games), summarize(t, to, whole); !reflect.DeepEqual(a, b) {
			t.Errorf("after %d games: %+v, not %+v", n, a, b)
		}
	}
	// A run with more games begins with the same ones.
	more := *to
	more.Games = 12
	if games := run(t, &more, nil); !reflect.DeepEqual(games[:8], whole[:8]) {
		t.Error("more games begin with others")
	}
}

// The context, or an error of the callback, ends a run; its games are kept.
func TestRunStopped(t *testing.T) {
	to := tournament(t, trails.Game{}, small, 2, "random", "greedy")
	ctx, cancel := context.WithCancel(t.Context())
	games, err := to.Run(ctx, nil, func(games []arena.Game) error {
		if len(games) == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(games) != 3 {
		t.Errorf("%d games, %v", len(games), err)
	}
	full := errors.New("the disk is full")
	games, err = to.Run(t.Context(), nil, func([]arena.Game) error { return full })
	if !errors.Is(err, full) || len(games) != 1 {
		t.Errorf("%d games, %v", len(games), err)
	}
}

// The SPRT ends a contest at the same game for any number of threads.
func TestSPRTEndsContest(t *testing.T) {
	to := tournament(t, trails.Game{}, small, 2, "top", "random")
	to.Games, to.SPRT = 400, &arena.SPRT{Elo0: 0, Elo1: 200}
	a := run(t, to, nil)
	to.Threads = 4
	b := run(t, to, nil)
	if len(a) == 400 || !reflect.DeepEqual(a, b) {
		t.Errorf("%d games on one thread, %d on four", len(a), len(b))
	}
	f := summarize(t, to, a).Contests[0]
	if f.Test == nil || f.Test.Verdict != arena.Accepted || f.Test.LLR < f.Test.Upper || f.Games != len(a) {
		t.Errorf("%+v of %d games", f.Test, len(a))
	}
	// A decided contest stays decided.
	if c := run(t, to, b); len(c) != len(a) {
		t.Errorf("then %d games", len(c))
	}
}

// thinker is a function as a player.
type thinker func(ctx context.Context, p engine.Position) (search.Decision, error)

func (f thinker) Think(ctx context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
	return f(ctx, p)
}

// A player with an error loses the game, and the summary tells why.
func TestFaultsLose(t *testing.T) {
	for name, c := range map[string]struct {
		player thinker
		time   time.Duration
		why    string
	}{
		"an error": {func(context.Context, engine.Position) (search.Decision, error) {
			return search.Decision{}, errors.New("it has gone")
		}, 0, "it has gone"},
		"a panic": {func(context.Context, engine.Position) (search.Decision, error) { panic("lost") }, 0, "lost"},
		"nothing": {func(context.Context, engine.Position) (search.Decision, error) { return search.Decision{}, nil }, 0, "not a whole turn"},
		"half a turn": {func(_ context.Context, p engine.Position) (search.Decision, error) {
			return search.Decision{Actions: p.Legal()[:1]}, nil
		}, 0, "not a whole turn"},
		"not legal": {func(_ context.Context, p engine.Position) (search.Decision, error) {
			return search.Decision{Actions: []engine.Action{sample.Action{Pile: 3, N: 99}}}, nil
		}, 0, "d99"},
		"late": {func(_ context.Context, p engine.Position) (search.Decision, error) {
			time.Sleep(2 * time.Second)
			return search.Random{}.Think(t.Context(), p, search.Limits{})
		}, time.Second, "took 2.0 s instead of 1s"},
		"beyond its end": {func(_ context.Context, p engine.Position) (search.Decision, error) {
			t, err := search.Random{}.Think(context.Background(), p, search.Limits{})
			t.Actions = append(t.Actions, t.Actions[0])
			return t, err
		}, 0, "after its end"},
	} {
		t.Run(name, func(t *testing.T) {
			to := tournament(t, sample.Game{}, "piles=3 counters=15", 2, "random", "random")
			to.Entrants[0] = arena.Entrant{Name: "bad", Player: c.player, Time: c.time, TimeForfeit: true}
			games := run(t, to, nil)
			f := summarize(t, to, games)
			bad := f.Players[0]
			if bad.Player != "bad" || bad.Faults != len(games) || !strings.Contains(bad.Fault, c.why) || f.Players[1].Faults != 0 {
				t.Errorf("%+v", f.Players)
			}
			for _, g := range games {
				if g.Reason != arena.ReasonFault || g.Fault == nil || g.Players[g.Fault.Seat-1] != "bad" || g.Payoffs[g.Fault.Seat-1] != 0 {
					t.Errorf("%+v", g)
				}
			}
			if c := f.Contests[0]; c.Sides[1].Points != float64(len(games)) || c.Sides[0].Losses != len(games) {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	to := tournament(t, trails.Game{}, small, 2, "top", "random")
	to.Games = 40
	c := summarize(t, to, run(t, to, nil)).Contests[0]
	if c.Elo == nil || c.Elo.Low == nil || *c.Elo.Low <= 0 || c.Sides[0].Share < 0.7 {
		t.Errorf("%+v", c)
	}
	total := 0
	for _, n := range c.Pairs {
		total += n
	}
	if len(c.Pairs) != 5 || total != 20 || c.Sides[0].Points+c.Sides[1].Points != 40 {
		t.Errorf("%+v", c)
	}
	// In a line-up every side is compared with its fair share.
	to = tournament(t, sample.Game{}, "piles=2 counters=4", 4, "top", "random", "random", "random")
	f := summarize(t, to, run(t, to, nil))
	if s := f.Contests[0].Sides; len(s) != 2 || s[0].Fair != 0.25 || s[1].Fair != 0.75 || f.Contests[0].Elo != nil {
		t.Errorf("%+v", s)
	}
}

func TestErrors(t *testing.T) {
	for said, spoil := range map[string]func(*arena.Tournament){
		"two players": func(to *arena.Tournament) { to.Entrants = to.Entrants[:1] },
		"0 games":     func(to *arena.Tournament) { to.Games = 0 },
		"over before": func(to *arena.Tournament) { to.OpeningTurns = 500 },
	} {
		to := tournament(t, trails.Game{}, "size=9 towers=4", 2, "random", "random")
		spoil(to)
		if _, err := to.Run(t.Context(), nil, ignore); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", said, err)
		}
	}
	to := tournament(t, sample.Game{}, "", 3, "top", "random", "greedy")
	to.SPRT = &arena.SPRT{Elo1: 10}
	if _, err := to.Run(t.Context(), nil, ignore); err == nil || !strings.Contains(err.Error(), "two players") {
		t.Errorf("an SPRT of a line-up: %v", err)
	}
	for _, name := range []string{"", "wizard", "depth-", "depth-0", "depth-x", "mc-0", "master@", "master@0", "random@5", "greedy-1", "child-1"} {
		if _, err := arena.ParseEntrant(search.Generic(trails.Game{}), name, 0); err == nil {
			t.Errorf("there is a player %q", name)
		}
	}
}

func TestParseEntrant(t *testing.T) {
	b := search.Generic(trails.Game{})
	for _, c := range []struct {
		name  string
		most  int64
		nodes int64
	}{
		{"top", 0, b.Strongest().Limits.Nodes}, {"champion", 0, b.Strongest().Limits.Nodes}, {"master", 10, 10}, {"newcomer", 1000, b.Levels[0].Limits.Nodes},
		{"master@77", 10, 77}, {"top@99999", 0, 99999}, {"mc-500", 10, 500}, {"random", 10, 0}, {"depth-3", 10, 0}, {"greedy", 10, 0}, {"child", 10, 0},
	} {
		e, err := arena.ParseEntrant(b, c.name, c.most)
		if err != nil || e.Limits.Nodes != c.nodes || e.Name != c.name || e.Player == nil {
			t.Errorf("%s: %+v, %v", c.name, e, err)
		}
	}
	if n := arena.QuickNodes(b); n < 1 || n > b.Strongest().Limits.Nodes/10 {
		t.Errorf("quick is %d nodes", n)
	}
	// Plain Monte Carlo uses exactly that many playouts.
	e, err := arena.ParseEntrant(b, "mc-13", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := protocol.ParseHistory(trails.Game{}, "start options size=5 towers=1")
	if err != nil {
		t.Fatal(err)
	}
	if decision, err := e.Player.Think(t.Context(), p, e.Limits); err != nil || decision.Nodes != 13 {
		t.Errorf("%+v, %v", decision, err)
	}
}
