package publish_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"castellan/bot/host/hosttest"
	"castellan/bot/host/verify"
	"castellan/storage"
	"castellan/storage/postgres/pgtest"
)

// An asynchronous standby takes over that lacks turns which two processes remember and
// have shown. They forget them, whether play goes on at once or they compare first: the
// log replays, one board is left, and one message says that turns were lost.
func TestLostCommits(t *testing.T) {
	for name, after := range map[string]func(t *testing.T, a, b *process, id storage.MatchID){
		"compared":  func(*testing.T, *process, *process, storage.MatchID) {},
		"played on": func(t *testing.T, a, _ *process, id storage.MatchID) { a.show(t, a.turn(t, id)) },
		"played further": func(t *testing.T, a, b *process, id storage.MatchID) {
			b.turn(t, id)
			a.turn(t, id)
			a.show(t, b.turn(t, id))
		},
		"seen by one yet": func(t *testing.T, a, _ *process, id storage.MatchID) { a.Match(id); a.Reconcile(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			primary := pgtest.New(t)
			standby := primary.Standby(t)
			at, err := url.Parse(primary.URL("postgres"))
			hosttest.Must(t, err)
			at.RawQuery = url.Values{"host": {filepath.Dir(primary.Socket()) + "," + filepath.Dir(standby.Socket())}, "target_session_attrs": {"read-write"}}.Encode()
			a, b := twoProcessesOn(t, at.String())
			v := a.start(t)
			id := v.Record.ID
			a.show(t, v)
			a.show(t, a.turn(t, id))
			hosttest.Must(t, primary.Abandon(t.Context(), standby))
			a.show(t, a.turn(t, id))
			b.show(t, b.turn(t, id))
			lost := a.Match(id).Match.Seq()
			hosttest.Must(t, errors.Join(primary.Kill(), standby.Promote()))

			after(t, a, b, id)
			for _, p := range []*process{b, a, b, a} { // at first, their connections are broken, and they pause
				p.Host.Invalidate(storage.Signal{Kind: storage.SignalsLost})
				hosttest.Must(t, p.Host.CorrectLost(t.Context()))
				p.Reconcile(t.Context())
				p.Advance(time.Minute)
			}
			if name == "compared" {
				if v := b.Match(id); v.Match.Seq() >= lost || v.Record.Correction != v.Board.ID || v.Board.State != storage.BoardPosted {
					t.Errorf("of %d entries %d are left, and the board %+v is shown; the correction is %d", lost, v.Match.Seq(), v.Board, v.Record.Correction)
				}
			}
			said, boards := 0, 0
			for _, m := range a.chat.As(a.users[0].ID).Messages(a.place.Channel) {
				text, err := json.Marshal(m)
				hosttest.Must(t, err)
				said += strings.Count(string(text), "has lost the latest turns")
				boards += strings.Count(string(text), "/board-")
			}
			if said != 1 || boards == 0 {
				t.Errorf("%d messages say that turns were lost, of %d boards", said, boards)
			}
			for _, p := range []*process{a, b} {
				p.show(t, p.turn(t, id))
			}
			settleBoards(t, id, a, b)
			if r, err := verify.Matches(t.Context(), a.Store, a.Games, nil); err != nil || len(r.Faults) > 0 {
				t.Errorf("%+v (%v)", r, err)
			}
		})
	}
}
