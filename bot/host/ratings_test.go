package host_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/host"
	"castellan/engine/enginetest/sample"
	"castellan/engine/rating"
	"castellan/storage"
)

// begin starts a match of the given people.
func (w *world) begin(game string, unrated bool, people ...storage.Person) *host.View {
	w.t.Helper()
	return w.propose(host.Proposal{Game: game, Unrated: unrated}, people...)
}

// propose starts a match of the given people.
func (w *world) propose(o host.Proposal, people ...storage.Person) *host.View {
	w.t.Helper()
	w.mu.Lock()
	w.seed++
	w.mu.Unlock()
	if o.Game == "trails" {
		o.Options = map[string]string{"size": "5", "towers": "1"}
	}
	o.Place, o.Opponents = here, people[1:]
	ch, err := w.Host.CreateChallenge(w.t.Context(), w.Actor(people[0]), o)
	must(w.t, err)
	var v *host.View
	for _, p := range people[1:] {
		v = w.accept(p, ch)
	}
	return v
}

// playOut plays random turns until the match ends.
func (w *world) playOut(v *host.View, random *rand.Rand) *host.View {
	w.t.Helper()
	for {
		if _, over := v.Match.Over(); over {
			return v
		}
		legal := v.Match.Position().Legal()
		v = w.act(v, legal[random.IntN(len(legal))].String())
	}
}

func (w *world) rating(game string, p storage.Person) (r storage.Rating, ok bool) {
	w.t.Helper()
	err := w.Store.View(w.t.Context(), func(s storage.Reader) (err error) {
		r, err = s.Rating(game, storage.PeopleList, p.ID)
		return err
	})
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		w.t.Fatal(err)
	}
	return r, err == nil
}

// The end of a match changes the ratings of both, which depend on their previous
// ratings and the time since.
func TestRatingAtTheEnd(t *testing.T) {
	w := newWorld(t)
	now := [2]rating.Rating{rating.New(), rating.New()}
	var last time.Time
	for n := range 3 {
		v := w.begin("trails", false, anna, ben)
		if v.RatingChanges != nil {
			t.Errorf("a match that goes on has changes %+v", v.RatingChanges)
		}
		first, _ := v.ToMove()
		v = w.act(w.act(v, "right"), "left")
		w.Advance(time.Duration(n) * 1000 * time.Hour)
		v = w.resign(first, v)
		players := make([]rating.Player, 2)
		for i, p := range []storage.Person{anna, ben} {
			players[i] = rating.Player{Rating: now[i], Rank: 1}
			if p == first {
				players[i].Rank = 2
			}
			if n > 0 {
				players[i].Idle = w.Now().Sub(last)
			}
		}
		want := rating.RateMatch(players)
		for i, p := range []storage.Person{anna, ben} {
			c := v.RatingChanges[v.SeatOf(p.ID)-1]
			if rating.Rating(c.Before) != now[i] || rating.Rating(c.After) != want[i] || c.Person != p || c.At != w.Now() || c.Game != "trails" {
				t.Errorf("match %d changes %+v, want %+v to %+v", n, c, now[i], want[i])
			}
			r, ok := w.rating("trails", p)
			if !ok || rating.Rating(r.Estimate) != want[i] || r.Matches != n+1 || r.Match != v.Record.ID || !r.EstablishedUntil.IsZero() {
				t.Errorf("rating %+v, want %+v", r, want[i])
			}
		}
		last = w.Now()
		copy(now[:], want)
	}
	if _, ok := w.rating("sample", anna); ok {
		t.Error("another game has a rating")
	}
}

// The fourth rated match of two people within seven days counts half, whoever
// else plays; a week later they begin anew. Unrated matches, another game and
// matches with others change nothing.
func TestRatedMeetings(t *testing.T) {
	w := newWorld(t)
	end := func(game string, unrated bool, want []float64, people ...storage.Person) {
		t.Helper()
		v := w.begin(game, unrated, people...)
		for _, p := range people[1:] {
			for v.WouldAbort() {
				v = w.act(v, v.Match.Position().Legal()[0].String())
			}
			v = w.resign(p, v)
		}
		for i, p := range people {
			if got := v.RatingChanges; !unrated && got[v.SeatOf(p.ID)-1].Weight != want[i] {
				t.Errorf("a match of %v counts %v", people, got)
			}
		}
		w.Advance(time.Minute)
	}
	full := []float64{1, 1, 1}
	for range 4 {
		end("trails", true, nil, anna, ben)
		end("trails", false, full, anna, chloe)
		w.Advance(3 * 24 * time.Hour)
	}
	for range 3 {
		end("trails", false, full, ben, anna)
	}
	end("trails", false, []float64{0.5, 0.5}, anna, ben)
	end("trails", false, []float64{0.25, 0.25}, anna, ben)
	end("trails", false, full, ben, chloe)
	for range 3 {
		end("sample", false, full, anna, ben)
	}
	end("sample", false, []float64{0.75, 0.75, 1}, anna, ben, chloe)
	w.Advance(7 * 24 * time.Hour)
	end("trails", false, full, anna, ben)
	for range 4 {
		v := w.against("trails", casual)
		for v.WouldAbort() {
			v = w.replies(w.act(v, v.Match.Position().Legal()[0].String()))
		}
		for _, c := range w.resign(anna, v).RatingChanges {
			if c.Weight != 1 {
				t.Errorf("against a computer: %+v", c)
			}
		}
	}
}

func crowd(n int) (all []storage.Person) {
	for i := range n {
		all = append(all, storage.Person{ID: string(rune('a' + i)), Name: "Name " + string(rune('A'+i))})
	}
	return all
}

// tables holds all stored ratings and results.
type tables struct {
	Ratings []storage.Rating
	Changes [][]storage.RatingChange
	Ended   []storage.Match
}

func (w *world) tables() (all tables) {
	w.t.Helper()
	must(w.t, w.Store.View(w.t.Context(), func(r storage.Reader) (err error) {
		if all.Ratings, err = r.AllRatings(); err != nil {
			return err
		}
		if all.Ended, err = r.EndedAfter(0, 20000); err != nil {
			return err
		}
		for _, m := range all.Ended {
			c, err := r.RatingChanges(m.ID)
			if err != nil {
				return err
			}
			all.Changes = append(all.Changes, c)
		}
		return nil
	}))
	return all
}

// season plays n random matches of two games: rated and unrated, of two and more
// players, with and without clocks, some played to the end, some resigned, some
// lost on time, some aborted, a third of them between the same two people. The
// time between two is up to gap and sometimes negative.
func (w *world) season(n int, people []storage.Person, gap time.Duration) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	_, most := sample.Game{}.Seats()
	var open []*host.View
	for range n + 3 {
		random.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
		o, with := host.Proposal{Game: "trails", Unrated: random.IntN(6) == 0}, people[:2]
		switch random.IntN(3) {
		case 0:
			with = crowd(2)
		case 1:
			o.Game, with = "sample", people[:2+random.IntN(most-1)]
		}
		if len(with) == 2 && random.IntN(8) == 0 {
			o.Clock = "1h"
		}
		open = append(open, w.propose(o, with...))
		w.Advance(time.Duration(random.Int64N(int64(gap))) - gap/10)
		w.tick()
		if len(open) < 4 {
			continue
		}
		i := random.IntN(len(open))
		v := w.Match(open[i].Record.ID)
		open = append(open[:i], open[i+1:]...)
		if v.Record.Clock != "" {
			for moves := 3; moves > 0 && v.Record.Ending == ""; moves-- {
				v = w.act(v, v.Match.Position().Legal()[0].String())
			}
			w.run(61 * time.Minute)
			v = w.Match(v.Record.ID)
		}
		if _, over := v.Match.Over(); over {
			continue
		}
		if random.IntN(8) > 0 {
			for range random.IntN(4) {
				if _, over := v.Match.Over(); !over {
					v = w.act(v, v.Match.Position().Legal()[0].String())
				}
			}
			if p, ok := v.ToMove(); ok {
				v = w.resign(p, v)
			}
		}
		w.playOut(v, random)
	}
}

// Deleted ratings and results are rebuilt exactly.
func TestRebuildRatings(t *testing.T) {
	w := newWorld(t)
	n, people, gap := 70, crowd(7), 24*time.Hour
	if os.Getenv("CASTELLAN_FULL") != "" {
		n, people, gap = 10000, crowd(60), time.Hour
	}
	w.season(n, people, gap)
	want := w.tables()
	c, err := w.Host.CheckRatings(t.Context(), nil)
	must(t, err)
	if len(c.Differences) > 0 || c.Matches != len(want.Ended) || c.Ratings != len(want.Ratings) || c.Matches < n || c.Rated < n/3 || c.Rated >= c.Matches || c.Ratings != 2*len(people) {
		t.Fatalf("%+v of %d matches and %d ratings", c, len(want.Ended), len(want.Ratings))
	}
	repeated, endings := 0, map[string]int{}
	for _, m := range want.Ended {
		endings[m.Ending]++
	}
	for _, changes := range want.Changes {
		for _, c := range changes {
			if c.Weight < 1 {
				repeated++
			}
		}
	}
	if repeated == 0 || len(endings) < 4 {
		t.Errorf("%d changes count less, the endings are %v", repeated, endings)
	}
	t.Logf("%d matches, %d rated, %d ratings, %d changes count less, %v", c.Matches, c.Rated, c.Ratings, repeated, endings)

	w.update(func(tx storage.Tx) error {
		for _, m := range want.Ended {
			if err := tx.RecordResults(m.ID, nil); err != nil {
				return err
			}
		}
		return tx.DeleteRatings()
	})
	lost := w.tables()
	c, err = w.Host.CheckRatings(t.Context(), nil)
	must(t, err)
	if len(c.Differences) == 0 || !reflect.DeepEqual(w.tables(), lost) {
		t.Errorf("checking finds %d differences, or has changed something", len(c.Differences))
	}
	if _, err = w.Host.RebuildRatings(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := w.tables(); !reflect.DeepEqual(got, want) {
		t.Errorf("rebuilt\n%+v, want\n%+v", got.Ratings, want.Ratings)
	}
	if c, err = w.Host.RebuildRatings(t.Context(), nil); err != nil || len(c.Differences) > 0 {
		t.Errorf("once more: %q, %v", c.Differences, err)
	}
}

// RebuildRatings reports and corrects every wrong record.
func TestRebuildRatingsFindsDifferences(t *testing.T) {
	ghost := storage.Person{ID: "z", Name: "Z"}
	for _, c := range []struct {
		name  string
		spoil func(tx storage.Tx, m storage.Match, c []storage.RatingChange) error
		want  string
	}{
		{"other figures", func(tx storage.Tx, _ storage.Match, c []storage.RatingChange) error {
			c[0].After.Mean += 0.001
			return errors.Join(tx.DeleteRatings(), tx.AddRatingChanges(c))
		}, "match 1, seat 1"},
		{"a missing seat", func(tx storage.Tx, _ storage.Match, c []storage.RatingChange) error {
			return errors.Join(tx.DeleteRatings(), tx.AddRatingChanges(c[:1]))
		}, "match 1: it changes 2 ratings, stored are 1"},
		{"somebody else", func(tx storage.Tx, _ storage.Match, c []storage.RatingChange) error {
			c[0].Person = ghost
			return errors.Join(tx.DeleteRatings(), tx.AddRatingChanges(c))
		}, "person z has no rating in trails"},
		{"no ratings", func(tx storage.Tx, _ storage.Match, _ []storage.RatingChange) error {
			return tx.DeleteRatings()
		}, "is not stored"},
		{"other results", func(tx storage.Tx, m storage.Match, _ []storage.RatingChange) error {
			m.Results[0], m.Results[1] = m.Results[1], m.Results[0]
			return tx.RecordResults(m.ID, m.Results)
		}, "match 1: the results are"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.begin("trails", false, anna, ben)
			v = w.act(w.act(v, "right"), "left")
			w.resign(anna, v)
			want := w.tables()
			w.update(func(tx storage.Tx) error {
				rec, err := tx.Match(v.Record.ID)
				must(t, err)
				changes, err := tx.RatingChanges(rec.ID)
				must(t, err)
				return c.spoil(tx, rec, changes)
			})
			found, err := w.Host.RebuildRatings(t.Context(), nil)
			must(t, err)
			if all := strings.Join(found.Differences, "\n"); !strings.Contains(all, c.want) {
				t.Errorf("found %s", all)
			}
			if got := w.tables(); !reflect.DeepEqual(got, want) {
				t.Errorf("rebuilt %+v", got.Ratings)
			}
		})
	}
}

// busyStore is a store in which something happens before the next transaction that
// writes.
type busyStore struct {
	storage.Store
	before func()
}

func (s *busyStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Update(ctx, fn)
}

// Matches may end and people may be forgotten while ratings are recomputed, outside
// of the transaction that stores them.
func TestRebuildRatingsWhilePeoplePlay(t *testing.T) {
	for name, forget := range map[string]bool{"a match ends": false, "a person is forgotten": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for range 2 {
				w.resign(anna, w.act(w.act(w.begin("trails", false, anna, ben), "right"), "left"))
			}
			w.update(func(tx storage.Tx) error { return tx.DeleteRatings() })
			store := &busyStore{Store: w.Store, before: func() {
				w.resign(ben, w.act(w.act(w.begin("trails", false, anna, ben), "right"), "left"))
				if forget {
					must(t, account.New(w.Host).Forget(t.Context(), w.Actor(ben)))
				}
			}}
			c := w.Config
			c.Store = store
			_, err := host.New(c).RebuildRatings(t.Context(), nil)
			must(t, err)
			if r, err := w.Host.CheckRatings(t.Context(), nil); err != nil || len(r.Differences) > 0 || r.Matches != 3 {
				t.Errorf("afterwards: %+v (%v)", r, err)
			}
			if _, known := w.rating("trails", ben); known == forget {
				t.Errorf("Ben has a rating: %t", known)
			}
		})
	}
}

// If a log cannot be replayed, nothing is changed.
func TestRebuildRatingsNeedsAllLogs(t *testing.T) {
	w := newWorld(t)
	v := w.begin("trails", false, anna, ben)
	w.update(func(tx storage.Tx) error { return tx.EndMatch(v.Record.ID, "rules", w.Now()) })
	before := w.tables()
	if _, err := w.Host.RebuildRatings(t.Context(), nil); !errors.Is(err, host.ErrCannotReplay) {
		t.Errorf("%v", err)
	}
	if got := w.tables(); !reflect.DeepEqual(got, before) {
		t.Errorf("it has become %+v", got)
	}
}

// A rating is established after enough matches, and provisional again after a
// long absence.
func TestProvisionalRating(t *testing.T) {
	w := newWorld(t)
	random := rand.New(rand.NewPCG(1, 2))
	for n := 0; ; n++ {
		w.Advance(3 * 24 * time.Hour)
		w.playOut(w.begin("sample", false, anna, ben), random)
		r, _ := w.rating("sample", anna)
		if settled := r.EstablishedUntil.After(w.Now()); settled != (r.Deviation <= rating.ProvisionalDeviation) || settled == host.IsProvisional(r.Estimate) {
			t.Fatalf("after %d: %+v", n, r)
		} else if settled {
			break
		}
		if n > 40 {
			t.Fatalf("still %+v", r)
		}
	}
	l, err := browse.New(w.Host).Leaders(t.Context(), anna.ID, "sample", storage.PeopleList, "", 1, 10)
	must(t, err)
	if l.OwnRow == nil || l.OwnRow.Provisional || math.Abs(l.OwnRow.Mean-1500) > 600 {
		t.Errorf("own row %+v", l.OwnRow)
	}
	w.Advance(3 * 365 * 24 * time.Hour)
	must(t, w.Host.ExpireRatings(t.Context()))
	if l, err = browse.New(w.Host).Leaders(t.Context(), anna.ID, "sample", storage.PeopleList, "", 1, 10); err != nil || !l.OwnRow.Provisional {
		t.Errorf("years later %+v, %v", l.OwnRow, err)
	}
}
