package host_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/storage"
	"castellan/storage/storagetest"
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
	must(w.t, w.host.Contact(w.t.Context()))
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
	for ; d > 0; d -= time.Minute {
		w.pass(min(d, time.Minute))
		direct = append(direct, w.tick()...)
	}
	return direct
}

func TestTimeout(t *testing.T) {
	w := newWorld(t)
	w.pass(300 * time.Millisecond)
	v := w.act(w.act(w.timed("1h"), "right"), "left")
	id, at := v.Record.ID, v.TimeoutAt()
	if want := w.clock.Add(time.Hour).Truncate(time.Second); !at.Equal(want) {
		t.Fatalf("Anna has until %s, want %s", at, want)
	}
	for _, p := range []storage.Person{anna, ben} {
		_, err := w.host.Claim(t.Context(), w.by(p), id, host.AnySeq)
		refused(t, err, host.ErrTimed)
	}
	// The last moment counts, and the time is exact to the second.
	w.run(at.Sub(w.clock) - time.Nanosecond)
	v = w.act(v, "right")
	if at = v.TimeoutAt(); !at.Equal(w.clock.Truncate(time.Second).Add(time.Hour)) {
		t.Fatalf("Ben has until %s", at)
	}
	w.run(at.Sub(w.clock) - time.Minute)
	w.post(id)
	w.pass(at.Sub(w.clock))
	w.unchanged(t, id, 1, func() {
		for p, does := range map[storage.Person]func(host.Actor) error{
			ben:  func(a host.Actor) error { _, err := w.host.Act(t.Context(), a, id, host.AnySeq, "right"); return err },
			anna: func(a host.Actor) error { _, err := w.host.Undo(t.Context(), a, id, host.AnySeq); return err },
		} {
			refused(t, does(w.by(p)), host.ErrTimeUp)
		}
	})
	w.tick()
	v = w.match(id)
	out, _ := v.Match.Over()
	if out.Ending != match.ByTimeout || out.TimedOut != 2 || v.Record.Ending != "timeout" || !v.Record.Deadline.IsZero() || len(v.RatingChanges) != 2 || v.Record.Results[0].Result != storage.Won {
		t.Errorf("the outcome is %+v, on record %+v", out, v.Record)
	}
	if got := w.snapshot(id, 1).log(); got != "1 action right, 2 action left, 1 action right, 2 timeout" {
		t.Errorf("the log is %s", got)
	}
	if got := w.states(id); !strings.HasSuffix(got, " stale3🔔 due4🔔") {
		t.Errorf("the boards are %s", got)
	}
	w.unchanged(t, id, 1, func() { w.remind(id); w.run(time.Hour) })
	if f := w.faults(); len(f) > 0 {
		t.Errorf("faults: %+v", f)
	}
	if c, err := w.host.CheckRatings(t.Context(), nil); err != nil || len(c.Differences) > 0 {
		t.Errorf("ratings: %+v (%v)", c, err)
	}
	ch, _, err := w.rematch(ben, id)
	if must(t, err); ch.Clock != "1h" {
		t.Errorf("the rematch has the clock %q", ch.Clock)
	}
}

// If the time is up before both have moved, nobody wins.
func TestEarlyTimeoutAborts(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.timed("1h"), "right")
	w.run(time.Hour)
	if out, _ := w.match(v.Record.ID).Match.Over(); out.Ending != match.ByAbort || out.TimedOut != 2 {
		t.Errorf("the outcome is %+v", out)
	}
}

func TestUnknownClock(t *testing.T) {
	w := newWorld(t)
	_, err := w.host.CreateChallenge(t.Context(), w.by(anna), host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails", Clock: "soon"})
	refused(t, err, host.ErrNoClock)
	for _, clock := range host.ClockChoices() {
		w.timed(clock)
	}
}

// A move and the end of the time at the same moment: one of them counts.
func TestConcurrentMoveAndTimeout(t *testing.T) {
	w := newWorld(t)
	for range 10 {
		v := w.act(w.act(w.timed("10m"), "right"), "left")
		w.run(10*time.Minute - time.Second)
		var moved atomic.Int32
		atOnce(8, func(i int) {
			switch {
			case i == 4:
				w.pass(time.Second)
			case i%2 == 0:
				if _, err := w.host.Act(t.Context(), w.by(anna), v.Record.ID, v.Match.Seq(), "right"); err == nil {
					moved.Add(1)
				}
			default:
				_, _ = w.host.Remind(t.Context(), v.Record.ID)
			}
		})
		w.tick()
		if _, over := w.match(v.Record.ID).Match.Over(); over == (moved.Load() == 1) || moved.Load() > 1 {
			t.Fatalf("%d moves count, the match is over: %t", moved.Load(), over)
		}
		w.run(time.Hour) // it ends in any case
		if log := w.snapshot(v.Record.ID, 0).log(); strings.Count(log, "timeout") != 1 {
			t.Fatalf("the log is %s", log)
		}
	}
}

// The player to move is reminded once a turn, at a quarter of their time, as they
// prefer.
func TestRemindTimed(t *testing.T) {
	for _, way := range []storage.Reminders{storage.RemindInChannel, storage.RemindDirectly, storage.RemindNever} {
		t.Run("reminders "+string(way), func(t *testing.T) {
			w := newWorld(t)
			must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: anna.ID, Reminders: way}))
			v := w.timed("1h")
			id := v.Record.ID
			w.post(id)
			if direct := w.run(45*time.Minute - time.Second); len(direct) > 0 || w.match(id).Record.Reminded {
				t.Fatal("reminded too early")
			}
			w.pass(time.Second)
			direct := w.tick()
			want := "posted0🔔"
			switch way {
			case storage.RemindInChannel:
				want = "stale0🔔 due0🔔"
			case storage.RemindDirectly:
				if len(direct) != 1 || w.match(id).Record.Reminded {
					t.Fatalf("%d direct messages", len(direct))
				}
				if again := w.tick(); len(again) != 1 {
					t.Error("a reminder that was not sent is not due")
				}
				must(t, w.host.Reminded(t.Context(), direct[0], true))
			}
			for range 3 {
				if got := w.states(id); got != want || !w.match(id).Record.Reminded || len(w.tick()) > 0 {
					t.Fatalf("the boards are %s", got)
				}
				w.host = host.New(w.config) // after a restart, too
				w.pass(time.Minute)
			}
			// Taking the next turn back does not remind again.
			w.act(v, "right")
			v, err := w.host.Undo(t.Context(), w.by(anna), id, host.AnySeq)
			must(t, err)
			if !v.Record.Reminded || !v.Record.Deadline.Equal(v.TimeoutAt()) {
				t.Errorf("after a takeback: %+v", v.Record)
			}
			if direct := w.run(5 * time.Minute); len(direct) > 0 {
				t.Error("reminded again")
			}
		})
	}
}

// The next player is reminded, even if their time runs out at the same moment as
// that of the player who has just moved.
func TestRemindAtSameDeadline(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.timed("2h+0s/2h"), "right")
	w.run(90 * time.Minute)
	v = w.act(v, "left")
	anna := v.TimeoutAt()
	w.run(90 * time.Minute)
	v = w.act(v, "right")
	if !v.TimeoutAt().Equal(anna) || v.Record.Reminded {
		t.Fatalf("Ben has until %s, Anna had until %s; reminded: %t", v.TimeoutAt(), anna, v.Record.Reminded)
	}
	w.run(23 * time.Minute)
	if v = w.match(v.Record.ID); !v.Record.Reminded || !v.Board.Notify {
		t.Errorf("Ben is not reminded: %+v", v.Record)
	}
}

// A turn that ends while Remind conflicts with it is not reminded of.
func TestRemindAgainstTurn(t *testing.T) {
	w := newWorld(t)
	must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: anna.ID, Reminders: storage.RemindDirectly}))
	v := w.timed("1h")
	w.run(45*time.Minute - time.Second)
	w.pass(time.Second)
	store, ok := w.store.(*storagetest.Rerun)
	if !ok {
		t.Skip("PostgreSQL decides itself when an update runs again")
	}
	store.Between = func() { w.act(v, "right") }
	if direct, err := w.host.Remind(t.Context(), v.Record.ID); direct != nil || err != nil {
		t.Errorf("reminded of a turn that has ended: %+v, %v", direct, err)
	}
}

// A person who cannot be reached directly is reminded by a board.
func TestUnreachablePerson(t *testing.T) {
	w := newWorld(t)
	must(t, account.New(w.host).SetPreferences(t.Context(), storage.Preferences{Person: anna.ID, Reminders: storage.RemindDirectly}))
	v := w.timed("1h")
	w.post(v.Record.ID)
	direct := w.run(45 * time.Minute)
	must(t, w.host.Reminded(t.Context(), direct[0], false))
	must(t, w.host.Reminded(t.Context(), direct[0], false)) // once
	if got := w.states(v.Record.ID); got != "stale0🔔 due0🔔" {
		t.Errorf("the boards are %s", got)
	}
	w.act(v, "right")
	must(t, w.host.Reminded(t.Context(), direct[0], false)) // too late
	if got := w.states(v.Record.ID); strings.Count(got, " ") != 2 {
		t.Errorf("the boards are %s", got)
	}
}

// A turn cannot be taken back when its time would be up.
func TestLateTakeback(t *testing.T) {
	w := newWorld(t)
	v := w.timed("1h")
	w.run(59 * time.Minute)
	v = w.act(v, "right")
	w.run(time.Minute)
	if w.match(v.Record.ID).CanTakeBack(1) {
		t.Error("the turn can be taken back")
	}
	_, err := w.host.Undo(t.Context(), w.by(anna), v.Record.ID, host.AnySeq)
	if !errors.As(err, new(*match.TurnError)) {
		t.Errorf("error %v", err)
	}
}

// The clocks stand still while the bot does not run or has no contact, and while
// the machine's clock jumps ahead. One that is set back gives time.
func TestOutage(t *testing.T) {
	const minute = time.Minute
	for _, tt := range []struct {
		name string
		does func(w *world)
		more time.Duration // time that Anna gains
	}{
		{"nothing", func(w *world) {}, 0},
		{"a short interruption", func(w *world) { w.pass(minute); w.tick() }, 0},
		{"an outage", func(w *world) { w.pass(5 * time.Hour); w.tick() }, 5 * time.Hour},
		{"two outages", func(w *world) { w.pass(5 * time.Hour); w.run(20 * minute); w.pass(time.Hour); w.tick() }, 6*time.Hour + minute},
		{"a restart after an outage", func(w *world) { w.pass(5 * time.Hour); w.host = host.New(w.config); w.tick() }, 5 * time.Hour},
		{"an hour back", func(w *world) { w.pass(-time.Hour) }, 0},
		{"a day ahead", func(w *world) { w.pass(24 * time.Hour); w.tick() }, 24 * time.Hour},
		// By the clock, the turn has not begun when it jumps ahead.
		{"an hour back and a day ahead", func(w *world) { w.pass(-time.Hour); w.run(5 * minute); w.pass(24 * time.Hour); w.tick() }, 23*time.Hour + 15*minute},
		// Until the clock has caught up, no time passes.
		{"a day ahead and back", func(w *world) { w.pass(24 * time.Hour); w.run(5 * minute); w.pass(-24 * time.Hour) }, 24*time.Hour + minute},
		{"a day ahead and back, and an outage", func(w *world) {
			w.pass(24 * time.Hour)
			w.run(5 * minute)
			w.pass(-24 * time.Hour)
			w.run(5 * minute)
			w.pass(2 * time.Hour)
			w.tick()
		}, 24*time.Hour + minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			v := w.act(w.act(w.timed("2h"), "right"), "left")
			id, want := v.Record.ID, v.TimeoutAt().Add(tt.more)
			w.run(10 * minute)
			tt.does(w)
			w.run(10 * minute)
			if got := w.match(id).TimeoutAt(); !got.Equal(want) {
				t.Fatalf("Anna has until %s, want %s", got, want)
			}
			w.run(want.Sub(w.clock) - time.Second)
			if _, over := w.match(id).Match.Over(); over {
				t.Fatal("she has lost too early")
			}
			w.run(time.Second)
			if out, _ := w.match(id).Match.Over(); out.TimedOut != 1 {
				t.Errorf("the outcome is %+v", out)
			}
			if log := w.snapshot(id, 0).log(); strings.Count(log, "timeout") != 1 {
				t.Errorf("the log is %s", log)
			}
		})
	}
}

// A move after an outage counts even before the reconciler has recorded it; the
// reconciler judges nothing without contact, and says how much time there is now.
func TestMoveAfterOutage(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.act(w.timed("1h"), "right"), "left")
	id := v.Record.ID
	w.run(50 * time.Minute)
	w.post(id)
	w.pass(5 * time.Hour)
	w.unchanged(t, id, 0, func() { w.remind(id) })
	w.tick()
	if got, record := w.states(id), w.match(id).Record; !strings.HasSuffix(got, "stale2🔔 due2") || !record.Deadline.Equal(v.TimeoutAt().Add(5*time.Hour)) {
		t.Errorf("the boards are %s, the deadline is %s", got, record.Deadline)
	}
	w.pass(5 * time.Hour)
	w.act(v, "right")
}

// A computer's time is not limited. A person can lose on time against a computer.
func TestTimedComputer(t *testing.T) {
	w := newWorld(t)
	v := w.begun(host.Proposal{Place: here, Opponents: []storage.Person{host.ComputerPlayer("casual", "Casual")}, Game: "trails", First: host.FirstMe, Clock: "1h"})
	v = w.act(v, "right")
	if !v.Record.Deadline.IsZero() || !v.TimeoutAt().IsZero() {
		t.Errorf("the computer has until %s", v.TimeoutAt())
	}
	w.run(2 * time.Hour)
	v = w.replies(v)
	w.run(time.Hour)
	if out, _ := w.match(v.Record.ID).Match.Over(); out.Ending != match.ByTimeout || out.TimedOut != 1 {
		t.Errorf("the outcome is %+v", out)
	}
}

// One of three players loses on time and retires. The time of the next begins then.
func TestTimeoutOfThree(t *testing.T) {
	w := newWorld(t)
	ch := w.create(anna, host.Proposal{Place: here, Seats: 3, Game: "sample", Clock: "1h"})
	w.join(ben, ch)
	v := w.join(chloe, ch)
	w.run(time.Hour)
	v = w.match(v.Record.ID)
	if !v.Match.TimedOut(1) || v.Match.Seat() != 2 || !v.TimeoutAt().Equal(w.clock.Add(time.Hour)) {
		t.Errorf("seat %d until %s", v.Match.Seat(), v.TimeoutAt())
	}
}

// thirtyTurns are thirty turns with a bank of two days and an increment of one hour:
// how long each took, and the time that its seat had left afterwards, with the
// increment, computed by hand.
var thirtyTurns = []struct{ took, left string }{
	{"3h", "46h"}, {"1h", "48h"},
	{"30m", "46h30m"}, {"0s", "49h"},
	{"12h", "35h30m"}, {"0s", "50h"},
	{"1h", "35h30m"}, {"45m", "50h15m"},
	{"0s", "36h30m"}, {"2h", "49h15m"},
	{"6h", "31h30m"}, {"24h", "26h15m"},
	{"1h30m", "31h"}, {"10m", "27h5m"},
	{"20h", "12h"}, {"5m", "28h"}, // something happens in the middle of the first of these
	{"10h", "3h"}, {"0s", "29h"},
	{"2h59m", "1h1m"}, {"28h", "2h"},
	{"1h", "1h1m"}, {"1h", "2h"},
	{"30m", "1h31m"}, {"1h30m", "1h30m"},
	{"1h", "1h31m"}, {"1h29m", "1h1m"},
	{"1m", "2h30m"}, {"0s", "2h1m"},
	{"2h", "1h30m"}, {"2h", "1h1m"},
}

// Restarts, outages and a clock that jumps ahead change no figure of a match. A
// clock that is set back by an hour gives an hour to the player to move.
func TestThirtyTurns(t *testing.T) {
	hours := func(s string) time.Duration {
		d, err := time.ParseDuration(s)
		must(t, err)
		return d
	}
	for _, tt := range []struct {
		name string
		does func(w *world)
		more time.Duration // that Anna gains
	}{
		{"nothing", func(*world) {}, 0},
		{"a restart", func(w *world) { w.host = host.New(w.config); w.tick() }, 0},
		{"an outage", func(w *world) { w.pass(100 * time.Hour); w.tick() }, 0},
		{"an outage and a restart", func(w *world) { w.pass(100 * time.Hour); w.host = host.New(w.config); w.tick() }, 0},
		{"a day ahead", func(w *world) { w.pass(24 * time.Hour); w.tick() }, 0},
		{"an hour back", func(w *world) { w.pass(-time.Hour); w.tick() }, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			// run lets time pass in contact with Discord.
			run := func(d time.Duration) {
				w.pass(d)
				w.update(func(tx storage.Tx) error { return tx.RecordContact(w.clock) })
				w.tick()
			}
			w.pass(300 * time.Millisecond)
			v := w.accept(ben, w.create(anna, host.Proposal{
				Place: here, Opponents: []storage.Person{ben}, Game: "sample", First: host.FirstMe, Clock: "2d+1h/4d", Options: map[string]string{"counters": "20"},
			}))
			left := []time.Duration{48 * time.Hour, 48 * time.Hour}
			for i, turn := range thirtyTurns {
				took := hours(turn.took)
				run(took / 2)
				if i == 14 {
					tt.does(w)
				}
				run(took - took/2)
				if v = w.act(v, []string{"a1 end", "b1 end"}[i/20]); i == 14 {
					left[0] += tt.more
				}
				if left[i%2] = hours(turn.left); i%2 == 0 && i >= 14 {
					left[0] += tt.more
				}
				if a, b := v.TimeLeft(1), v.TimeLeft(2); a != left[0] || b != left[1] {
					t.Fatalf("after turn %d Anna has %s and Ben %s, want %s", i+1, a, b, left)
				}
				if want := w.clock.Truncate(time.Second).Add(left[(i+1)%2]); !v.TimeoutAt().Equal(want) {
					t.Fatalf("after turn %d the next has until %s, want %s", i+1, v.TimeoutAt(), want)
				}
			}
			run(v.TimeoutAt().Sub(w.clock) - 1)
			if _, over := w.match(v.Record.ID).Match.Over(); over {
				t.Fatal("Anna has lost too early")
			}
			run(1)
			if out, _ := w.match(v.Record.ID).Match.Over(); out.TimedOut != 1 || len(v.Match.Turns()) != 30 {
				t.Errorf("the outcome is %+v", out)
			}
		})
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
		{"3h", 0, 9*time.Hour + 30*time.Minute, true},
		{"", 2 * time.Hour, host.ClaimAfter + 7*time.Hour + 30*time.Minute, false},
	} {
		t.Run("clock "+tt.clock, func(t *testing.T) {
			w := newWorld(t)
			quiet := storage.Preferences{Person: anna.ID, Zone: "Asia/Kolkata", QuietFrom: 19, QuietTo: 3} // 13:30 to 21:30 UTC
			must(t, account.New(w.host).SetPreferences(t.Context(), quiet))
			w.pass(tt.begun)
			id := w.timed(tt.clock).Record.ID
			w.post(id)
			if tt.clock == "" {
				w.pass(host.ClaimAfter - time.Minute)
				tt.asked -= host.ClaimAfter - time.Minute
			}
			w.run(tt.asked - time.Second)
			if got := w.states(id); !tt.ends && got != "posted0🔔" {
				t.Fatalf("in the quiet hours the boards are %s", got)
			}
			w.run(time.Minute)
			if _, over := w.match(id).Match.Over(); over != tt.ends {
				t.Fatalf("the match has ended: %t", over)
			}
			if got := w.states(id); !tt.ends && got != "stale0🔔 due0🔔" {
				t.Errorf("after the quiet hours the boards are %s", got)
			}
		})
	}
}

// On a vacation the clock of a person stands still, nobody reminds them, and their
// match cannot be claimed. It does nothing for a turn whose time is up.
func TestVacation(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name, clock string
		begins      time.Duration // after the turn began
		back        time.Duration // after the vacation began; 0 if it ends by itself after two days
		more        time.Duration // time that Anna gains
	}{
		{"for two days", "2h", time.Hour, 0, 2 * day},
		{"back early", "2h", time.Hour, 30 * time.Minute, 30 * time.Minute},
		{"too late", "2h", 2 * time.Hour, 0, 0},
		{"without a clock", "", day, 0, 2 * day},
		{"without a clock, back early", "", day, day, day},
		{"without a clock, too late", "", 8 * day, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			accounts := account.New(w.host)
			v := w.act(w.act(w.timed(tt.clock), "right"), "left")
			id := v.Record.ID
			w.post(id)
			at := func(v *host.View) time.Time {
				if tt.clock == "" {
					return v.ClaimableAt()
				}
				return v.TimeoutAt()
			}
			want := at(v).Add(tt.more)
			switch {
			case tt.clock == "":
				w.pass(tt.begins)
				w.tick()
			case tt.more == 0:
				w.run(tt.begins - time.Second)
				w.pass(time.Second) // the loss is not recorded yet
			default:
				w.run(tt.begins)
			}
			must(t, accounts.StartVacation(t.Context(), anna.ID, 2))
			if tt.more > 0 && (w.match(id).VacationUntil(1).IsZero() || !w.match(id).VacationUntil(2).IsZero()) {
				t.Error("the board does not say who is on vacation")
			}
			if tt.back > 0 {
				if tt.clock == "" {
					w.pass(tt.back)
				} else {
					w.run(tt.back)
				}
				must(t, accounts.EndVacation(t.Context(), anna.ID))
			}
			if got := at(w.match(id)); !got.Equal(want) {
				t.Fatalf("Anna has until %s, want %s", got, want)
			}
			if tt.clock == "" {
				if got := w.match(id).Claimable(); got != (tt.more == 0) {
					t.Errorf("claimable: %t", got)
				}
				return
			}
			for w.now().Add(time.Second).Before(want) {
				w.run(min(time.Minute, want.Sub(w.now())-time.Second))
				if v := w.match(id); !v.VacationUntil(1).IsZero() && v.Record.Reminded {
					t.Fatal("reminded on vacation")
				}
			}
			if _, over := w.match(id).Match.Over(); over && tt.more > 0 {
				t.Fatal("lost too early")
			}
			w.run(2 * time.Second)
			if out, _ := w.match(id).Match.Over(); out.TimedOut != 1 {
				t.Errorf("the outcome is %+v", out)
			}
		})
	}
}
