package host_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/bot/browse"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/trails"
	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// fillStore adds ended matches of a game among 0.43 times as many people, all in
// one guild. Anna plays in every fiftieth of them, half of those against Ben, and
// her matches are in a channel of their own.
func fillStore(t *testing.T, s storage.Store, like storage.MatchState, matches int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	people := max(matches*43/100, 10)
	somebody := func() storage.Person {
		n := r.IntN(people)
		return storage.Person{ID: fmt.Sprintf("9%017d", n), Name: fmt.Sprint("Player ", n)}
	}
	ratings := map[string]storage.Estimate{}
	for done := 0; done < matches; {
		must(t, s.Update(context.Background(), func(tx storage.Tx) error {
			for range min(500, matches-done) {
				m := like.Match
				m.Seats = []storage.Person{somebody(), somebody()}
				if done%50 == 0 {
					m.Seats[0], m.Place.Channel = anna, "99"
					if done%100 == 0 {
						m.Seats[1] = ben
					}
				}
				if m.Seats[0] == m.Seats[1] {
					continue
				}
				m.CreatedAt = m.CreatedAt.Add(time.Duration(done) * time.Minute)
				ended := m.CreatedAt.Add(time.Hour)
				id, err := tx.InsertMatch(m)
				if err != nil {
					return err
				}
				log := slices.Clone(like.Entries)
				for i := range log {
					log[i].At = ended
				}
				if err := storagetest.Append(tx, id, log); err != nil {
					return err
				}
				board, err := tx.InsertBoard(storage.Board{Match: id, Seq: len(log), Place: m.Place})
				if err != nil {
					return err
				}
				if err := tx.MarkBoardPosted(board, fmt.Sprint("m", id)); err != nil {
					return err
				}
				if err := tx.EndMatch(id, like.Ending, ended); err != nil {
					return err
				}
				if err := tx.RecordResults(id, like.Results); err != nil {
					return err
				}
				var changes []storage.RatingChange
				for i, p := range m.Seats {
					c := storage.RatingChange{
						Match: id, Seat: i + 1, Person: p, Game: m.Game, List: storage.PeopleList, Place: like.Results[i].Place, At: ended, Weight: 1,
						Before: ratings[p.ID],
						After:  storage.Estimate{Mean: 1500 + 250*r.NormFloat64(), Deviation: 80, Volatility: 0.06},
					}
					if r.IntN(2) == 0 {
						c.EstablishedUntil = ended.Add(10000 * time.Hour)
					}
					ratings[p.ID] = c.After
					changes = append(changes, c)
				}
				if err := tx.AddRatingChanges(changes); err != nil {
					return err
				}
				done++
			}
			return nil
		}))
	}
}

// longestList is how long a list may take with 100,000 matches of 43,000 people.
const longestList = 500 * time.Millisecond

// TestGrowth measures use cases with growing numbers of stored matches. What people
// play with may take at most twice the time with the most, and half a millisecond. Lists
// and profiles, which no turn waits for, may take longestList. Run it alone, on a quiet
// machine:
//
//	CASTELLAN_GROWTH=1000,10000,100000 go test ./bot/host -run Growth -v -timeout 1h
//
// CASTELLAN_GROWTH_FOLDER names an empty folder in which the databases are kept.
func TestGrowth(t *testing.T) {
	if os.Getenv("CASTELLAN_GROWTH") == "" {
		t.Skip("CASTELLAN_GROWTH lists numbers of matches")
	}
	games, err := engine.NewRegistry(trails.Game{})
	must(t, err)
	template := newWorld(t)
	v := template.start("trails", nil)
	for range 12 {
		p, _ := v.ToMove()
		v, err = template.Host.Act(t.Context(), template.Actor(p), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String())
		must(t, err)
	}
	v = template.resign(anna, v)
	var like storage.MatchState
	must(t, template.Store.View(t.Context(), func(r storage.Reader) (err error) {
		like, err = r.LoadMatch(v.Record.ID, 0)
		return err
	}))
	like.Challenge = 0

	var names []string
	table := map[string][]time.Duration{}
	sizes := strings.Split(os.Getenv("CASTELLAN_GROWTH"), ",")
	for _, size := range sizes {
		n, err := strconv.Atoi(size)
		must(t, err)
		store, err := sqlite.Open(t.Context(), filepath.Join(cmp.Or(os.Getenv("CASTELLAN_GROWTH_FOLDER"), t.TempDir()), size+".db"))
		must(t, err)
		defer store.Close()
		began := time.Now()
		fillStore(t, store, like, n)
		t.Logf("%d matches stored in %v", n, time.Since(began).Round(time.Second))
		clock, request := like.CreatedAt.Add(time.Duration(n)*time.Minute+time.Hour), 0
		h := host.New(host.Config{
			Store: store, Games: games, Now: func() time.Time { return clock }, Seed: func() uint64 { return 1 },
			Limits: host.Limits{MadeByPerson: -1, MadeInGuild: -1, OpenByPerson: -1, OpenInGuild: -1, Running: -1},
		})
		by := func(p storage.Person) host.Actor {
			request++
			clock = clock.Add(time.Second)
			return host.Actor{Person: p, Interaction: fmt.Sprint("r", request)}
		}
		measure := func(name string, times int, do func() error) {
			var all []time.Duration
			for range times {
				began := time.Now()
				must(t, do())
				all = append(all, time.Since(began))
			}
			slices.Sort(all)
			if len(table[name]) == 0 {
				names = append(names, name)
			}
			table[name] = append(table[name], all[len(all)/2])
		}
		leaders := func(guild string, page int) func() error {
			return func() error {
				_, err := browse.New(h).Leaders(context.Background(), anna.ID, "trails", storage.PeopleList, guild, page, 10)
				return err
			}
		}
		const times = 21
		measure("leaderboard, everywhere", times, leaders("", 1))
		measure("leaderboard, everywhere, a page in the middle", times, leaders("", n*43/100/20))
		measure("leaderboard, everywhere, last page", times, leaders("", 1<<30))
		measure("leaderboard of the server", times, leaders(like.Place.Guild, 1))
		measure("leaderboard of the server, last page", times, leaders(like.Place.Guild, 1<<30))
		measure("profile", times, func() error {
			_, err := browse.New(h).Profile(context.Background(), ben.ID, like.Place.Guild, anna.ID)
			return err
		})
		measure("profile seen from elsewhere", times, func() error {
			_, err := browse.New(h).Profile(context.Background(), "stranger", "elsewhere", anna.ID)
			return err
		})
		measure("rating for the plot", times, func() error {
			_, err := browse.New(h).RatingHistory(context.Background(), "trails", storage.PeopleList, anna.ID)
			return err
		})
		measure("finished matches", times, func() error {
			_, err := browse.New(h).ListFinished(context.Background(), anna.ID, 1, 8)
			return err
		})
		measure("finished matches, last page", times, func() error {
			_, err := browse.New(h).ListFinished(context.Background(), anna.ID, 1<<30, 8)
			return err
		})
		measure("finished matches, a page in the middle", times, func() error {
			_, err := browse.New(h).ListFinished(context.Background(), anna.ID, n/50/8/2, 8)
			return err
		})
		measure("last ended match in a channel", times, func() error {
			if _, err := browse.New(h).LastEnded(context.Background(), anna.ID, "nowhere"); err == nil {
				return fmt.Errorf("there is one")
			}
			return nil
		})
		measure("own running matches", times, func() error {
			_, err := h.Running(context.Background(), anna.ID, "")
			return err
		})
		measure("help", times, func() error {
			_, err := browse.New(h).HasPlayed(context.Background(), anna.ID)
			return err
		})
		measure("challenge, accept, move, resign", times, func() error {
			ch, err := h.CreateChallenge(context.Background(), by(anna), host.Proposal{
				Opponents: []storage.Person{ben}, Game: "trails", First: host.FirstMe, Place: like.Place,
			})
			if err != nil {
				return err
			}
			_, v, err := h.Accept(context.Background(), by(ben), ch.ID)
			if err != nil {
				return err
			}
			if v, err = h.Act(context.Background(), by(anna), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String()); err != nil {
				return err
			}
			if v, err = h.Act(context.Background(), by(ben), v.Record.ID, host.AnySeq, v.Match.Position().Legal()[0].String()); err != nil {
				return err
			}
			_, err = h.Resign(context.Background(), by(ben), v.Record.ID, host.AnySeq)
			return err
		})
		measure("metrics", times, func() error {
			return store.View(context.Background(), func(r storage.Reader) error {
				_, err := r.Counts(clock)
				return err
			})
		})
	}
	t.Logf("| median, ms, with matches stored | %s |", strings.Join(sizes, " | "))
	for _, name := range names {
		row := "| " + name
		for _, d := range table[name] {
			row += fmt.Sprintf(" | %.2f", float64(d)/1e6)
		}
		t.Log(row + " |")
		first, last := table[name][0], table[name][len(sizes)-1]
		isList := !slices.Contains([]string{"own running matches", "help", "challenge, accept, move, resign"}, name)
		if last > 2*first+time.Millisecond/2 && (!isList || last > longestList) {
			t.Errorf("%s: %v with %s matches, %v with %s", name, first, sizes[0], last, sizes[len(sizes)-1])
		}
	}
}
