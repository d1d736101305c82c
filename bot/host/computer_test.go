package host_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/verify"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/storage"
)

var (
	casual   = host.ComputerPlayer("casual", "Casual (computer)")
	newcomer = host.ComputerPlayer("newcomer", "Newcomer (computer)")
	master   = host.ComputerPlayer("master", "Master (computer)")
)

const levelRating = 1777

// engines returns computer players whose levels all play like w.player.
func (w *world) engines() (all []search.Engine) {
	for _, g := range []engine.Game{trails.Game{}, sample.Game{}} {
		b := search.Engine{Game: g}
		for _, key := range search.LevelKeys {
			b.Levels = append(b.Levels, search.Level{Key: key, Player: player{w}, Limits: search.Limits{Nodes: 1}, MoveTime: time.Minute, Rating: levelRating})
		}
		all = append(all, b)
	}
	return all
}

// player plays like w.player, or at random.
type player struct{ w *world }

func (p player) Think(ctx context.Context, at engine.Position, limits search.Limits) (search.Decision, error) {
	if p.w.player == nil {
		return search.Random{}.Think(ctx, at, limits)
	}
	return p.w.player.Think(ctx, at, limits)
}

// thinker is a function as a search.Player.
type thinker func(context.Context, engine.Position, search.Limits) (search.Decision, error)

func (f thinker) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	return f(ctx, p, l)
}

// against starts a match of Anna, who moves first, against computers.
func (w *world) against(game string, opponents ...storage.Person) *host.View {
	w.t.Helper()
	o := host.Proposal{Place: here, Opponents: opponents, Game: game}
	if len(opponents) == 1 {
		o.First = host.FirstMe
	}
	return w.begun(o)
}

// faults returns the matches whose records do not agree with their logs.
func (w *world) faults() []verify.Fault {
	w.t.Helper()
	v, err := verify.Matches(w.t.Context(), w.Store, w.Config.Games, nil)
	must(w.t, err)
	return v.Faults
}

// begun creates a challenge of Anna's and returns its match.
func (w *world) begun(o host.Proposal) *host.View {
	w.t.Helper()
	ch := w.create(anna, o)
	v := w.Match(ch.Match)
	return v
}

// replies plays the turns of computers until a person is to move.
func (w *world) replies(v *host.View) *host.View {
	w.t.Helper()
	for {
		if _, ok := v.ComputerToMove(); !ok {
			return v
		}
		t, err := w.Host.ChooseTurn(w.t.Context(), v.Record.ID, 0, 1)
		must(w.t, err)
		v, err = w.Host.PlayComputerTurn(w.t.Context(), t)
		must(w.t, err)
	}
}

// waiting returns the matches in which a computer is to move.
func (w *world) waiting() []storage.MatchID {
	w.t.Helper()
	all, err := w.Host.ComputerTurns(w.t.Context(), 100)
	must(w.t, err)
	return all
}

func TestComputerMatchStartsImmediately(t *testing.T) {
	w := newWorld(t)
	actor := w.Actor(anna)
	o := host.Proposal{Place: here, Opponents: []storage.Person{casual}, Game: "trails", First: host.FirstThem}
	ch, err := w.Host.CreateChallenge(t.Context(), actor, o)
	must(t, err)
	v := w.Match(ch.Match)
	if ch.State != storage.ChallengeAccepted || !host.StartedImmediately(ch) || v.Record.Seats[0] != casual || v.Record.Seats[1] != anna || v.Board.State != storage.BoardDue {
		t.Errorf("%+v, %+v", ch, v.Record)
	}
	if p, ok := v.ComputerToMove(); !ok || p != casual || !slices.Equal(w.waiting(), []storage.MatchID{ch.Match}) {
		t.Errorf("to move is %+v", p)
	}
	again, err := w.Host.CreateChallenge(t.Context(), actor, o)
	if err != nil || again.ID != ch.ID || again.Match != ch.Match {
		t.Errorf("delivered again: %+v, %v", again, err)
	}
}

func TestComputerRefused(t *testing.T) {
	w := newWorld(t)
	o := host.Proposal{Place: here, Opponents: []storage.Person{host.ComputerPlayer("divine", "x")}, Game: "trails"}
	_, err := w.Host.CreateChallenge(t.Context(), w.Actor(anna), o)
	refused(t, err, host.ErrUnknownLevel)
	games, err := engine.NewRegistry(trails.Game{})
	must(t, err)
	h := host.New(host.Config{Store: w.Store, Games: games, Now: w.Now, Seed: func() uint64 { return 1 }, Logger: slog.New(slog.DiscardHandler)})
	o.Opponents = []storage.Person{casual}
	_, err = h.CreateChallenge(t.Context(), w.Actor(anna), o)
	refused(t, err, host.ErrNoComputer)
	if got := h.Levels("trails"); got != nil {
		t.Errorf("it plays at %v", got)
	}
	if got := w.Host.Levels("trails"); len(got) != len(search.LevelKeys) || got[0].Key != "newcomer" || got[0].Number != 1 || got[6].Number != 7 {
		t.Errorf("levels %v", got)
	}
	for wanted, key := range map[string]string{
		host.EvenLevel: host.EvenLevel, host.Easy: "learner-plus", host.Medium: "regular", host.Hard: "expert", host.Master: "grandmaster",
	} {
		if l, ok := w.Host.LevelIn("trails", wanted); !ok || l.Key != key {
			t.Errorf("%s is %+v, want %s", wanted, l, key)
		}
	}
}

// A computer that plays as strongly as the people gets its level when the match
// starts, and again in a rematch. All levels are equally strong here, so it is the
// weakest. (How the level is found is tested in internal/even.)
func TestEvenComputer(t *testing.T) {
	w := newWorld(t)
	even := host.ComputerPlayer(host.EvenLevel, "even")
	ch := w.lobby(3, even)
	if !slices.Equal(ch.Joined, []storage.Person{anna, even}) {
		t.Fatalf("before the start: %+v", ch.Joined)
	}
	v := w.join(ben, ch)
	found := host.ComputerPlayer("newcomer", "even, newcomer")
	if !slices.Contains(v.Record.Seats, found) || slices.Contains(v.Record.Seats, even) || !v.Rated() {
		t.Errorf("after it: %+v", v.Record.Seats)
	}
	v = w.replies(v)
	v = w.replies(w.resign(anna, v))
	v = w.resign(ben, v)
	again, _, err := w.Host.Rematch(t.Context(), w.Actor(anna), v.Record.ID, here, false)
	must(t, err)
	if !slices.Contains(again.Joined, even) {
		t.Errorf("the rematch does not follow the ratings: %+v", again.Joined)
	}
	v = w.against("trails", even)
	w.resign(anna, v)
	_, v, err = w.Host.Rematch(t.Context(), w.Actor(anna), v.Record.ID, here, false, master)
	must(t, err)
	if !slices.Contains(v.Record.Seats, master) {
		t.Errorf("the level chosen for the rematch does not play: %+v", v.Record.Seats)
	}
	if f := w.faults(); len(f) != 0 {
		t.Errorf("faults %+v", f)
	}
}

// When the last person resigns, the computers resign too, and the strongest
// wins.
func TestComputersResignWithoutPeople(t *testing.T) {
	for _, c := range []struct {
		name   string
		turns  int
		ending match.Ending
	}{{"at the start", 0, match.ByAbort}, {"when all have moved", 1, match.ByResignation}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.replies(w.begun(host.Proposal{
				Place: here, Opponents: []storage.Person{casual, master, newcomer}, Game: "sample",
				Options: map[string]string{"piles": "4", "counters": "20"},
			}))
			for range c.turns {
				v = w.replies(w.act(v, "a1 end"))
			}
			v = w.resign(anna, v)
			out, over := v.Match.Over()
			if !over || out.Ending != c.ending {
				t.Fatalf("%+v, %t", out, over)
			}
			if c.ending == match.ByResignation && (len(out.Result.Winners) != 1 || v.Person(out.Result.Winners[0]) != master || out.Result.Ranks[v.SeatOf(anna.ID)-1] != 4) {
				t.Errorf("%+v", out.Result)
			}
			if f := w.faults(); len(f) != 0 || len(w.waiting()) != 0 {
				t.Errorf("faults %+v, waiting %v", f, w.waiting())
			}
		})
	}
}

// A computer cannot claim, and no match can be claimed on its turn. After thirty
// days the match is resigned for the only person.
func TestAbandonedComputerMatch(t *testing.T) {
	for _, c := range []struct {
		name   string
		turns  int
		ending match.Ending
	}{{"before both have moved", 0, match.ByAbort}, {"when both have moved", 1, match.ByResignation}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.against("trails", casual)
			for range c.turns {
				v = w.replies(w.act(v, "right"))
			}
			at := v.AbandonAt()
			if want := w.Now().Add(30 * 24 * time.Hour); !at.Equal(want) || !v.Record.CheckAt.Equal(want) || !v.ClaimableAt().IsZero() {
				t.Fatalf("given up at %v, looked at %v, claimed at %v", at, v.Record.CheckAt, v.ClaimableAt())
			}
			w.Advance(30*24*time.Hour - time.Second)
			w.remind(v.Record.ID) // too early
			if got := w.states(v.Record.ID); strings.Count(got, "due") != 1 || strings.Contains(got, fmt.Sprint(len(v.Match.Log())+1)) {
				t.Errorf("boards %s", got)
			}
			w.Advance(time.Second)
			o := w.overdue()
			if !slices.Equal(o.Matches, []storage.MatchID{v.Record.ID}) {
				t.Fatalf("overdue %+v", o)
			}
			w.remind(v.Record.ID)
			v = w.Match(v.Record.ID)
			if out, over := v.Match.Over(); !over || out.Ending != c.ending || v.Person(out.By) != anna {
				t.Errorf("%+v, %t", out, over)
			}
			w.remind(v.Record.ID) // and once
			if f := w.faults(); len(f) != 0 {
				t.Errorf("faults %+v", f)
			}
		})
	}
	w := newWorld(t)
	v := w.act(w.against("trails", casual), "right")
	w.Advance(40 * 24 * time.Hour) // the bot was off
	if o, err := w.Host.Overdue(t.Context(), 10); err != nil || len(o.Matches) != 0 {
		t.Errorf("while the computer is to move: %+v, %v", o, err)
	}
	_, err := w.Host.Claim(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq)
	refused(t, err, host.ErrComputerTurn)
}

func TestHint(t *testing.T) {
	w := newWorld(t)
	start := func(unrated bool) *host.View {
		return w.begun(host.Proposal{Place: here, Opponents: []storage.Person{casual}, Game: "trails", First: host.FirstMe, Unrated: unrated})
	}
	hint := func(v *host.View, p storage.Person) (string, error) { return w.Host.Hint(t.Context(), v, p.ID) }
	_, err := hint(start(false), anna)
	refused(t, err, host.ErrRatedMatch)
	v := start(true)
	_, err = hint(v, ben)
	refused(t, err, host.ErrNotSeated)
	turn, err := hint(v, anna)
	must(t, err)
	after := w.act(v, turn) // it is legal
	var wrong *match.TurnError
	if _, err = hint(after, anna); !errors.As(err, &wrong) || wrong.Seat != 2 {
		t.Errorf("in the turn of the other: %v", err)
	}
	after = w.resign(anna, v)
	_, err = hint(after, anna)
	refused(t, err, match.ErrOver)
}

// After an interruption the computer chooses the same turn, and it is played
// once.
func TestChooseTurnIsRepeatable(t *testing.T) {
	w := newWorld(t)
	v := w.against("trails", casual)
	v = w.act(v, "right")
	first, err := w.Host.ChooseTurn(t.Context(), v.Record.ID, 0, 1)
	must(t, err)
	again, err := w.Host.ChooseTurn(t.Context(), v.Record.ID, 0, 1)
	must(t, err)
	if first != again {
		t.Errorf("%+v, then %+v", first, again)
	}
	after, err := w.Host.PlayComputerTurn(t.Context(), first)
	must(t, err)
	if last, _ := after.Match.Last(); last.Seat != 2 || last.String() != first.Text {
		t.Errorf("it played %s, thought was %s", last, first.Text)
	}
	w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
		_, err := w.Host.PlayComputerTurn(t.Context(), again)
		refused(t, err, host.ErrStale)
	})
}

func TestLateComputerTurn(t *testing.T) {
	for name, meanwhile := range map[string]func(*world, *host.View){
		"the person resigns": func(w *world, v *host.View) {
			w.resign(anna, v)
		},
		"another process plays": func(w *world, v *host.View) { w.replies(v) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.act(w.against("trails", casual), "right")
			thought, err := w.Host.ChooseTurn(t.Context(), v.Record.ID, 0, 1)
			must(t, err)
			meanwhile(w, v)
			w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
				_, err := w.Host.PlayComputerTurn(t.Context(), thought)
				refused(t, err, host.ErrStale)
			})
			_, err = w.Host.ChooseTurn(t.Context(), v.Record.ID, 0, 1)
			refused(t, err, host.ErrStale)
		})
	}
}

// A level that fails, panics or returns an illegal turn is replaced by random
// play in the end.
func TestFailingLevel(t *testing.T) {
	wrong := func(actions ...engine.Action) thinker {
		return func(context.Context, engine.Position, search.Limits) (search.Decision, error) {
			return search.Decision{Actions: actions}, nil
		}
	}
	for name, p := range map[string]search.Player{
		"fails": thinker(func(context.Context, engine.Position, search.Limits) (search.Decision, error) {
			return search.Decision{}, errors.New("as planned")
		}),
		"panics":            thinker(func(context.Context, engine.Position, search.Limits) (search.Decision, error) { panic("as planned") }),
		"plays nothing":     wrong(),
		"plays what is not": wrong(sample.Action{Pile: 3, N: 3}),
		"plays half a turn": wrong(sample.Action{N: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.act(w.against("sample", casual), "a1 end")
			w.player = p
			w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
				for tries := range 3 {
					thought, err := w.Host.ChooseTurn(t.Context(), v.Record.ID, tries, 1)
					if err == nil {
						_, err = w.Host.PlayComputerTurn(t.Context(), thought)
					}
					if refusal := new(host.Refusal); err == nil || errors.As(err, &refusal) {
						t.Errorf("try %d: %v", tries, err)
					}
				}
			})
			thought, err := w.Host.ChooseTurn(t.Context(), v.Record.ID, 3, 1)
			must(t, err)
			v, err = w.Host.PlayComputerTurn(t.Context(), thought)
			must(t, err)
			if _, ok := v.ComputerToMove(); ok {
				t.Error("somebody waits for ever")
			}
		})
	}
}

// A cancelled search returns no turn; a search has a time limit.
func TestChooseTurnCancelled(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.against("trails", casual), "right")
	ctx, cancel := context.WithCancel(t.Context())
	w.player = thinker(func(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("it may think for ever")
		}
		cancel()
		<-ctx.Done()
		return search.Random{}.Think(ctx, p, l)
	})
	if _, err := w.Host.ChooseTurn(ctx, v.Record.ID, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// In an unrated match a turn is taken back together with the answers of
// computers. In a rated match it cannot be taken back after an answer.
func TestTakebackOfAnsweredTurn(t *testing.T) {
	for _, c := range []struct {
		name      string
		unrated   bool
		opponents []storage.Person
		want      bool
	}{
		{"unrated", true, []storage.Person{casual}, true},
		{"rated", false, []storage.Person{casual}, false},
		{"two computers", true, []storage.Person{casual, master}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			o := host.Proposal{Place: here, Opponents: c.opponents, Game: "sample", Unrated: c.unrated, Options: map[string]string{"piles": "4", "counters": "20"}}
			begun := w.replies(w.begun(o))
			if begun.CanTakeBack(begun.SeatOf(anna.ID)) {
				t.Error("a turn can be taken back before the first")
			}
			v := w.act(begun, "a1 end")
			answered := w.replies(v)
			seat := v.SeatOf(anna.ID)
			if got := answered.CanTakeBack(seat); got != c.want || !answered.OnlyComputersSince(v.Match.Seq()) || answered.OnlyComputersSince(begun.Match.Seq()) {
				t.Errorf("can be taken back: %t, want %t", got, c.want)
			}
			back, err := w.Host.Undo(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq)
			if !c.want {
				refused(t, err, match.ErrNothingToUndo)
				return
			}
			must(t, err)
			if back.Match.Seat() != seat || len(back.Match.Turns()) != len(begun.Match.Turns()) || back.Match.Position().Hash() != begun.Match.Position().Hash() {
				t.Errorf("seat %d is to move after %d turns", back.Match.Seat(), len(back.Match.Turns()))
			}
			v = w.replies(w.act(back, "b1 end"))
			if m, err := match.Replay(v.Game, v.Match.Settings(), v.Match.Log()); err != nil || m.Position().Hash() != v.Match.Position().Hash() {
				t.Errorf("replayed: %v", err)
			}
		})
	}
}
