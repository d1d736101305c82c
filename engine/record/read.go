package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"castellan/engine"
	"castellan/engine/match"
)

// commentMark starts a comment. No token contains it.
const commentMark = ";"

// Read reads a record of one of the games, under the version of the rules that
// it names. It reads at most MaxBytes+1 bytes and fails with an *Error unless
// reading itself fails.
//
// Records written by hand may leave out colours and formalities, and may have
// actions in short form.
func Read(r io.Reader, games *engine.Registry) (*Record, error) {
	in := &io.LimitedReader{R: r, N: MaxBytes + 1}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, MaxLine)
	p := reader{games: games, tags: tags{byName: map[string]tag{}, colours: map[int]string{}}}
	for lines.Scan() {
		p.line++
		if err := p.readLine(lines.Text()); err != nil {
			return nil, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &Error{Line: p.line + 1, Err: fmt.Errorf("a line has at most %d bytes", MaxLine)}
	case err != nil:
		return nil, fmt.Errorf("reading a record: %w", err)
	case in.N <= 0:
		return nil, &Error{Line: p.line, Err: fmt.Errorf("a record has at most %d bytes", MaxBytes)}
	}
	return p.finish()
}

// reader holds a record as far as it has been read.
type reader struct {
	games *engine.Registry
	line  int
	tags  tags

	// From the first turn on:
	game     engine.Game
	colours  []string
	record   Record          // with the match after the last decision
	entries  []match.Entry   // since then
	position engine.Position // after these entries
	turns    int             // completed
}

// lineError returns an error in the present line.
func (p *reader) lineError(err error) error { return &Error{Line: p.line, Err: err} }

// turnError returns an error in the present turn.
func (p *reader) turnError(err error) error { return &Error{Line: p.line, Turn: p.turns + 1, Err: err} }

func (p *reader) readLine(text string) error {
	if !utf8.ValidString(text) {
		return p.lineError(errors.New("the line is not UTF-8 text"))
	}
	if p.line == 1 {
		return p.readHeading(strings.TrimPrefix(text, "\ufeff"))
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, commentMark) {
		return nil
	}
	body := text[0] == '-' || text[0] >= '0' && text[0] <= '9'
	if !body && p.game == nil {
		if err := p.tags.add(text, p.line); err != nil {
			return p.lineError(err)
		}
		return nil
	}
	if p.game == nil {
		if err := p.startMatch(); err != nil {
			return err
		}
	}
	text, _, _ = strings.Cut(text, commentMark)
	switch fields := strings.Fields(text); {
	case !body:
		return p.lineError(fmt.Errorf("a turn starts with its number, “%d. …”, and a decision with a hyphen, “- %s: %s”, not %s",
			p.turns+1, p.colours[0], match.KindResign, quote(text)))
	case text[0] == '-':
		return p.readDecision(strings.Fields(text[1:]))
	default:
		return p.readTurn(fields)
	}
}

// readHeading reads the line that names the format.
func (p *reader) readHeading(text string) error {
	n, ok := strings.CutPrefix(strings.TrimSpace(text), heading)
	if v, err := strconv.Atoi(strings.TrimSpace(n)); ok && err == nil && v != version {
		return p.lineError(fmt.Errorf("the record has version %d, and this program reads version %d", v, version))
	} else if !ok || err != nil {
		return p.lineError(fmt.Errorf("a record starts with the line “%s %d”", heading, version))
	}
	return nil
}

// startMatch starts the match that the tags describe.
func (p *reader) startMatch() error {
	game, settings, wrong := p.tags.settings(p.games, p.line)
	if wrong != nil {
		return wrong
	}
	if p.record.Names, wrong = p.tags.names(settings, game); wrong != nil {
		return wrong
	}
	if p.record.Date, wrong = p.tags.date(); wrong != nil {
		return wrong
	}
	if p.record.Seed, wrong = p.tags.seed(); wrong != nil {
		return wrong
	}
	m, err := match.Start(game, settings)
	if err != nil {
		line := p.line
		if tag, ok := p.tags.byName[tagOptions]; ok {
			line = tag.line
		}
		// The game's own sentence is enough.
		var option *engine.OptionError
		if errors.As(err, &option) {
			err = option
		}
		return &Error{Line: line, Err: err}
	}
	p.game, p.record.Match, p.position = game, m, m.Position()
	p.colours = colourNames(settings, game)
	return nil
}

// readTurn plays a line such as "3. blue: b2-b4 end".
func (p *reader) readTurn(fields []string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(fields[0], "."))
	switch {
	case err != nil || !strings.HasSuffix(fields[0], "."):
		return p.turnError(fmt.Errorf("a turn starts with its number and a full stop, “%d.”, not %s", p.turns+1, quote(fields[0])))
	case n != p.turns+1:
		return p.lineError(fmt.Errorf("this should be turn %d, not turn %d", p.turns+1, n))
	case n > MaxTurns:
		return p.lineError(fmt.Errorf("a record has at most %d turns", MaxTurns))
	}
	if p.over() {
		return p.turnError(errors.New("the match is over before this turn"))
	}
	seat := p.position.Seat()
	tokens := fields[1:]
	if len(tokens) > 0 && strings.HasSuffix(tokens[0], ":") {
		if c := strings.TrimSuffix(tokens[0], ":"); !strings.EqualFold(c, p.colours[seat-1]) {
			return p.turnError(fmt.Errorf("it is the turn of %s (seat %d), not of %s", p.colours[seat-1], seat, quote(c)))
		}
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return p.turnError(errors.New("the turn has no actions"))
	}
	before := p.turns
	for _, token := range tokens {
		if p.turns != before {
			return &Error{Line: p.line, Turn: p.turns, Err: fmt.Errorf("%s: %w", quote(token), match.ErrTurnOver)}
		}
		if err := p.playToken(token); err != nil {
			return err
		}
	}
	for p.turns == before {
		formality, ok := engine.Formality(p.position)
		if !ok {
			return p.turnError(fmt.Errorf("the turn is not complete: it could go on with %s", listSome(p.position.Legal())))
		}
		if err := p.play(formality); err != nil {
			return p.turnError(err)
		}
	}
	return nil
}

// playToken plays a token, and before it formalities that were left out and do
// not end the turn, such as the pass before a conversion.
func (p *reader) playToken(token string) error {
	for {
		action, err := p.position.Parse(token)
		if err == nil {
			err = p.play(action)
		}
		if err == nil {
			return nil
		}
		formality, ok := engine.Formality(p.position)
		if !ok || p.endsTurn(formality) {
			if near := engine.Nearest(engine.Tokens(p.position.Legal()), token, 3); len(near) > 0 {
				err = fmt.Errorf("%w Did you mean %s?", err, strings.Join(near, ", "))
			}
			return p.turnError(fmt.Errorf("%s: %w", quote(token), err))
		}
		if err := p.play(formality); err != nil {
			return p.turnError(err)
		}
	}
}

// endsTurn reports whether a legal action ends the turn.
func (p *reader) endsTurn(a engine.Action) bool {
	next, err := p.position.Apply(a)
	return err != nil || next.Turns() != p.position.Turns()
}

// play plays an action and adds its entry.
func (p *reader) play(a engine.Action) error {
	seat := p.position.Seat()
	next, err := p.position.Apply(a)
	if err != nil {
		return err
	}
	p.addEntry(match.KindAction, seat, a.String())
	_, over := next.Result()
	if over || next.Turns() > p.position.Turns() {
		p.turns++
	}
	p.position = next
	return nil
}

func (p *reader) addEntry(kind match.Kind, seat engine.Seat, text string) {
	p.entries = append(p.entries, match.Entry{
		Seq: p.record.Match.Seq() + len(p.entries) + 1, Kind: kind, Seat: seat, Text: text, At: p.record.Date,
	})
}

func (p *reader) over() bool {
	_, ended := p.record.Match.Over()
	return ended || p.position.Seat() == engine.Nobody
}

// readDecision plays a line such as "- red: resign".
func (p *reader) readDecision(fields []string) error {
	if len(fields) < 2 || !strings.HasSuffix(fields[0], ":") {
		return p.lineError(fmt.Errorf("a decision is written “- %s: %s”", p.colours[0], match.KindResign))
	}
	seat := engine.Seat(1 + slices.Index(p.colours, strings.ToLower(strings.TrimSuffix(fields[0], ":"))))
	if seat == engine.Nobody {
		return p.lineError(fmt.Errorf("there is no seat %s; there is %s", quote(fields[0]), strings.Join(p.colours, ", ")))
	}
	kind := match.Kind(strings.ToLower(fields[1]))
	if kind.InTurn() {
		return p.lineError(fmt.Errorf("%s is not a decision: actions are part of turns, and those taken back are left out", kind))
	}
	p.addEntry(kind, seat, strings.Join(fields[2:], " "))
	return p.applyEntries()
}

// applyEntries applies the entries to the match.
func (p *reader) applyEntries() error {
	m, err := p.record.Match.With(p.entries...)
	if err != nil {
		// A record has no entries, so their numbers would say nothing.
		if reason := errors.Unwrap(err); reason != nil {
			err = reason
		}
		return p.lineError(err)
	}
	p.record.Match, p.entries = m, nil
	p.position, p.turns = m.Position(), len(m.Turns())
	return nil
}

// finish returns the record when all lines have been read.
func (p *reader) finish() (*Record, error) {
	if p.line == 0 {
		p.line = 1
		return nil, p.readHeading("")
	}
	if p.game == nil {
		if err := p.startMatch(); err != nil {
			return nil, err
		}
	}
	if err := p.applyEntries(); err != nil {
		return nil, err
	}
	if wrong := p.tags.checkResult(p.record.Match); wrong != nil {
		return nil, wrong
	}
	if err := p.tags.checkDigest(&p.record); err != nil {
		return nil, err
	}
	return &p.record, nil
}

// listSome lists a few actions, for a message.
func listSome(legal []engine.Action) string {
	const most = 5
	if len(legal) > most {
		return strings.Join(engine.Tokens(legal[:most]), ", ") + " and others"
	}
	return strings.Join(engine.Tokens(legal), ", ")
}
