package host_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/storage"
)

// differences fails the test if ratings do not follow from the logs.
func (w *world) checkRatings() {
	w.t.Helper()
	if c, err := w.Host.CheckRatings(w.t.Context(), nil); err != nil || len(c.Differences) > 0 {
		w.t.Errorf("ratings: %+v (%v)", c, err)
	}
}

// organise returns a person as an organiser of the guild.
func (w *world) organise(p storage.Person) host.Actor {
	a := w.Actor(p)
	a.Place = here
	return a
}

// A result that is taken out of the ratings, put in again, or taken back with the end of
// its match changes all ratings that followed from it, and no others.
func TestRateAfresh(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: -1, MadeInGuild: -1})
	random := rand.New(rand.NewPCG(1, 2))
	var all []*host.View
	people := []storage.Person{anna, ben, chloe}
	for n := range 8 {
		a := random.IntN(3)
		v := w.begin("trails", false, people[a], people[(a+1+n%2)%3])
		all = append(all, w.playOut(v, random))
		w.Advance(time.Hour)
	}
	apart := w.playOut(w.begin("trails", false, dora, emil), random)
	for _, n := range []int{0, 3, 7} {
		id := all[n].Record.ID
		before, _ := w.rating("trails", anna)
		v, err := w.Host.Void(t.Context(), w.organise(emil), id)
		must(t, err)
		if len(v.RatingChanges) > 0 || !v.Match.Voided() || v.OrganiserOf(v.Match.Seq()) != emil.ID {
			t.Errorf("void: %+v", v.RatingChanges)
		}
		w.checkRatings()
		_, err = w.Host.Void(t.Context(), w.organise(emil), id)
		refused(t, err, match.ErrNoVoid)
		if v, err = w.Host.Revert(t.Context(), w.organise(dora), id, v.Match.Seq()); err != nil || len(v.RatingChanges) != 2 {
			t.Errorf("put in again: %+v (%v)", v.RatingChanges, err)
		}
		w.checkRatings()
		if after, _ := w.rating("trails", anna); after != before {
			t.Errorf("the rating is %+v, it was %+v", after, before)
		}
	}
	// A match that was adjudicated and goes on, after others have ended.
	v := w.begin("trails", false, anna, ben)
	for range 40 {
		if v.Match.Seat() != 0 && v.Match.Position().Turns() < host.LeastTurns(v.Match) {
			v = w.act(v, v.Match.Position().Legal()[0].String())
		}
	}
	mover := v.Match.Seat()
	ended, err := w.Host.Adjudicate(t.Context(), w.organise(chloe), v.Record.ID, match.VerdictWin(1))
	must(t, err)
	if len(ended.RatingChanges) != 2 || ended.Record.Results[0].Result != storage.Won {
		t.Fatalf("adjudicated: %+v, %+v", ended.RatingChanges, ended.Record)
	}
	w.checkRatings()
	w.playOut(w.begin("trails", false, ben, chloe), random)
	v, err = w.Host.Revert(t.Context(), w.organise(chloe), v.Record.ID, ended.Match.Seq())
	must(t, err)
	if v.Match.Seat() != mover || v.Record.Ending != "" || len(v.RatingChanges) > 0 || len(v.Record.Results) > 0 {
		t.Errorf("it goes on as %+v", v.Record)
	}
	w.checkRatings()
	w.resign(anna, v)
	w.checkRatings()
	if c := w.Match(apart.Record.ID).RatingChanges; len(c) != 2 || c[0] != apart.RatingChanges[0] {
		t.Errorf("the ratings of others are %+v, they were %+v", c, apart.RatingChanges)
	}
	if f := w.faults(); len(f) > 0 {
		t.Errorf("faults: %+v", f)
	}
}

// Organisers decide only in their guild, not about their own matches, and for ten minutes.
func TestOrganisersRefused(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.act(w.begin("trails", false, anna, ben), "right"), "left")
	id := v.Record.ID
	elsewhere := w.organise(chloe)
	elsewhere.Place.Guild = "9"
	w.unchanged(t, id, 1, func() {
		_, err := w.Host.Adjudicate(t.Context(), elsewhere, id, match.VerdictNone)
		refused(t, err, host.ErrNoMatch)
		_, err = w.Host.Adjudicate(t.Context(), w.organise(anna), id, match.VerdictWin(1))
		refused(t, err, host.ErrOwnMatch)
		_, err = w.Host.Void(t.Context(), w.organise(chloe), id)
		refused(t, err, match.ErrNoVoid)
	})
	a := w.organise(chloe)
	v, err := w.Host.Adjudicate(t.Context(), a, id, match.VerdictNone)
	must(t, err)
	again, err := w.Host.Adjudicate(t.Context(), a, id, match.VerdictNone)
	if must(t, err); !again.Repeated || again.Match.Seq() != v.Match.Seq() {
		t.Error("the interaction counts twice")
	}
	_, err = w.Host.Void(t.Context(), w.organise(chloe), id)
	refused(t, err, host.ErrNotRated)
	w.Advance(host.RevertWithin + time.Second)
	_, err = w.Host.Revert(t.Context(), w.organise(chloe), id, v.Match.Seq())
	refused(t, err, host.ErrRevertLate)

	for _, p := range []host.Proposal{
		{Opponents: []storage.Person{ben}}, {Opponents: []storage.Person{ben, chloe}}, {Opponents: []storage.Person{dora, emil}},
	} {
		p.Place, p.Game = here, "trails"
		must(t, w.Account.Block(t.Context(), dora.ID, emil))
		if _, err := w.Host.StartFor(t.Context(), w.organise(chloe), p); err == nil {
			t.Errorf("a match begins for %v", p.Opponents)
		}
	}
	must(t, w.Account.Unblock(t.Context(), dora.ID, emil.ID))
	must(t, w.Account.Block(t.Context(), dora.ID, chloe))
	_, err = w.Host.StartFor(t.Context(), w.organise(chloe), host.Proposal{Place: here, Game: "trails", Opponents: []storage.Person{dora, emil}})
	refused(t, err, host.ErrCannotChallenge)

	ch := w.create(anna, host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails"})
	_, err = w.Host.WithdrawChallenge(t.Context(), elsewhere, ch.ID)
	refused(t, err, host.ErrNoChallenge)
	acts, err := w.Host.Acts(t.Context(), here.Guild, time.Unix(0, 0))
	if err != nil || len(acts) != 1 || acts[0].Kind != storage.ActAdjudicate || acts[0].Note != "none" || acts[0].Target != storage.MatchTarget(id) {
		t.Errorf("the acts are %+v (%v)", acts, err)
	}
}

// Each player's limit of running matches counts, and the organiser's does not.
func TestStartForWithinLimits(t *testing.T) {
	w := newWorld(t, host.Limits{Running: 1})
	start := func(by storage.Person, players ...storage.Person) error {
		_, err := w.Host.StartFor(t.Context(), w.organise(by), host.Proposal{Place: here, Game: "trails", Opponents: players})
		return err
	}
	must(t, start(chloe, anna, ben))
	must(t, start(anna, dora, emil))
	var limit *host.LimitError
	if err := start(emil, chloe, ben); !errors.As(err, &limit) || limit.Person != ben {
		t.Errorf("a match too many: %v", err)
	}
}
