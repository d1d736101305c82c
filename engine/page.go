package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of the pages of a game's rules; lengths are those of the English text.
const (
	MinPages      = 3
	MaxPageTitle  = 80    // characters of Page.Title
	MaxPageText   = 1_500 // characters of Page.Text; about 900 read well on a phone
	maxPageTokens = 2_000 // of Page.Turns: a page shows an example, not a life
)

// Page is a page of a game's rules for people: a heading, a few short
// paragraphs, and a picture of a position that shows what they speak of.
type Page struct {
	Title Phrase // one line without markup
	Text  Phrase // in Discord's markdown: short paragraphs, bold, lists

	// Options, Seats and Turns lead to the position: options in text form,
	// "size=7 towers=1", the others at their defaults; the number of seats,
	// the least possible if zero; every action from the start, formalities
	// too, separated by spaces. The turn of the last action is marked.
	Options string
	Seats   int
	Turns   string

	// Legal asks for the signs that show where the legal actions lead.
	Legal bool
	// Picked is the steps of an action picked so far, separated by spaces, for
	// games whose actions have several.
	Picked string
}

// Shown is the position of a page and the turn that led there, as a picture
// needs them.
type Illustration struct {
	Position Position
	Seats    int
	Picked   []string

	// Turn is the turn of the last action, counted over all seats from 1, and
	// Seat whose it is; Before is the position at its start, Actions what was
	// done in it, and Open whether it goes on. They are zero at the start.
	Turn    int
	Seat    Seat
	Before  Position
	Actions []Action
	Open    bool
}

// Show plays a page's turns. It fails where the page cannot be shown: options
// or turns that the game refuses, or picked steps that begin no legal action.
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
	if len(s.Picked) > 0 && !s.begins(s.Picked) {
		return Illustration{}, fmt.Errorf("the steps %q begin no legal action", p.Picked)
	}
	return s, nil
}

// play adds an action to what is shown.
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

// begins reports whether steps are the beginning of those of a legal action.
func (s *Illustration) begins(steps []string) bool {
	for _, a := range s.Position.Legal() {
		if all := a.Steps(); len(steps) < len(all) && slices.Equal(steps, all[:len(steps)]) {
			return true
		}
	}
	return false
}
