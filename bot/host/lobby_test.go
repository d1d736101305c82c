package host_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// lobby creates a challenge of Anna's with a number of seats and invitations.
func (w *world) lobby(seats int, named ...storage.Person) storage.Challenge {
	w.t.Helper()
	ch := w.create(anna, host.Proposal{Place: here, Opponents: named, Seats: seats, Game: "sample"})
	return ch
}

// initials returns the first letters of names.
func initials(all []storage.Person) string {
	var names []string
	for _, p := range all {
		names = append(names, p.Name[:1])
	}
	return strings.Join(names, "")
}

// standing returns a challenge in short: "open AC of 4, B invited".
func standing(ch storage.Challenge) string {
	s := fmt.Sprintf("%s %s of %d", ch.State, initials(ch.Joined), ch.Seats)
	if len(ch.Invited) > 0 {
		s += ", " + initials(ch.Invited) + " invited"
	}
	return s
}

// deeds maps verbs to the use cases of a lobby.
var deeds = map[string]func(*world, host.Actor, storage.ChallengeID) (storage.Challenge, error){
	"accepts": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		ch, _, err := w.host.Accept(w.t.Context(), c, id)
		return ch, err
	},
	"joins": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		ch, _, err := w.host.Join(w.t.Context(), c, id)
		return ch, err
	},
	"starts": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		ch, _, err := w.host.Start(w.t.Context(), c, id)
		return ch, err
	},
	"leaves": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		return w.host.Leave(w.t.Context(), c, id)
	},
	"declines": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		return w.host.Decline(w.t.Context(), c, id)
	},
	"cancels": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		return w.host.Cancel(w.t.Context(), c, id)
	},
}

// does carries out a sentence such as "Ben joins".
func (w *world) does(sentence string, id storage.ChallengeID) (storage.Challenge, error) {
	w.t.Helper()
	who, what, _ := strings.Cut(sentence, " ")
	for _, p := range []storage.Person{anna, ben, chloe, dora, emil} {
		if p.Name == who {
			return deeds[what](w, w.by(p), id)
		}
	}
	w.t.Fatalf("who is %s?", who)
	return storage.Challenge{}, nil
}

func TestSeats(t *testing.T) {
	for _, c := range []struct {
		name  string
		named []storage.Person
		seats int
		want  int // 0 where it is refused
	}{
		{"one for each opponent", []storage.Person{ben, chloe}, 0, 3},
		{"two", []storage.Person{ben}, 0, 2},
		{"all without opponents", nil, 0, 6},
		{"the chosen number", []storage.Person{ben}, 4, 4},
		{"two without opponents", nil, 2, 2},
		{"too few", nil, 1, 0},
		{"too many", nil, 7, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			ch, err := w.host.CreateChallenge(t.Context(), w.by(anna), host.Proposal{Place: here, Opponents: c.named, Seats: c.seats, Game: "sample"})
			if c.want == 0 {
				var seats *engine.SeatsError
				if !errors.As(err, &seats) || seats.Seats != c.seats {
					t.Errorf("%v", err)
				}
				refused(t, err, seats)
				return
			}
			must(t, err)
			if ch.Seats != c.want || !slices.Equal(ch.Joined, []storage.Person{anna}) || !slices.Equal(ch.Invited, c.named) {
				t.Errorf("%s", standing(ch))
			}
			_, _, start, err := w.host.ChallengeSetup(ch)
			if err != nil || host.FreeSeats(ch) != c.want-1-len(c.named) {
				t.Errorf("%d free seats, start %v, %v", host.FreeSeats(ch), start, err)
			}
		})
	}
}

// Each step has the state of the lobby afterwards, or the error.
func TestLobby(t *testing.T) {
	type step struct {
		does string
		want any // the table's state afterwards, or the error
	}
	for _, c := range []struct {
		name  string
		seats int
		named []storage.Person
		steps []step
	}{
		{"seats are taken in order, and the last one starts the match", 4, nil, []step{
			{"Chloe joins", "open AC of 4"}, {"Ben joins", "open ACB of 4"},
			{"Dora joins", "accepted ACBD of 4"},
			{"Emil joins", host.ErrNoFreeSeat}, {"Ben joins", host.ErrAnswered}, {"Ben leaves", host.ErrAnswered}, {"Anna starts", host.ErrAnswered},
			{"Anna cancels", host.ErrAnswered}, {"Anna leaves", host.ErrAnswered}, {"Emil declines", host.ErrAnswered}, {"Emil accepts", host.ErrAnswered},
		}},
		{"a player has one seat", 4, []storage.Person{ben}, []step{
			{"Anna joins", host.ErrAlreadyJoined}, {"Anna accepts", host.ErrNotInvited}, {"Ben joins", "open AB of 4"}, {"Ben joins", host.ErrAlreadyJoined},
		}},
		{"a player who left can join again, behind the others", 4, nil, []step{
			{"Ben leaves", host.ErrNotJoined}, {"Ben joins", "open AB of 4"}, {"Chloe joins", "open ABC of 4"},
			{"Ben leaves", "open AC of 4"}, {"Ben leaves", host.ErrNotJoined}, {"Ben joins", "open ACB of 4"},
		}},
		{"a kept seat is free for nobody else", 3, []storage.Person{ben}, []step{
			{"Chloe joins", "open AC of 3, B invited"}, {"Dora joins", host.ErrNoFreeSeat}, {"Dora accepts", host.ErrNotInvited},
			{"Ben joins", "accepted ACB of 3"},
		}},
		{"declining frees the seat", 3, []storage.Person{ben, chloe}, []step{
			{"Dora joins", host.ErrNoFreeSeat}, {"Dora declines", host.ErrNotInvited}, {"Ben declines", "open A of 3, C invited"},
			{"Ben declines", host.ErrNotInvited}, {"Dora joins", "open AD of 3, C invited"}, {"Ben joins", host.ErrNoFreeSeat},
			{"Chloe accepts", "accepted ADC of 3"},
		}},
		{"leaving frees a seat that was kept", 3, []storage.Person{ben, chloe}, []step{
			{"Ben joins", "open AB of 3, C invited"}, {"Ben leaves", "open A of 3, C invited"}, {"Dora joins", "open AD of 3, C invited"},
		}},
		{"the challenger starts when enough have joined", 6, []storage.Person{ben}, []step{
			{"Anna starts", host.ErrTooFewPlayers}, {"Chloe joins", "open AC of 6, B invited"}, {"Chloe starts", host.ErrNotStarter},
			{"Ben starts", host.ErrNotStarter}, {"Anna starts", "accepted AC of 6, B invited"}, {"Anna starts", host.ErrAnswered},
			{"Ben joins", host.ErrAnswered}, {"Dora joins", host.ErrAnswered},
		}},
		{"leaving by the challenger cancels it", 4, nil, []step{
			{"Ben joins", "open AB of 4"}, {"Anna leaves", "cancelled AB of 4"}, {"Chloe joins", host.ErrAnswered}, {"Ben leaves", host.ErrAnswered},
		}},
		{"only the challenger cancels it", 4, []storage.Person{ben}, []step{
			{"Ben cancels", host.ErrNotYourChallenge}, {"Chloe cancels", host.ErrNotYourChallenge}, {"Anna cancels", "cancelled A of 4, B invited"},
		}},
		{"a lobby for two starts with the second player", 2, nil, []step{
			{"Ben declines", host.ErrNotInvited}, {"Ben joins", "accepted AB of 2"}, {"Chloe joins", host.ErrNoFreeSeat},
		}},
		{"only the invited person answers a direct challenge", 2, []storage.Person{ben}, []step{
			{"Chloe joins", host.ErrNoFreeSeat}, {"Anna starts", host.ErrTooFewPlayers}, {"Ben leaves", host.ErrNotJoined}, {"Ben joins", "accepted AB of 2"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			ch := w.lobby(c.seats, c.named...)
			for _, s := range c.steps {
				w.pass(time.Second)
				before := w.snapshot(1, ch.ID)
				after, err := w.does(s.does, ch.ID)
				if why, bad := s.want.(error); bad {
					if r := refused(t, err, why); r.Challenge == nil || !reflect.DeepEqual(*r.Challenge, before.challenge) {
						t.Errorf("%s: it concerned %+v", s.does, r.Challenge)
					}
					if now := w.snapshot(1, ch.ID); !reflect.DeepEqual(now, before) {
						t.Errorf("%s: it was changed:\n%+v, before\n%+v", s.does, now, before)
					}
					continue
				}
				must(t, err)
				if got := standing(after); got != s.want {
					t.Errorf("%s: %s, want %s", s.does, got, s.want)
				}
				now := w.snapshot(1, ch.ID)
				if !reflect.DeepEqual(now.challenge, after) || after.Revision <= before.challenge.Revision {
					t.Errorf("%s: stored is %+v, returned %+v", s.does, now.challenge, after)
				}
				if (now.match.ID != 0) != (after.State == storage.ChallengeAccepted) || now.match.ID != after.Match {
					t.Errorf("%s: match %d of a challenge that is %s", s.does, now.match.ID, after.State)
				}
				if after.State == storage.ChallengeAccepted && (len(now.match.Seats) != len(after.Joined) || w.states(after.Match) != "due0🔔") {
					t.Errorf("%s: %d seats, boards %s", s.does, len(now.match.Seats), w.states(after.Match))
				}
			}
			if _, err := w.does("Ben joins", ch.ID+1); !errors.Is(err, host.ErrNoChallenge) {
				t.Errorf("no challenge: %v", err)
			}
		})
	}
}

// A repeated delivery changes nothing.
func TestRepeatedLobbyChange(t *testing.T) {
	for _, c := range []struct{ before, does, want string }{
		{"", "Ben joins", "open AB of 3"},
		{"Ben joins", "Ben leaves", "open A of 3"},
		{"Ben joins", "Chloe joins", "accepted ABC of 3"},
		{"Ben joins", "Anna starts", "accepted AB of 3"},
		{"", "Anna leaves", "cancelled A of 3"},
	} {
		t.Run(c.does, func(t *testing.T) {
			w := newWorld(t)
			ch := w.lobby(3)
			if c.before != "" {
				w.did(c.before, ch)
			}
			who, what, _ := strings.Cut(c.does, " ")
			actor := w.by(map[string]storage.Person{"Anna": anna, "Ben": ben, "Chloe": chloe}[who])
			first, err := deeds[what](w, actor, ch.ID)
			must(t, err)
			if got := standing(first); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			w.pass(time.Minute)
			w.unchanged(t, 1, ch.ID, func() {
				again, err := deeds[what](w, actor, ch.ID)
				if err != nil || !reflect.DeepEqual(again, first) {
					t.Errorf("the same interaction: %+v, %v", again, err)
				}
			})
			// A late repeated delivery does not undo later changes.
			if first.State == storage.ChallengeOpen {
				w.did("Dora joins", ch)
				w.unchanged(t, 1, ch.ID, func() {
					if _, err := deeds[what](w, actor, ch.ID); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

func TestRandomSeatOrder(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: -1, MadeInChannel: -1, Running: -1})
	orders := map[string]int{}
	for seed := range uint64(20) {
		w.seed = seed
		ch := w.lobby(5)
		w.seed = 1000 + seed // what counts is the seed on record
		for _, s := range []string{"Ben joins", "Chloe joins", "Dora joins"} {
			w.did(s, ch)
		}
		ch, v, err := w.host.Start(t.Context(), w.by(anna), ch.ID)
		must(t, err)
		var want []storage.Person
		for _, i := range match.Shuffle(4, seed) {
			want = append(want, ch.Joined[i])
		}
		if !slices.Equal(v.Record.Seats, want) || v.Record.Seed != seed {
			t.Errorf("seed %d: %v, want %v", seed, v.Record.Seats, want)
		}
		orders[initials(v.Record.Seats)]++
	}
	if len(orders) < 8 {
		t.Errorf("of 20 lots: %v", orders)
	}
}

func TestConcurrentJoin(t *testing.T) {
	for range 5 {
		w := newWorld(t)
		ch := w.lobby(4, ben)
		var seatsTaken, told, started atomic.Int32
		atOnce(30, func(i int) {
			p := storage.Person{ID: fmt.Sprint("p", i), Name: fmt.Sprint("P", i)}
			if i == 0 {
				p = ben // a seat is kept for Ben, however late the call comes
			}
			_, v, err := w.host.Join(t.Context(), w.by(p), ch.ID)
			switch {
			case err == nil:
				seatsTaken.Add(1)
				if v != nil {
					started.Add(1)
				}
			case errors.Is(err, host.ErrNoFreeSeat) && p != ben:
				told.Add(1)
			default:
				t.Errorf("%s: %v", p.Name, err)
			}
		})
		s := w.outcome(ch.ID)
		if seatsTaken.Load() != 3 || told.Load() != 27 || started.Load() != 1 {
			t.Errorf("%d have a seat, %d are told that it is full, %d started it", seatsTaken.Load(), told.Load(), started.Load())
		}
		if s.challenge.State != storage.ChallengeAccepted || len(s.match.Seats) != 4 || !slices.Contains(s.match.Seats, ben) || len(s.boards) != 1 {
			t.Errorf("%s, seats %v", standing(s.challenge), s.match.Seats)
		}
	}
}

// Concurrent changes start at most one match, of those who have joined.
func TestConcurrentLobbyChanges(t *testing.T) {
	for range 5 {
		w := newWorld(t)
		ch := w.lobby(5)
		w.did("Ben joins", ch)
		atOnce(8, func(i int) {
			sentence := []string{"Anna starts", "Ben leaves", "Chloe joins", "Anna cancels", "Dora joins", "Ben joins", "Emil joins", "Anna starts"}[i]
			_, err := w.does(sentence, ch.ID)
			var r *host.Refusal
			if err != nil && !errors.As(err, &r) {
				t.Errorf("%s: %v", sentence, err)
			}
		})
		s := w.outcome(ch.ID)
		if (s.challenge.State == storage.ChallengeAccepted) != (s.match.ID != 0) || s.match.ID != 0 && len(s.match.Seats) != len(s.challenge.Joined) {
			t.Errorf("%s, match %d of %v", standing(s.challenge), s.match.ID, s.match.Seats)
		}
		if len(s.work.Boards) > 1 {
			t.Error("there are two matches")
		}
	}
}

// started returns a match of that many people.
func (w *world) started(n int) *host.View {
	w.t.Helper()
	ch := w.lobby(n)
	var v *host.View
	for _, p := range []storage.Person{ben, chloe, dora, emil}[:n-1] {
		v = w.join(p, ch)
	}
	return v
}

// With three or more players the others play on after a resignation, even before
// everybody has moved; of two the other wins, or the match is aborted.
func TestResignOneOfSeveral(t *testing.T) {
	w := newWorld(t)
	v := w.started(4)
	id := v.Record.ID
	resign := func(seat engine.Seat) {
		t.Helper()
		if v.WouldAbort() != (len(v.ActiveSeats()) == 2 && v.Match.CanAbort()) {
			t.Errorf("%v play, calls off %t", v.ActiveSeats(), v.WouldAbort())
		}
		var err error
		v, err = w.host.Resign(t.Context(), w.by(v.Person(seat)), id, host.AnySeq)
		must(t, err)
	}
	w.post(id)

	resign(3) // out of turn
	if got := w.states(id); got != "stale0🔔 due1" {
		t.Errorf("the first is to move as before: %s", got)
	}
	if !slices.Equal(v.ActiveSeats(), []engine.Seat{1, 2, 4}) || v.Match.Seat() != 1 {
		t.Errorf("%v play, seat %d is to move", v.ActiveSeats(), v.Match.Seat())
	}
	w.unchanged(t, id, 0, func() {
		_, err := w.host.Resign(t.Context(), w.by(v.Person(3)), id, host.AnySeq)
		refused(t, err, match.ErrNotPlaying)
	})
	w.post(id)
	v = w.act(v, "a1 end")
	w.post(id)

	v = w.act(v, "a1") // of a turn that is still open
	resign(2)          // in their own turn: the next one is notified
	if got := w.states(id); !strings.HasSuffix(got, "stale3🔔 due5🔔") || v.Match.Seat() != 4 {
		t.Errorf("seat %d is to move: %s", v.Match.Seat(), got)
	}

	resign(1) // of two: seat 4 has not moved yet
	out, over := v.Match.Over()
	if !over || out.Ending != match.ByAbort || len(v.ActiveSeats()) != 0 {
		t.Errorf("%+v", out)
	}
}

// If a board with a notification is superseded before it is posted, because
// another seat retires, the new board notifies.
func TestRetirementKeepsPendingNotification(t *testing.T) {
	w := newWorld(t)
	v := w.started(4)
	id := v.Record.ID
	v, err := w.host.Resign(t.Context(), w.by(v.Person(2)), id, host.AnySeq)
	must(t, err)
	if got := w.states(id); got != "skipped0🔔 due1🔔" {
		t.Errorf("%s", got)
	}
	w.post(id)
	_, err = w.host.Resign(t.Context(), w.by(v.Person(3)), id, host.AnySeq)
	must(t, err)
	if got := w.states(id); got != "skipped0🔔 stale1🔔 due2" {
		t.Errorf("%s", got)
	}
}
