package host_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"castellan/bot/host"
	"castellan/engine"
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
		ch, _, err := w.Host.Accept(w.t.Context(), c, id)
		return ch, err
	},
	"joins": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		ch, _, err := w.Host.Join(w.t.Context(), c, id)
		return ch, err
	},
	"starts": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		ch, _, err := w.Host.Start(w.t.Context(), c, id)
		return ch, err
	},
	"leaves": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		return w.Host.Leave(w.t.Context(), c, id)
	},
	"declines": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		return w.Host.Decline(w.t.Context(), c, id)
	},
	"cancels": func(w *world, c host.Actor, id storage.ChallengeID) (storage.Challenge, error) {
		return w.Host.Cancel(w.t.Context(), c, id)
	},
}

// does carries out a sentence such as "Ben joins".
func (w *world) does(sentence string, id storage.ChallengeID) (storage.Challenge, error) {
	w.t.Helper()
	who, what, _ := strings.Cut(sentence, " ")
	for _, p := range []storage.Person{anna, ben, chloe, dora, emil} {
		if p.Name == who {
			return deeds[what](w, w.Actor(p), id)
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
			ch, err := w.Host.CreateChallenge(t.Context(), w.Actor(anna), host.Proposal{Place: here, Opponents: c.named, Seats: c.seats, Game: "sample"})
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
			_, _, start, err := w.Host.ChallengeSetup(ch)
			if err != nil || host.FreeSeats(ch) != c.want-1-len(c.named) {
				t.Errorf("%d free seats, start %v, %v", host.FreeSeats(ch), start, err)
			}
		})
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
