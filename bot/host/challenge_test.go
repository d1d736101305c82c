package host_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/browse"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

func TestCreateChallenge(t *testing.T) {
	w := newWorld(t)
	w.seed = 1<<63 + 5
	ch, err := w.Host.CreateChallenge(t.Context(), w.Actor(anna), host.Proposal{
		Place: here, Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"size": " 7 ", "towers": "1"},
	})
	must(t, err)
	want := storage.Challenge{
		ID: ch.ID, Place: here, Challenger: anna, Seats: 2, Joined: []storage.Person{anna}, Invited: []storage.Person{ben},
		Game: "trails", Options: "size=7 towers=1 distance=1", ShownRevision: -1,
		First: host.FirstRandom, Seed: 1<<63 + 5, State: storage.ChallengeOpen, CreatedAt: w.Now(), ExpiresAt: w.Now().Add(24 * time.Hour),
	}
	if !reflect.DeepEqual(ch, want) || ch.ID <= 0 {
		t.Errorf("%+v, want\n%+v", ch, want)
	}
	found, err := w.Host.FindChallenge(t.Context(), ch.ID)
	if err != nil || !reflect.DeepEqual(found, ch) {
		t.Errorf("found %+v, %v", found, err)
	}
	work, err := w.Host.PendingWork(t.Context(), 10)
	if err != nil || len(work.Challenges) != 1 || !reflect.DeepEqual(work.Challenges[0], ch) || len(work.Boards) != 0 {
		t.Errorf("it is to be shown: %+v, %v", work, err)
	}
	game, options, start, err := w.Host.ChallengeSetup(ch)
	must(t, err)
	if game.Key() != "trails" || options.Int("size") != 7 || start.Seat() != 1 {
		t.Errorf("%s %s", game.Key(), options)
	}
}

func TestCreateChallengeRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		offer host.Proposal
		why   error
	}{
		{"unknown game", host.Proposal{Opponents: []storage.Person{ben}, Game: "chess"}, host.ErrUnknownGame},
		{"no game", host.Proposal{Opponents: []storage.Person{ben}}, host.ErrUnknownGame},
		{"self", host.Proposal{Opponents: []storage.Person{anna}, Game: "trails"}, host.ErrSelfChallenge},
		{"self under another name", host.Proposal{Opponents: []storage.Person{{ID: anna.ID, Name: "X"}}, Game: "trails"}, host.ErrSelfChallenge},
		{"a person twice", host.Proposal{Opponents: []storage.Person{ben, chloe, {ID: ben.ID, Name: "X"}}, Game: "sample"}, host.ErrDuplicatePlayer},
		{"self among others", host.Proposal{Opponents: []storage.Person{ben, anna}, Game: "sample"}, host.ErrSelfChallenge},
		{"more people than seats", host.Proposal{Opponents: []storage.Person{ben, chloe}, Seats: 2, Game: "sample"}, host.ErrTooManyPlayers},
		{"first player of three", host.Proposal{Opponents: []storage.Person{ben, chloe}, Game: "sample", First: host.FirstMe}, host.ErrInvalidFirst},
		{"wrong first", host.Proposal{Opponents: []storage.Person{ben}, Game: "trails", First: "blue"}, host.ErrInvalidFirst},
		{"value out of range", host.Proposal{Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"size": "6"}}, nil},
		{"unknown option", host.Proposal{Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"rows": "6"}}, nil},
		{"incompatible values", host.Proposal{Opponents: []storage.Person{ben}, Game: "sample", Options: map[string]string{"counters": "2", "most": "3"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			_, err := w.Host.CreateChallenge(t.Context(), w.Actor(anna), c.offer)
			var option *engine.OptionError
			if c.why == nil {
				if !errors.As(err, &option) || option.Why.IsZero() {
					t.Fatalf("%T %v", err, err)
				}
				c.why = option
			}
			refused(t, err, c.why)
			if _, err := w.Host.FindChallenge(t.Context(), 1); !errors.Is(err, host.ErrNoChallenge) {
				t.Errorf("something was stored: %v", err)
			}
		})
	}
}

func TestIncompleteActor(t *testing.T) {
	w := newWorld(t)
	for _, actor := range []host.Actor{{}, {Person: anna}, {Interaction: "i"}, {Person: storage.Person{Name: "Anna"}, Interaction: "i"}} {
		_, err := w.Host.CreateChallenge(t.Context(), actor, host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails"})
		var r *host.Refusal
		if err == nil || errors.As(err, &r) {
			t.Errorf("%+v: %v", actor, err)
		}
	}
	if s := w.snapshot(1, 1); s.challenge.ID != 0 {
		t.Errorf("stored: %+v", s.challenge)
	}
}

func TestAcceptStartsTheMatch(t *testing.T) {
	w := newWorld(t)
	w.seed = 99
	offer := w.offer("trails", host.FirstMe, map[string]string{"size": "7"})
	w.Advance(time.Minute)
	ch, v, err := w.Host.Accept(t.Context(), w.Actor(ben), offer.ID)
	must(t, err)
	answered := offer
	answered.State, answered.ResolvedAt, answered.Match = storage.ChallengeAccepted, w.Now(), v.Record.ID
	answered.Joined, answered.Invited, answered.Revision = []storage.Person{anna, ben}, nil, 2
	if !reflect.DeepEqual(ch, answered) {
		t.Errorf("challenge %+v, want\n%+v", ch, answered)
	}
	want := storage.Match{
		ID: ch.Match, Challenge: ch.ID, Place: here, Game: "trails", RulesVersion: 1, Options: offer.Options, Seed: 99,
		Seats: []storage.Person{anna, ben}, CreatedAt: w.Now(), ShownSeq: -1, CheckAt: w.Now().Add(host.LeaveGrace),
	}
	want.Root = storage.Root(want)
	want.Head = want.Root
	if !reflect.DeepEqual(v.Record, want) {
		t.Errorf("match %+v, want\n%+v", v.Record, want)
	}
	if p, ok := v.ToMove(); !ok || p != anna || v.Since() != w.Now() {
		t.Errorf("%v is to move since %v", p, v.Since())
	}
	for person, seat := range map[string]engine.Seat{anna.ID: 1, ben.ID: 2, chloe.ID: engine.Nobody, "": engine.Nobody} {
		if v.SeatOf(person) != seat {
			t.Errorf("%s sits in seat %d", person, v.SeatOf(person))
		}
	}
	if got := w.states(v.Record.ID); got != "due0🔔" {
		t.Errorf("boards %s", got)
	}
	if v.Board.State != storage.BoardDue || v.Board.Place != here {
		t.Errorf("board %+v", v.Board)
	}
}

func TestChallengeSetupErrors(t *testing.T) {
	w := newWorld(t)
	for _, ch := range []storage.Challenge{
		{ID: 7, Seats: 2, Game: "chess", Options: ""},
		{ID: 7, Seats: 2, Game: "trails", Options: "size=6 towers=3 distance=1"},
		{ID: 7, Seats: 2, Game: "trails", Options: "nonsense"},
		{ID: 7, Seats: 2, Game: "trails", Options: "size=5 towers=9 distance=3"},
		{ID: 7, Seats: 3, Game: "trails", Options: "size=7 towers=1 distance=1"},
	} {
		if _, _, _, err := w.Host.ChallengeSetup(ch); err == nil || !strings.Contains(err.Error(), "challenge 7") {
			t.Errorf("%+v: %v", ch, err)
		}
	}
}

// over returns a match of Anna, who moved first, and Ben that has ended.
func (w *world) over() *host.View {
	w.t.Helper()
	v := w.start("trails", map[string]string{"size": "7", "towers": "1"})
	v = w.resign(ben, v)
	return v
}

func (w *world) rematch(p storage.Person, id storage.MatchID) (storage.Challenge, *host.View, error) {
	w.t.Helper()
	return w.Host.Rematch(w.t.Context(), w.Actor(p), id, there, false)
}

func TestRematchRefused(t *testing.T) {
	w := newWorld(t)
	running := w.start("trails", nil)
	_, _, err := w.rematch(anna, running.Record.ID)
	refused(t, err, host.ErrNotOver)
	last := w.over()
	_, _, err = w.rematch(chloe, last.Record.ID)
	refused(t, err, host.ErrNotSeated)
	_, _, err = w.rematch(anna, 99)
	refused(t, err, host.ErrNoMatch)
	_, err = browse.New(w.Host).LastEnded(t.Context(), chloe.ID, here.Channel)
	refused(t, err, host.ErrNoFinishedMatch)
	if v, err := browse.New(w.Host).LastEnded(t.Context(), anna.ID, here.Channel); err != nil || v.Record.ID != last.Record.ID {
		t.Errorf("%+v %v", v, err)
	}
	full := newWorld(t, host.Limits{OpenByPerson: 1})
	last = full.over()
	full.offer("trails", "", nil)
	_, _, err = full.rematch(anna, last.Record.ID)
	if r, ok := err.(*host.Refusal); !ok || r.Err.(*host.LimitError).Limit != host.LimitOpenByPerson {
		t.Errorf("%v", err)
	}
}

// Only those who played can join a rematch, even if one of them declines.
func TestRematchOfThree(t *testing.T) {
	w := newWorld(t)
	v := w.started(3)
	for range 2 {
		p, _ := v.ToMove()
		v = w.resign(p, v)
		w.Advance(time.Second)
	}
	next, none, err := w.rematch(ben, v.Record.ID)
	must(t, err)
	if none != nil || next.Seats != 3 || len(next.Invited) != 2 || next.First != host.FirstRandom {
		t.Fatalf("%+v", next)
	}
	for id, want := range map[storage.ChallengeID]bool{v.Record.Challenge: false, next.ID: true} {
		if got, err := w.Host.IsRematch(t.Context(), id); err != nil || got != want {
			t.Errorf("challenge %d is a rematch: %t (%v)", id, got, err)
		}
	}
	_, err = w.Host.Decline(t.Context(), w.Actor(anna), next.ID)
	must(t, err)
	_, _, err = w.Host.Join(t.Context(), w.Actor(dora), next.ID)
	refused(t, err, host.ErrDidNotPlay)
	now, none, err := w.rematch(chloe, v.Record.ID)
	if err != nil || none != nil || len(now.Joined) != 2 {
		t.Errorf("%+v %v", now, err)
	}
	_, begun, err := w.Host.Join(t.Context(), w.Actor(anna), next.ID) // although Anna declined before
	if err != nil || begun == nil || len(begun.Record.Seats) != 3 {
		t.Errorf("%+v %v", begun, err)
	}
}
