package imaging

import (
	"slices"
	"strings"
	"time"

	"castellan/engine"
	"castellan/imaging/draw"
)

// Scene says what a picture shows.
type Scene struct {
	Game     engine.Game
	Position engine.Position // of that game

	// Turn is the turn to mark: the open turn if it has actions, otherwise the
	// last completed one. It has no actions at the start of a match.
	Turn Turn

	// Earlier holds the completed turns before Turn to mark as well, oldest
	// first: those since the last turn of the picture's reader. While Turn is
	// open, they are not marked.
	Earlier []Turn

	// Captioned says that the notation of Turn is written below the picture. The
	// picture leaves it out.
	Captioned bool

	// Names holds the names of the seats, element 0 that of seat 1. A seat without a
	// name is shown by its number.
	Names []string

	// TimeLeft is the time that the seat to move had when its turn began, if the
	// picture shows it, and otherwise 0.
	TimeLeft time.Duration

	// Say translates the few words of a picture. If nil, they are in English.
	Say func(engine.Phrase) string

	// Legal asks for signs that show the legal actions.
	Legal bool

	// Outcome is how the match ended: by the rules, resignation, an agreed draw or loss
	// on time. While the match goes on it is nil, except in the frames of a replay
	// between turns, which show nobody to move.
	Outcome *Outcome

	// History holds the position before each turn of a match that is over, for a card
	// below its picture that shows who has won and how the lead has changed. Without
	// it there is no card.
	History []engine.Position

	// Footer is written below that card, and below every frame of a replay: its reason
	// only below the last.
	Footer Footer

	// Thumbnail asks for a small square picture of the board alone.
	Thumbnail bool

	// Picked holds the steps picked so far of an action that has several.
	Picked []string

	// Side is the seat from whose side the board is seen, in painters of games
	// whose players face each other across it. Nobody stands for the usual one.
	Side engine.Seat

	// Zoom asks for an enlarged part of the board, from painters that have such
	// pictures: 1 is the upper left, 2 the upper right, 3 the lower left and 4
	// the lower right quarter, 5 the middle. 0 is the whole board.
	Zoom int
}

// Word returns a word to be written in a face within a width in pixels. It is in
// English if the translation does not fit or the font lacks any of its letters.
func (s Scene) Word(p engine.Phrase, face *draw.Face, room float64) string {
	if s.Say != nil {
		// No line is broken in a picture, and the font has no space that prevents it.
		if word := strings.ReplaceAll(s.Say(p), "\u00a0", " "); face.Printable(word) == word && face.Width(word) <= room {
			return word
		}
	}
	return p.String()
}

// Footer is what a picture that has left its message says of its match.
type Footer = draw.Footer

// Turn is a turn marked in a picture.
type Turn struct {
	Number  int             // over all seats, from 1
	Seat    engine.Seat     // whose turn it is
	Before  engine.Position // at the start of the turn
	Actions []engine.Action
	Open    bool // has not ended yet
}

// Marked returns the turns to mark, oldest first.
func (s Scene) Marked() []Turn {
	switch {
	case len(s.Turn.Actions) == 0:
		return nil
	case s.Turn.Open:
		return []Turn{s.Turn}
	}
	return append(slices.Clip(s.Earlier), s.Turn)
}

// Outcome is how a match ended.
type Outcome struct {
	Winners []engine.Seat // empty for a draw
	Void    bool          // aborted: neither won nor drawn
}

// Ending returns how the match ended, by Outcome or by the rules. It is nil
// while the match goes on.
func (s Scene) Ending() *Outcome {
	if s.Outcome != nil {
		return s.Outcome
	}
	if result, over := s.Position.Result(); over {
		return &Outcome{Winners: result.Winners}
	}
	return nil
}

// Standing returns how a seat stands in the match.
func (s Scene) Standing(seat engine.Seat) draw.Standing {
	switch end := s.Ending(); {
	case end == nil && s.Position.Seat() == seat:
		return draw.ToMove
	case end == nil || end.Void:
		return draw.Waiting
	case len(end.Winners) == 0:
		return draw.Drawn
	case slices.Contains(end.Winners, seat):
		return draw.Won
	}
	return draw.Waiting
}

// Clock returns the time that the picture shows of a seat, 0 for none.
func (s Scene) Clock(seat engine.Seat) time.Duration {
	if s.Standing(seat) != draw.ToMove {
		return 0
	}
	return s.TimeLeft
}
