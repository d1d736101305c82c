package computer

import (
	"errors"
	"slices"
	"testing"
	"time"

	"castellan/storage"
)

// Slots alternate between hints and matches while both wait.
func TestSlotsAlternate(t *testing.T) {
	s := New(Config{Slots: 10})
	waiting := []storage.MatchID{1, 2, 3, 4}
	hints := []chan struct{}{make(chan struct{}), make(chan struct{})}
	s.hints = slices.Clone(hints)
	var order []string
	for range 6 {
		if s.startHint(false) {
			order = append(order, "hint")
		} else if _, _, ok := s.take(waiting, time.Time{}); ok {
			order = append(order, "match")
		} else if s.startHint(true) {
			order = append(order, "hint")
		}
	}
	if want := []string{"hint", "match", "hint", "match", "match", "match"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
	s.hints = []chan struct{}{make(chan struct{}), make(chan struct{})}
	if !s.startHint(false) || s.startHint(false) || !s.startHint(true) {
		t.Error("hints alone get no slots")
	}
	for _, h := range hints {
		<-h // each has a slot
	}
}

func TestTooManyHints(t *testing.T) {
	s := New(Config{Slots: 1})
	for range maxHints {
		s.hints = append(s.hints, make(chan struct{}))
	}
	if _, err := s.waitForSlot(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	s.stop()
	if _, err := s.waitForSlot(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("after stop: %v", err)
	}
}

// A match that failed is skipped until its next attempt, keeps its count, and is
// forgotten when it no longer waits.
func TestFailedTurnIsTriedAgain(t *testing.T) {
	s := New(Config{Slots: 10})
	now := time.Unix(1000, 0)
	id, attempts, ok := s.take([]storage.MatchID{7, 8}, now)
	if id != 7 || attempts != 0 || !ok {
		t.Fatalf("%d, %d, %t", id, attempts, ok)
	}
	s.finish(7, &failure{attempts: 1, next: now.Add(time.Second)})
	if id, _, _ := s.take([]storage.MatchID{7, 8}, now); id != 8 {
		t.Errorf("too early: %d", id)
	}
	if id, attempts, _ := s.take([]storage.MatchID{7, 8}, now.Add(time.Second)); id != 7 || attempts != 1 {
		t.Errorf("in time: %d, %d", id, attempts)
	}
	if _, _, ok := s.take([]storage.MatchID{7, 8}, now.Add(time.Hour)); ok {
		t.Error("a match is computed twice at once")
	}
	s.finish(7, &failure{attempts: 2, next: now})
	s.take(nil, now)
	if len(s.failed) != 0 {
		t.Errorf("left are %v", s.failed)
	}
}
