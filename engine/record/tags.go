package record

import (
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
	tagDigest  = "Checksum"
)

// oldDigest is what tagDigest was called in records of earlier versions.
const oldDigest = "Digest"

var tagNames = []string{tagGame, tagRules, tagOptions, tagClock, tagSeat, tagDate, tagSeed, tagResult, tagScores, tagDigest}

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

func (t *tags) add(text string, line int) *Error {
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return newError(line, "record.tag", "Value", quotable(text))
	}
	name, wrong := t.canonical(strings.TrimSpace(name), line)
	if wrong != nil {
		return wrong
	}
	if before, twice := t.byName[name]; twice {
		return newError(line, "record.tag.twice", "Tag", name, "Line", before.line)
	}
	t.byName[name] = tag{strings.TrimSpace(value), line}
	return nil
}

// canonical returns the name of a tag as Write writes it.
func (t *tags) canonical(name string, line int) (string, *Error) {
	fields := strings.Fields(name)
	if len(fields) >= 2 && len(fields) <= 3 && strings.EqualFold(fields[0], tagSeat) {
		n, err := strconv.Atoi(fields[1])
		if err != nil || n < 1 || n > engine.MaxSeats {
			return "", newError(line, "record.tag.seat", "Most", engine.MaxSeats, "Value", quotable(fields[1]))
		}
		if len(fields) == 3 {
			t.colours[n] = strings.ToLower(strings.Trim(fields[2], "()"))
		}
		t.seats = max(t.seats, n)
		return seatTag(n), nil
	}
	if strings.EqualFold(name, oldDigest) {
		name = tagDigest
	}
	for _, known := range tagNames {
		if known != tagSeat && strings.EqualFold(known, name) {
			return known, nil
		}
	}
	return "", newError(line, "record.tag.unknown", "Value", quotable(name),
		"Tags", strings.Join(slices.DeleteFunc(slices.Clone(tagNames), func(s string) bool { return s == tagSeat }), ", "))
}

func seatTag(n int) string { return tagSeat + " " + strconv.Itoa(n) }

// settings returns the rules and the settings of the match. An error names the
// line of the tag at fault, or the given line if the tag is missing.
func (t *tags) settings(games *engine.Registry, line int) (engine.Game, match.Settings, *Error) {
	fail := func(name string, wrong *Error) (engine.Game, match.Settings, *Error) {
		if tag, ok := t.byName[name]; ok {
			wrong.Line = tag.line
		}
		return nil, match.Settings{}, wrong
	}
	refused := func(name string, err error) (engine.Game, match.Settings, *Error) {
		return fail(name, &Error{Line: line, Why: explain(err), Err: err})
	}
	var known []string
	for _, g := range games.Games() {
		known = append(known, g.Key())
	}
	key, ok := t.byName[tagGame]
	if !ok {
		return fail("", newError(line, "record.game.none", "Game", known[0]))
	}
	game, ok := games.Lookup(key.value)
	if !ok {
		return fail(tagGame, newError(line, "record.game", "Value", quotable(key.value), "Games", strings.Join(known, ", ")))
	}
	if tag, ok := t.byName[tagRules]; ok {
		version, err := strconv.Atoi(tag.value)
		if err != nil || version < 1 {
			return fail(tagRules, newError(line, "record.rules", "Value", quotable(tag.value)))
		}
		if game, err = engine.AtVersion(game, version); err != nil {
			return refused(tagRules, err)
		}
	}
	s := match.Settings{Game: game.Key(), Version: game.Version()}
	var err error
	if s.Options, err = game.Options().Parse(t.byName[tagOptions].value); err != nil {
		return refused(tagOptions, err)
	}
	if s.Clock, err = match.ParseClock(t.byName[tagClock].value); err != nil {
		return fail(tagClock, newError(line, "record.clock", "Value", quotable(t.byName[tagClock].value)))
	}
	if s.Seats = t.seats; s.Seats == 0 {
		s.Seats, _ = game.Seats()
	}
	if err := engine.CheckSeats(game, s.Seats); err != nil {
		return refused(seatTag(t.seats), err)
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
			return nil, newError(tag.line, "record.colour", "Seat", i+1, "Colour", colours[i], "Value", quotable(c))
		}
		name := tag.value
		if strings.HasPrefix(name, `"`) {
			var err error
			if name, err = strconv.Unquote(name); err != nil {
				return nil, newError(tag.line, "record.name.quoted")
			}
		}
		if utf8.RuneCountInString(name) > MaxName {
			return nil, newError(tag.line, "record.name.long", "Most", MaxName)
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
	return time.Time{}, newError(tag.line, "record.date", "Value", quotable(tag.value))
}

func (t *tags) seed() (*uint64, *Error) {
	tag, ok := t.byName[tagSeed]
	if !ok {
		return nil, nil
	}
	seed, err := strconv.ParseUint(tag.value, 10, 64)
	if err != nil {
		return nil, newError(tag.line, "record.seed", "Most", uint64(1<<64-1), "Value", quotable(tag.value))
	}
	return &seed, nil
}

// checkResult compares the tags on the result with the turns.
func (t *tags) checkResult(m *match.Match) *Error {
	for _, c := range []struct{ name, want string }{{tagResult, formatResult(m)}, {tagScores, formatScores(m)}} {
		tag, ok := t.byName[c.name]
		if ok && !strings.EqualFold(strings.Join(strings.Fields(tag.value), " "), c.want) {
			if c.want == "" {
				return newError(tag.line, "record.scores")
			}
			return newError(tag.line, "record.result", "Tag", c.name, "Want", c.want, "Value", quotable(tag.value))
		}
	}
	return nil
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
		return newError(given.line, "record.digest", "Digest", want)
	}
	r.Verified = true
	return nil
}
