package computer_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"castellan/bot/computer"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

// publisher counts the matches that the scheduler shows.
type publisher struct {
	mu    sync.Mutex
	shown int
}

func (p *publisher) Show(_ context.Context, v *host.View) (*host.View, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown++
	return v, nil
}

func (p *publisher) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown
}

func (p *publisher) StoreWritable() bool { return true }

func (p *publisher) PauseOnStoreError(error) {}

// A computer that has chosen its turn before the person's turn is shown does not play it
// until then, so that one board shows both; but it does not wait forever.
func TestTurnChosenBeforeTheBoardIsShown(t *testing.T) {
	for name, awaits := range map[string]bool{"the board is shown": true, "the board is not shown": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hosttest.New(t, hosttest.Options{})
				p := &publisher{}
				s := computer.New(computer.Config{
					Host: w.Host, Publisher: p, Logger: slog.New(slog.DiscardHandler), QuickTurn: time.Second, PostTimeout: time.Minute,
					Observe: func(computer.Computation) {},
				})
				w.Host.SetComputerToMove(s.Expect)
				ch := w.Challenge(host.Proposal{
					Place: hosttest.Here, Opponents: []storage.Person{host.ComputerPlayer("beginner", "Computer")}, Game: "trails", First: host.FirstMe,
				})
				ctx, stop := context.WithCancel(t.Context())
				go s.Run(ctx)
				v, err := w.Host.Match(ctx, ch.Match)
				hosttest.Must(t, err)
				w.Act(v, "right")
				s.Wake() // by somebody else
				synctest.Wait()
				turns := func() int {
					v, err := w.Host.Match(t.Context(), ch.Match)
					hosttest.Must(t, err)
					return len(v.Match.Turns())
				}
				if n := turns(); n != 1 || p.times() != 0 {
					t.Errorf("before: %d turns, shown %d times", n, p.times())
				}
				if awaits {
					s.Await(ctx, ch.Match)
				} else {
					time.Sleep(time.Second) // of the test's own time
					synctest.Wait()
				}
				if n := turns(); n != 2 {
					t.Errorf("after: %d turns", n)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}
