package host_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

func TestChallengeIsKept(t *testing.T) {
	w := newWorld(t)
	w.seed = 1<<63 + 5
	ch, err := w.host.Challenge(t.Context(), w.by(anna), host.Offer{
		Place: here, Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"size": " 7 ", "towers": "1"},
	})
	must(t, err)
	want := storage.Challenge{
		ID: ch.ID, Place: here, Challenger: anna, Seats: 2, Joined: []storage.Person{anna}, Invited: []storage.Person{ben},
		Game: "trails", Options: "size=7 towers=1 distance=1", Shown: -1,
		First: host.FirstRandom, Seed: 1<<63 + 5, State: storage.ChallengeOpen, CreatedAt: w.clock, ExpiresAt: w.clock.Add(24 * time.Hour),
	}
	if !reflect.DeepEqual(ch, want) || ch.ID <= 0 {
		t.Errorf("%+v, want\n%+v", ch, want)
	}
	found, err := w.host.FindChallenge(t.Context(), ch.ID)
	if err != nil || !reflect.DeepEqual(found, ch) {
		t.Errorf("found %+v, %v", found, err)
	}
	work, err := w.host.Work(t.Context(), 10)
	if err != nil || len(work.Challenges) != 1 || !reflect.DeepEqual(work.Challenges[0], ch) || len(work.Boards) != 0 {
		t.Errorf("it is to be shown: %+v, %v", work, err)
	}
	game, options, start, err := w.host.Setting(ch)
	must(t, err)
	if game.Key() != "trails" || options.Int("size") != 7 || start.Seat() != 1 {
		t.Errorf("%s %s", game.Key(), options)
	}
}

func TestChallengeRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		offer host.Offer
		why   error
	}{
		{"unknown game", host.Offer{Opponents: []storage.Person{ben}, Game: "chess"}, host.ErrUnknownGame},
		{"no game", host.Offer{Opponents: []storage.Person{ben}}, host.ErrUnknownGame},
		{"oneself", host.Offer{Opponents: []storage.Person{anna}, Game: "trails"}, host.ErrOneself},
		{"oneself under another name", host.Offer{Opponents: []storage.Person{{ID: anna.ID, Name: "X"}}, Game: "trails"}, host.ErrOneself},
		{"somebody twice", host.Offer{Opponents: []storage.Person{ben, chloe, {ID: ben.ID, Name: "X"}}, Game: "sample"}, host.ErrTwice},
		{"oneself among others", host.Offer{Opponents: []storage.Person{ben, anna}, Game: "sample"}, host.ErrOneself},
		{"more people than seats", host.Offer{Opponents: []storage.Person{ben, chloe}, Seats: 2, Game: "sample"}, host.ErrTooMany},
		{"who moves first of three", host.Offer{Opponents: []storage.Person{ben, chloe}, Game: "sample", First: host.FirstMe}, host.ErrWrongFirst},
		{"wrong first", host.Offer{Opponents: []storage.Person{ben}, Game: "trails", First: "blue"}, host.ErrWrongFirst},
		{"value out of range", host.Offer{Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"size": "6"}}, nil},
		{"unknown option", host.Offer{Opponents: []storage.Person{ben}, Game: "trails", Options: map[string]string{"rows": "6"}}, nil},
		{"values that do not go together", host.Offer{Opponents: []storage.Person{ben}, Game: "sample", Options: map[string]string{"counters": "2", "most": "3"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			_, err := w.host.Challenge(t.Context(), w.by(anna), c.offer)
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

func TestCauseNeedsPersonAndInteraction(t *testing.T) {
	w := newWorld(t)
	for _, cause := range []host.Cause{{}, {Person: anna}, {Interaction: "i"}, {Person: storage.Person{Name: "Anna"}, Interaction: "i"}} {
		_, err := w.host.Challenge(t.Context(), cause, host.Offer{Place: here, Opponents: []storage.Person{ben}, Game: "trails"})
		var r *host.Refusal
		if err == nil || errors.As(err, &r) {
			t.Errorf("%+v: %v", cause, err)
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
	answered.State, answered.AnsweredAt, answered.Match = storage.ChallengeAccepted, w.clock, v.Record.ID
	answered.Joined, answered.Invited, answered.Revision = []storage.Person{anna, ben}, nil, 2
	if !reflect.DeepEqual(ch, answered) {
		t.Errorf("challenge %+v, want\n%+v", ch, answered)
	}
	want := storage.Match{
		ID: ch.Match, Challenge: ch.ID, Place: here, Game: "trails", Rules: 1, Options: offer.Options, Seed: 99,
		Seats: []storage.Person{anna, ben}, CreatedAt: w.clock, Shown: -1, Deadline: w.clock.Add(7 * 24 * time.Hour),
	}
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

func TestWhoMovesFirst(t *testing.T) {
	seats := func(first string, seed uint64) []storage.Person {
		w := newWorld(t)
		w.seed = seed
		ch := w.offer("trails", first, nil)
		w.seed = seed + 1 // what counts is the seed on record
		_, v, err := w.host.Accept(t.Context(), w.by(ben), ch.ID)
		must(t, err)
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

// answers is the ways to answer a challenge.
var answers = []struct {
	name  string
	who   storage.Person
	why   error // for everybody else
	state storage.ChallengeState
	do    func(*world, host.Cause, storage.ChallengeID) (storage.Challenge, error)
}{
	{"accept", ben, host.ErrNotForYou, storage.ChallengeAccepted, func(w *world, c host.Cause, id storage.ChallengeID) (storage.Challenge, error) {
		ch, _, err := w.host.Accept(w.t.Context(), c, id)
		return ch, err
	}},
	{"decline", ben, host.ErrNotForYou, storage.ChallengeDeclined, func(w *world, c host.Cause, id storage.ChallengeID) (storage.Challenge, error) {
		return w.host.Decline(w.t.Context(), c, id)
	}},
	{"cancel", anna, host.ErrNotYours, storage.ChallengeCancelled, func(w *world, c host.Cause, id storage.ChallengeID) (storage.Challenge, error) {
		return w.host.Cancel(w.t.Context(), c, id)
	}},
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
					_, err := a.do(w, w.by(p), ch.ID)
					if r := refused(t, err, a.why); r.Challenge == nil || !reflect.DeepEqual(*r.Challenge, ch) {
						t.Errorf("%s: %+v", p.Name, r.Challenge)
					}
				})
			}
			_, err := a.do(w, w.by(a.who), ch.ID+1)
			refused(t, err, host.ErrNoChallenge)

			cause := w.by(a.who)
			answered, err := a.do(w, cause, ch.ID)
			must(t, err)
			if answered.State != a.state || answered.AnsweredAt != w.clock || (answered.Match != 0) != (a.name == "accept") {
				t.Errorf("%+v", answered)
			}
			w.unchanged(t, 1, ch.ID, func() {
				again, err := a.do(w, cause, ch.ID)
				if err != nil || !reflect.DeepEqual(again, answered) {
					t.Errorf("the same interaction: %+v, %v", again, err)
				}
				for _, b := range answers {
					_, err := b.do(w, w.by(b.who), ch.ID)
					if r := refused(t, err, host.ErrAnswered); r.Challenge.State != a.state {
						t.Errorf("%s after %s: %s", b.name, a.name, r.Challenge.State)
					}
				}
			})
		})
	}
}

func TestChallengeIsMadeOnce(t *testing.T) {
	w := newWorld(t)
	cause := w.by(anna)
	offer := host.Offer{Place: here, Opponents: []storage.Person{ben}, Game: "trails"}
	first, err := w.host.Challenge(t.Context(), cause, offer)
	must(t, err)
	w.pass(time.Second)
	again, err := w.host.Challenge(t.Context(), cause, offer)
	if err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("%+v, %v", again, err)
	}
	if work, err := w.host.Work(t.Context(), 10); err != nil || len(work.Challenges) != 1 {
		t.Errorf("%d challenges, %v", len(work.Challenges), err)
	}
	if other, err := w.host.Challenge(t.Context(), w.by(anna), offer); err != nil || other.ID == first.ID {
		t.Errorf("another interaction gave %d, %v", other.ID, err)
	}
}

func TestSettingOfAGameThatIsGone(t *testing.T) {
	w := newWorld(t)
	for _, ch := range []storage.Challenge{
		{ID: 7, Seats: 2, Game: "chess", Options: ""},
		{ID: 7, Seats: 2, Game: "trails", Options: "size=6 towers=3 distance=1"},
		{ID: 7, Seats: 2, Game: "trails", Options: "nonsense"},
		{ID: 7, Seats: 2, Game: "trails", Options: "size=5 towers=9 distance=3"},
		{ID: 7, Seats: 3, Game: "trails", Options: "size=7 towers=1 distance=1"},
	} {
		if _, _, _, err := w.host.Setting(ch); err == nil || !strings.Contains(err.Error(), "challenge 7") {
			t.Errorf("%+v: %v", ch, err)
		}
	}
}
