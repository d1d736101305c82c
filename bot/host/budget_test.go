package host_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/browse"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/storage"
	"castellan/storage/dbtest"
	"castellan/storage/sqlite"
)

// press plays a turn on a board button and brings the channel up to date.
func (w *world) press(v *host.View, text string) *host.View {
	w.t.Helper()
	p, _ := v.ToMove()
	v, draft, err := w.Host.ActOrConfirm(w.t.Context(), w.Actor(p), v.Record.ID, v.Match.Seq(), text)
	if must(w.t, err); draft != nil {
		w.t.Fatal("the turn was not played")
	}
	v, err = w.Host.Refresh(w.t.Context(), v)
	must(w.t, err)
	for _, b := range v.Boards {
		switch b.State {
		case storage.BoardDue:
			v, err = w.Host.BoardPosted(w.t.Context(), v, b.ID, "m")
		case storage.BoardSuperseded:
			v, err = w.Host.BoardsCollapsed(w.t.Context(), v, b.ID)
		}
		must(w.t, err)
	}
	return v
}

func TestButtonPressBudget(t *testing.T) {
	if dbtest.Postgres() {
		t.Skip("PostgreSQL counts no statements")
	}
	counts := map[sqlite.TraceKind]int{}
	w := newWorldWith(t, hosttest.Options{Once: true, SQLite: []sqlite.Option{sqlite.Trace(func(k sqlite.TraceKind) { counts[k]++ })}})
	v := w.start("trails", nil)
	for _, text := range []string{"right", "left", "down"} {
		v = w.press(v, text)
	}
	cold := host.New(w.Config)
	for _, tt := range []struct {
		name    string
		host    *host.Host
		replays int // in a transaction that only reads
	}{
		{"warm cache", w.Host, 0},
		{"cold cache", cold, 1},
		{"warm again", cold, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.Host = tt.host
			before := w.Host.Replays()
			clear(counts)
			v = w.press(v, v.Match.Position().Legal()[0].String())
			if n := w.Host.Replays() - before; n != uint64(tt.replays) {
				t.Errorf("%d logs replayed, want %d", n, tt.replays)
			}
			if n := counts[sqlite.TraceView]; n != tt.replays {
				t.Errorf("%d read transactions, want %d", n, tt.replays)
			}
			if n := counts[sqlite.TraceUpdate]; n != 3 {
				t.Errorf("%d write transactions, want 3", n)
			}
			if n := counts[sqlite.TraceStatement]; n > 12+2*tt.replays {
				t.Errorf("%d statements, want at most %d", n, 12+2*tt.replays)
			}
		})
	}
}

// Lists, autocomplete and repeated reads replay nothing that is in the cache.
func TestListsDoNotReplay(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		w.start("trails", nil)
	}
	w.Host = host.New(w.Config)
	for _, tt := range []struct {
		name    string
		read    func() error
		replays uint64
	}{
		{"records of a channel", func() error { _, err := w.Host.RunningIn(t.Context(), here.Channel); return err }, 0},
		{"the newest of a channel", func() error { _, err := w.Host.NewestIn(t.Context(), here.Channel); return err }, 1},
		{"a page of a channel", func() error { _, err := browse.New(w.Host).ListChannel(t.Context(), here.Channel, 1, 2); return err }, 1},
		{"own matches", func() error { _, err := browse.New(w.Host).ListOwn(t.Context(), anna.ID, 1, 2); return err }, 3},
		{"autocomplete", func() error { _, err := w.Host.Running(t.Context(), ben.ID, ""); return err }, 0},
		{"own matches again", func() error { _, err := browse.New(w.Host).ListOwn(t.Context(), anna.ID, 2, 2); return err }, 0},
	} {
		before := w.Host.Replays()
		must(t, tt.read())
		if n := w.Host.Replays() - before; n != tt.replays {
			t.Errorf("%s: %d logs replayed, want %d", tt.name, n, tt.replays)
		}
	}
}

func TestBrokenMatches(t *testing.T) {
	w := newWorld(t)
	first := w.start("trails", nil)
	w.Advance(time.Minute)
	var broken []storage.MatchID
	for _, e := range []storage.Entry{
		{Seq: 1, Kind: "action", Seat: 1, Text: "nowhere"},
		{Seq: 1, Kind: "action", Seat: 2, Text: "up"},
		{Seq: 1, Kind: "action", Seat: 1, Text: "u"},
		{Seq: 1, Kind: "dance", Seat: 1},
		{Seq: 1, Kind: "undo", Seat: 1},
	} {
		broken = append(broken, w.broken(e))
	}
	before := len(broken)
	w.update(func(tx storage.Tx) error {
		broken = broken[:before] // it may run again
		for _, m := range []storage.Match{
			{Game: "chess", RulesVersion: 1, Options: ""},
			{Game: "trails", RulesVersion: 2, Options: "size=11 towers=3 distance=1"},
			{Game: "trails", RulesVersion: 1, Options: "size=eleven"},
			{Game: "trails", RulesVersion: 1, Options: "size=5 towers=9 distance=3"},
		} {
			m.Place, m.Seats, m.CreatedAt = here, []storage.Person{anna, ben}, w.Now()
			id, err := tx.InsertMatch(m)
			if err != nil {
				return err
			}
			broken = append(broken, id)
		}
		return nil
	})
	w.Advance(time.Minute)
	last := w.start("sample", nil)
	for name, find := range map[string]func() ([]*host.View, error){
		"mine": func() ([]*host.View, error) { return w.Host.Running(t.Context(), ben.ID, "") },
		"of a channel": func() ([]*host.View, error) {
			p, err := browse.New(w.Host).ListChannel(t.Context(), here.Channel, 1, 100)
			return p.Matches, err
		},
	} {
		views, err := find()
		must(t, err)
		if got := ids(views); len(got) != 2 || got[0] != last.Record.ID || got[1] != first.Record.ID {
			t.Errorf("%s: %v", name, got)
		}
	}
	if n := strings.Count(w.log.String(), "a match cannot be rebuilt"); n != len(broken) || w.Host.Unreadable() != n {
		t.Errorf("%d lines in the log:\n%s", n, w.log.String())
	}
	for _, id := range broken {
		w.unchanged(t, id, 0, func() {
			_, err := w.Host.Match(t.Context(), id)
			_, errAct := w.Host.Act(t.Context(), w.Actor(anna), id, host.AnySeq, "up")
			_, errRepost := w.Host.RepostBoard(t.Context(), w.Actor(anna), id)
			for _, err := range []error{err, errAct, errRepost} {
				var r *host.Refusal
				if !errors.Is(err, host.ErrCannotReplay) || errors.As(err, &r) {
					t.Errorf("match %d: %v, which must be a fault of ours", id, err)
				}
			}
		})
	}
}

func TestRunning(t *testing.T) {
	w := newWorld(t)
	one := w.start("trails", nil)
	w.Advance(time.Minute)
	two := w.start("sample", nil)
	w.Advance(time.Minute)
	elsewhere := w.create(chloe, host.Proposal{Place: there, Opponents: []storage.Person{ben}, Game: "trails"})
	three := w.accept(ben, elsewhere)
	for _, c := range []struct {
		person, channel string
		want            []storage.MatchID
	}{
		{anna.ID, "", []storage.MatchID{two.Record.ID, one.Record.ID}},
		{ben.ID, "", []storage.MatchID{three.Record.ID, two.Record.ID, one.Record.ID}},
		{ben.ID, here.Channel, []storage.MatchID{two.Record.ID, one.Record.ID}},
		{ben.ID, there.Channel, []storage.MatchID{three.Record.ID}},
		{chloe.ID, here.Channel, nil},
		{"", "", nil},
	} {
		views, err := w.Host.Running(t.Context(), c.person, c.channel)
		must(t, err)
		if got := ids(views); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s in %q: %v, want %v", c.person, c.channel, got, c.want)
		}
	}
	w.Advance(time.Minute)
	w.act(one, "right")
	records, err := w.Host.RunningIn(t.Context(), here.Channel)
	must(t, err)
	if len(records) != 2 || records[0].ID != one.Record.ID || records[1].ID != two.Record.ID {
		t.Errorf("after a turn in the older one: %v", records)
	}
	v, err := w.Host.NewestIn(t.Context(), here.Channel)
	if err != nil || v.Record.ID != one.Record.ID || v.Board.State != storage.BoardDue {
		t.Errorf("the newest: %+v, %v", v, err)
	}
	_, err = w.Host.NewestIn(t.Context(), "nowhere")
	refused(t, err, host.ErrNoMatch)
}

func ids(views []*host.View) (out []storage.MatchID) {
	for _, v := range views {
		out = append(out, v.Record.ID)
	}
	return out
}
