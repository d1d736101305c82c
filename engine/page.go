package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits on the pages of a rulebook. Lengths are those of the English text.
const (
	MinPages      = 3
	MaxPageTitle  = 80    // characters of Page.Title
	MaxPageText   = 1_500 // characters of Page.Text; about 900 read well on a phone
	maxPageTokens = 2_000 // of Page.Turns
)

// Page is a page of a rulebook: a title, a few short paragraphs, and the turns
// that lead to the position in its picture.
type Page struct {
	Title Phrase // one line without markup
	Text  Phrase // in Discord's markdown: short paragraphs, bold, lists

	// Options are in text form, "size=7 towers=1"; those left out have their
	// defaults. Seats is the number of seats; zero means the fewest. Turns is
	// every action from the start, including forced actions, separated by spaces.
	// The picture marks the turn of the last action.
	Options string
	Seats   int
	Turns   string

	// Legal marks where the legal actions lead.
	Legal bool
	// Picked is the first steps of an action that is half picked, separated by
	// spaces.
	Picked string
}

// Illustration is the position that a page shows and the turn that led there.
type Illustration struct {
	Position Position
	Seats    int
	Picked   []string

	// Turn is the number of the last turn, counted over all seats from 1. Seat
	// played it, from the position Before, with Actions, and Open reports
	// whether it goes on. All are zero at the start of the game.
	Turn    int
	Seat    Seat
	Before  Position
	Actions []Action
	Open    bool
}

// Illustrate plays the turns of a page. It fails if the game refuses the options
// or the turns, or if no legal action starts with the picked steps.
func (p Page) Illustrate(g Game) (Illustration, error) {
	options, err := g.Options().Parse(p.Options)
	if err != nil {
		return Illustration{}, fmt.Errorf("options %q: %w", p.Options, err)
	}
	s := Illustration{Seats: p.Seats, Picked: strings.Fields(p.Picked)}
	if s.Seats == 0 {
		s.Seats, _ = g.Seats()
	}
	if s.Position, err = g.New(options, s.Seats); err != nil {
		return Illustration{}, fmt.Errorf("the start with %s: %w", options, err)
	}
	tokens := strings.Fields(p.Turns)
	if len(tokens) > maxPageTokens {
		return Illustration{}, fmt.Errorf("%d actions are too many for a page", len(tokens))
	}
	for i, token := range tokens {
		if err := s.play(token); err != nil {
			return Illustration{}, fmt.Errorf("action %d, %s: %w", i+1, token, err)
		}
	}
	if len(s.Picked) > 0 && !s.hasActionFrom(s.Picked) {
		return Illustration{}, fmt.Errorf("no legal action starts with the steps %q", p.Picked)
	}
	return s, nil
}

func (s *Illustration) play(token string) error {
	before := s.Position
	if before.Seat() == Nobody {
		return errors.New("the game is over")
	}
	a, err := before.Parse(token)
	if err != nil {
		return err
	}
	if s.Position, err = before.Apply(a); err != nil {
		return err
	}
	if !s.Open {
		s.Turn, s.Seat, s.Before, s.Actions = before.Turns()+1, before.Seat(), before, nil
	}
	s.Actions = append(s.Actions, a)
	s.Open = s.Position.Turns() == before.Turns() && s.Position.Seat() != Nobody
	return nil
}

// hasActionFrom reports whether a legal action starts with some steps and has
// more.
func (s *Illustration) hasActionFrom(steps []string) bool {
	for _, a := range s.Position.Legal() {
		if all := a.Steps(); len(steps) < len(all) && slices.Equal(steps, all[:len(steps)]) {
			return true
		}
	}
	return false
}
