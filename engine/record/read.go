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
// Records written by hand may leave out colours and forced actions, and may have
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
		return nil, newError(p.line+1, "record.long.line", "Most", MaxLine)
	case err != nil:
		return nil, fmt.Errorf("reading a record: %w", err)
	case in.N <= 0:
		return nil, newError(p.line, "record.long.file", "Most", MaxBytes)
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

func (p *reader) lineError(key string, args ...any) error { return newError(p.line, key, args...) }

func (p *reader) turnError(key string, args ...any) error {
	wrong := newError(p.line, key, args...)
	wrong.Turn = p.turns + 1
	return wrong
}

func (p *reader) readLine(text string) error {
	if !utf8.ValidString(text) {
		return p.lineError("record.utf8")
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
		if wrong := p.tags.add(text, p.line); wrong != nil {
			return wrong
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
		return p.lineError("record.body", "Turn", p.turns+1, "Decision", p.exampleDecision(), "Value", quotable(text))
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
		return p.lineError("record.version", "Version", v, "Known", version)
	} else if !ok || err != nil {
		return p.lineError("record.heading", "Line", fmt.Sprintf("%s %d", heading, version))
	}
	return nil
}

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
		return &Error{Line: line, Why: explain(err), Err: err}
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
		return p.turnError("record.turn.number", "Turn", p.turns+1, "Value", quotable(fields[0]))
	case n != p.turns+1:
		return p.lineError("record.turn.next", "Turn", p.turns+1, "Value", n)
	case n > MaxTurns:
		return p.lineError("record.turn.many", "Most", MaxTurns)
	}
	if p.over() {
		return p.turnError("record.decision.over")
	}
	seat := p.position.Seat()
	tokens := fields[1:]
	if len(tokens) > 0 && strings.HasSuffix(tokens[0], ":") {
		if c := strings.TrimSuffix(tokens[0], ":"); !strings.EqualFold(c, p.colours[seat-1]) {
			return p.turnError("record.turn.seat", "Colour", p.colours[seat-1], "Seat", int(seat), "Value", quotable(c))
		}
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return p.turnError("record.turn.empty")
	}
	before := p.turns
	for _, token := range tokens {
		if p.turns != before {
			why := texts.Phrase("record.token", "Token", quotable(token), "Why", texts.Phrase("record.token.extra"))
			return &Error{Line: p.line, Turn: p.turns, Why: why, Err: match.ErrTurnOver}
		}
		if err := p.playToken(token); err != nil {
			return err
		}
	}
	for p.turns == before {
		forced, ok := engine.ForcedAction(p.position)
		if !ok {
			return p.turnError("record.turn.open", "Actions", listSome(p.position.Legal()))
		}
		if err := p.play(forced); err != nil {
			return p.turnRefused("", err)
		}
	}
	return nil
}

// turnRefused returns an error in the present turn: why an action, or without a
// token a forced action that follows, cannot be played.
func (p *reader) turnRefused(token string, err error) error {
	wrong := &Error{Line: p.line, Turn: p.turns + 1, Why: explain(err), Err: err}
	if token != "" {
		args := []any{"Token", quotable(token), "Why", wrong.Why}
		wrong.Why = texts.Phrase("record.token", args...)
		if near := engine.Nearest(engine.Tokens(p.position.Legal()), token, 3); len(near) > 0 {
			wrong.Why = texts.Phrase("record.token.near", append(args, "Near", strings.Join(near, ", "))...)
		}
	}
	return wrong
}

// playToken plays a token, and before it forced actions that were left out and do
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
		forced, ok := engine.ForcedAction(p.position)
		if !ok || p.endsTurn(forced) {
			return p.turnRefused(token, err)
		}
		if err := p.play(forced); err != nil {
			return p.turnRefused("", err)
		}
	}
}

func (p *reader) endsTurn(a engine.Action) bool {
	next, err := p.position.Apply(a)
	return err != nil || next.Turns() != p.position.Turns()
}

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

// organiser stands for the colour in the decision of somebody without a seat, such as
// "- organiser: adjudicate 1".
const organiser = "organiser"

// decisionKinds are the kinds of entries that a record has besides its turns.
var decisionKinds = []string{
	string(match.KindResign), string(match.KindClaim), string(match.KindTimeout), string(match.KindDraw), string(match.KindAbort), string(match.KindTime),
}

func (p *reader) exampleDecision() string {
	return fmt.Sprintf("- %s: %s", p.colours[0], match.KindResign)
}

// readDecision plays a line such as "- red: resign".
func (p *reader) readDecision(fields []string) error {
	if len(fields) < 2 || !strings.HasSuffix(fields[0], ":") {
		return p.lineError("record.decision.form", "Decision", p.exampleDecision())
	}
	who := strings.ToLower(strings.TrimSuffix(fields[0], ":"))
	if who == organiser && len(fields) == 3 && strings.EqualFold(fields[1], string(match.KindAdjudicate)) {
		p.addEntry(match.KindAdjudicate, engine.Nobody, fields[2])
		return p.applyEntries()
	}
	seat := engine.Seat(1 + slices.Index(p.colours, who))
	if seat == engine.Nobody {
		return p.lineError("record.decision.seat", "Value", quotable(fields[0]), "Colours", strings.Join(p.colours, ", "))
	}
	kind := match.Kind(strings.ToLower(fields[1]))
	switch {
	case kind.InTurn():
		return p.lineError("record.decision.turn", "Value", string(kind))
	case !slices.Contains(decisionKinds, string(kind)):
		return p.lineError("record.decision.kind", "Value", quotable(fields[1]), "Kinds", strings.Join(decisionKinds, ", "))
	}
	p.addEntry(kind, seat, strings.Join(fields[2:], " "))
	return p.applyEntries()
}

func (p *reader) applyEntries() error {
	m, err := p.record.Match.With(p.entries...)
	if err != nil {
		return &Error{Line: p.line, Why: explain(err), Err: err}
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
		return strings.Join(engine.Tokens(legal[:most]), ", ") + ", …"
	}
	return strings.Join(engine.Tokens(legal), ", ")
}
