package computer

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"castellan/storage"
)

// take gives a slot to a match, without other processes.
func (s *Scheduler) take(waiting []storage.MatchID, now time.Time) (j job, ok bool) {
	id, ok := s.choose(waiting, nil, now)
	if !ok {
		return j, false
	}
	return s.assign(id, nil), true
}

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
		} else if _, ok := s.take(waiting, time.Time{}); ok {
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
	if j, ok := s.take([]storage.MatchID{7, 8}, now); j.match != 7 || j.attempts != 0 || !ok {
		t.Fatalf("%+v, %t", j, ok)
	}
	s.finish(7, &failure{attempts: 1, next: now.Add(time.Second)})
	if j, _ := s.take([]storage.MatchID{7, 8}, now); j.match != 8 {
		t.Errorf("too early: %+v", j)
	}
	if j, _ := s.take([]storage.MatchID{7, 8}, now.Add(time.Second)); j.match != 7 || j.attempts != 1 {
		t.Errorf("in time: %+v", j)
	}
	if _, ok := s.take([]storage.MatchID{7, 8}, now.Add(time.Hour)); ok {
		t.Error("a match is computed twice at once")
	}
	s.finish(7, &failure{attempts: 2, next: now})
	s.take(nil, now)
	if len(s.failed) != 0 {
		t.Errorf("left are %v", s.failed)
	}
}

// A person with many matches does not delay others: turns go round by person,
// and a person's own matches queue behind each other.
func TestTurnsGoRoundByPerson(t *testing.T) {
	s := New(Config{Slots: 1})
	s.owners = map[storage.MatchID]string{1: "anna", 2: "anna", 3: "anna", 4: "ben", 5: "chloe", 6: "anna"}
	waiting := []storage.MatchID{1, 2, 3, 4, 5, 6}
	var order []storage.MatchID
	for len(waiting) > 0 {
		j, ok := s.take(waiting, time.Time{})
		if !ok {
			t.Fatal("nothing is computed")
		}
		order = append(order, j.match)
		waiting = slices.DeleteFunc(waiting, func(id storage.MatchID) bool { return id == j.match })
		if j.match == 4 {
			waiting = append(waiting, 4) // Ben plays at once
			if len(order) > 5 {
				waiting = waiting[:len(waiting)-1]
			}
		}
		s.finish(j.match, nil)
	}
	if want := []storage.MatchID{1, 4, 5, 2, 4, 3, 4, 6}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// Forty people play the strongest level, one of them ten matches at a time. The
// computer thinks less while many wait, so that nobody waits for long; alone, it
// thinks as long as its level does.
func TestManyAgainstTheStrongestLevel(t *testing.T) {
	const people, extra, full, rounds = 40, 9, 1900 * time.Millisecond, 40
	rng := rand.New(rand.NewPCG(1, 1))
	s := New(Config{Slots: 1})
	now := time.Unix(0, 0)
	asked := map[storage.MatchID]time.Time{} // when a match begins to wait, or will
	for id := range storage.MatchID(people + extra) {
		s.owners[id+1] = fmt.Sprint(min(id, people-1))
		asked[id+1] = now
	}
	var waits []time.Duration
	for len(waits) < rounds*people {
		var waiting []storage.MatchID
		for id, at := range asked {
			if !at.After(now) {
				waiting = append(waiting, id)
			}
		}
		slices.SortFunc(waiting, func(a, b storage.MatchID) int { return cmp.Or(asked[a].Compare(asked[b]), cmp.Compare(a, b)) })
		j, ok := s.take(waiting, now)
		if !ok {
			now = now.Add(100 * time.Millisecond)
			continue
		}
		now = now.Add(time.Duration(float64(full) * j.share))
		if s.owners[j.match] != fmt.Sprint(people-1) {
			waits = append(waits, now.Sub(asked[j.match]))
		}
		asked[j.match] = now.Add(time.Duration(1+rng.IntN(5)) * time.Second) // the person thinks
		s.releaseSlot()
		s.finish(j.match, nil)
	}
	slices.Sort(waits)
	median, late := waits[len(waits)/2], waits[len(waits)*95/100]
	t.Logf("median %v, 95th percentile %v", median, late)
	if median > 6*time.Second || late > 15*time.Second {
		t.Errorf("median %v, 95th percentile %v", median, late)
	}
	if j, _ := s.take([]storage.MatchID{1}, now); j.share != 1 {
		t.Errorf("alone with a share of %v", j.share)
	}
}
