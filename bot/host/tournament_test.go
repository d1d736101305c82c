package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/engine"
	"castellan/engine/tournament"
	"castellan/storage"
)

// entrant returns a person of a tournament.
func entrant(n int) storage.Person {
	return storage.Person{ID: fmt.Sprint(100 + n), Name: fmt.Sprintf("P%d", n)}
}

// announce has Anna announce a tournament that begins in an hour.
func announce(t testing.TB, w *hosttest.World, f tournament.Format, change ...func(*storage.Tournament)) storage.Tournament {
	t.Helper()
	e := storage.Tournament{Place: hosttest.Here, Name: "Evening", Game: "trails", Format: string(f), Clock: "10m+20s/30m", StartsAt: w.Now().Add(time.Hour)}
	for _, c := range change {
		c(&e)
	}
	e, err := w.Host.CreateTournament(t.Context(), w.Actor(anna), e, nil)
	hosttest.Must(t, err)
	return e
}

// enter has the first n players join.
func enter(t testing.TB, w *hosttest.World, id storage.TournamentID, n int) {
	t.Helper()
	for i := range n {
		_, err := w.Host.JoinTournament(t.Context(), w.Actor(entrant(i)), id)
		hosttest.Must(t, err)
	}
}

// tournamentNow processes a tournament and returns it.
func tournamentNow(t testing.TB, w *hosttest.World, id storage.TournamentID) storage.Tournament {
	t.Helper()
	hosttest.Must(t, w.Host.ProcessTournament(t.Context(), id))
	e, err := w.Host.Tournament(t.Context(), id)
	hosttest.Must(t, err)
	return e
}

// lose has a seat resign, after a turn of both.
func lose(t testing.TB, w *hosttest.World, id storage.MatchID, seat engine.Seat) {
	t.Helper()
	w.Resign(w.Act(w.Match(id), "right", "left"), seat)
}

// open returns the games that are being played.
func open(e storage.Tournament) (games []storage.TournamentGame) {
	for _, g := range e.Games {
		if g.Outcome == "" {
			games = append(games, g)
		}
	}
	return games
}

// standings returns the table as text: names with half points.
func standings(e storage.Tournament) string {
	var lines []string
	for _, s := range host.Event(e).Standings() {
		lines = append(lines, fmt.Sprintf("%d %s %d", s.Place, host.SeedOf(e, s.Player+1).Person.Name, s.Points))
	}
	return strings.Join(lines, ", ")
}

// In a round robin, games are matches that count as usual, and the round after begins when
// the last one ends.
func TestRoundRobinTournament(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	e := announce(t, w, tournament.RoundRobin)
	enter(t, w, e.ID, 4)
	w.Advance(45 * time.Minute)
	e = tournamentNow(t, w, e.ID)
	if e.CalledAt.IsZero() || !e.CheckAt.Equal(e.StartsAt) || e.State != storage.TournamentOpen {
		t.Fatalf("a quarter of an hour before the start: %+v", e)
	}
	enter(t, w, e.ID, 4) // says that they are there
	w.Advance(15 * time.Minute)
	for round := 1; round <= 3; round++ {
		e = tournamentNow(t, w, e.ID)
		if e.State != storage.TournamentRunning || host.Event(e).Round() != round || len(open(e)) != 2 {
			t.Fatalf("round %d: %+v", round, e)
		}
		for i, g := range open(e) {
			v := w.Match(g.Match)
			if v.Event.Name != "Evening" || v.Event.Round != round || v.Event.Rounds != 3 || v.Record.Clock != e.Clock || v.Person(1) != host.SeedOf(e, g.First).Person {
				t.Errorf("the match is %+v of %+v", v.Record, v.Event)
			}
			loser := engine.Seat(2) // the better seed wins
			if g.First > g.Second {
				loser = 1
			}
			lose(t, w, g.Match, loser)
			if due, _, err := w.Host.DueTournaments(t.Context(), 9); err != nil || len(due) != 1 {
				t.Errorf("after the end of a match %v are due (%v)", due, err)
			}
			if again := tournamentNow(t, w, e.ID); i == 0 && len(open(again)) != 1 {
				t.Errorf("after the first match: %+v", again.Games)
			}
		}
	}
	e = tournamentNow(t, w, e.ID)
	if got := standings(e); e.State != storage.TournamentEnded || got != "1 P0 6, 2 P1 4, 3 P2 2, 4 P3 0" {
		t.Errorf("%s: %s", e.State, got)
	}
	ratings, err := host.Read(t.Context(), w.Host, func(r storage.Reader) (storage.Rating, error) {
		return r.Rating("trails", storage.PeopleList, entrant(0).ID)
	})
	if err != nil || ratings.Matches != 3 {
		t.Errorf("the winner has %d rated matches (%v)", ratings.Matches, err)
	}
	if _, err := w.Host.JoinTournament(t.Context(), w.Actor(entrant(9)), e.ID); !errors.Is(err, host.ErrTournamentOver) {
		t.Errorf("joining what is over: %v", err)
	}
}

// Who does not say that they are there is not paired, and can still come in Swiss.
func TestLatePlayer(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	e := announce(t, w, tournament.Swiss)
	enter(t, w, e.ID, 8)
	w.Advance(50 * time.Minute)
	tournamentNow(t, w, e.ID)
	enter(t, w, e.ID, 7)
	w.Advance(10 * time.Minute)
	e = tournamentNow(t, w, e.ID)
	if n := len(host.Event(e).Players); n != 7 || len(open(e)) != 3 {
		t.Fatalf("%d of 7 play, in %d games", n, len(open(e)))
	}
	if e, err := w.Host.JoinTournament(t.Context(), w.Actor(entrant(7)), e.ID); err != nil || len(host.Event(e).Players) != 8 || !strings.Contains(standings(e), "P7 1") {
		t.Errorf("the late one: %s (%v)", standings(e), err)
	}
	for _, g := range open(e) {
		lose(t, w, g.Match, 1)
	}
	e = tournamentNow(t, w, e.ID)
	if got := len(open(e)); got != 4 {
		t.Errorf("%d games in the second round, want 4", got)
	}
}

// A player who does not move loses the game without a rating, and one who has left the
// tournament, the guild or is banned is not paired any more.
func TestAbsentPlayers(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	e := announce(t, w, tournament.Knockout)
	enter(t, w, e.ID, 4)
	_, err := w.Host.StartTournament(t.Context(), host.Organiser{Actor: w.Actor(anna)}, e.ID)
	hosttest.Must(t, err)
	e = tournamentNow(t, w, e.ID)
	games := open(e)
	w.Resign(w.Match(games[0].Match), 2) // before a turn: that counts as not being there
	_, err = w.Host.LeaveTournament(t.Context(), w.Actor(host.SeedOf(e, games[1].First).Person), e.ID)
	hosttest.Must(t, err)
	lose(t, w, games[1].Match, 2)
	e = tournamentNow(t, w, e.ID)
	if e.State != storage.TournamentEnded || e.Games[0].Outcome != string(tournament.FirstWO) {
		t.Fatalf("%+v", e.Games)
	}
	if first := host.SeedOf(e, host.Event(e).Standings()[0].Player+1); first.Person != host.SeedOf(e, games[0].First).Person {
		t.Errorf("%v wins: %s", first, standings(e))
	}
	if _, err := host.Read(t.Context(), w.Host, func(r storage.Reader) (storage.Rating, error) {
		return r.Rating("trails", storage.PeopleList, host.SeedOf(e, games[0].First).Person.ID)
	}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a game that was not played has changed a rating: %v", err)
	}
}

// Too few players call a tournament off, and turn Swiss into a round robin.
func TestFewPlayers(t *testing.T) {
	for n, want := range map[int]string{2: "cancelled swiss", 3: "running robin", 5: "running robin", 6: "running swiss"} {
		w := hosttest.New(t, hosttest.Options{})
		e := announce(t, w, tournament.Swiss, func(e *storage.Tournament) { e.Clock = "1d" })
		enter(t, w, e.ID, n)
		w.Advance(time.Hour)
		e = tournamentNow(t, w, e.ID)
		if got := string(e.State) + " " + e.Format; got != want {
			t.Errorf("%d players: %s, want %s", n, got, want)
		}
	}
}

func TestTournamentRefusals(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	create := func(change func(*storage.Tournament)) error {
		e := storage.Tournament{Place: hosttest.Here, Name: "Evening", Game: "trails", Format: "swiss", Clock: "1d", StartsAt: w.Now().Add(time.Hour)}
		change(&e)
		_, err := w.Host.CreateTournament(t.Context(), w.Actor(ben), e, nil)
		return err
	}
	for _, c := range []struct {
		change func(*storage.Tournament)
		want   error
	}{
		{func(e *storage.Tournament) { e.Game = "chess" }, host.ErrUnknownGame},
		{func(e *storage.Tournament) { e.Clock = "soon" }, host.ErrNoClock},
		{func(e *storage.Tournament) { e.Clock = "" }, host.ErrTournamentClock},
		{func(e *storage.Tournament) { e.Format = "lottery" }, host.ErrTournamentFormat},
		{func(e *storage.Tournament) { e.Name = " " }, host.ErrTournamentName},
		{func(e *storage.Tournament) { e.Rounds, e.Format = 3, "robin" }, host.ErrTournamentRounds},
		{func(e *storage.Tournament) { e.StartsAt = w.Now().Add(-time.Minute) }, host.ErrTournamentTime},
		{func(e *storage.Tournament) { e.StartsAt = w.Now().Add(host.LatestStart + time.Minute) }, host.ErrTournamentTime},
	} {
		if err := create(c.change); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	for i := range host.MostOwnTournaments + 1 {
		if err := create(func(*storage.Tournament) {}); (i < host.MostOwnTournaments) != (err == nil) || err != nil && !errors.Is(err, host.ErrTooManyTournaments) {
			t.Errorf("tournament %d of Ben: %v", i+1, err)
		}
	}
	e := announce(t, w, tournament.Knockout)
	join := func(p storage.Person) error {
		_, err := w.Host.JoinTournament(t.Context(), w.Actor(p), e.ID)
		return err
	}
	_, err := w.Host.LeaveTournament(t.Context(), w.Actor(ben), e.ID)
	if !errors.Is(err, host.ErrNotInTournament) {
		t.Errorf("leaving without having joined: %v", err)
	}
	if err := join(ben); err != nil {
		t.Fatal(err)
	}
	if err := join(ben); !errors.Is(err, host.ErrInTournament) {
		t.Errorf("joining twice: %v", err)
	}
	hosttest.Must(t, w.Host.Write(t.Context(), func(tx storage.Tx) error {
		return tx.SetBlock(storage.Block{Person: ben.ID, Blocked: chloe, At: w.Now()})
	}))
	if err := join(chloe); !errors.Is(err, host.ErrCannotJoin) {
		t.Errorf("joining where somebody has blocked you: %v", err)
	}
	if _, err := w.Host.StartTournament(t.Context(), host.Organiser{Actor: w.Actor(ben)}, e.ID); !errors.Is(err, host.ErrNotOrganiser) {
		t.Errorf("starting somebody else's: %v", err)
	}
	if _, err := w.Host.StartTournament(t.Context(), host.Organiser{Actor: w.Actor(ben), Manages: true}, e.ID); !errors.Is(err, host.ErrTooFewJoined) {
		t.Errorf("starting with one player: %v", err)
	}
	elsewhere := w.Actor(chloe)
	elsewhere.Place = storage.Place{Guild: "other", Channel: "2"}
	if _, err := w.Host.JoinTournament(t.Context(), elsewhere, e.ID); !errors.Is(err, host.ErrNoTournament) {
		t.Errorf("joining from another guild: %v", err)
	}
	if e, err := w.Host.CancelTournament(t.Context(), host.Organiser{Actor: w.Actor(anna)}, e.ID); err != nil || e.State != storage.TournamentCancelled {
		t.Errorf("calling it off: %+v, %v", e, err)
	}
}

// A repeated delivery changes nothing.
func TestTournamentOnce(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	a := w.Actor(anna)
	want := storage.Tournament{Place: hosttest.Here, Name: "Evening", Game: "trails", Format: "swiss", Clock: "1d", StartsAt: w.Now().Add(time.Hour)}
	first, err := w.Host.CreateTournament(t.Context(), a, want, nil)
	hosttest.Must(t, err)
	again, err := w.Host.CreateTournament(t.Context(), a, want, nil)
	if err != nil || again.ID != first.ID {
		t.Errorf("created again: %d, %v, want %d", again.ID, err, first.ID)
	}
	b := w.Actor(ben)
	for range 2 {
		e, err := w.Host.JoinTournament(t.Context(), b, first.ID)
		if err != nil || e.Revision != 1 || len(e.Players) != 1 {
			t.Errorf("joined: %+v, %v", e, err)
		}
	}
	hosttest.Must(t, w.Host.TournamentShown(t.Context(), first.ID, "m", 1))
	hosttest.Must(t, w.Host.RepostAll(t.Context()))
	if e, err := w.Host.Tournament(t.Context(), first.ID); err != nil || e.Message != "" || e.OldMessage != "m" {
		t.Errorf("after the channels have lost messages: %+v, %v", e, err)
	}
	all, err := w.Host.Tournaments(t.Context(), hosttest.Here.Guild, 5)
	if err != nil || len(all) != 1 {
		t.Errorf("%d tournaments (%v)", len(all), err)
	}
}

// Whatever players do, every tournament ends, and each game counts once.
func TestRandomTournaments(t *testing.T) {
	w, guilds := hosttest.New(t, hosttest.Options{Once: true}), 0
	rapid.Check(t, func(rt *rapid.T) {
		guilds++
		place := storage.Place{Guild: fmt.Sprint("g", guilds), Channel: fmt.Sprint("c", guilds)}
		f := rapid.SampledFrom(tournament.Formats()).Draw(rt, "format")
		n := rapid.IntRange(2, 9).Draw(rt, "players")
		_, most := f.Players()
		n = min(n, most)
		e := announce(t, w, f, func(e *storage.Tournament) { e.Place = place })
		enter(t, w, e.ID, n)
		w.Advance(50 * time.Minute)
		tournamentNow(t, w, e.ID)
		enter(t, w, e.ID, n-rapid.IntRange(0, 1).Draw(rt, "who is late"))
		w.Advance(10 * time.Minute)
		for step := 0; ; step++ {
			e = tournamentNow(t, w, e.ID)
			if !e.EndedAt.IsZero() {
				break
			}
			if step > 400 {
				rt.Fatalf("the tournament does not end: %+v", e)
			}
			games := open(e)
			if len(games) == 0 {
				rt.Fatalf("nothing is played, and it goes on: %+v", e)
			}
			g := rapid.SampledFrom(games).Draw(rt, "game")
			who := entrant(rapid.IntRange(0, n-1).Draw(rt, "who"))
			switch seat := engine.Seat(rapid.IntRange(1, 2).Draw(rt, "seat")); rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				_, err := w.Host.LeaveTournament(context.Background(), w.Actor(who), e.ID)
				if err != nil && !errors.Is(err, host.ErrNotInTournament) {
					rt.Fatal(err)
				}
			case 1:
				_, err := w.Host.JoinTournament(context.Background(), w.Actor(who), e.ID)
				if err != nil && !errors.Is(err, host.ErrInTournament) && !errors.Is(err, host.ErrTournamentBegun) {
					rt.Fatal(err)
				}
			case 2:
				w.Resign(w.Match(g.Match), seat)
			case 3:
				hosttest.Must(t, w.Host.Write(context.Background(), func(tx storage.Tx) error { return tx.SetDeparture(place.Guild, who.ID, w.Now()) }))
				w.Resign(w.Match(g.Match), seat)
			default:
				lose(t, w, g.Match, seat)
			}
		}
		seen := map[storage.MatchID]bool{}
		for _, g := range e.Games {
			if g.Match == 0 {
				continue
			}
			rec := w.Match(g.Match).Record
			if seen[g.Match] || rec.Ending == "" || g.Outcome == "" {
				rt.Fatalf("%+v of a match that ended by %q", g, rec.Ending)
			}
			seen[g.Match] = true
			if len(rec.Results) == 2 && (rec.Results[0].Result == storage.Won) != (g.Outcome == string(tournament.FirstWon)) {
				rt.Fatalf("%+v of a match with %v", g, rec.Results)
			}
		}
		if len(host.Event(e).Players) > 0 && e.State == storage.TournamentEnded && !slices.ContainsFunc(host.Event(e).Standings(), func(s tournament.Standing) bool { return s.Place == 1 }) {
			rt.Fatalf("nobody has won: %s", standings(e))
		}
	})
}
