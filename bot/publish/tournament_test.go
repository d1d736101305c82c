package publish

import (
	"context"
	"fmt"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
)

// tournament announces a tournament that four people have joined.
func (l *lossy) tournament(t *testing.T) storage.TournamentID {
	t.Helper()
	organiser := storage.Person{ID: "11", Name: "Anna"}
	e, err := l.Host.CreateTournament(t.Context(), l.Actor(organiser), storage.Tournament{
		Place: hosttest.Here, Name: "Evening", Game: "trails", Format: "robin", Clock: "1d", StartsAt: l.Now().Add(24 * time.Hour),
	}, nil)
	hosttest.Must(t, err)
	for i := range 4 {
		_, err := l.Host.JoinTournament(t.Context(), l.Actor(storage.Person{ID: fmt.Sprint(100 + i), Name: fmt.Sprint("P", i)}), e.ID)
		hosttest.Must(t, err)
	}
	return e.ID
}

// expectTournament checks that the recorded message is the only one of a tournament.
func (l *lossy) expectTournament(t *testing.T, id storage.TournamentID, posts string) {
	t.Helper()
	e, err := l.Host.Tournament(t.Context(), id)
	hosttest.Must(t, err)
	if got := l.posts(); got != posts {
		t.Errorf("the channel: %s, want %s", got, posts)
	}
	if all := l.box.As("11").Messages("2"); len(all) != 1 || all[0].ID != e.Message {
		t.Errorf("recorded is the message %q, and the channel has %d", e.Message, len(all))
	}
}

// A message that was posted and not recorded goes when the tournament has reached its next
// stage, whether Discord still knows its nonce or not.
func TestLostTournamentPost(t *testing.T) {
	for _, later := range []time.Duration{time.Second, 11 * time.Minute} {
		t.Run(later.String(), func(t *testing.T) {
			l := newLossy(t)
			id := l.tournament(t)
			l.meet(cutAfter)
			if _, err := l.ShowTournament(t.Context(), id); err == nil {
				t.Fatal("a post whose answer was lost does not fail")
			}
			if got := l.posts(); got != "tournament-1-open" {
				t.Fatalf("the channel: %s", got)
			}
			organiser := host.Organiser{Actor: l.Actor(storage.Person{ID: "11", Name: "Anna"})}
			_, err := l.Host.StartTournament(t.Context(), organiser, id)
			hosttest.Must(t, err)
			hosttest.Must(t, l.Host.ProcessTournament(t.Context(), id))
			for range 3 {
				l.Advance(later + time.Minute)
				_, err = l.ShowTournament(t.Context(), id)
				hosttest.Must(t, err)
			}
			l.expectTournament(t, id, "tournament-1-r1")
		})
	}
}

// A message that is to be posted again at the same stage, after the database has lost what
// was committed, is not deleted if Discord returns it for the nonce.
func TestTournamentPostedAgainAtOnce(t *testing.T) {
	l := newLossy(t)
	id := l.tournament(t)
	_, err := l.ShowTournament(t.Context(), id)
	hosttest.Must(t, err)
	hosttest.Must(t, l.Store.Update(context.Background(), func(tx storage.Tx) error { return tx.RepostTournament(id) }))
	_, err = l.ShowTournament(t.Context(), id)
	hosttest.Must(t, err)
	l.expectTournament(t, id, "tournament-1-open")
}
