package account_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/host/verify"
	"castellan/engine/match"
	"castellan/storage"
)

// Who deletes their data resigns their matches, and withdraws from challenges. The
// results stay, and everything still agrees with the logs.
func TestForget(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	lost, aborted := w.Start("trails"), w.Start("trails")
	lost = w.Posted(w.Act(lost, "right", "left"), "board")
	table, going := w.Join(w.Table(3), hosttest.Ben, hosttest.Chloe)
	if going == nil {
		t.Fatalf("no match for three: %+v", table)
	}
	own := w.Challenge(host.Proposal{Game: "trails"})
	invited, err := w.Host.CreateChallenge(t.Context(), w.Actor(hosttest.Ben), host.Proposal{Place: hosttest.Here, Game: "trails", Opponents: []storage.Person{hosttest.Anna}})
	hosttest.Must(t, err)
	joined, err := w.Host.CreateChallenge(t.Context(), w.Actor(hosttest.Ben), host.Proposal{Place: hosttest.Here, Game: going.Record.Game, Seats: 3})
	hosttest.Must(t, err)
	w.Join(joined, hosttest.Anna)
	hosttest.Must(t, w.Account.Block(t.Context(), hosttest.Anna.ID, hosttest.Ben))
	hosttest.Must(t, w.Account.SetDaily(t.Context(), hosttest.Anna.ID, true))

	hosttest.Must(t, w.Account.StartVacation(t.Context(), hosttest.Anna.ID, 2))

	summary := func(running, ended, challenges int) map[string]int {
		t.Helper()
		k, err := w.Account.Summary(t.Context(), hosttest.Anna.ID)
		if k.Running != running || k.Ended != ended || k.Challenges != challenges || err != nil {
			t.Errorf("kept: %+v, %v, want %d, %d, %d", k, err, running, ended, challenges)
		}
		return k.Rows
	}
	rows := summary(3, 0, 3)
	data, err := w.Account.Export(t.Context(), hosttest.Anna)
	hosttest.Must(t, err)
	var export struct {
		Format  string
		Version int
		Tables  map[string][]map[string]any
	}
	hosttest.Must(t, json.Unmarshal(data, &export))
	if export.Format != "castellan-person" || export.Version != account.ExportVersion || len(export.Tables["seats"]) != 3 || len(export.Tables["vacations"]) != 1 {
		t.Errorf("export: %s", data)
	}
	for table, of := range export.Tables {
		if rows[table] != len(of) || len(rows) != len(export.Tables) {
			t.Errorf("the summary has %d rows of %s, the export %d; all: %v", rows[table], table, len(of), rows)
		}
	}

	a := w.Actor(hosttest.Anna)
	for range 2 { // delivered twice
		hosttest.Must(t, w.Account.Forget(t.Context(), a))
	}
	for id, want := range map[storage.MatchID]match.Ending{lost.Record.ID: match.ByResignation, aborted.Record.ID: match.ByAbort} {
		v := w.Match(id)
		if out, _ := v.Match.Over(); out.Ending != want || !v.Record.Seats[0].IsFormer() || v.Record.Seats[0].Name != "a former player" || v.Board.State != storage.BoardDue {
			t.Errorf("match %d: %+v, %+v, %+v", id, out, v.Record.Seats, v.Board)
		}
	}
	if v := w.Match(going.Record.ID); len(v.ActiveSeats()) != 2 || v.SeatOf(hosttest.Anna.ID) != 0 {
		t.Errorf("the match of three: seats %v, %+v", v.ActiveSeats(), v.Record.Seats)
	}
	for id, want := range map[storage.ChallengeID]storage.ChallengeState{
		own.ID: storage.ChallengeCancelled, invited.ID: storage.ChallengeDeclined, joined.ID: storage.ChallengeOpen,
	} {
		ch, err := w.Host.FindChallenge(t.Context(), id)
		hosttest.Must(t, err)
		if people := slices.Concat(ch.Joined, ch.Invited, []storage.Person{ch.Challenger}); ch.State != want || slices.ContainsFunc(people, func(p storage.Person) bool { return p.ID == hosttest.Anna.ID }) {
			t.Errorf("challenge %d: %+v", id, ch)
		}
	}
	if rows := summary(0, 0, 0); len(rows) > 0 {
		t.Errorf("kept afterwards: %v", rows)
	}
	if data, err := w.Account.Export(t.Context(), hosttest.Anna); err != nil || strings.Contains(string(data), "seats") {
		t.Errorf("exported afterwards: %s, %v", data, err)
	}
	report, err := verify.Matches(t.Context(), w.Store, w.Games, nil)
	if err != nil || len(report.Faults) > 0 || report.Matches != 3 {
		t.Errorf("verify: %+v, %v", report, err)
	}
	ratings, err := w.Host.CheckRatings(t.Context(), nil)
	if err != nil || len(ratings.Differences) > 0 {
		t.Errorf("ratings: %+v, %v", ratings, err)
	}
	if _, _, err := w.Host.Rematch(t.Context(), w.Actor(hosttest.Ben), lost.Record.ID, hosttest.Here, false); !errors.Is(err, host.ErrCannotChallenge) {
		t.Errorf("a rematch with a former player: %v", err)
	}
	w.Start("trails") // they come back, and start anew
	summary(1, 0, 0)
}

// If the opponent's time is up when somebody deletes their data, the opponent has
// lost before.
func TestForgetAfterTimeout(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	v := w.StartFrom(w.Challenge(host.Proposal{Game: "trails", Opponents: []storage.Person{hosttest.Ben}, First: host.FirstMe, Clock: "1h"}))
	v = w.Act(v, "right", "left", "right")
	for late := v.TimeoutAt(); w.Now().Before(late); w.Advance(min(10*time.Second, late.Sub(w.Now()))) {
		hosttest.Must(t, w.Host.Contact(t.Context())) // the clock runs while the bot is in contact with Discord
	}
	hosttest.Must(t, w.Account.Forget(t.Context(), w.Actor(hosttest.Anna)))
	if out, over := w.Match(v.Record.ID).Match.Over(); !over || out.TimedOut != 2 {
		t.Errorf("outcome %+v", out)
	}
}

// People of whom one has blocked the other do not get into a match together.
func TestBlock(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	for _, who := range []struct{ blocker, blocked storage.Person }{{hosttest.Anna, hosttest.Ben}, {hosttest.Ben, hosttest.Anna}} {
		direct, open, table := w.Offer("trails"), w.Challenge(host.Proposal{Game: "trails"}), w.Table(3)
		running := w.Start("trails")
		hosttest.Must(t, w.Account.Block(t.Context(), who.blocker.ID, who.blocked))
		_, _, err := w.Host.Accept(t.Context(), w.Actor(hosttest.Ben), direct.ID)
		_, _, err2 := w.Host.Join(t.Context(), w.Actor(hosttest.Ben), open.ID)
		_, _, err3 := w.Host.Join(t.Context(), w.Actor(hosttest.Ben), table.ID)
		for _, err := range []error{err, err2, err3} {
			if !errors.Is(err, host.ErrCannotJoin) {
				t.Errorf("joined: %v", err)
			}
		}
		_, err = w.Host.CreateChallenge(t.Context(), w.Actor(hosttest.Anna), host.Proposal{Place: hosttest.Here, Game: "trails", Opponents: []storage.Person{hosttest.Ben}})
		if !errors.Is(err, host.ErrCannotChallenge) {
			t.Errorf("challenged: %v", err)
		}
		w.Act(running, "right", "left") // goes on
		if _, err := w.Host.Decline(t.Context(), w.Actor(hosttest.Ben), direct.ID); err != nil {
			t.Errorf("decline: %v", err)
		}
		w.Join(table, hosttest.Chloe) // who may play with both
		hosttest.Must(t, w.Account.Unblock(t.Context(), who.blocker.ID, who.blocked.ID))
		if _, _, err := w.Host.Join(t.Context(), w.Actor(hosttest.Ben), open.ID); err != nil {
			t.Errorf("joining after all: %v", err)
		}
	}
}
