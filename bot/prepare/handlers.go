package prepare

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/suggest"
	"castellan/engine/match"
	"castellan/engine/prepared"
)

// Handlers answers the interactions with which people prepare turns.
type Handlers struct {
	Host *host.Host
	// Find returns the match that a person names, or the only one that they play.
	Find func(context.Context, *interaction.Request) (*host.View, error)
	// Draw draws a match for one person.
	Draw func(context.Context, *interaction.Request, *host.View, *match.Match, message.Look) (discord.File, error)
	// About marks a response as the person's private message about a match.
	About func(*host.View, interaction.Response) interaction.Response
	// Explain turns an error into a sentence; ok is false for a fault of the bot.
	Explain func(*interaction.Request, error) (sentence string, ok bool)
}

// thenMark stands between the turns of a line that is typed.
const thenMark = ">"

// Command handles /prepare. With a condition and a reply it prepares that line.
// Otherwise it shows what is prepared, or the choice of what follows the
// condition.
func (h *Handlers) Command(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.find(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	s, err := preparing(v, r.Person.ID, "")
	if err != nil {
		return interaction.Response{}, err
	}
	condition, reply := r.Option("if"), suggest.TrimDescription(r.Option("then"))
	if condition == "" && reply != "" {
		return interaction.Response{}, prepared.ErrCondition
	}
	if condition == "" {
		return h.showPrepare(ctx, r, s, "", "", interaction.Private)
	}
	turns := typedLine(condition)
	if reply != "" {
		turns = append(turns, reply)
	}
	for _, turn := range turns {
		if s.outlook, err = s.outlook.Turn(turn); err != nil {
			return interaction.Response{}, &host.Refusal{Err: err, View: v}
		}
	}
	if reply == "" {
		return h.keepDraft(ctx, r, s, "", interaction.Private)
	}
	return h.addPrepared(ctx, r, s, interaction.Private)
}

// find returns a match with what is prepared in it.
func (h *Handlers) find(ctx context.Context, r *interaction.Request) (*host.View, error) {
	v, err := h.Find(ctx, r)
	if err != nil {
		return nil, err
	}
	return h.Host.Match(ctx, v.Record.ID)
}

// anyTurn is what people type for a condition that every turn fulfils.
const anyTurn = "any"

// typedLine returns the turns of a line that is typed.
func typedLine(text string) (turns []string) {
	for turn := range strings.SplitSeq(suggest.TrimDescription(text), thenMark) {
		if turn = strings.TrimSpace(turn); strings.EqualFold(turn, anyTurn) {
			turn = prepared.Any
		}
		turns = append(turns, turn)
	}
	return turns
}

// preparing returns what a person prepares in a match, with a draft of theirs. It
// fails with host.ErrNotSeated, match.ErrOver or match.ErrNotPlaying.
func preparing(v *host.View, person, draft string) (*state, error) {
	seat := v.SeatOf(person)
	if err := v.CheckPlaying(seat); err != nil {
		return nil, &host.Refusal{Err: err, View: v}
	}
	public, err := v.Match.PublicAt(v.Match.PublicSeq())
	if err != nil {
		return nil, err
	}
	s := &state{view: v, seat: seat}
	s.plan = v.Plan(s.seat)
	s.outlook = prepared.Open(public, s.seat, draft)
	return s, nil
}

// Open handles Prepare. It shows what is prepared, or the choice of the
// first turn.
func (h *Handlers) Open(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	s, err := preparing(r.View, r.Person.ID, "")
	if err != nil {
		return interaction.Response{}, err
	}
	respond := interaction.Private
	if r.Ephemeral {
		respond = interaction.Update
	}
	return h.showPrepare(ctx, r, s, "", "", respond)
}

// Button handles the components of the message in which turns are prepared.
func (h *Handlers) Button(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	v := r.View
	s, err := preparing(v, r.Person.ID, v.Plan(v.SeatOf(r.Person.ID)).Draft)
	if err != nil {
		return interaction.Response{}, err
	}
	path, own := r.Values["path"], s.outlook.Starts()
	stale := seq != v.Match.PublicSeq() || r.Values["revision"] != strconv.Itoa(s.plan.Revision)
	if path == dropAllPath { // whatever it is by now
		s.plan.Tree, s.outlook = prepared.Tree{}, s.start()
		return h.keep(ctx, r, s, host.AnySeq, host.AnySeq, r.Say.T("prepare.dropped"), interaction.Update)
	}
	if stale {
		s.outlook = s.start()
		return h.showPrepare(ctx, r, s, "", r.Say.T("prepare.stale"), interaction.Update)
	}
	if path == message.MenuPath || path == linePath {
		if len(r.Picks) != 1 {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		if path == message.MenuPath {
			path = r.Picks[0]
		}
	}
	switch path {
	case allPath:
		s.outlook = s.start()
		s.all = true
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	case addPath:
		s.outlook = s.start()
		return h.drawPrepare(ctx, r, s, "", "", interaction.Update)
	case linePath:
		n, err := strconv.Atoi(r.Picks[0])
		lines := s.plan.Tree.Lines()
		if err != nil || n < 0 || n >= len(lines) {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		s.outlook = followed(s.start(), lines[n])
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	case backPath:
		if o := s.outlook; len(o.Begun) > 0 {
			s.outlook = followed(s.start(), o.Line)
		} else if len(o.Line) > 0 {
			s.outlook = followed(s.start(), o.Line[:len(o.Line)-1])
		}
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	case yesPath:
		return h.savePrepared(ctx, r, s, interaction.Update)
	case dropPath:
		line := s.outlook.Line
		s.plan.Tree = s.plan.Tree.Without(line, own)
		s.outlook = followed(s.start(), line[:max(len(line)-2, 0)])
		if len(s.outlook.Line) < 2 {
			s.outlook = s.start()
		}
		return h.keep(ctx, r, s, seq, s.plan.Revision, r.Say.T("prepare.dropped"), interaction.Update)
	case message.StartPath:
		path = ""
	case anyPath:
		if s.outlook, err = s.outlook.Play(prepared.Any); err != nil {
			return interaction.Response{}, err
		}
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	}
	legal := s.outlook.Legal()
	a, ok := message.PickedAction(legal, path)
	if !ok {
		if !message.IsPath(legal, path) {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		return h.drawPrepare(ctx, r, s, path, "", interaction.Update)
	}
	reply := s.outlook.Own && len(s.outlook.Line) > 0
	if s.outlook, err = s.outlook.Play(a.String()); err != nil {
		return interaction.Response{}, &host.Refusal{Err: err, View: v}
	}
	if reply && len(s.outlook.Begun) == 0 {
		return h.addPrepared(ctx, r, s, interaction.Update)
	}
	return h.keepDraft(ctx, r, s, message.PathAfter(s.outlook.Legal(), a), interaction.Update)
}

// followed returns an outlook after the turns of a line, as far as it goes.
func followed(o prepared.Outlook, line []string) prepared.Outlook {
	for n, turn := range line {
		if n < len(o.Line) { // a formality
			continue
		}
		next, err := o.Turn(turn)
		if err != nil {
			break
		}
		o = next
	}
	return o
}

// replied returns the line of an outlook up to the last turn of the player. After
// that turn a formality of the opponent may follow.
func replied(o prepared.Outlook) []string {
	if o.Own && len(o.Line) > 0 {
		return o.Line[:len(o.Line)-1]
	}
	return o.Line
}

// risk returns the first risk of the player's turns in a line that are not prepared
// yet, as far as all turns are known, and the match before that turn.
func risk(s *state) (match.Risk, *match.Match) {
	at := s.start()
	for n, turn := range replied(s.outlook) {
		if n < len(at.Line) {
			continue
		}
		next, err := at.Turn(turn)
		if err != nil || !next.Exact && !at.Exact {
			break
		}
		if at.Own && n > 0 && !s.plan.Tree.Has(next.Line[:n+1]) {
			view := *s.view
			view.Match = at.Known()
			if risk := view.Risk(s.seat, next.Known()); risk != match.NoRisk {
				return risk, view.Match
			}
		}
		at = next
	}
	return match.NoRisk, nil
}

// addPrepared prepares a line, unless its last turn has a risk or the person
// confirms their turns. Then it asks.
func (h *Handlers) addPrepared(ctx context.Context, r *interaction.Request, s *state, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.risk, s.before = risk(s)
	if s.ask = (s.risk != match.NoRisk || s.view.Confirms(s.seat)) && !s.plan.Tree.Has(replied(s.outlook)); s.ask {
		return h.keepDraft(ctx, r, s, "", respond)
	}
	return h.savePrepared(ctx, r, s, respond)
}

func (h *Handlers) savePrepared(ctx context.Context, r *interaction.Request, s *state, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	tree, err := s.plan.Tree.With(replied(s.outlook), s.outlook.Starts())
	if errors.Is(err, prepared.ErrTooMuch) {
		return h.showPrepare(ctx, r, s, "", r.Say.T("prepare.full"), respond)
	}
	if err != nil {
		return interaction.Response{}, &host.Refusal{Err: err, View: s.view}
	}
	s.plan.Tree = tree
	return h.keep(ctx, r, s, s.view.Match.PublicSeq(), s.plan.Revision, r.Say.T("prepare.saved"), respond)
}

// keepDraft stores the line that is being composed and shows what can follow.
func (h *Handlers) keepDraft(ctx context.Context, r *interaction.Request, s *state, path string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	if err := h.store(ctx, r, s, s.view.Match.PublicSeq(), s.plan.Revision); err != nil {
		return h.notPrepared(ctx, r, s, err, respond)
	}
	return h.drawPrepare(ctx, r, s, path, "", respond)
}

// keep stores a changed plan and shows it.
func (h *Handlers) keep(ctx context.Context, r *interaction.Request, s *state, seq, revision int, note string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.ask = false
	if err := h.store(ctx, r, s, seq, revision); err != nil {
		return h.notPrepared(ctx, r, s, err, respond)
	}
	return h.showPrepare(ctx, r, s, "", note, respond)
}

// store stores the plan with the outlook as its draft.
func (h *Handlers) store(ctx context.Context, r *interaction.Request, s *state, seq, revision int) error {
	s.plan.Draft = s.outlook.Draft()
	v, err := h.Host.Prepare(ctx, r.Actor(), s.view.Record.ID, seq, revision, s.plan)
	if err != nil {
		return err
	}
	s.view, s.plan = v, v.Plan(s.seat)
	return nil
}

// notPrepared shows how a plan stands that could not be changed.
func (h *Handlers) notPrepared(ctx context.Context, r *interaction.Request, s *state, err error, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	refusal, ok := errors.AsType[*host.Refusal](err)
	if !ok || refusal.View == nil || !errors.Is(err, host.ErrStale) && !errors.Is(err, prepared.ErrTooMuch) {
		return interaction.Response{}, err
	}
	note := "prepare.stale"
	if errors.Is(err, prepared.ErrTooMuch) {
		note = "prepare.full"
	}
	now, err := preparing(refusal.View, r.Person.ID, "")
	if err != nil {
		return interaction.Response{}, err
	}
	return h.showPrepare(ctx, r, now, "", r.Say.T(note), respond)
}

// showPrepare shows all lines if nothing is being composed, and otherwise the
// choice of the next turn.
func (h *Handlers) showPrepare(ctx context.Context, r *interaction.Request, s *state, path, note string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.all = s.outlook.Draft() == "" && !s.plan.Tree.Empty()
	return h.drawPrepare(ctx, r, s, path, note, respond)
}

// drawPrepare draws and builds the message.
func (h *Handlers) drawPrepare(ctx context.Context, r *interaction.Request, s *state, path, note string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.path, s.note, s.salt = path, note, r.Salt()
	if on, ok := strings.CutPrefix(path, message.MovedPath); ok {
		s.path, s.moved = "", on
	}
	shown := *s.view
	shown.Match = s.outlook.Match()
	look := message.Look{Reader: s.seat}
	if s.outlook.Exact {
		look.Picked = message.PickedSteps(s.path)
	}
	picture, err := h.Draw(ctx, r, &shown, shown.Match, look)
	if err != nil {
		return interaction.Response{}, err
	}
	return h.About(s.view, respond(build(r.Say, s, picture))), nil
}

// Suggest completes the turn that is being typed for /prepare.
func (h *Handlers) Suggest(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	typed, done := r.Option("if"), []string(nil)
	if strings.HasSuffix(r.Path, "/then") {
		typed, done = r.Option("then"), typedLine(typed)
	} else if n := strings.LastIndex(typed, thenMark); n >= 0 {
		done, typed = typedLine(typed[:n]), strings.TrimLeft(typed[n+1:], " ")
	}
	notice := func(why string) (interaction.Response, error) {
		return interaction.Suggest(suggest.Notice(why, typed)), nil
	}
	v, err := h.find(ctx, r)
	var s *state
	if err == nil {
		s, err = preparing(v, r.Person.ID, "")
	}
	for _, turn := range done {
		if err == nil {
			if s.outlook, err = s.outlook.Turn(turn); err != nil {
				err = &host.Refusal{Err: err, View: v}
			}
		}
	}
	if err != nil {
		if why, known := h.Explain(r, err); known {
			return notice(why)
		}
		return interaction.Response{}, err
	}
	o := s.outlook
	var choices []discord.Choice
	if o.Exact && o.Sample() != nil {
		shown := *v
		shown.Match = o.Sample()
		choices = suggest.TurnSuggestions(r.Say, &shown, shown.Match.Seat(), typed)
	} else {
		choices = suggest.TokenSuggestions(o.Legal(), typed, "")
	}
	meaning := r.Say.T("prepare.anything")
	if all := suggest.Described(anyTurn, meaning); !o.Own && o.Sample() != nil && begins(typed, all.Name, meaning) {
		choices = slices.DeleteFunc(choices, suggest.IsRefused) // what is typed is no notation
		choices = append([]discord.Choice{all}, choices[:min(len(choices), discord.MaxChoices-1)]...)
	}
	return interaction.Suggest(suggest.PrefixChoices(choices, withoutThen(r, done))), nil
}

// begins reports whether one of some texts, in whatever case, begins with what is
// typed.
func begins(typed string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), strings.ToLower(typed)) })
}

// withoutThen returns what stands before the suggestions of the option if.
func withoutThen(r *interaction.Request, done []string) string {
	if strings.HasSuffix(r.Path, "/then") || len(done) == 0 {
		return ""
	}
	before := ""
	for _, turn := range done {
		if turn == prepared.Any {
			turn = anyTurn
		}
		before += turn + " " + thenMark + " "
	}
	return before
}
