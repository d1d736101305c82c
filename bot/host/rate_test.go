package host_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/engine/enginetest/sample"
	"castellan/engine/rating"
	"castellan/storage"
)

// begin is a match of some people at the sample game, or of two at trails.
func (w *world) begin(game string, unrated bool, people ...storage.Person) *host.View {
	w.t.Helper()
	w.mu.Lock()
	w.seed++
	w.mu.Unlock()
	options := map[string]string{}
	if game == "trails" {
		options = map[string]string{"size": "5", "towers": "1"}
	}
	ch, err := w.host.Challenge(w.t.Context(), w.by(people[0]), host.Offer{
		Place: here, Opponents: people[1:], Game: game, Options: options, Unrated: unrated,
	})
	must(w.t, err)
	var v *host.View
	for _, p := range people[1:] {
		_, v, err = w.host.Accept(w.t.Context(), w.by(p), ch.ID)
		must(w.t, err)
	}
	return v
}

// playOut plays a match to its end, by chance.
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
	err := w.store.View(w.t.Context(), func(s storage.Reader) (err error) {
		r, err = s.Rating(game, storage.AmongPeople, p.ID)
		return err
	})
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		w.t.Fatal(err)
	}
	return r, err == nil
}

// The end of a match changes the ratings of both, by what their ratings were
// and how long ago.
func TestTheEndOfAMatchIsRated(t *testing.T) {
	w := newWorld(t)
	now := [2]rating.Rating{rating.New(), rating.New()}
	var last time.Time
	for n := range 3 {
		v := w.begin("trails", false, anna, ben)
		if v.Changes != nil {
			t.Errorf("a match that goes on has changes %+v", v.Changes)
		}
		first, _ := v.ToMove()
		v = w.act(w.act(v, "right"), "left")
		w.pass(time.Duration(n) * 1000 * time.Hour)
		v, err := w.host.Resign(t.Context(), w.by(first), v.Record.ID, host.Anywhere)
		must(t, err)
		players := make([]rating.Player, 2)
		for i, p := range []storage.Person{anna, ben} {
			players[i] = rating.Player{Rating: now[i], Rank: 1}
			if p == first {
				players[i].Rank = 2
			}
			if n > 0 {
				players[i].Idle = w.clock.Sub(last)
			}
		}
		want := rating.RateMatch(players)
		for i, p := range []storage.Person{anna, ben} {
			c := v.Changes[v.SeatOf(p.ID)-1]
			if rating.Rating(c.Before) != now[i] || rating.Rating(c.After) != want[i] || c.Person != p || c.At != w.clock || c.Game != "trails" {
				t.Errorf("match %d changes %+v, want %+v to %+v", n, c, now[i], want[i])
			}
			r, ok := w.rating("trails", p)
			if !ok || rating.Rating(r.Figures) != want[i] || r.Matches != n+1 || r.Match != v.Record.ID || !r.Settled.IsZero() {
				t.Errorf("rating %+v, want %+v", r, want[i])
			}
		}
		last = w.clock
		copy(now[:], want)
	}
	if _, ok := w.rating("sample", anna); ok {
		t.Error("another game has a rating")
	}
}

func TestWhatIsNotRated(t *testing.T) {
	for _, c := range []struct {
		name    string
		unrated bool
		played  []string
		results int
	}{
		{"agreed to be unrated", true, []string{"right", "left"}, 2},
		{"called off", false, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.begin("trails", c.unrated, anna, ben)
			for _, text := range c.played {
				v = w.act(v, text)
			}
			v, err := w.host.Resign(t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
			must(t, err)
			if v.Changes != nil || len(v.Record.Results) != c.results || v.Record.Unrated != c.unrated {
				t.Errorf("changes %+v, results %+v", v.Changes, v.Record.Results)
			}
			if r, ok := w.rating("trails", anna); ok {
				t.Errorf("rating %+v", r)
			}
		})
	}
}

// A match is rated once, however often its last action is delivered.
func TestARepeatedEndIsRatedOnce(t *testing.T) {
	w := newWorld(t)
	v := w.begin("trails", false, anna, ben)
	v = w.act(w.act(v, "right"), "left")
	cause := w.by(anna)
	for n := range 3 {
		v, err := w.host.Resign(t.Context(), cause, v.Record.ID, host.Anywhere)
		must(t, err)
		if len(v.Changes) != 2 || v.Repeated != (n > 0) {
			t.Errorf("delivery %d: %+v", n, v.Changes)
		}
	}
	if r, _ := w.rating("trails", anna); r.Matches != 1 {
		t.Errorf("rated %d times", r.Matches)
	}
}

// crowd is who plays in tests with many matches.
func crowd(n int) (all []storage.Person) {
	for i := range n {
		all = append(all, storage.Person{ID: string(rune('a' + i)), Name: "Name " + string(rune('A'+i))})
	}
	return all
}

// tables is everything that is stored about ratings and results.
type tables struct {
	Ratings []storage.Rating
	Changes [][]storage.RatingChange
	Ended   []storage.Match
}

func (w *world) tables() (all tables) {
	w.t.Helper()
	must(w.t, w.store.View(w.t.Context(), func(r storage.Reader) (err error) {
		if all.Ratings, err = r.AllRatings(); err != nil {
			return err
		}
		if all.Ended, err = r.Ended(0, 10000); err != nil {
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

// season plays many matches of two games by chance: rated and not, of two and
// of more, some given up, some called off, at odd times, with a clock that
// sometimes goes back.
func (w *world) season(n int) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	people := crowd(7)
	_, most := sample.Game{}.Seats()
	var open []*host.View
	for range n {
		random.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
		game, seats := "trails", 2
		if random.IntN(2) == 0 {
			game, seats = "sample", 2+random.IntN(most-1)
		}
		open = append(open, w.begin(game, random.IntN(6) == 0, people[:seats]...))
		w.pass(time.Duration(random.IntN(2000)-200) * time.Minute)
		if len(open) < 4 {
			continue
		}
		i := random.IntN(len(open))
		v := open[i]
		open = append(open[:i], open[i+1:]...)
		if random.IntN(3) == 0 {
			for range random.IntN(4) {
				if _, over := v.Match.Over(); !over {
					v = w.act(v, v.Match.Position().Legal()[0].String())
				}
			}
			if p, ok := v.ToMove(); ok {
				var err error
				v, err = w.host.Resign(w.t.Context(), w.by(p), v.Record.ID, host.Anywhere)
				must(w.t, err)
			}
		}
		w.playOut(v, random)
	}
}

// After many matches everything about ratings can be thrown away and comes
// back the same to the last bit.
func TestRatingsAreRebuiltFromTheResults(t *testing.T) {
	w := newWorld(t)
	w.season(150)
	want := w.tables()
	c, err := w.host.CheckRatings(t.Context())
	must(t, err)
	if len(c.Differences) > 0 || c.Matches != len(want.Ended) || c.Ratings != len(want.Ratings) || c.Rated < 50 || c.Rated >= c.Matches || c.Ratings != 14 {
		t.Fatalf("%+v of %d matches and %d ratings", c, len(want.Ended), len(want.Ratings))
	}
	t.Logf("%d matches, %d rated, %d ratings", c.Matches, c.Rated, c.Ratings)

	w.update(func(tx storage.Tx) error {
		for _, m := range want.Ended {
			if err := tx.RecordResults(m.ID, nil); err != nil {
				return err
			}
		}
		return tx.ForgetRatings()
	})
	lost := w.tables()
	c, err = w.host.CheckRatings(t.Context())
	must(t, err)
	if len(c.Differences) == 0 || !reflect.DeepEqual(w.tables(), lost) {
		t.Errorf("checking finds %d differences, or has changed something", len(c.Differences))
	}
	if _, err = w.host.RebuildRatings(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.tables(); !reflect.DeepEqual(got, want) {
		t.Errorf("rebuilt\n%+v, want\n%+v", got.Ratings, want.Ratings)
	}
	if c, err = w.host.RebuildRatings(t.Context()); err != nil || len(c.Differences) > 0 {
		t.Errorf("once more: %q, %v", c.Differences, err)
	}
}

// Whatever is stored wrongly about ratings is found, named, and put right.
func TestWrongRatingsAreFound(t *testing.T) {
	ghost := storage.Person{ID: "z", Name: "Z"}
	for _, c := range []struct {
		name  string
		spoil func(tx storage.Tx, m storage.Match, c []storage.RatingChange) error
		want  string
	}{
		{"other figures", func(tx storage.Tx, _ storage.Match, c []storage.RatingChange) error {
			c[0].After.Mean += 0.001
			return errors.Join(tx.ForgetRatings(), tx.AddRatingChanges(c))
		}, "match 1, seat 1"},
		{"a missing seat", func(tx storage.Tx, _ storage.Match, c []storage.RatingChange) error {
			return errors.Join(tx.ForgetRatings(), tx.AddRatingChanges(c[:1]))
		}, "match 1: it changes 2 ratings, stored are 1"},
		{"somebody else", func(tx storage.Tx, _ storage.Match, c []storage.RatingChange) error {
			c[0].Person = ghost
			return errors.Join(tx.ForgetRatings(), tx.AddRatingChanges(c))
		}, "person z has no rating in trails"},
		{"no ratings", func(tx storage.Tx, _ storage.Match, _ []storage.RatingChange) error {
			return tx.ForgetRatings()
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
			_, err := w.host.Resign(t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
			must(t, err)
			want := w.tables()
			w.update(func(tx storage.Tx) error {
				rec, err := tx.Match(v.Record.ID)
				must(t, err)
				changes, err := tx.RatingChanges(rec.ID)
				must(t, err)
				return c.spoil(tx, rec, changes)
			})
			found, err := w.host.RebuildRatings(t.Context())
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

// A log that does not rebuild its match is named, and nothing is touched.
func TestRebuildingNeedsAllMatches(t *testing.T) {
	w := newWorld(t)
	v := w.begin("trails", false, anna, ben)
	w.update(func(tx storage.Tx) error { return tx.EndMatch(v.Record.ID, "rules", w.clock) })
	before := w.tables()
	if _, err := w.host.RebuildRatings(t.Context()); !errors.Is(err, host.ErrCannotReplay) {
		t.Errorf("%v", err)
	}
	if got := w.tables(); !reflect.DeepEqual(got, before) {
		t.Errorf("it has become %+v", got)
	}
}

// Players who are rated often become settled, and provisional again when they
// stay away.
func TestSettled(t *testing.T) {
	w := newWorld(t)
	random := rand.New(rand.NewPCG(1, 2))
	for n := 0; ; n++ {
		w.pass(time.Hour)
		w.playOut(w.begin("sample", false, anna, ben), random)
		r, _ := w.rating("sample", anna)
		if settled := r.Settled.After(w.clock); settled != (r.Deviation <= rating.ProvisionalDeviation) || settled == host.IsProvisional(r.Figures) {
			t.Fatalf("after %d: %+v", n, r)
		} else if settled {
			break
		}
		if n > 40 {
			t.Fatalf("still %+v", r)
		}
	}
	l, err := w.host.Leaders(t.Context(), anna.ID, "sample", storage.AmongPeople, "", 1, 10)
	must(t, err)
	if l.Own == nil || l.Own.Provisional || math.Abs(l.Own.Mean-1500) > 600 {
		t.Errorf("own row %+v", l.Own)
	}
	w.pass(3 * 365 * 24 * time.Hour)
	if l, err = w.host.Leaders(t.Context(), anna.ID, "sample", storage.AmongPeople, "", 1, 10); err != nil || !l.Own.Provisional {
		t.Errorf("years later %+v, %v", l.Own, err)
	}
}
