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
	"castellan/engine/match"
	"castellan/storage"
)

func TestCreateChallenge(t *testing.T) {
	w := newWorld(t)
	w.seed = 1<<63 + 5
	ch, err := w.host.CreateChallenge(t.Context(), w.by(anna), host.Proposal{
		Place: here, Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"size": " 7 ", "towers": "1"},
	})
	must(t, err)
	want := storage.Challenge{
		ID: ch.ID, Place: here, Challenger: anna, Seats: 2, Joined: []storage.Person{anna}, Invited: []storage.Person{ben},
		Game: "trails", Options: "size=7 towers=1 distance=1", ShownRevision: -1,
		First: host.FirstRandom, Seed: 1<<63 + 5, State: storage.ChallengeOpen, CreatedAt: w.clock, ExpiresAt: w.clock.Add(24 * time.Hour),
	}
	if !reflect.DeepEqual(ch, want) || ch.ID <= 0 {
		t.Errorf("%+v, want\n%+v", ch, want)
	}
	found, err := w.host.FindChallenge(t.Context(), ch.ID)
	if err != nil || !reflect.DeepEqual(found, ch) {
		t.Errorf("found %+v, %v", found, err)
	}
	work, err := w.host.PendingWork(t.Context(), 10)
	if err != nil || len(work.Challenges) != 1 || !reflect.DeepEqual(work.Challenges[0], ch) || len(work.Boards) != 0 {
		t.Errorf("it is to be shown: %+v, %v", work, err)
	}
	game, options, start, err := w.host.ChallengeSetup(ch)
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
			_, err := w.host.CreateChallenge(t.Context(), w.by(anna), c.offer)
			var option *engine.OptionError
			if c.why == nil {
				if !errors.As(err, &option) || option.Why.IsZero() {
					t.Fatalf("%T %v", err, err)
				}
				c.why = option
			}
			refused(t, err, c.why)
			if _, err := w.host.FindChallenge(t.Context(), 1); !errors.Is(err, host.ErrNoChallenge) {
				t.Errorf("something was stored: %v", err)
			}
		})
	}
}

func TestIncompleteActor(t *testing.T) {
	w := newWorld(t)
	for _, actor := range []host.Actor{{}, {Person: anna}, {Interaction: "i"}, {Person: storage.Person{Name: "Anna"}, Interaction: "i"}} {
		_, err := w.host.CreateChallenge(t.Context(), actor, host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails"})
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
	w.pass(time.Minute)
	ch, v, err := w.host.Accept(t.Context(), w.by(ben), offer.ID)
	must(t, err)
	answered := offer
	answered.State, answered.ResolvedAt, answered.Match = storage.ChallengeAccepted, w.clock, v.Record.ID
	answered.Joined, answered.Invited, answered.Revision = []storage.Person{anna, ben}, nil, 2
	if !reflect.DeepEqual(ch, answered) {
		t.Errorf("challenge %+v, want\n%+v", ch, answered)
	}
	want := storage.Match{
		ID: ch.Match, Challenge: ch.ID, Place: here, Game: "trails", RulesVersion: 1, Options: offer.Options, Seed: 99,
		Seats: []storage.Person{anna, ben}, CreatedAt: w.clock, ShownSeq: -1, Deadline: w.clock.Add(7 * 24 * time.Hour),
	}
	want.Root = storage.Root(want)
	if !reflect.DeepEqual(v.Record, want) {
		t.Errorf("match %+v, want\n%+v", v.Record, want)
	}
	if p, ok := v.ToMove(); !ok || p != anna || v.Since() != w.clock {
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

func TestFirst(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: -1, MadeInChannel: -1, Running: -1})
	seats := func(first string, seed uint64) []storage.Person {
		w.seed = seed
		ch := w.offer("trails", first, nil)
		w.seed = seed + 1 // the recorded seed counts
		v := w.accept(ben, ch)
		if v.Record.Seed != seed || ch.Seed != seed {
			t.Errorf("seed %d is on record as %d and %d", seed, ch.Seed, v.Record.Seed)
		}
		return v.Record.Seats
	}
	if got := seats(host.FirstMe, 1); got[0] != anna || got[1] != ben {
		t.Errorf("me: %v", got)
	}
	if got := seats(host.FirstThem, 1); got[0] != ben || got[1] != anna {
		t.Errorf("them: %v", got)
	}
	begins := map[string]int{}
	people := []storage.Person{anna, ben}
	for seed := range uint64(12) {
		got := seats(host.FirstRandom, seed)
		order := match.Shuffle(2, seed)
		if got[0] != people[order[0]] || got[1] != people[order[1]] {
			t.Errorf("seed %d: %v, its order is %v", seed, got, order)
		}
		if again := seats("", seed); !reflect.DeepEqual(got, again) {
			t.Errorf("seed %d: %v, then %v", seed, got, again)
		}
		begins[got[0].Name]++
	}
	if begins["Anna"] == 0 || begins["Ben"] == 0 {
		t.Errorf("of 12 lots: %v", begins)
	}
}

// answers lists the ways to answer a challenge.
var answers = []struct {
	name  string // a key of deeds
	who   storage.Person
	why   error // for everybody else
	state storage.ChallengeState
}{
	{"accepts", ben, host.ErrNotInvited, storage.ChallengeAccepted},
	{"declines", ben, host.ErrNotInvited, storage.ChallengeDeclined},
	{"cancels", anna, host.ErrNotYourChallenge, storage.ChallengeCancelled},
}

func TestAnswerRefused(t *testing.T) {
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			w := newWorld(t)
			ch := w.offer("trails", host.FirstMe, nil)
			for _, p := range []storage.Person{anna, ben, chloe} {
				if p == a.who {
					continue
				}
				w.unchanged(t, 1, ch.ID, func() {
					_, err := deeds[a.name](w, w.by(p), ch.ID)
					if r := refused(t, err, a.why); r.Challenge == nil || !reflect.DeepEqual(*r.Challenge, ch) {
						t.Errorf("%s: %+v", p.Name, r.Challenge)
					}
				})
			}
			_, err := deeds[a.name](w, w.by(a.who), ch.ID+1)
			refused(t, err, host.ErrNoChallenge)

			actor := w.by(a.who)
			answered, err := deeds[a.name](w, actor, ch.ID)
			must(t, err)
			if answered.State != a.state || answered.ResolvedAt != w.clock || (answered.Match != 0) != (a.name == "accepts") {
				t.Errorf("%+v", answered)
			}
			w.unchanged(t, 1, ch.ID, func() {
				again, err := deeds[a.name](w, actor, ch.ID)
				if err != nil || !reflect.DeepEqual(again, answered) {
					t.Errorf("the same interaction: %+v, %v", again, err)
				}
				for _, b := range answers {
					_, err := deeds[b.name](w, w.by(b.who), ch.ID)
					if r := refused(t, err, host.ErrAnswered); r.Challenge.State != a.state {
						t.Errorf("%s after %s: %s", b.name, a.name, r.Challenge.State)
					}
				}
			})
		})
	}
}

func TestRepeatedCreateChallenge(t *testing.T) {
	w := newWorld(t)
	actor := w.by(anna)
	offer := host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails"}
	first, err := w.host.CreateChallenge(t.Context(), actor, offer)
	must(t, err)
	w.pass(time.Second)
	again, err := w.host.CreateChallenge(t.Context(), actor, offer)
	if err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("%+v, %v", again, err)
	}
	if work, err := w.host.PendingWork(t.Context(), 10); err != nil || len(work.Challenges) != 1 {
		t.Errorf("%d challenges, %v", len(work.Challenges), err)
	}
	if other, err := w.host.CreateChallenge(t.Context(), w.by(anna), offer); err != nil || other.ID == first.ID {
		t.Errorf("another interaction gave %d, %v", other.ID, err)
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
		if _, _, _, err := w.host.ChallengeSetup(ch); err == nil || !strings.Contains(err.Error(), "challenge 7") {
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
	return w.host.Rematch(w.t.Context(), w.by(p), id, there, false)
}

func TestRematchSwapsSeats(t *testing.T) {
	for _, asks := range []storage.Person{anna, ben} {
		w := newWorld(t)
		last := w.over()
		ch, v, err := w.rematch(asks, last.Record.ID)
		must(t, err)
		if v != nil || ch.Place != there || ch.Challenger != asks || len(ch.Invited) != 1 || ch.Options != last.Record.Options {
			t.Fatalf("%+v %v", ch, v)
		}
		if again, err := w.host.IsRematch(t.Context(), ch.ID); !again || err != nil {
			t.Errorf("a rematch: %v %v", again, err)
		}
		v = w.accept(ch.Invited[0], ch)
		if v.Record.Seats[0] != ben || v.Record.Seats[1] != anna {
			t.Errorf("%s asks: %v", asks.Name, v.Record.Seats)
		}
	}
}

func TestSecondRematchAccepts(t *testing.T) {
	w := newWorld(t)
	last := w.over()
	ch, _, err := w.rematch(anna, last.Record.ID)
	must(t, err)
	_, _, err = w.rematch(anna, last.Record.ID)
	refused(t, err, host.ErrRematchPending)

	actor := w.by(ben)
	now, v, err := w.host.Rematch(t.Context(), actor, last.Record.ID, here, false)
	must(t, err)
	if v == nil || v.Repeated || now.ID != ch.ID || now.State != storage.ChallengeAccepted || v.Record.Challenge != ch.ID || v.Record.Place != there {
		t.Fatalf("%+v %+v", now, v)
	}
	_, again, err := w.host.Rematch(t.Context(), actor, last.Record.ID, here, false)
	if err != nil || again == nil || !again.Repeated || again.Record.ID != v.Record.ID {
		t.Errorf("delivered again: %+v %v", again, err)
	}
	for _, p := range []storage.Person{anna, ben} {
		_, _, err = w.rematch(p, last.Record.ID)
		if r := refused(t, err, host.ErrRematchStarted); r.View == nil || r.View.Record.ID != v.Record.ID {
			t.Errorf("%+v", r)
		}
	}
}

func TestRematchAgain(t *testing.T) {
	for _, does := range []string{"Ben declines", "Anna cancels", ""} {
		t.Run(does, func(t *testing.T) {
			w := newWorld(t)
			last := w.over()
			ch, _, err := w.rematch(anna, last.Record.ID)
			must(t, err)
			if does == "" {
				w.pass(host.ChallengeLifetime)
			} else if _, err := w.does(does, ch.ID); err != nil {
				t.Fatal(err)
			}
			next, v, err := w.rematch(ben, last.Record.ID)
			if err != nil || v != nil || next.ID == ch.ID || next.Challenger != ben {
				t.Errorf("%+v %+v %v", next, v, err)
			}
		})
	}
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
	_, err = browse.New(w.host).LastEnded(t.Context(), chloe.ID, here.Channel)
	refused(t, err, host.ErrNoFinishedMatch)
	if v, err := browse.New(w.host).LastEnded(t.Context(), anna.ID, here.Channel); err != nil || v.Record.ID != last.Record.ID {
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
		w.pass(time.Second)
	}
	next, none, err := w.rematch(ben, v.Record.ID)
	must(t, err)
	if none != nil || next.Seats != 3 || len(next.Invited) != 2 || next.First != host.FirstRandom {
		t.Fatalf("%+v", next)
	}
	_, err = w.host.Decline(t.Context(), w.by(anna), next.ID)
	must(t, err)
	_, _, err = w.host.Join(t.Context(), w.by(dora), next.ID)
	refused(t, err, host.ErrDidNotPlay)
	now, none, err := w.rematch(chloe, v.Record.ID)
	if err != nil || none != nil || len(now.Joined) != 2 {
		t.Errorf("%+v %v", now, err)
	}
	_, begun, err := w.host.Join(t.Context(), w.by(anna), next.ID) // although Anna declined before
	if err != nil || begun == nil || len(begun.Record.Seats) != 3 {
		t.Errorf("%+v %v", begun, err)
	}
}
