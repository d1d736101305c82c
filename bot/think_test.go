package bot

import (
	"errors"
	"slices"
	"testing"
	"time"

	"castellan/storage"
)

// Places go to hints and matches in turn while both wait, and to whoever waits
// while only one kind does.
func TestPlacesAreGivenInTurn(t *testing.T) {
	th := newThinking(10)
	waiting := []storage.MatchID{1, 2, 3, 4}
	hints := []chan struct{}{make(chan struct{}), make(chan struct{})}
	th.hints = slices.Clone(hints)
	var order []string
	for range 6 {
		if th.admitHint(false) {
			order = append(order, "hint")
		} else if _, _, ok := th.take(waiting, time.Time{}); ok {
			order = append(order, "match")
		} else if th.admitHint(true) {
			order = append(order, "hint")
		}
	}
	if want := []string{"hint", "match", "hint", "match", "match", "match"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	th.hints = []chan struct{}{make(chan struct{}), make(chan struct{})}
	if !th.admitHint(false) || th.admitHint(false) || !th.admitHint(true) {
		t.Error("hints alone do not get their places")
	}
	for _, h := range hints {
		<-h // each has been told
	}
}

func TestTooManyHintsAreTurnedAway(t *testing.T) {
	th := newThinking(1)
	for range mostHints {
		th.hints = append(th.hints, make(chan struct{}))
	}
	if _, err := th.enter(t.Context()); !errors.Is(err, errManyHints) {
		t.Errorf("%v", err)
	}
	th.stop()
	if _, err := th.enter(t.Context()); !errors.Is(err, errManyHints) {
		t.Errorf("of a bot that stops: %v", err)
	}
}

// What has failed is passed over until its time has come, keeps count of it, and
// is forgotten when nobody waits for it any more.
func TestWhatHasFailedIsTriedAgain(t *testing.T) {
	th := newThinking(10)
	now := time.Unix(1000, 0)
	id, tries, ok := th.take([]storage.MatchID{7, 8}, now)
	if id != 7 || tries != 0 || !ok {
		t.Fatalf("%d, %d, %t", id, tries, ok)
	}
	th.done(7, &setback{tries: 1, next: now.Add(time.Second)})
	if id, _, _ := th.take([]storage.MatchID{7, 8}, now); id != 8 {
		t.Errorf("before its time: %d", id)
	}
	if id, tries, _ := th.take([]storage.MatchID{7, 8}, now.Add(time.Second)); id != 7 || tries != 1 {
		t.Errorf("in its time: %d, %d", id, tries)
	}
	if _, _, ok := th.take([]storage.MatchID{7, 8}, now.Add(time.Hour)); ok {
		t.Error("a match is thought about twice at once")
	}
	th.done(7, &setback{tries: 2, next: now})
	th.take(nil, now)
	if len(th.failed) != 0 {
		t.Errorf("left are %v", th.failed)
	}
}
