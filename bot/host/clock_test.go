package host_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/storage"
)

// timed starts a match of Anna, who moves first, and Ben with a clock.
func (w *world) timed(clock string) *host.View {
	w.t.Helper()
	return w.accept(ben, w.create(anna, host.Proposal{
		Place: here, Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstMe, Clock: clock,
	}))
}

// tick does what a running bot in contact with Discord does at its next run.
func (w *world) tick() (direct []*host.View) {
	w.t.Helper()
	must(w.t, w.Host.Contact(w.t.Context()))
	for _, id := range w.overdue().Matches {
		if v := w.remind(id); v != nil {
			direct = append(direct, v)
		}
	}
	return direct
}

// run lets time pass while the bot is in contact with Discord.
func (w *world) run(d time.Duration) (direct []*host.View) {
	w.t.Helper()
	const step = 10 * time.Second // no outage
	for ; d > 0; d -= step {
		w.Advance(min(d, step))
		direct = append(direct, w.tick()...)
	}
	return direct
}

func TestTimeout(t *testing.T) {
	w := newWorld(t)
	w.Advance(300 * time.Millisecond)
	v := w.act(w.act(w.timed("1h"), "right"), "left")
	id, at := v.Record.ID, v.TimeoutAt()
	if want := w.Now().Add(time.Hour).Truncate(time.Second); !at.Equal(want) {
		t.Fatalf("Anna has until %s, want %s", at, want)
	}
	for _, p := range []storage.Person{anna, ben} {
		_, err := w.Host.Claim(t.Context(), w.Actor(p), id, host.AnySeq)
		refused(t, err, host.ErrTimed)
	}
	// The last moment counts, and the time is exact to the second.
	w.run(at.Sub(w.Now()) - time.Nanosecond)
	v = w.act(v, "right")
	if at = v.TimeoutAt(); !at.Equal(w.Now().Truncate(time.Second).Add(time.Hour)) {
		t.Fatalf("Ben has until %s", at)
	}
	w.run(at.Sub(w.Now()) - 10*time.Second)
	w.post(id)
	w.Advance(at.Sub(w.Now()))
	w.unchanged(t, id, 1, func() {
		for p, does := range map[storage.Person]func(host.Actor) error{
			ben:  func(a host.Actor) error { _, err := w.Host.Act(t.Context(), a, id, host.AnySeq, "right"); return err },
			anna: func(a host.Actor) error { _, err := w.Host.Undo(t.Context(), a, id, host.AnySeq); return err },
		} {
			refused(t, does(w.Actor(p)), host.ErrTimeUp)
		}
	})
	w.tick()
	v = w.Match(id)
	out, _ := v.Match.Over()
	if out.Ending != match.ByTimeout || out.TimedOut != 2 || v.Record.Ending != "timeout" || !v.Record.CheckAt.IsZero() || len(v.RatingChanges) != 2 || v.Record.Results[0].Result != storage.Won {
		t.Errorf("the outcome is %+v, on record %+v", out, v.Record)
	}
	if got := w.snapshot(id, 1).log(); got != "1 action right, 2 action left, 1 action right, 2 timeout" {
		t.Errorf("the log is %s", got)
	}
	if got := w.states(id); !strings.HasSuffix(got, " superseded3🔔 due4🔔") {
		t.Errorf("the boards are %s", got)
	}
	w.unchanged(t, id, 1, func() { w.remind(id); w.run(time.Hour) })
	if f := w.faults(); len(f) > 0 {
		t.Errorf("faults: %+v", f)
	}
	if c, err := w.Host.CheckRatings(t.Context(), nil); err != nil || len(c.Differences) > 0 {
		t.Errorf("ratings: %+v (%v)", c, err)
	}
	ch, _, err := w.rematch(ben, id)
	if must(t, err); ch.Clock != "1h" {
		t.Errorf("the rematch has the clock %q", ch.Clock)
	}
}

func TestUnknownClock(t *testing.T) {
	w := newWorld(t)
	_, err := w.Host.CreateChallenge(t.Context(), w.Actor(anna), host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails", Clock: "soon"})
	refused(t, err, host.ErrNoClock)
	for _, clock := range host.ClockChoices() {
		w.timed(clock)
		w.Advance(time.Hour) // for the limit of challenges
	}
}

// The player to move is reminded once a turn, at a quarter of their time, as they
// prefer.
func TestRemindTimed(t *testing.T) {
	for _, way := range []storage.Reminders{storage.RemindInChannel, storage.RemindDirectly, storage.RemindNever} {
		t.Run("reminders "+string(way), func(t *testing.T) {
			w := newWorld(t)
			must(t, account.New(w.Host).SetPreferences(t.Context(), storage.Preferences{Person: anna.ID, Reminders: way}))
			v := w.timed("1h")
			id := v.Record.ID
			w.post(id)
			if direct := w.run(45*time.Minute - time.Second); len(direct) > 0 || w.Match(id).Record.Reminded {
				t.Fatal("reminded too early")
			}
			w.Advance(time.Second)
			direct := w.tick()
			want := "posted0🔔"
			switch way {
			case storage.RemindInChannel:
				want = "superseded0🔔 due0🔔"
			case storage.RemindDirectly:
				if len(direct) != 1 || w.Match(id).Record.Reminded {
					t.Fatalf("%d direct messages", len(direct))
				}
				if again := w.tick(); len(again) != 1 {
					t.Error("a reminder that was not sent is not due")
				}
				must(t, w.Host.Reminded(t.Context(), direct[0], true))
			}
			for range 3 {
				if got := w.states(id); got != want || !w.Match(id).Record.Reminded || len(w.tick()) > 0 {
					t.Fatalf("the boards are %s", got)
				}
				w.Host = host.New(w.Config) // after a restart, too
				w.Advance(time.Minute)
			}
			// Taking the next turn back does not remind again.
			w.act(v, "right")
			v, err := w.Host.Undo(t.Context(), w.Actor(anna), id, host.AnySeq)
			must(t, err)
			if !v.Record.Reminded || !v.Record.CheckAt.Equal(v.TimeoutAt()) {
				t.Errorf("after a takeback: %+v", v.Record)
			}
			if direct := w.run(5 * time.Minute); len(direct) > 0 {
				t.Error("reminded again")
			}
		})
	}
}

// Whose time runs out in their quiet hours is reminded before these, unless their turn
// has only just begun then.
func TestReminderBeforeQuietHours(t *testing.T) {
	for name, tt := range map[string]struct{ begun, want time.Duration }{ // after noon
		"long before":    {0, time.Hour + 15*time.Minute},
		"shortly before": {80 * time.Minute, 0},
		"within":         {2 * time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			quiet := storage.Preferences{Person: anna.ID, Zone: "Asia/Kolkata", QuietFrom: 19, QuietTo: 3} // 13:30 to 21:30 UTC
			must(t, account.New(w.Host).SetPreferences(t.Context(), quiet))
			noon := w.Now()
			w.Advance(tt.begun)
			id := w.timed("3h").Record.ID
			w.post(id)
			var reminded time.Duration
			for range 3*60 - 1 {
				w.run(time.Minute)
				if reminded == 0 && w.Match(id).Record.Reminded {
					reminded = w.Now().Sub(noon)
				}
			}
			if reminded != tt.want {
				t.Errorf("Anna is reminded %v after noon, want %v", reminded, tt.want)
			}
		})
	}
}

// On a live clock people are reminded although it is late or they are on vacation, and a
// press counts from when it was made. Its challenge does not stand long.
func TestLiveClock(t *testing.T) {
	w := newWorld(t)
	quiet := storage.Preferences{Person: ben.ID, Zone: "UTC", QuietFrom: 10, QuietTo: 20}
	must(t, account.New(w.Host).SetPreferences(t.Context(), quiet))
	w.update(func(tx storage.Tx) error {
		return tx.SetVacation(storage.Vacation{Person: ben.ID, From: w.Now().Add(-time.Hour), To: w.Now().Add(48 * time.Hour)})
	})
	ch := w.create(anna, host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstMe, Clock: "5m+10s/15m"})
	if want := w.Now().Add(15 * time.Minute).Truncate(time.Second); !ch.ExpiresAt.Equal(want) {
		t.Errorf("the challenge stands until %s, want %s", ch.ExpiresAt, want)
	}
	v := w.act(w.accept(ben, ch), "right")
	id, began := v.Record.ID, w.Now().Truncate(time.Second)
	w.post(id)
	if want := began.Add(8 * time.Minute); !v.TimeoutAt().Equal(want) || !v.QuietUntil(2).IsZero() || !v.VacationUntil(2).IsZero() {
		t.Errorf("Ben has until %s, want %s, three minutes more than his time; quiet until %s", v.TimeoutAt(), want, v.QuietUntil(2))
	}
	w.run(8*time.Minute - 76*time.Second)
	if w.Match(id).Record.Reminded {
		t.Error("reminded too early")
	}
	w.run(time.Second) // a quarter of his time is left
	if got := w.states(id); !strings.HasSuffix(got, "superseded1🔔 due1🔔") {
		t.Errorf("after the reminder the boards are %s", got)
	}
	w.post(id)
	v = w.act(w.Match(id), "left") // 6 m 45 s, of which 3 m are free: 1 m 15 s and the increment are left
	if left := v.TimeLeft(2); left != 85*time.Second {
		t.Errorf("Ben has %s left", left)
	}
	v = w.act(v, "right")
	at := v.TimeoutAt()
	if want := w.Now().Truncate(time.Second).Add(88 * time.Second); !at.Equal(want) || !v.Record.CheckAt.Equal(at.Add(-21*time.Second)) {
		t.Errorf("Ben has until %s, want %s; he is looked at from %s on", at, want, v.Record.CheckAt)
	}
	// The bot is slow: what was pressed in time counts, what was pressed after it does not.
	snowflake := func(at time.Time) string { return fmt.Sprint((at.UnixMilli() - 1420070400000) << 22) }
	w.run(at.Sub(w.Now()) - time.Second)
	w.post(id)
	w.Advance(5 * time.Second)
	press := func(at time.Time) error {
		_, err := w.Host.Act(t.Context(), host.Actor{Person: ben, Interaction: snowflake(at)}, id, host.AnySeq, "left")
		return err
	}
	refused(t, press(at), host.ErrTimeUp)
	must(t, press(at.Add(-time.Millisecond)))
	if left := w.Match(id).TimeLeft(2); left != 10*time.Second {
		t.Errorf("after the last moment Ben has %s left, want the increment", left)
	}
}

// In the quiet hours of the player to move, nobody reminds them. The reminder comes
// when these end, if the turn still has time.
func TestQuietHours(t *testing.T) {
	for _, tt := range []struct {
		clock string
		begun time.Duration // after noon
		asked time.Duration // after the beginning
		ends  bool          // before the quiet hours do
	}{
		{"12h", 0, 9*time.Hour + 30*time.Minute, false},
		{"3h", 0, 9*time.Hour + 30*time.Minute, true}, // see TestReminderBeforeQuietHours
		{"", 2 * time.Hour, host.ClaimAfter + 7*time.Hour + 30*time.Minute, false},
	} {
		t.Run("clock "+tt.clock, func(t *testing.T) {
			w := newWorld(t)
			quiet := storage.Preferences{Person: anna.ID, Zone: "Asia/Kolkata", QuietFrom: 19, QuietTo: 3} // 13:30 to 21:30 UTC
			must(t, account.New(w.Host).SetPreferences(t.Context(), quiet))
			w.Advance(tt.begun)
			id := w.timed(tt.clock).Record.ID
			w.post(id)
			if tt.clock == "" {
				w.Advance(host.ClaimAfter - time.Minute)
				tt.asked -= host.ClaimAfter - time.Minute
			}
			w.run(tt.asked - time.Second)
			if got := w.states(id); !tt.ends && got != "posted0🔔" {
				t.Fatalf("in the quiet hours the boards are %s", got)
			}
			w.run(time.Minute)
			if _, over := w.Match(id).Match.Over(); over != tt.ends {
				t.Fatalf("the match has ended: %t", over)
			}
			if got := w.states(id); !tt.ends && got != "superseded0🔔 due0🔔" {
				t.Errorf("after the quiet hours the boards are %s", got)
			}
		})
	}
}
