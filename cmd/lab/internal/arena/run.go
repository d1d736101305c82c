package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"castellan/engine"
	"castellan/engine/search"
)

// Tournament describes what to play. Its methods do not change it.
type Tournament struct {
	Game    engine.Game
	Options engine.Options
	Seats   int
	// Entrants holds the players: two for a contest, more for a round
	// robin, or with more than two seats exactly that many for a line-up.
	Entrants []Entrant
	// Games is the number of games per contest, rounded up to complete
	// sets.
	Games int
	// Seed determines the openings and every random choice.
	Seed uint64
	// OpeningTurns is the number of random turns at the start, exceeded
	// when there are not enough different openings.
	OpeningTurns int
	// WinFinder, if set, takes every win within a turn. Openings in which
	// it wins are not used.
	WinFinder search.Player
	// Judge, if set, values the openings of two seats: of some it takes the first
	// that leaves both nearly even chances, or the most even one.
	Judge search.Player
	// Threads is the number of simultaneous games; 0 means one.
	Threads int
	// SPRT, if set, ends a contest of two sides when it decides.
	SPRT *SPRT

	drawn    []opening // what openings returned last
	distinct int
}

func (t *Tournament) plan() (all []contest, sets int, err error) {
	var names []string
	for _, e := range t.Entrants {
		names = append(names, e.Name)
	}
	all, err = contests(names, t.Seats)
	if err != nil {
		return nil, 0, err
	}
	most := 0
	for _, c := range all {
		if t.SPRT != nil && len(c.sides) != 2 {
			return nil, 0, errors.New("an SPRT needs two players")
		}
		most = max(most, len(c.seatings)) // equal for all pairs
	}
	if t.Games < 1 {
		return nil, 0, fmt.Errorf("%d games cannot be played", t.Games)
	}
	return all, (t.Games + most - 1) / most, nil
}

// Run plays all games that are not among those of an earlier run, and returns
// all. After every game it calls played with all games so far, one call at a
// time and in order of completion; an error ends the run, as does the context.
// Unfinished games are dropped then.
func (t *Tournament) Run(ctx context.Context, before []Game, played func([]Game) error) ([]Game, error) {
	all, sets, err := t.plan()
	if err != nil {
		return nil, err
	}
	openings, _, err := t.openings(sets)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &tournamentRun{t: t, contests: all, sets: sets, has: map[gameID]bool{}, played: played, fail: cancel}
	for _, g := range before {
		r.add(g)
	}
	var threads sync.WaitGroup
	for range max(t.Threads, 1) {
		threads.Go(func() {
			for ctx.Err() == nil {
				which, more := r.next()
				if !more {
					return
				}
				g, err := t.play(ctx, which, all[which.contest], openings[which.set])
				if err != nil {
					return
				}
				r.finish(g)
			}
		})
	}
	threads.Wait()
	if ctx.Err() != nil {
		return r.games, context.Cause(ctx)
	}
	return t.dropAfterDecision(all, r.games), nil
}

type tournamentRun struct {
	t        *Tournament
	contests []contest
	sets     int
	played   func([]Game) error
	fail     func(error)

	mutex  sync.Mutex
	games  []Game
	has    map[gameID]bool
	cursor gameID // the next game to consider
}

// add adds a game. The mutex must be held, except before threads start.
func (r *tournamentRun) add(g Game) {
	if !r.has[g.id()] {
		r.has[g.id()] = true
		r.games = append(r.games, g)
	}
}

// finish adds a game that was just played.
func (r *tournamentRun) finish(g Game) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.add(g)
	if err := r.played(r.games); err != nil {
		r.fail(err)
	}
}

// next returns the next game to play, set by set across the contests, without
// those already played and decided contests.
func (r *tournamentRun) next() (which gameID, more bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var decided []bool
	if r.t.SPRT != nil {
		for i := range r.contests {
			_, v := r.t.countedSets(i, r.contests[i], r.games)
			decided = append(decided, v != Open)
		}
	}
	for ; r.cursor.set < r.sets; r.cursor = (gameID{set: r.cursor.set + 1}) {
		for ; r.cursor.contest < len(r.contests); r.cursor.contest, r.cursor.seating = r.cursor.contest+1, 0 {
			if decided != nil && decided[r.cursor.contest] {
				continue
			}
			for r.cursor.seating < len(r.contests[r.cursor.contest].seatings) {
				which = r.cursor
				r.cursor.seating++
				if !r.has[which] {
					return which, true
				}
			}
		}
	}
	return gameID{}, false
}

// TotalGames returns the number of games if no SPRT ends a contest, or 0 if
// nothing can be played.
func (t *Tournament) TotalGames() int {
	all, sets, err := t.plan()
	if err != nil {
		return 0
	}
	games := 0
	for _, c := range all {
		games += sets * len(c.seatings)
	}
	return games
}
