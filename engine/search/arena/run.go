package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/protocol"
)

// Tournament is what is to be played. Its methods do not change it.
type Tournament struct {
	Game    engine.Game
	Options engine.Options
	Seats   int
	// Entrants is who plays: two for a contest, more for each against each, or
	// as many as there are seats, if these are more than two, for a line-up.
	Entrants []Entrant
	// Games is how many games a contest has at most, made up to whole sets.
	Games int
	// Seed decides the openings and wherever chance does.
	Seed uint64
	// Openings is how many random turns a game begins with, or more where there
	// are not so many different ones.
	OpeningTurns int
	// Taker, if set, takes every win that can be had in a turn. What it wins
	// from is no opening: whoever sat there would.
	WinFinder search.Player
	// Threads is how many games are played at a time; 0 for one.
	Threads int
	// SPRT, if set, ends a contest of two sides once it decides.
	SPRT *SPRT
	// Clock tells the time.
	Clock protocol.Clock
}

// plan is the contests, and the sets of each.
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
			return nil, 0, errors.New("an SPRT is between two players")
		}
		most = max(most, len(c.seatings)) // of pairs all have the same
	}
	if t.Games < 1 {
		return nil, 0, fmt.Errorf("%d games cannot be played", t.Games)
	}
	return all, (t.Games + most - 1) / most, nil
}

// Run plays every game that is not among those of a run before, and returns
// all. It calls played, one call at a time, after every game, with all games so
// far in the order in which they ended; an error of it ends the run, as the end
// of the context does. Games that are then under way are not finished.
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

// running is a run under way.
type tournamentRun struct {
	t        *Tournament
	contests []contest
	sets     int
	played   func([]Game) error
	fail     func(error)

	mutex  sync.Mutex
	games  []Game
	has    map[gameID]bool
	cursor gameID // what comes next
}

// add takes a game. The mutex is held, or nobody else is there yet.
func (r *tournamentRun) add(g Game) {
	if !r.has[g.id()] {
		r.has[g.id()] = true
		r.games = append(r.games, g)
	}
}

// finish takes a game that was played now.
func (r *tournamentRun) finish(g Game) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.add(g)
	if err := r.played(r.games); err != nil {
		r.fail(err)
	}
}

// next is a game that is to be played: set by set, in each contest by contest,
// leaving out what was played before and contests that are decided.
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

// All is how many games are to be played in all, if no test ends a contest. It
// is zero where nothing can be played.
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
