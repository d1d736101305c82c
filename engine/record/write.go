package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/match"
)

// Write writes a record as UTF-8 text with a line feed after every line, and
// with its digest. If the match is too long for a record it fails and writes
// nothing.
func Write(w io.Writer, r *Record) error {
	tags, turns, err := format(r)
	if err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	text := fmt.Sprintf("%s%s: %s\n\n%s", tags, tagDigest, digest(tags, turns), commented(turns, r.Match.Turns()))
	for line := range strings.Lines(text) {
		if len(line) > MaxLine {
			return errors.New("writing a record: a line is too long: " + line[:40] + "…")
		}
	}
	if len(text) > MaxBytes {
		return fmt.Errorf("writing a record: it has %d bytes, and a record has at most %d", len(text), MaxBytes)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("writing a record: %w", err)
	}
	return nil
}

// digest returns the first 16 bytes of the SHA-256 sum of a record without its
// digest, in hexadecimal digits.
func digest(tags, turns string) string {
	sum := sha256.Sum256([]byte(tags + "\n" + turns))
	return hex.EncodeToString(sum[:16])
}

// format returns the lines of a record before and after its digest.
func format(r *Record) (tags, moves string, err error) {
	turns := r.Match.Turns()
	if len(turns) > MaxTurns {
		return "", "", fmt.Errorf("the match has %d turns, and a record has at most %d", len(turns), MaxTurns)
	}
	decided, err := decisions(r.Match)
	if err != nil {
		return "", "", err
	}
	var b bytes.Buffer
	writeTags(&b, r)
	tags = b.String()
	b.Reset()
	colours := colourNames(r.Match.Settings(), r.Match.Game())
	for n := range len(turns) + 1 {
		for ; len(decided) > 0 && decided[0].after == n; decided = decided[1:] {
			e := decided[0].entry
			who := organiser
			if e.Seat != engine.Nobody {
				who = colours[e.Seat-1]
			}
			fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("- %s: %s %s", who, e.Kind, e.Text)))
		}
		if n < len(turns) {
			fmt.Fprintf(&b, "%d. %s: %s\n", turns[n].Number, colours[turns[n].Seat-1], turns[n])
		}
	}
	return tags, b.String(), nil
}

// commented returns the lines of turns and decisions with a comment on each turn
// that was prepared. Comments are no part of the digest, and Read skips them.
func commented(lines string, turns []match.Turn) string {
	if !slices.ContainsFunc(turns, func(t match.Turn) bool { return t.Prepared }) {
		return lines
	}
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if line[0] != '-' {
			if turns[0].Prepared {
				line = strings.TrimSuffix(line, "\n") + " " + commentMark + " prepared\n"
			}
			turns = turns[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// decision is an entry that is not part of a turn, and the number of turns that
// were complete before it.
type decision struct {
	entry match.Entry
	after int
}

// decisions returns the decisions of a match. One that was made during a turn
// comes before that turn. What an organiser has taken back is left out, and what they
// say about ratings.
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
		until := i
		if e.Kind == match.KindTakeback {
			until++
		}
		if now, err = now.With(log[done:until]...); err != nil {
			return nil, err
		}
		done = until
		after := len(now.Turns())
		if e.Kind == match.KindRevert && log[i-1].Kind == match.KindAdjudicate {
			out = out[:len(out)-1]
		}
		if e.Kind == match.KindRevert || e.Kind == match.KindVoid {
			continue
		}
		if e.Kind == match.KindTakeback {
			// The time that was given for these turns is left out as they are.
			out = slices.DeleteFunc(out, func(d decision) bool { return d.after > after })
			continue
		}
		out = append(out, decision{e, after})
	}
	return out, nil
}

func writeTags(b *bytes.Buffer, r *Record) {
	s := r.Match.Settings()
	fmt.Fprintf(b, "%s %d\n", heading, version)
	fmt.Fprintf(b, "Game: %s\nRules: %d\nOptions: %s\n", s.Game, s.Version, s.Options)
	if clock := s.Clock.String(); clock != "" {
		fmt.Fprintf(b, "Clock: %s\n", clock)
	}
	for i, c := range colourNames(s, r.Match.Game()) {
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
	fmt.Fprintf(b, "Result: %s\n", formatResult(r.Match))
	if scores := formatScores(r.Match); scores != "" {
		fmt.Fprintf(b, "Scores: %s\n", scores)
	}
}

// colourNames returns the names of the seats' colours, element 0 for seat 1.
func colourNames(s match.Settings, g engine.Game) []string {
	var out []string
	for _, c := range g.Colours(s.Seats) {
		out = append(out, c.String())
	}
	return out
}

// quoteName returns a name for a tag: as it is if it can be read back, and
// otherwise quoted as in Go, so that a name can neither look like another line
// nor change the direction of the text around it.
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

// formatResult returns how a match ended, in fixed words.
func formatResult(m *match.Match) string {
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

// formatScores returns the scores in the order of the seats, or "".
func formatScores(m *match.Match) string {
	out, _ := m.Over()
	var all []string
	for _, n := range out.Result.Scores {
		all = append(all, strconv.Itoa(n))
	}
	return strings.Join(all, " ")
}
