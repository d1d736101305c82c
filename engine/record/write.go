package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/match"
)

// Write writes a record as text, in UTF-8 with a line feed after every line. It
// writes nothing where the match is longer than a record can be.
func Write(w io.Writer, r *Record) error {
	turns := r.Match.Turns()
	if len(turns) > MaxTurns {
		return fmt.Errorf("writing a record: the match has %d turns, a record at most %d", len(turns), MaxTurns)
	}
	decided, err := decisions(r.Match)
	if err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	var b bytes.Buffer
	writeTags(&b, r)
	b.WriteByte('\n')
	colours := coloursOf(r.Match.Settings(), r.Match.Game())
	for n := range len(turns) + 1 {
		for ; len(decided) > 0 && decided[0].after == n; decided = decided[1:] {
			e := decided[0].entry
			fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("- %s: %s %s", colours[e.Seat-1], e.Kind, e.Text)))
		}
		if n < len(turns) {
			fmt.Fprintf(&b, "%d. %s: %s\n", turns[n].Number, colours[turns[n].Seat-1], turns[n])
		}
	}
	for line := range bytes.Lines(b.Bytes()) {
		if len(line) > MaxLine {
			return errors.New("writing a record: a line would be too long: " + string(line[:40]) + "…")
		}
	}
	if b.Len() > MaxBytes {
		return fmt.Errorf("writing a record: it would have %d bytes, at most %d can be read", b.Len(), MaxBytes)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	return nil
}

// decision is an entry that is no part of a turn but decides something, and how
// many turns were complete before it.
type decision struct {
	entry match.Entry
	after int
}

// decisions is those entries of a match, oldest first. Nobody's draft counts:
// a decision in the middle of an open turn stands before that turn.
func decisions(m *match.Match) ([]decision, error) {
	now, err := match.Start(m.Game(), m.Settings())
	if err != nil {
		return nil, err
	}
	var out []decision
	log := m.Log()
	done := 0
	for i, e := range log {
		if e.Kind == match.KindAction || e.Kind == match.KindUndo {
			continue
		}
		if now, err = now.With(log[done:i]...); err != nil {
			return nil, err
		}
		out = append(out, decision{e, len(now.Turns())})
		done = i
	}
	return out, nil
}

func writeTags(b *bytes.Buffer, r *Record) {
	s := r.Match.Settings()
	fmt.Fprintf(b, "%s %d\n", heading, version)
	fmt.Fprintf(b, "Game: %s\nRules: %d\nOptions: %s\n", s.Game, s.Version, s.Options)
	for i, c := range coloursOf(s, r.Match.Game()) {
		name := ""
		if i < len(r.Names) {
			name = r.Names[i]
		}
		fmt.Fprintf(b, "Seat %d (%s): %s\n", i+1, c, quoteName(name))
	}
	if !r.Date.IsZero() {
		fmt.Fprintf(b, "Date: %s\n", r.Date.UTC().Format(time.RFC3339))
	}
	if r.Seed != nil {
		fmt.Fprintf(b, "Seed: %d\n", *r.Seed)
	}
	fmt.Fprintf(b, "Result: %s\n", resultOf(r.Match))
	if scores := scoresOf(r.Match); scores != "" {
		fmt.Fprintf(b, "Scores: %s\n", scores)
	}
}

// coloursOf is the names of the seats' colours, element 0 for seat 1.
func coloursOf(s match.Settings, g engine.Game) []string {
	var out []string
	for _, c := range g.Colours(s.Seats) {
		out = append(out, c.String())
	}
	return out
}

// quoteName is a name as it stands in a tag: as it is where that can be read
// again, otherwise in quotation marks with the escapes of Go. Nothing in a name
// can look like another line, or turn the direction of the text around it.
func quoteName(name string) string {
	n := 0
	for i := range name {
		if n++; n > MaxName {
			name = name[:i]
			break
		}
	}
	plain := name != "" && name[0] != '"' && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		strings.IndexFunc(name, func(c rune) bool { return !unicode.IsGraphic(c) }) < 0
	if plain {
		return name
	}
	return strconv.QuoteToGraphic(name)
}

// resultOf is how a match stands, in words that can be compared.
func resultOf(m *match.Match) string {
	out, over := m.Over()
	if !over {
		return "open"
	}
	var seats []string
	for _, s := range out.Result.Winners {
		seats = append(seats, strconv.Itoa(int(s)))
	}
	text := ""
	switch {
	case len(seats) == 1:
		text = "won by seat " + seats[0]
	case len(seats) > 1:
		text = "won by seats " + strings.Join(seats, " and ")
	case len(out.Result.Ranks) == 0:
		text = "called off"
	default:
		text = "drawn"
	}
	text += ", by " + string(out.Ending)
	if out.Result.Reason != "" {
		text += ": " + out.Result.Reason
	}
	return text
}

// scoresOf is the scores in the order of the seats, empty where there are none.
func scoresOf(m *match.Match) string {
	out, _ := m.Over()
	var all []string
	for _, n := range out.Result.Scores {
		all = append(all, strconv.Itoa(n))
	}
	return strings.Join(all, " ")
}
