package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/match"
)

// The names of tags, in the order in which they are written. A number and
// optionally a colour follow "Seat".
const (
	tagGame    = "Game"
	tagRules   = "Rules"
	tagOptions = "Options"
	tagClock   = "Clock"
	tagSeat    = "Seat"
	tagDate    = "Date"
	tagSeed    = "Seed"
	tagResult  = "Result"
	tagScores  = "Scores"
	tagDigest  = "Digest"
)

var tagNames = []string{tagGame, tagRules, tagOptions, tagClock, tagSeat, tagDate, tagSeed, tagResult, tagScores, tagDigest}

// tag is a tag of the record.
type tag struct {
	value string
	line  int
}

// tags holds the tags of a record by name; "Seat 2" is that of the second seat.
type tags struct {
	byName  map[string]tag
	colours map[int]string // by seat, where a colour is given
	seats   int            // the largest seat with a tag
}

// add reads a tag.
func (t *tags) add(text string, line int) error {
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return fmt.Errorf("a tag is written “Name: value”, and the turns “1. …”, not %s", quote(text))
	}
	name, err := t.canonical(strings.TrimSpace(name))
	if err != nil {
		return err
	}
	if before, twice := t.byName[name]; twice {
		return fmt.Errorf("the tag %s is in line %d already", name, before.line)
	}
	t.byName[name] = tag{strings.TrimSpace(value), line}
	return nil
}

// canonical returns the name of a tag as Write writes it.
func (t *tags) canonical(name string) (string, error) {
	fields := strings.Fields(name)
	if len(fields) >= 2 && len(fields) <= 3 && strings.EqualFold(fields[0], tagSeat) {
		n, err := strconv.Atoi(fields[1])
		if err != nil || n < 1 || n > engine.MaxSeats {
			return "", fmt.Errorf("a seat is numbered from 1 to %d, not %s", engine.MaxSeats, quote(fields[1]))
		}
		if len(fields) == 3 {
			t.colours[n] = strings.ToLower(strings.Trim(fields[2], "()"))
		}
		t.seats = max(t.seats, n)
		return seatTag(n), nil
	}
	for _, known := range tagNames {
		if known != tagSeat && strings.EqualFold(known, name) {
			return known, nil
		}
	}
	return "", fmt.Errorf("there is no tag %s; there are %s and “Seat 1”, “Seat 2” and so on",
		quote(name), strings.Join(slices.DeleteFunc(slices.Clone(tagNames), func(s string) bool { return s == tagSeat }), ", "))
}

func seatTag(n int) string { return tagSeat + " " + strconv.Itoa(n) }

// settings returns the rules and the settings of the match. An error names the
// line of the tag at fault, or the given line if the tag is missing.
func (t *tags) settings(games *engine.Registry, line int) (engine.Game, match.Settings, *Error) {
	fail := func(name string, err error) (engine.Game, match.Settings, *Error) {
		at := line
		if tag, ok := t.byName[name]; ok {
			at = tag.line
		}
		return nil, match.Settings{}, &Error{Line: at, Err: err}
	}
	var known []string
	for _, g := range games.Games() {
		known = append(known, g.Key())
	}
	key, ok := t.byName[tagGame]
	if !ok {
		return fail("", fmt.Errorf("the tag Game is missing, such as “Game: %s”", known[0]))
	}
	game, ok := games.Lookup(key.value)
	if !ok {
		return fail(tagGame, fmt.Errorf("there is no game %s; there is %s", quote(key.value), strings.Join(known, ", ")))
	}
	if tag, ok := t.byName[tagRules]; ok {
		version, err := strconv.Atoi(tag.value)
		if err != nil || version < 1 {
			return fail(tagRules, fmt.Errorf("the version of the rules is a number from 1, not %s", quote(tag.value)))
		}
		if game, err = engine.AtVersion(game, version); err != nil {
			return fail(tagRules, err)
		}
	}
	s := match.Settings{Game: game.Key(), Version: game.Version()}
	var err error
	if s.Options, err = game.Options().Parse(t.byName[tagOptions].value); err != nil {
		return fail(tagOptions, err)
	}
	if s.Clock, err = match.ParseClock(t.byName[tagClock].value); err != nil {
		return fail(tagClock, err)
	}
	if s.Seats = t.seats; s.Seats == 0 {
		s.Seats, _ = game.Seats()
	}
	if err := engine.CheckSeats(game, s.Seats); err != nil {
		return fail(seatTag(t.seats), err)
	}
	return game, s, nil
}

// names returns the players' names, empty for a seat without a tag.
func (t *tags) names(s match.Settings, g engine.Game) ([]string, *Error) {
	out := make([]string, s.Seats)
	colours := colourNames(s, g)
	for i := range out {
		tag := t.byName[seatTag(i+1)]
		if c, ok := t.colours[i+1]; ok && c != colours[i] {
			return nil, &Error{Line: tag.line, Err: fmt.Errorf("seat %d is %s, not %s", i+1, colours[i], quote(c))}
		}
		name := tag.value
		if strings.HasPrefix(name, `"`) {
			var err error
			if name, err = strconv.Unquote(name); err != nil {
				return nil, &Error{Line: tag.line, Err: fmt.Errorf(`a quoted name ends with a quotation mark, and has \" for one inside it, not %s`, tag.value)}
			}
		}
		if utf8.RuneCountInString(name) > MaxName {
			return nil, &Error{Line: tag.line, Err: fmt.Errorf("a name has at most %d characters", MaxName)}
		}
		out[i] = name
	}
	return out, nil
}

// date returns when the match began: a day, or a time by RFC 3339.
func (t *tags) date() (time.Time, *Error) {
	tag, ok := t.byName[tagDate]
	if !ok {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, tag.value); err == nil && at.UTC().Year() >= 1 && at.UTC().Year() <= 9999 {
			return at.UTC().Truncate(time.Second), nil
		}
	}
	return time.Time{}, &Error{Line: tag.line, Err: fmt.Errorf("a date is written 2026-05-01 or 2026-05-01T12:00:00Z, not %s", quote(tag.value))}
}

func (t *tags) seed() (*uint64, *Error) {
	tag, ok := t.byName[tagSeed]
	if !ok {
		return nil, nil
	}
	seed, err := strconv.ParseUint(tag.value, 10, 64)
	if err != nil {
		return nil, &Error{Line: tag.line, Err: fmt.Errorf("a seed is a number from 0 to %d, not %s", uint64(1<<64-1), quote(tag.value))}
	}
	return &seed, nil
}

// checkResult compares the tags on the result with the turns.
func (t *tags) checkResult(m *match.Match) *Error {
	for _, c := range []struct{ name, want string }{{tagResult, formatResult(m)}, {tagScores, formatScores(m)}} {
		tag, ok := t.byName[c.name]
		if ok && !strings.EqualFold(strings.Join(strings.Fields(tag.value), " "), c.want) {
			if c.want == "" {
				return &Error{Line: tag.line, Err: errors.New("there are no scores, or none yet: leave the tag out")}
			}
			return &Error{Line: tag.line, Err: fmt.Errorf("the turns give “%s: %s”, not %s", c.name, c.want, quote(tag.value))}
		}
	}
	return nil
}

// quote quotes a piece of a file for a message.
func quote(text string) string {
	const most = 40
	n := 0
	for i := range text {
		if n++; n > most {
			text = text[:i] + "…"
			break
		}
	}
	return strconv.QuoteToGraphic(text)
}

// checkDigest checks that nothing of a record was altered since it was written,
// apart from comments and layout, if it has a digest.
func (t *tags) checkDigest(r *Record) error {
	given, ok := t.byName[tagDigest]
	if !ok {
		return nil
	}
	tags, turns, err := format(r)
	if err != nil {
		return err
	}
	if want := digest(tags, turns); !strings.EqualFold(given.value, want) {
		return &Error{Line: given.line, Err: fmt.Errorf("the record was altered after it was written: its digest is %s; leave the line out to read it as it is", want)}
	}
	r.Verified = true
	return nil
}
