package verify_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/host/verify"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/storagetest"
)

// world adds to hosttest.World what verifying needs.
type world struct{ *hosttest.World }

func newWorld(t *testing.T) world {
	return world{hosttest.New(t, hosttest.Options{Limits: host.Limits{MadeByPerson: -1, MadeInGuild: -1, Running: -1}})}
}

// betweenParts returns a function that reports progress and changes the store,
// which has one connection in memory and so would hang in a transaction.
func (w world) betweenParts(parts *int) host.Progress {
	*parts = 0
	return func(done, total int) {
		if *parts++; done > total {
			w.T.Errorf("%d of %d matches", done, total)
		}
		w.update(func(tx storage.Tx) error { return tx.SetPreferences(storage.Preferences{Person: hosttest.Anna.ID}) })
	}
}

// update writes to the store directly.
func (w world) update(fn func(storage.Tx) error) {
	w.T.Helper()
	hosttest.Must(w.T, w.Store.Update(context.Background(), fn))
}

func (w world) verify() verify.Report {
	w.T.Helper()
	v, err := verify.Matches(w.T.Context(), w.Store, w.Games, nil)
	hosttest.Must(w.T, err)
	return v
}

// After random use cases all records agree with their logs.
func TestVerifyWithoutFaults(t *testing.T) {
	w := newWorld(t)
	if v := w.verify(); v.Matches != 0 || len(v.Faults) != 0 {
		t.Errorf("of nothing: %+v", v)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var entries, ended int
	const matches = 130 // more than are read at a time
	for i := range matches {
		game := []string{"trails", "sample"}[i%2]
		v := w.Start(game)
		for range r.IntN(12) {
			w.Advance(time.Second)
			p, ok := v.ToMove()
			if !ok {
				break
			}
			var err error
			switch n := r.IntN(10); {
			case n == 0:
				v, err = w.Host.Resign(t.Context(), w.Actor(p), v.Record.ID, host.AnySeq)
			case n == 1 && v.Match.CanUndo(v.Match.Seat()):
				v, err = w.Host.Undo(t.Context(), w.Actor(p), v.Record.ID, host.AnySeq)
			case n == 2:
				v, err = w.Host.RepostBoard(t.Context(), w.Actor(p), v.Record.ID)
			case n == 3 && v.Board.State == storage.BoardDue:
				v = w.Posted(v, fmt.Sprintf("m%d", v.Board.ID))
			default:
				legal := v.Match.Position().Legal()
				v, err = w.Host.Act(t.Context(), w.Actor(p), v.Record.ID, host.AnySeq, legal[r.IntN(len(legal))].String())
			}
			hosttest.Must(t, err)
		}
		entries += v.Match.Seq()
		if _, over := v.Match.Over(); over {
			ended++
		}
	}
	v := w.verify()
	if v.Matches != matches || v.Entries != entries || v.Ended != ended || ended == 0 || len(v.Faults) != 0 {
		t.Errorf("%+v, want %d matches with %d entries, %d ended", v, matches, entries, ended)
	}
	games, err := engine.NewRegistry(trails.Game{}, sample.Game{})
	hosttest.Must(t, err)
	var parts int
	if again, err := verify.Matches(t.Context(), w.Store, games, w.betweenParts(&parts)); err != nil || !reflect.DeepEqual(again, v) || parts != 2 {
		t.Errorf("in %d parts: %+v, %v", parts, again, err)
	}
	if c, err := w.Host.CheckRatings(t.Context(), w.betweenParts(&parts)); err != nil || c.Matches != ended || len(c.Differences) > 0 || parts < 2 {
		t.Errorf("ratings in %d parts: %+v, %v", parts, c, err)
	}
}

// Every way in which a record can disagree with its log is reported.
func TestVerifyFaults(t *testing.T) {
	two := []storage.Person{hosttest.Anna, hosttest.Ben}
	record := storage.Match{Place: hosttest.Here, Game: "trails", RulesVersion: trails.Game{}.Version(), Seats: two}
	entry := func(seq int, kind string, seat int, text string, at time.Time) storage.Entry {
		return storage.Entry{Seq: seq, Kind: kind, Seat: seat, Text: text, At: at, Interaction: "i"}
	}
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		change func(*storage.Match) // nil for none
		log    []storage.Entry
		board  int // the entry that its board shows, -1 for no board
		ending string
		says   string
	}{
		{"another game", func(m *storage.Match) { m.Game = "chess" }, nil, 0, "", "there is no such game: chess"},
		{"other rules", func(m *storage.Match) { m.RulesVersion = 99 }, nil, 0, "", "version 99 of the rules"},
		{"unknown options", func(m *storage.Match) { m.Options = "colour=7" }, nil, 0, "", "colour"},
		{"too many seats", func(m *storage.Match) {
			m.Seats = []storage.Person{hosttest.Anna, hosttest.Ben, hosttest.Chloe, hosttest.Anna, hosttest.Ben}
		}, nil, 0, "", "5"},
		{"nobody in a seat", func(m *storage.Match) { m.Seats = []storage.Person{hosttest.Anna, {Name: "Ben"}} }, nil, 0, "", "nobody sits in seat 2"},
		{"an illegal action", nil, []storage.Entry{entry(1, "action", 1, "backwards", noon)}, 0, "", "entry 1 (action of seat 1)"},
		{"an action out of turn", nil, []storage.Entry{entry(1, "action", 2, "right", noon)}, 0, "", "it is the turn of seat 1"},
		{"an unknown entry", nil, []storage.Entry{entry(1, "dance", 1, "", noon)}, 0, "", `no entry of kind "dance"`},
		{"an end that is not recorded", nil, []storage.Entry{entry(1, "resign", 1, "", noon)}, 1, "", "it is recorded as going on"},
		{"an end that is not in the log", nil, nil, 0, "rules", "by its log it goes on"},
		{"another end", nil, []storage.Entry{entry(1, "resign", 1, "", noon)}, 1, "rules", "by its log it was resignation"},
		{"an end at another time", nil, []storage.Entry{entry(1, "resign", 1, "", noon.Add(time.Minute))}, 1, "resignation", "recorded as ended at"},
		{"no board", nil, nil, -1, "", "0 of its boards"},
		{"an outdated board", nil, []storage.Entry{entry(1, "resign", 1, "", noon)}, 0, "resignation", "its newest board shows entry 0"},
		{"a board beyond the log", nil, nil, 5, "", "shows entry 5, the log has 0"},
		{"a clock without a deadline", func(m *storage.Match) { m.Clock = "1d" }, nil, 0, "", "no deadline is recorded"},
		{"an unknown clock", func(m *storage.Match) { m.Clock = "soon" }, nil, 0, "", "a clock is written like"},
		{"a challenge that was not accepted", func(m *storage.Match) { m.Challenge = 1 }, nil, 0, "", "its challenge, 1, is recorded as open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.Offer("trails")
			w.Start("trails")
			m := record
			m.CreatedAt = noon
			if tt.change != nil {
				tt.change(&m)
			}
			var id storage.MatchID
			w.update(func(tx storage.Tx) (err error) {
				if id, err = tx.InsertMatch(m); err != nil {
					return err
				}
				if err := storagetest.Append(tx, id, tt.log); err != nil {
					return err
				}
				if tt.board >= 0 {
					if _, err := tx.InsertBoard(storage.Board{Match: id, Seq: tt.board, Place: hosttest.Here}); err != nil {
						return err
					}
				}
				if tt.ending != "" {
					return tx.EndMatch(id, tt.ending, noon)
				}
				return nil
			})
			w.Start("sample")
			v := w.verify()
			if v.Matches != 3 || len(v.Faults) != 1 || v.Faults[0].Match != id || v.Faults[0].Game != m.Game {
				t.Fatalf("%+v", v)
			}
			if said := strings.Join(v.Faults[0].Reasons, "; "); !strings.Contains(said, tt.says) || strings.Contains(said, "match: ") {
				t.Errorf("it says %q, want %q", said, tt.says)
			}
		})
	}
}

// A panic of the rules is a fault of that match only.
func TestVerifySurvivesAPanicOfTheRules(t *testing.T) {
	w := newWorld(t)
	first := w.Start("trails")
	w.Start("sample")
	w.Act(first, "right")
	games, err := engine.NewRegistry(panics{trails.Game{}}, sample.Game{})
	hosttest.Must(t, err)
	v, err := verify.Matches(t.Context(), w.Store, games, nil)
	hosttest.Must(t, err)
	if len(v.Faults) != 1 || v.Faults[0].Match != first.Record.ID || !strings.Contains(fmt.Sprint(v.Faults), "cannot cope") {
		t.Errorf("%+v", v)
	}
}

type panics struct{ trails.Game }

func (panics) New(engine.Options, int) (engine.Position, error) { panic("no board") }

func TestVerifyThatIsCancelled(t *testing.T) {
	w := newWorld(t)
	w.Start("trails")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	games, err := engine.NewRegistry(trails.Game{})
	hosttest.Must(t, err)
	if _, err := verify.Matches(ctx, w.Store, games, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Verify reports a match whose record does not say that a computer is to move.
func TestVerifyComputerTurn(t *testing.T) {
	w := newWorld(t)
	ch := w.Challenge(host.Proposal{Opponents: []storage.Person{host.ComputerPlayer("casual", "Casual (computer)")}, Game: "trails", First: host.FirstMe})
	v := w.Act(w.Match(ch.Match), "right")
	w.update(func(tx storage.Tx) error { return tx.SetComputerTurn(v.Record.ID, time.Time{}) })
	if f := w.verify().Faults; len(f) != 1 || !strings.Contains(f[0].Reasons[0], "waits for a computer") {
		t.Errorf("%+v", f)
	}
}
