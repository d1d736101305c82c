package host_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
	"castellan/storage"
)

// pacedWorld has games that know how long their matches are.
func pacedWorld(t *testing.T) *world {
	w := newWorld(t)
	var err error
	w.Config.Games, err = engine.NewRegistry(trails.Game{}, sample.Game{})
	must(t, err)
	w.Host = host.New(w.Config)
	return w
}

// resigned returns a match of two that the other person resigns to the first after so
// many turns.
func (w *world) resigned(by storage.Person, to storage.Person, turns int) *host.View {
	w.t.Helper()
	ch, err := w.Host.CreateChallenge(w.t.Context(), w.Actor(to), host.Proposal{Place: here, Opponents: []storage.Person{by}, Game: "trails", First: host.FirstMe})
	must(w.t, err)
	v := w.accept(by, ch)
	for range turns {
		v = w.act(v, v.Match.Position().Legal()[0].String())
	}
	return w.resign(by, v)
}

// made returns somebody whose account was made some time ago.
func (w *world) made(name string, ago time.Duration) storage.Person {
	since := w.Now().Add(-ago).Sub(time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC))
	return storage.Person{ID: strconv.FormatInt(since.Milliseconds()<<22, 10), Name: name}
}

// A match that ends before a quarter of a usual one is not rated, and the result stands.
func TestShortMatchIsNotRated(t *testing.T) {
	w := pacedWorld(t)
	for turns, rated := range map[int]bool{7: false, 8: true} {
		v := w.resigned(ben, anna, turns)
		if got := len(v.RatingChanges) == 2; got != rated || v.TooShort() == rated || host.LeastTurns(v.Match) != 8 {
			t.Errorf("after %d turns of %d: rated %t, too short %t", turns, host.LeastTurns(v.Match), got, v.TooShort())
		}
		if len(v.Record.Results) != 2 || v.Record.Results[0].Result != storage.Won {
			t.Errorf("after %d turns the results are %v", turns, v.Record.Results)
		}
	}
}

// A result against a new account counts less, also when ratings are computed again
// after its person has been forgotten.
func TestNewAccountsCountLess(t *testing.T) {
	gain := func(ago time.Duration) float64 {
		w := pacedWorld(t)
		w.Advance(time.Millisecond)
		other := w.made("Otto", ago)
		v := w.resigned(other, anna, 8)
		must(t, account.New(w.Host).Forget(t.Context(), w.Actor(other)))
		report, err := w.Host.CheckRatings(t.Context(), nil)
		must(t, err)
		if report.Rated != 1 || len(report.Differences) > 0 {
			t.Errorf("%+v", report)
		}
		return v.RatingChanges[0].After.Mean - 1500
	}
	if fresh, old := gain(29*24*time.Hour), gain(31*24*time.Hour); fresh < 10 || fresh > old/2 {
		t.Errorf("a new account gives %.0f, an older one %.0f", fresh, old)
	}
}

// Many people who resign early to one person are reported, without their names.
func TestShortResignationsAreReported(t *testing.T) {
	w := pacedWorld(t)
	w.resigned(anna, ben, 4) // anna loses: of no interest
	for n := range 4 {
		w.resigned(somebody(n), anna, 4)
		w.resigned(somebody(n), anna, 4)
	}
	w.resigned(somebody(4), anna, 20) // not early
	if n := w.Host.ShortResignations(); n != 0 {
		t.Fatalf("%d are reported of four people", n)
	}
	last := w.resigned(somebody(5), anna, 4)
	w.Advance(8 * 24 * time.Hour)
	w.resigned(somebody(6), anna, 4)
	log := w.log.String()
	if n := w.Host.ShortResignations(); n != 1 || strings.Count(log, "many people have resigned early") != 1 ||
		!strings.Contains(log, "match="+strconv.Itoa(int(last.Record.ID))) || strings.Contains(log, "P5") {
		t.Errorf("%d are reported: %s", n, log)
	}
}
