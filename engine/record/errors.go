package record

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"castellan/engine"
	"castellan/engine/match"
)

//go:embed texts.toml
var textsFile string

var texts = engine.MustTexts(textsFile)

// Texts returns the texts of this package's errors.
func Texts() engine.Texts { return texts }

//go:embed texts.*.toml
var translations embed.FS

// Translations returns the translations of Texts, as engine.Translated describes.
func Translations() fs.FS { return translations }

// Error reports what is wrong with a record, and where.
type Error struct {
	Line int // from 1
	Turn int // the turn at fault, from 1; 0 if it is not a turn
	// Why says what is wrong and what would be right.
	Why engine.Phrase
	// Err is the error of castellan/engine or castellan/engine/match that is the
	// reason, if any.
	Err error
}

func (e *Error) Error() string {
	if e.Turn != 0 {
		return fmt.Sprintf("line %d, turn %d: %v", e.Line, e.Turn, e.Why)
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Why)
}

func (e *Error) Unwrap() error { return e.Err }

func newError(line int, key string, args ...any) *Error {
	return &Error{Line: line, Why: texts.Phrase(key, args...)}
}

// reasons maps reasons for which a match refuses a decision to texts.
var reasons = []struct {
	err error
	key string
}{
	{match.ErrOver, "record.decision.over"},
	{match.ErrTooLate, "record.decision.late"},
	{match.ErrTwoSeats, "record.decision.two"},
	{match.ErrNoClock, "record.decision.clock"},
	{match.ErrTooMuchTime, "record.decision.enough"},
	{match.ErrOwnTurn, "record.decision.own"},
	{match.ErrNotPlaying, "record.decision.left"},
}

// explain says why the rules or the match have refused something.
func explain(err error) engine.Phrase {
	var notation *engine.NotationError
	var illegal *engine.IllegalError
	var option *engine.OptionError
	var seats *engine.SeatsError
	var version *engine.VersionError
	switch {
	case errors.As(err, &notation):
		return notation.Why
	case errors.As(err, &illegal):
		return illegal.Why
	case errors.As(err, &option):
		return option.Why
	case errors.As(err, &seats) && seats.Min == seats.Max:
		return texts.Phrase("record.seats.exactly", "Most", seats.Max, "Seats", seats.Seats)
	case errors.As(err, &seats):
		return texts.Phrase("record.seats", "Least", seats.Min, "Most", seats.Max, "Seats", seats.Seats)
	case errors.As(err, &version):
		return texts.Phrase("record.newest", "Version", version.Version, "Newest", version.Newest)
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return texts.Phrase(r.key)
		}
	}
	return texts.Phrase("record.decision.wrong")
}

// quotable returns a piece of a file for a message: in one line, and not too long.
func quotable(text string) string {
	const most = 40
	n := 0
	for i := range text {
		if n++; n > most {
			text = text[:i] + "…"
			break
		}
	}
	text = strconv.QuoteToGraphic(text)
	return text[1 : len(text)-1]
}
