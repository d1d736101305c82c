package modeltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/dbtest"
)

var (
	here     = storage.Place{Guild: "1", Channel: "2"}
	stranger = storage.Person{ID: "99", Name: "Zoe"}
	everyone = []storage.Person{
		{ID: "11", Name: "Anna"}, {ID: "22", Name: "Ben"}, {ID: "33", Name: "Chloe"},
		{ID: "44", Name: "Dora"}, {ID: "55", Name: "Emil"}, {ID: "66", Name: "Finn"}, stranger,
	}
	games = must(engine.NewRegistry(stonetowers.Game{}, towers.Game{}, rings.Game{}, trails.Game{}))

	errIllegal = errors.New("the model refuses this token")
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// model is everything that people have done, in memory.
type model struct {
	now         time.Time
	contact     time.Time // the last one with Discord
	outages     []match.Span
	freezes     []match.Span            // of all clocks
	vacations   map[string][]match.Span // of people
	preferences map[string]storage.Preferences
	left        map[string]time.Time // when it was noticed that people had left the guild
	challenges  map[storage.ChallengeID]*storage.Challenge
	rematches   map[storage.ChallengeID]*game // the matches before
	blocks      map[[2]string]bool            // who has blocked whom
	banned      map[string]bool               // people, by operators
	acts        int                           // of operators
	games       map[storage.MatchID]*game
	prepared    int // turns that were played because they had been prepared
	offersMade  int
	agreements  map[offers.Kind]int // offers that took effect
}

// meet records contact with Discord now. More than 20 seconds without contact are an
// outage.
func (m *model) meet() {
	from := m.contact
	for _, o := range m.outages { // what has counted once counts no more
		if o.To.After(from) {
			from = o.To
		}
	}
	if !m.contact.IsZero() && m.now.Sub(m.contact) > 20*time.Second && from.Before(m.now) {
		m.outages = append(m.outages, match.Span{From: from, To: m.now})
	}
	m.contact = m.now
}

// blocked reports whether a person has blocked one of the others, or the other way
// round, or one of the others is a former player.
func (m *model) blocked(p storage.Person, others []storage.Person) bool {
	return slices.ContainsFunc(others, func(o storage.Person) bool {
		return m.blocks[[2]string{p.ID, o.ID}] || m.blocks[[2]string{o.ID, p.ID}] || m.banned[o.ID] || o.IsFormer()
	})
}

// hasClocks reports whether a running match has a clock.
func (m *model) hasClocks() bool {
	for _, g := range m.games {
		if g.timed() && g.end == nil {
			return true
		}
	}
	return false
}

// world is a host with the model that it must follow.
type world struct {
	*rapid.T
	r *rand.Rand // of this step
	model
	store   storage.Store
	host    *host.Host
	met     time.Time // when this host last recorded contact; zero if it has not
	asked   int       // interactions
	done    []deed    // of people, that can arrive again
	posts   int       // messages
	setBack int       // how often the clock was set back
	offered []standing
	noticed map[notice]int
	figures map[string]int // what has happened in all worlds
}

// deed is an interaction that counted.
type deed struct {
	by    string
	what  string
	again func() (*host.View, error)
}

// notice is a reminder of a turn.
type notice struct {
	match storage.MatchID
	turn  int // completed turns before it
	seat  engine.Seat
	began time.Time
	// setBack is how often the clock was set back before: a turn that is then taken
	// back may be one whose time to remind has yet to come.
	setBack int
}

func newWorld(t *rapid.T, figures map[string]int) *world {
	w := &world{
		T: t, figures: figures, store: dbtest.Rerun(dbtest.Memory(t)), noticed: map[notice]int{},
		model: model{
			left:      map[string]time.Time{},
			now:       time.Date(2026, 12, 10, 12, 0, 0, 300_000_000, time.UTC),
			vacations: map[string][]match.Span{}, agreements: map[offers.Kind]int{}, preferences: map[string]storage.Preferences{}, games: map[storage.MatchID]*game{},
			challenges: map[storage.ChallengeID]*storage.Challenge{}, rematches: map[storage.ChallengeID]*game{}, blocks: map[[2]string]bool{}, banned: map[string]bool{},
		},
	}
	w.restart()
	return w
}

// restart begins a new host on the same store.
func (w *world) restart() {
	c := host.Config{
		Store: w.store, Games: games, Now: func() time.Time { return w.now }, Seed: func() uint64 { return uint64(w.asked) * 0x9e3779b97f4a7c15 },
		Logger: slog.New(slog.DiscardHandler), Limits: host.Limits{MadeByPerson: -1, MadeInGuild: -1, OpenByPerson: -1, OpenInGuild: -1, Running: -1},
	}
	for _, g := range games.Games() {
		c.Engines = append(c.Engines, search.Generic(g))
	}
	w.host, w.met = host.New(c), time.Time{}
}

func (w *world) ctx() context.Context { return context.Background() }

// by returns a person with an interaction of its own.
func (w *world) by(p storage.Person) host.Actor {
	w.asked++
	return host.Actor{Person: p, Interaction: fmt.Sprint("i", w.asked)}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// expect fails unless an error is the wanted one.
func (w *world) expect(got, want error) {
	w.Helper()
	if want != nil {
		w.figures["refusals"]++
	}
	switch {
	case errors.Is(want, errIllegal):
		if !errors.As(got, new(*match.TokenError)) {
			w.Fatalf("error %v, want one of a token", got)
		}
	case fmt.Sprint(got) != fmt.Sprint(want):
		w.Fatalf("error %v, want %v", got, want)
	}
}

func one[T any](w *world, all ...T) T { return all[w.r.IntN(len(all))] }

// chance reports true in one of n cases.
func (w *world) chance(n int) bool { return w.r.IntN(n) == 0 }

// matches returns the matches that a condition holds for, in order.
func (w *world) matches(is func(*game) bool) (all []*game) {
	for _, id := range slices.Sorted(maps.Keys(w.games)) {
		if is(w.games[id]) {
			all = append(all, w.games[id])
		}
	}
	return all
}

func running(g *game) bool { return g.end == nil }

// view reads a match.
func (w *world) view(g *game) *host.View {
	w.Helper()
	v, err := w.host.Match(w.ctx(), g.id)
	w.must(err)
	return v
}

// check compares a match with the model.
func (w *world) check(g *game, v *host.View) {
	w.Helper()
	if got, want := w.seen(v), g.expected(); got != want {
		w.Fatalf("at %s match %d is\n%s\nwant\n%s", w.now.Format(time.DateTime), g.id, got, want)
	}
	if v.Match.Position().Hash() != g.position.Hash() || v.Match.Open().String() != strings.Join(engine.Tokens(g.actions), " ") {
		w.Fatalf("match %d has another position after %q, want %q", g.id, v.Match.Open(), engine.Tokens(g.actions))
	}
}

// seen returns what can be seen of a match, in the words of expected.
func (w *world) seen(v *host.View) string {
	out, over := v.Match.Over()
	var banks []time.Duration
	var can []bool
	var plans, away []string
	for i := range v.Record.Seats {
		plan := ""
		for nodes := v.Plan(engine.Seat(i + 1)).Tree.Nodes; len(nodes) > 0; nodes = nodes[0].Then {
			plan += nodes[0].Turn + "; "
		}
		plans = append(plans, plan)
		if until := v.VacationUntil(engine.Seat(i + 1)); !over && !until.IsZero() {
			away = append(away, fmt.Sprint(i+1, " until ", clock(until)))
		}
		if v.Timed() && !over {
			banks = append(banks, v.TimeLeft(engine.Seat(i+1)))
		}
		can = append(can, v.CanTakeBack(engine.Seat(i+1)))
	}
	var left []leaver
	for i := range v.Record.Seats {
		if seat := engine.Seat(i + 1); !over && !v.Match.Playing(seat) {
			left = append(left, leaver{seat, v.Match.TimedOut(seat)})
		}
	}
	var places []int
	for _, r := range v.Record.Results {
		places = append(places, r.Place)
	}
	var list []string
	for _, o := range v.Offers().Offers {
		list = append(list, fmt.Sprint(o.Kind, " of seat ", o.Seat, " ", o.State))
		if o.State == offers.Open {
			list = append(list, fmt.Sprint("asks ", v.Asked(o)))
		}
	}
	asks := 0
	if v.Board.State == storage.BoardDue {
		asks = v.Board.Offer
	}
	return describe(v.Match.Seq(), v.Match.PublicSeq(), v.Match.Seat(), len(v.Match.Turns()), left, out, places, len(v.RatingChanges) > 0,
		away, banks, v.TimeoutAt(), v.ClaimableAt(), v.AbandonAt(), v.Record.CheckAt, v.Record.Reminded, can, plans, list,
		v.Board.Seq, v.Board.State == storage.BoardDue, v.Board.State == storage.BoardDue && v.Board.Notify, asks, v.Record.PausedAt, v.ExpireAt())
}

// expected returns what seen must return.
func (g *game) expected() string {
	var out match.Outcome
	var places []int
	var left []leaver
	var banks []time.Duration
	var can []bool
	var plans, away []string
	if g.end != nil {
		out, places = *g.end, g.end.Result.Ranks
	} else {
		left = slices.SortedFunc(slices.Values(g.left), func(a, b leaver) int { return cmp.Compare(a.seat, b.seat) })
	}
	for i := range g.players {
		plan := ""
		for _, turn := range g.ahead(engine.Seat(i + 1)) {
			plan += turn + "; "
		}
		plans = append(plans, plan)
		if until := g.awayUntil(engine.Seat(i + 1)); g.end == nil && !until.IsZero() {
			away = append(away, fmt.Sprint(i+1, " until ", clock(until)))
		}
		if g.timed() && g.end == nil {
			banks = append(banks, g.bank(engine.Seat(i+1)))
		}
		_, ok := g.takenBack(engine.Seat(i + 1))
		can = append(can, ok)
	}
	var list []string
	for _, o := range g.offers {
		list = append(list, fmt.Sprint(o.kind, " of seat ", o.seat, " ", o.state))
		if o.state == offers.Open {
			list = append(list, fmt.Sprint("asks ", g.asked(o)))
		}
	}
	asks := 0
	if g.due {
		asks = g.asks
	}
	return describe(g.entries, g.public, g.seat(), len(g.turns), left, out, places, g.rated && !g.voided && len(places) > 0 && len(g.turns) >= g.usual/4,
		away, banks, g.timeoutAt(), g.claimableAt(), g.abandonedAt(), g.look, g.reminded, can, plans, list, g.shows, g.due, g.due && g.notify, asks, g.paused, g.expireAt())
}

func describe(seq, public int, seat engine.Seat, turns int, left []leaver, out match.Outcome, places []int, rated bool,
	away []string, banks []time.Duration, timeout, claim, abandon, look time.Time, reminded bool, takebacks []bool, plans, list []string, shows int, due, notify bool, asks int, paused, expires time.Time,
) string {
	return fmt.Sprintf("entries %d, public %d, seat %d, turns %d, left %v\nend %s by %d late %d at %s winners %v places %v rated %t\n"+
		"away %v banks %v timeout %s claim %s abandon %s look %s reminded %t takebacks %v plans %q offers %q\nboard %d due %t notify %t asks %d paused %s expires %s",
		seq, public, seat, turns, left, out.Ending, out.By, out.TimedOut, clock(out.At), out.Result.Winners, places, rated,
		away, banks, clock(timeout), clock(claim), clock(abandon), clock(look), reminded, takebacks, plans, list, shows, due, notify, asks, clock(paused), clock(expires))
}

func clock(t time.Time) string { return t.UTC().Format("2.1. 15:04:05.000") }

// checkAll compares every match and challenge with the model.
func (w *world) checkAll() {
	w.Helper()
	for _, g := range w.matches(func(*game) bool { return true }) {
		w.check(g, w.view(g))
	}
	for id, ch := range w.challenges {
		got, err := w.host.FindChallenge(w.ctx(), id)
		w.must(err)
		w.checkChallenge(ch, got)
	}
}

func (w *world) checkChallenge(want *storage.Challenge, got storage.Challenge) {
	w.Helper()
	say := func(ch storage.Challenge) string {
		return fmt.Sprint(ch.ID, ch.Challenger.ID, ch.Seats, ch.Joined, ch.Invited, ch.Game, ch.Unrated, ch.Clock, ch.First, ch.State, ch.Match, clock(ch.ExpiresAt))
	}
	if say(got) != say(*want) {
		w.Fatalf("challenge %d is\n%s\nwant\n%s", want.ID, say(got), say(*want))
	}
}

// finish compares what the store says of everything at the end.
func (w *world) finish() {
	w.checkAll()
	report, err := w.host.CheckRatings(w.ctx(), nil)
	w.must(err)
	ended := w.matches(func(g *game) bool { return g.end != nil })
	if len(report.Differences) > 0 || report.Matches != len(ended) {
		w.Fatalf("of %d ended matches, %d have results; ratings differ: %v", len(ended), report.Matches, report.Differences)
	}
	for _, p := range everyone {
		want := map[storage.Result]int{}
		for _, g := range ended {
			if seat := g.seatOf(p); seat != engine.Nobody && g.end.Ending != match.ByAbort {
				want[resultOf(g, seat)]++
			}
		}
		got := map[storage.Result]int{}
		w.must(w.store.View(w.ctx(), func(r storage.Reader) error {
			counts, err := r.ResultCounts(p.ID)
			for _, c := range counts {
				for result, n := range map[storage.Result]int{storage.Won: c.Won, storage.Shared: c.Shared, storage.Drawn: c.Drawn, storage.Lost: c.Lost} {
					if n > 0 {
						got[result] += n
					}
				}
			}
			return err
		}))
		if !maps.Equal(got, want) {
			w.Fatalf("%s has the results %v, want %v", p.Name, got, want)
		}
	}
	for _, g := range w.matches(func(*game) bool { return true }) {
		w.figures["matches"]++
		w.figures["turns"] += len(g.turns)
		w.figures["players who left"] += len(g.left)
		if g.end != nil {
			w.figures["ended by "+string(g.end.Ending)]++
		}
	}
	w.figures["prepared turns played"] += w.prepared
	w.figures["offers made"] += w.offersMade
	for kind, n := range w.agreements {
		w.figures["agreed on "+string(kind)] += n
	}
	w.figures["outages"] += len(w.outages)
	w.figures["reminders"] += len(w.noticed)
	for n, times := range w.noticed {
		if times > 1 {
			w.Fatalf("%d notifications: %+v", times, n)
		}
	}
}

func resultOf(g *game, seat engine.Seat) storage.Result {
	winners := g.end.Result.Winners
	switch won := slices.Contains(winners, seat); {
	case len(winners) == 0:
		return storage.Drawn
	case won && len(winners) > 1:
		return storage.Shared
	case won:
		return storage.Won
	}
	return storage.Lost
}
