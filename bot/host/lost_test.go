package host_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// replaceable is a store whose database is replaced while the host uses it.
type replaceable struct{ storage.Store }

func (r *replaceable) Wrap(storage.Store) storage.Store { return r }

// A backup is restored beneath a running process that has seen turns of one match, and
// another match, that are not in it. It goes on with what the database has, whatever it
// remembers, and says once that turns were lost; not in a match that is given the number
// of the lost one.
func TestRestoredBeneath(t *testing.T) {
	for after := range 4 { // turns, before anybody compares; two were lost
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			folder := t.TempDir()
			open := func(name string) storage.Store {
				s, err := sqlite.Open(t.Context(), filepath.Join(folder, name))
				must(t, err)
				t.Cleanup(func() { must(t, s.Close()) })
				return s
			}
			play := func(w *world, v *host.View, index int) *host.View {
				legal := v.Match.Position().Legal()
				return w.Act(v, legal[min(index, len(legal)-1)].String())
			}
			db := &replaceable{open("first.db")}
			w := newWorldWith(t, hosttest.Options{Wrap: db.Wrap})
			v := play(w, w.start("trails", nil), 0)
			w.post(v.Record.ID)
			_, err := sqlite.Backup(t.Context(), filepath.Join(folder, "first.db"), filepath.Join(folder, "copy.db"), false)
			must(t, err)
			play(w, play(w, v, 0), 0)
			lost := w.start("sample", nil)
			db.Store = open("copy.db")

			v = w.Match(v.Record.ID)
			for range after {
				v = play(w, v, 1)
			}
			if other := w.start("trails", map[string]string{"size": "7"}); other.Record.ID != lost.Record.ID || other.Game.Key() != "trails" {
				t.Errorf("match %d is one of %s", other.Record.ID, other.Game.Key())
			}
			var corrections []storage.BoardID
			for range 2 {
				w.Host.Invalidate(storage.Signal{Kind: storage.SignalsLost})
				must(t, w.Host.CorrectLost(t.Context()))
				now := w.Match(v.Record.ID)
				if !slices.Equal(now.Match.Log(), v.Match.Log()) || now.Board.ID != now.Record.Correction || !now.Board.Notify {
					t.Errorf("after %d turns the log is %v, want %v; the board is %+v, and the correction %d", after, now.Match.Log(), v.Match.Log(), now.Board, now.Record.Correction)
				}
				corrections = append(corrections, now.Record.Correction)
			}
			if other := w.Match(lost.Record.ID); corrections[0] == 0 || corrections[1] != corrections[0] || other.Record.Correction != 0 {
				t.Errorf("the corrections are %v, that of another match %d", corrections, other.Record.Correction)
			}
			if faults := w.faults(); len(faults) > 0 {
				t.Errorf("%+v", faults)
			}
		})
	}
}
