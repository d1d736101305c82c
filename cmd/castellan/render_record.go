package main

import (
	"errors"
	"fmt"
	"os"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/record"
)

// recorded returns the match of a record after the turn of the command line, and
// takes the names from the record unless others are given.
func (c *renderCommand) recorded(known *engine.Registry) (*match.Match, error) {
	if c.Turns != "" || len(c.Options) > 0 || c.Seats != 0 || c.Rules != 0 {
		return nil, errors.New("--turns, --option, --seats and --rules go with --game: a record has its own")
	}
	file, err := os.Open(c.Record)
	if err != nil {
		return nil, fmt.Errorf("opening the record: %w", err)
	}
	defer file.Close()
	r, err := record.Read(file, known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Record, err)
	}
	if len(c.Names) == 0 {
		c.Names = r.Names
	}
	if c.Turn == nil {
		return r.Match, nil
	}
	return afterTurn(r.Match, *c.Turn)
}

// afterTurn returns a match as it was after a turn, 0 for the start.
func afterTurn(m *match.Match, turn int) (*match.Match, error) {
	if turns := len(m.Turns()); turn < 0 || turn > turns {
		return nil, fmt.Errorf("the record has turns 1 to %d, and 0 is the start: there is no turn %d", turns, turn)
	}
	now, err := match.Start(m.Game(), m.Settings())
	for _, e := range m.Log() {
		if err != nil || len(now.Turns()) == turn {
			break
		}
		now, err = now.With(e)
	}
	return now, err
}
