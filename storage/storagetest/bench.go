package storagetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"castellan/storage"
)

// benchMatches is the number of running matches in benchmarks.
const benchMatches = 4000

// Benchmark measures updates a second from 1, 2, 4 and 8 clients at a time: turns in
// matches of different people, turns in matches of two people, and ends of matches.
// It also reports how often a function ran for an update. GOMAXPROCS must be 1.
func Benchmark(b *testing.B, open func(testing.TB) storage.Store) {
	for _, work := range []struct {
		name   string
		people int
		run    func(tx storage.Tx, id storage.MatchID, interaction string) error
	}{
		{"turns", benchMatches, turn},
		{"turnsOfTwo", 2, turn},
		{"ends", benchMatches, func(tx storage.Tx, id storage.MatchID, _ string) error {
			m, err := tx.Match(id)
			if err != nil || m.Ending != "" {
				return err
			}
			if err := tx.EndMatch(id, "rules", minute(1)); err != nil {
				return err
			}
			return tx.RecordResults(id, []storage.SeatResult{{Place: 1, Result: storage.Won}, {Place: 2, Result: storage.Lost}})
		}},
	} {
		s := open(b)
		var ids []storage.MatchID
		for len(ids) < benchMatches {
			var made []storage.MatchID
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				made = nil
				for i := range 200 {
					m, n := newMatch(), len(ids)+i
					m.Seats = []storage.Person{{ID: fmt.Sprint("p", n%work.people)}, {ID: fmt.Sprint("p", (n+1)%work.people)}}
					id, err := tx.InsertMatch(m)
					if err == nil {
						err = turn(tx, id, fmt.Sprint("first", n)) // nearly empty indexes are on few pages
					}
					if err != nil {
						return err
					}
					made = append(made, id)
				}
				return nil
			})
			ids = append(ids, made...)
			if err != nil {
				b.Fatal(err)
			}
		}
		var count, runs atomic.Int64
		for _, clients := range []int{1, 2, 4, 8} {
			b.Run(fmt.Sprintf("%s/%d", work.name, clients), func(b *testing.B) {
				b.SetParallelism(clients) // of GOMAXPROCS
				runs.Store(0)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						n := count.Add(1)
						id := ids[int(n)%len(ids)]
						if work.name != "ends" { // any match
							id = ids[rand.N(len(ids))]
						}
						err := s.Update(context.Background(), func(tx storage.Tx) error {
							runs.Add(1)
							return work.run(tx, id, fmt.Sprint(n))
						})
						if err != nil {
							b.Error(err)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
				b.ReportMetric(float64(runs.Load())/float64(b.N), "runs")
			})
		}
	}
}

// turn writes a turn as the bot does: two entries, a board and the interaction.
func turn(tx storage.Tx, id storage.MatchID, interaction string) error {
	state, err := tx.LoadMatch(id, 1<<30)
	if err != nil {
		return err
	}
	_, err = tx.Advance(storage.Advance{
		Match: id, After: state.Seq, Entries: newEntries(state.Seq, 2), Deadline: minute(9),
		Board:     &storage.Board{Match: id, Seq: state.Seq + 2, Place: state.Place, Notify: true},
		Processed: &storage.ProcessedInteraction{Interaction: interaction, At: minute(1), Match: id, Seq: state.Seq + 2},
	})
	return err
}
