package host_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"castellan/bot/host"
	"castellan/storage"
)

// atOnce runs fn in many goroutines that start together.
func atOnce(n int, fn func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() { <-start; fn(i) })
	}
	close(start)
	all.Wait()
}

func TestOfManyClicksOnOneBoardOneCounts(t *testing.T) {
	const clicks = 40
	w := newWorld(t)
	v := w.start("trails", nil)
	var won atomic.Int32
	for range 6 {
		p, ok := v.ToMove()
		if !ok {
			break
		}
		seq, legal := v.Match.Seq(), v.Match.Position().Legal()
		won.Store(0)
		atOnce(clicks, func(i int) {
			_, err := w.host.Act(t.Context(), w.by(p), v.Record.ID, seq, legal[i%len(legal)].String())
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, host.ErrStale):
				t.Errorf("%v", err)
			}
		})
		after, err := w.host.Match(t.Context(), v.Record.ID)
		must(t, err)
		if won.Load() != 1 || after.Match.Seq() != seq+1 {
			t.Fatalf("%d of %d clicks counted, %d entries after %d", won.Load(), clicks, after.Match.Seq(), seq)
		}
		v = after
	}
}

func TestOfManyDeliveriesOneCounts(t *testing.T) {
	w := newWorld(t)
	v := w.start("trails", nil)
	cause := w.by(anna)
	var fresh atomic.Int32
	atOnce(40, func(int) {
		after, err := w.host.Act(t.Context(), cause, v.Record.ID, 0, "right")
		if err != nil {
			t.Error(err)
		} else if !after.Repeated {
			fresh.Add(1)
		}
	})
	if s := w.snapshot(v.Record.ID, 0); fresh.Load() != 1 || len(s.entries) != 1 || len(s.boards) != 2 {
		t.Errorf("%d counted, %d entries, %d boards", fresh.Load(), len(s.entries), len(s.boards))
	}
}

func TestOfManyAnswersOneCounts(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", host.FirstMe, nil)
	var counted [3]atomic.Int32
	atOnce(30, func(i int) {
		a := answers[i%len(answers)]
		_, err := a.do(w, w.by(a.who), ch.ID)
		switch {
		case err == nil:
			counted[i%len(answers)].Add(1)
		case !errors.Is(err, host.ErrAnswered):
			t.Error(err)
		}
	})
	if n := counted[0].Load() + counted[1].Load() + counted[2].Load(); n != 1 {
		t.Errorf("%d answers counted", n)
	}
	s := w.snapshot(1, ch.ID)
	if (s.challenge.State == storage.ChallengeAccepted) != (s.match.ID != 0) {
		t.Errorf("%s, and match %d", s.challenge.State, s.match.ID)
	}
}
