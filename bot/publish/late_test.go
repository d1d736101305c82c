package publish_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

// shared is the store of a process.
type shared struct {
	storage.Store
	p *process
}

// ClaimDelivery takes a lease. If the context is done before the answer comes, it fails as
// a driver does.
func (s shared) ClaimDelivery(ctx context.Context, what storage.DeliveryLease, d time.Duration, force bool) (storage.DeliveryLease, error) {
	l, err := s.Store.ClaimDelivery(context.WithoutCancel(ctx), what, d, force)
	if s.p.cut != nil {
		s.p.cut()
	}
	if ctx.Err() != nil {
		return storage.DeliveryLease{}, ctx.Err()
	}
	return l, err
}

// during stops a process at its next request with a method, while other runs.
func (p *process) during(method string, late bool, do, other func()) {
	p.hold(method, "/messages", late)
	var working sync.WaitGroup
	working.Go(do)
	<-p.arrived
	other()
	close(p.release)
	working.Wait()
}

// forgetting is a time after which Discord has certainly forgotten a nonce.
const forgetting = 10 * time.Minute

// TestTwoProcessesAndChallenges does the same as TestTwoProcesses with the message of a
// challenge, which is to be there once and to show the last revision.
func TestTwoProcessesAndChallenges(t *testing.T) {
	decline := func(t *testing.T, p *process, id storage.ChallengeID) {
		_, err := p.Host.Decline(t.Context(), p.actor(p.users[1]), id)
		hosttest.Must(t, err)
	}
	expire := func(t *testing.T, p *process, id storage.ChallengeID) {
		_, err := p.Store.ClaimDelivery(t.Context(), storage.DeliveryLease{Challenge: id}, 0, true)
		hosttest.Must(t, err)
	}
	takeOver := func(t *testing.T, b *process, id storage.ChallengeID) {
		b.Advance(61 * time.Second)
		expire(t, b, id)
		b.Reconcile(t.Context())
	}
	meanwhile := map[string]func(t *testing.T, b *process, id storage.ChallengeID){
		"nothing":               func(*testing.T, *process, storage.ChallengeID) {},
		"another does the same": takeOver,
		"another does the same, and Discord forgets": func(t *testing.T, b *process, id storage.ChallengeID) {
			takeOver(t, b, id)
			b.Advance(forgetting)
		},
		"another does the same, and it is declined": func(t *testing.T, b *process, id storage.ChallengeID) {
			takeOver(t, b, id)
			decline(t, b, id)
			b.Reconcile(t.Context())
		},
		"it is declined, and Discord forgets": func(t *testing.T, b *process, id storage.ChallengeID) {
			decline(t, b, id)
			takeOver(t, b, id)
			b.Advance(forgetting)
		},
	}
	for _, method := range []string{http.MethodPost, http.MethodPatch} {
		for _, late := range []bool{true, false} {
			for what, other := range meanwhile {
				if os.Getenv("CASTELLAN_FULL") == "" && (!late || !strings.HasSuffix(what, "forgets")) {
					continue
				}
				t.Run(fmt.Sprintf("%s/late=%v/%s", method, late, what), func(t *testing.T) {
					a, b := twoProcesses(t)
					ch, err := a.Host.CreateChallenge(t.Context(), a.actor(a.users[0]), host.Proposal{Place: a.place, Opponents: a.users[1:], Game: "trails"})
					hosttest.Must(t, err)
					if method == http.MethodPatch {
						_, err := a.ShowChallenge(t.Context(), ch.ID)
						hosttest.Must(t, err)
						hosttest.Must(t, a.Store.Update(t.Context(), func(tx storage.Tx) error { return tx.ReviseChallenge(ch.ID) }))
					}
					a.during(method, late, func() { _, _ = a.ShowChallenge(t.Context(), ch.ID) }, func() { other(t, b, ch.ID) })
					for range 3 {
						for _, p := range []*process{a, b} {
							p.Advance(10 * time.Second)
							expire(t, p, ch.ID)
							p.Reconcile(t.Context())
						}
					}
					ch, err = a.Host.FindChallenge(t.Context(), ch.ID)
					hosttest.Must(t, err)
					all := a.chat.As(a.users[0].ID).Messages(a.place.Channel)
					if len(all) != 1 || all[0].ID != ch.Message || ch.ShownRevision != ch.Revision {
						t.Fatalf("%d messages are shown, and the challenge is %+v", len(all), ch)
					}
					text, err := json.Marshal(all[0])
					hosttest.Must(t, err)
					if open := strings.Contains(string(text), "/challenge-"); open != (ch.State == storage.ChallengeOpen) {
						t.Errorf("the challenge is %v, and its message is %s", ch.State, text)
					}
				})
			}
		}
	}
}

// TestTwoProcessesAndDailyMessages does the same with a daily message, which is to be
// there once at most.
func TestTwoProcessesAndDailyMessages(t *testing.T) {
	takeOver := func(t *testing.T, b *process, after time.Duration) {
		b.Advance(after)
		b.Reconcile(t.Context())
	}
	for what, c := range map[string]struct {
		other func(t *testing.T, b *process)
		want  map[bool]int // messages, if the request is late and if its answer is
	}{
		"nothing":               {func(*testing.T, *process) {}, map[bool]int{true: 1, false: 1}},
		"another does the same": {func(t *testing.T, b *process) { takeOver(t, b, 30*time.Second) }, map[bool]int{true: 1, false: 1}},
		"another does the same, and Discord forgets": {func(t *testing.T, b *process) {
			takeOver(t, b, 30*time.Second)
			b.Advance(forgetting)
		}, map[bool]int{true: 1, false: 1}},
		"another gives up": {func(t *testing.T, b *process) { takeOver(t, b, 2*time.Minute) }, map[bool]int{true: 0, false: 1}},
	} {
		for _, late := range []bool{true, false} {
			if os.Getenv("CASTELLAN_FULL") == "" && (!late || !strings.HasSuffix(what, "forgets")) {
				continue
			}
			t.Run(fmt.Sprintf("late=%v/%s", late, what), func(t *testing.T) {
				a, b := twoProcesses(t)
				v := a.start(t)
				a.show(t, v)
				to, _ := a.Match(v.Record.ID).ToMove()
				hosttest.Must(t, a.Account.SetDaily(t.Context(), to.ID, true))
				a.Advance(24 * time.Hour)
				a.during(http.MethodPost, late, func() { a.Reconcile(t.Context()) }, func() { c.other(t, b) })
				for _, p := range []*process{a, b} {
					p.Advance(time.Minute)
					p.Reconcile(t.Context())
				}
				channel, err := a.town.client(t).OpenDirect(t.Context(), to.ID)
				hosttest.Must(t, err)
				if all := a.chat.As(to.ID).Messages(channel); len(all) != c.want[late] {
					t.Errorf("%d messages, want %d", len(all), c.want[late])
				}
			})
		}
	}
}

// TestInterruptedClaim cuts off a process that takes the lease of a match or challenge.
// Another one need not wait for that lease to run out.
func TestInterruptedClaim(t *testing.T) {
	for _, what := range []string{"a match", "a challenge"} {
		t.Run(what, func(t *testing.T) {
			a, b := twoProcesses(t)
			ch, err := a.Host.CreateChallenge(t.Context(), a.actor(a.users[0]), host.Proposal{Place: a.place, Opponents: a.users[1:], Game: "trails"})
			hosttest.Must(t, err)
			_, v, err := a.Host.Accept(t.Context(), a.actor(a.users[1]), ch.ID)
			hosttest.Must(t, err)
			a.Host.EndShow(t.Context(), v.Lease)
			v.Lease = storage.DeliveryLease{}
			ctx, cut := context.WithCancel(t.Context())
			if a.cut = cut; what == "a match" {
				_, err = a.Show(ctx, v)
			} else {
				_, err = a.ShowChallenge(ctx, v.Record.Challenge)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the work ended with %v", err)
			}
			if c, err := b.Host.ClaimWork(t.Context(), 9); err != nil || len(c.Boards) != 1 || len(c.Challenges) != 1 {
				t.Errorf("claimed %d boards and %d challenges (%v), want one each", len(c.Boards), len(c.Challenges), err)
			}
		})
	}
}
