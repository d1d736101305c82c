package storagetest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"castellan/storage"
)

// testModel runs random transactions on a new store and on a model and compares
// everything that can be read from them.
func testModel(t *testing.T, open func(testing.TB) storage.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		s, m := open(t), newModel()
		defer s.Close()
		for i, p := range [][]storage.Person{{alice, bob}, {bob, alice, carol}, {casual, alice}, {carol, bob}} {
			m = runAll(rt, s, m, nil, endedMatch(i, p)...)
		}
		m = runAll(rt, s, m, nil, cornerCases()...)
		for range rapid.IntRange(1, 20).Draw(rt, "transactions") {
			m = runRandom(rt, s, m)
		}
		if err := s.View(context.Background(), func(r storage.Reader) error { compare(rt, r, m); return nil }); err != nil {
			rt.Fatalf("view: %v", err)
		}
	})
}

// endedMatch returns operations that insert, end and rate the first matches of a
// store.
func endedMatch(i int, seats []storage.Person) []func(generator) operation {
	id := func(tx storage.Tx) storage.MatchID {
		all, _ := tx.MatchesAfter(0, 10)
		return all[i].ID
	}
	results := []storage.SeatResult{{Place: 1, Result: storage.Won}, {Place: 2, Result: storage.Lost}, {Place: 2, Result: storage.Lost}}
	return []func(generator) operation{
		func(generator) operation {
			m := storage.Match{Place: storage.Place{Guild: "g", Channel: "x"}, Game: "a", Seats: seats, CreatedAt: minute(0)}
			return func(tx storage.Tx) (any, error) { return tx.InsertMatch(m) }
		},
		func(generator) operation {
			return failing(func(tx storage.Tx) error {
				return errors.Join(tx.EndMatch(id(tx), "rules", minute(9-i)), tx.RecordResults(id(tx), results[:len(seats)]))
			})
		},
		func(g generator) operation {
			var changes []storage.RatingChange
			for seat, p := range seats {
				p.Level = ""
				changes = append(changes, storage.RatingChange{
					Seat: seat + 1, Person: p, Game: "a", List: storage.PeopleList, Place: 1, At: minute(i), Weight: 1,
					After: estimate(g.number("mean", 2)), EstablishedUntil: minute(9 - i),
				})
			}
			return failing(func(tx storage.Tx) error {
				for i := range changes {
					changes[i].Match = id(tx)
				}
				return tx.AddRatingChanges(changes)
			})
		},
	}
}

// cornerCases returns operations that lead to rare states: boards with and
// without a pending notification, an older board posted after a newer one, a
// shown challenge that is postponed, challenges with and without expiry, a result
// in another guild and game.
func cornerCases() (ops []func(generator) operation) {
	for i, seq := range []int{1, 1, 2} {
		ops = append(ops, func(g generator) operation {
			b := storage.Board{Match: g.m.matches[0].ID, Seq: seq, Notify: i == 0}
			return func(tx storage.Tx) (any, error) { return tx.InsertBoard(b) }
		})
	}
	for i, expires := range []time.Time{{}, minute(8), minute(7)} {
		ops = append(ops, func(generator) operation {
			c := newChallenge()
			c.Place.Channel, c.CreatedAt, c.ExpiresAt = "x", minute(9-i), expires
			return func(tx storage.Tx) (any, error) { return tx.InsertChallenge(c) }
		})
	}
	return append(ops, func(g generator) operation {
		boards, c := g.m.boards, g.m.challenges[0].ID
		return failing(func(tx storage.Tx) error {
			return errors.Join(tx.MarkBoardPosted(boards[2].ID, "new"), tx.MarkBoardPosted(boards[0].ID, "found"),
				tx.MarkChallengeShown(c, "m", 0), tx.ReviseChallenge(c), tx.PostponeChallenge(c, minute(9)))
		})
	}, func(g generator) operation {
		m := storage.Match{Place: storage.Place{Guild: "h"}, Game: "b", Seats: []storage.Person{alice}, CreatedAt: minute(0)}
		return func(tx storage.Tx) (any, error) { return tx.InsertMatch(m) }
	}, func(g generator) operation {
		id := g.m.matches[len(g.m.matches)-1].ID
		return failing(func(tx storage.Tx) error {
			return errors.Join(tx.EndMatch(id, "rules", minute(9)), tx.RecordResults(id, []storage.SeatResult{{Place: 1, Result: storage.Won}}))
		})
	})
}

// runRandom runs one transaction of random operations, which may be rolled back,
// and returns the model after it.
func runRandom(t *rapid.T, s storage.Store, m *model) *model {
	var rollback error
	if rapid.IntRange(0, 7).Draw(t, "rollback") == 0 {
		rollback = errors.New("rolled back")
	}
	var ops []func(generator) operation
	for range rapid.IntRange(1, 8).Draw(t, "operations") {
		ops = append(ops, rapid.SampledFrom(operations).Draw(t, "operation"))
	}
	return runAll(t, s, m, rollback, ops...)
}

func runAll(t *rapid.T, s storage.Store, m *model, rollback error, ops ...func(generator) operation) *model {
	after := m.clone()
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		for _, draw := range ops {
			op := draw(generator{t, after})
			if op == nil {
				continue
			}
			got, gotErr := op(tx)
			if a, ok := got.(storage.Advanced); ok {
				after.nextID = int64(a.Board)
			} else if id := reflect.ValueOf(got); id.Kind() == reflect.Int64 {
				after.nextID = id.Int()
			}
			if _, old := after.match(storage.MatchID(after.nextID)); reflect.TypeOf(got) == reflect.TypeFor[storage.MatchID]() && gotErr == nil && (after.nextID <= 0 || old == nil) {
				t.Fatalf("a new match has the identifier %d", after.nextID)
			}
			want, wantErr := op(after)
			if gotErr != nil || wantErr != nil {
				if wantErr == nil || !errors.Is(gotErr, wantErr) {
					t.Fatalf("error %v, want %v", gotErr, wantErr)
				}
			} else if got != want {
				t.Fatalf("result %v, want %v", got, want)
			}
		}
		if rollback != nil {
			compare(t, tx, after) // an update sees its own writes
		}
		return rollback
	})
	if err != rollback {
		t.Fatalf("update: %v, want %v", err, rollback)
	}
	if rollback != nil {
		return m
	}
	return after
}

// compare compares all that can be read from a store with its model.
func compare(t *rapid.T, r storage.Reader, m *model) {
	t.Helper()
	check := func(name string, read func(storage.Reader) (any, error)) {
		t.Helper()
		got, gotErr := read(r)
		want, wantErr := read(m)
		if gotErr != nil || wantErr != nil {
			if wantErr == nil || !errors.Is(gotErr, wantErr) {
				t.Fatalf("%s: error %v, want %v", name, gotErr, wantErr)
			}
		} else if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			t.Fatalf("%s is\n%s, want\n%s", name, g, w)
		}
	}
	people := []string{alice.ID, bob.ID, casual.ID, former(0).ID, "nobody", ""}
	ids := []storage.MatchID{missing}
	for _, m := range m.matches {
		ids = append(ids, m.ID)
	}
	for _, id := range ids {
		check("Match", func(r storage.Reader) (any, error) { return r.Match(id) })
		check("Entries", func(r storage.Reader) (any, error) { return r.Entries(id) })
		check("Boards", func(r storage.Reader) (any, error) { return r.Boards(id) })
		check("RematchFor", func(r storage.Reader) (any, error) { return r.RematchFor(id) })
		check("RatingChanges", func(r storage.Reader) (any, error) { return r.RatingChanges(id) })
		check("MatchVacations", func(r storage.Reader) (any, error) { return r.MatchVacations(id) })
		check("ActiveBoards", func(r storage.Reader) (any, error) { return r.ActiveBoards(id) })
		for after := range 3 {
			check("LoadMatch", func(r storage.Reader) (any, error) { return r.LoadMatch(id, after) })
			check("EntriesAfter", func(r storage.Reader) (any, error) { return r.EntriesAfter(id, after) })
		}
	}
	for _, b := range append(m.boards, storage.Board{ID: missing}) {
		check("Board", func(r storage.Reader) (any, error) { return r.Board(b.ID) })
	}
	for _, c := range append(m.challenges, storage.Challenge{ID: missing}) {
		check("Challenge", func(r storage.Reader) (any, error) { return r.Challenge(c.ID) })
		check("RematchOf", func(r storage.Reader) (any, error) { return r.RematchOf(c.ID) })
		check("Thread", func(r storage.Reader) (any, error) { return r.Thread(c.ID) })
	}
	for _, e := range append(m.tournaments, storage.Tournament{ID: missing}) {
		check("Tournament", func(r storage.Reader) (any, error) { return r.Tournament(e.ID) })
	}
	for _, i := range interactions {
		check("ProcessedInteraction", func(r storage.Reader) (any, error) { return r.ProcessedInteraction(i) })
	}
	for _, limit := range []int{1, 10} {
		check("EndedThreads", func(r storage.Reader) (any, error) { return r.EndedThreads(minute(3), limit) })
	}
	for _, guild := range []string{"", "g"} {
		check("Acts", func(r storage.Reader) (any, error) { return r.Acts(guild, minute(3)) })
		check("Freezes", func(r storage.Reader) (any, error) { return r.Freezes(guild, minute(3)) })
	}
	check("ActsOn", func(r storage.Reader) (any, error) { return r.ActsOn(storage.MatchTarget(1)) })
	check("Banned", func(r storage.Reader) (any, error) { return r.Banned() })
	check("HasClocks", func(r storage.Reader) (any, error) { return r.HasClocks() })
	check("LastContact", func(r storage.Reader) (any, error) { return r.LastContact() })
	check("Outages", func(r storage.Reader) (any, error) { return r.Outages(minute(1)) })
	check("AllRunning", func(r storage.Reader) (any, error) { return r.AllRunning() })
	check("OpenChallenges", func(r storage.Reader) (any, error) { return r.OpenChallenges("") })
	check("AllRatings", func(r storage.Reader) (any, error) { return r.AllRatings() })
	for _, p := range people {
		check("OpenChallenges", func(r storage.Reader) (any, error) { return r.OpenChallenges(p) })
		check("CountRunning", func(r storage.Reader) (any, error) { return r.CountRunning(p) })
		check("ResultCounts", func(r storage.Reader) (any, error) { return r.ResultCounts(p) })
		check("Streaks", func(r storage.Reader) (any, error) { return r.Streaks(p) })
		check("HeadToHead", func(r storage.Reader) (any, error) { return r.HeadToHead(p, bob.ID) })
		check("Ratings", func(r storage.Reader) (any, error) { return r.Ratings(p) })
		check("Preferences", func(r storage.Reader) (any, error) { return r.Preferences(p) })
		check("Vacations", func(r storage.Reader) (any, error) { return r.Vacations(p, minute(3)) })
		check("PlayedIn", func(r storage.Reader) (any, error) { return r.PlayedIn(p, "g") })
		check("Departure", func(r storage.Reader) (any, error) { return r.Departure("g", p) })
		check("Blocks", func(r storage.Reader) (any, error) { return r.Blocks(p) })
		check("HasBlock", func(r storage.Reader) (any, error) { return r.HasBlock(p, bob.ID) })
		check("Locale", func(r storage.Reader) (any, error) { return r.Locale(p) })
		check("LastEnded", func(r storage.Reader) (any, error) { return r.LastEnded("", "x") })
		check("DailyMessage", func(r storage.Reader) (any, error) { return r.DailyMessage(p) })
		for _, channel := range []string{"", "x"} {
			check("RunningMatches", func(r storage.Reader) (any, error) { return r.RunningMatches(p, channel) })
			check("LastEnded", func(r storage.Reader) (any, error) { return r.LastEnded(p, channel) })
			check("ChallengeActivity", func(r storage.Reader) (any, error) {
				return r.ChallengeActivity(p, channel, minute(2), minute(4))
			})
			check("EndedMatches", func(r storage.Reader) (any, error) {
				page, total, err := r.EndedMatches(p, 1-len(channel), 2)
				return []any{page, total}, err
			})
		}
		for _, viewer := range []string{carol.ID, alice.ID} {
			for _, guild := range []string{"", "g"} {
				check("RecentMatches", func(r storage.Reader) (any, error) {
					return r.RecentMatches(storage.RecentQuery{Person: p, Viewer: viewer, Guild: guild, Limit: 2})
				})
			}
		}
	}
	for _, guild := range []string{"", "g", "other"} {
		check("GuildSettings", func(r storage.Reader) (any, error) { return r.GuildSettings(guild) })
		check("PlayedIn", func(r storage.Reader) (any, error) { return r.PlayedIn(alice.ID, guild) })
	}
	for limit := -1; limit <= 3; limit++ {
		check("MatchesAfter", func(r storage.Reader) (any, error) { return r.MatchesAfter(ids[len(ids)/2], limit) })
		check("EndedAfter", func(r storage.Reader) (any, error) { return r.EndedAfter(1, limit) })
		check("ComputerTurns", func(r storage.Reader) (any, error) { return r.ComputerTurns(limit) })
		check("Overdue", func(r storage.Reader) (any, error) { return r.Overdue(minute(5), limit) })
		check("Tournaments", func(r storage.Reader) (any, error) { return r.Tournaments("g", limit) })
		check("Tournaments", func(r storage.Reader) (any, error) { return r.Tournaments("", limit) })
		check("DueTournaments", func(r storage.Reader) (any, error) {
			due, next, err := r.DueTournaments(minute(5), limit)
			return []any{due, next}, err
		})
		check("PendingTournaments", func(r storage.Reader) (any, error) { return r.PendingTournaments(minute(5), limit) })
		for _, now := range []time.Time{minute(5), minute(5).Add(-storage.LongestDelay), minute(5).Add(-24 * time.Hour)} { // after the clock has gone back
			check("PendingPosts", func(r storage.Reader) (any, error) { return r.PendingPosts(now, limit) })
		}
	}
	for _, channel := range []string{"x", "y"} { // y can have the thread x
		check("RunningInChannel", func(r storage.Reader) (any, error) { return r.RunningInChannel(channel) })
	}
	check("Counts", func(r storage.Reader) (any, error) { return r.Counts(minute(4)) })
	for _, p := range []storage.Place{{Guild: "g", Channel: "x"}, {Guild: "g"}, {Channel: "y"}, {}} {
		check("HasPostponed", func(r storage.Reader) (any, error) { return r.HasPostponed(p, minute(3)) })
	}
	for _, list := range storage.RatingLists() {
		for _, id := range ids {
			for _, since := range []int{0, 3} {
				check("RatedMeetings", func(r storage.Reader) (any, error) { return r.RatedMeetings(id, list, minute(since)) })
			}
			check("SeatRatings", func(r storage.Reader) (any, error) {
				all, err := r.SeatRatings(id, list)
				slices.SortFunc(all, func(a, b storage.Rating) int { return cmp.Compare(a.Person.ID, b.Person.ID) })
				return all, err
			})
		}
		for end := range 4 {
			check("RatingBefore", func(r storage.Reader) (any, error) { return r.RatingBefore("a", list, bob.ID, end) })
			check("RatedAfter", func(r storage.Reader) (any, error) { return r.RatedAfter("a", list, bob.ID, end) })
		}
		check("Rating", func(r storage.Reader) (any, error) { return r.Rating("a", list, alice.ID) })
		for _, limit := range []int{-1, 2, 99} {
			check("RatingHistory", func(r storage.Reader) (any, error) { return r.RatingHistory("a", list, alice.ID, limit) })
		}
		for _, guild := range []string{"", "g", "h"} {
			for _, offset := range []int{-1, 0, 1, 9} {
				q := storage.LeaderboardQuery{Game: "a", List: list, Guild: guild, Person: bob.ID, Offset: offset, Limit: 2 - offset}
				check("Leaderboard", func(r storage.Reader) (any, error) { return r.Leaderboard(q) })
			}
		}
	}
}
