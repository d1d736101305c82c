package handlers

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
	"castellan/engine/match"
	"castellan/engine/prepared"
)

func (h *Handlers) prepareRoutes() []route {
	return append(h.onMatch("prepare", h.matchToPrepare, h.prepare, ordinary), []route{
		{autocomplete, "prepare/if", h.suggestPrepared, typing, anyone},
		{autocomplete, "prepare/then", h.suggestPrepared, typing, anyone},
		{component, "match/{match}/{seq}/prepare", h.openPrepare, ordinary, players},
		{component, "match/{match}/{seq}/prepare/{salt}/{revision}/{path...}", h.prepareButton, ordinary, players},
	}...)
}

// thenMark stands between the turns of a line that is typed.
const thenMark = ">"

// prepare handles /prepare. With a condition and a reply it prepares that line.
// Otherwise it shows what is prepared, or the choice of what follows the
// condition.
func (h *Handlers) prepare(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	s, err := preparing(v, r.Person.ID, "")
	if err != nil {
		return interaction.Response{}, err
	}
	condition, reply := r.Option("if"), message.TrimDescription(r.Option("then"))
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
		if s.Variation, err = s.Variation.Turn(turn); err != nil {
			return interaction.Response{}, &host.Refusal{Err: err, View: v}
		}
	}
	if reply == "" {
		return h.keepDraft(ctx, r, s, "", interaction.Private)
	}
	return h.addPrepared(ctx, r, s, interaction.Private)
}

func (h *Handlers) matchToPrepare(ctx context.Context, r *interaction.Request) (*host.View, error) {
	v, err := h.ownMatch(ctx, r)
	if err != nil {
		return nil, err
	}
	return h.Host.Match(ctx, v.Record.ID)
}

// anyTurn is what people type for a condition that every turn fulfils.
const anyTurn = "any"

func typedLine(text string) (turns []string) {
	for turn := range strings.SplitSeq(message.TrimDescription(text), thenMark) {
		if turn = strings.TrimSpace(turn); strings.EqualFold(turn, anyTurn) {
			turn = prepared.Any
		}
		turns = append(turns, turn)
	}
	return turns
}

// preparing returns what a person prepares in a match, with a draft of theirs. It
// fails with host.ErrNotSeated, match.ErrOver or match.ErrNotPlaying.
func preparing(v *host.View, person, draft string) (*message.Preparation, error) {
	seat := v.SeatOf(person)
	if err := v.CheckPlaying(seat); err != nil {
		return nil, &host.Refusal{Err: err, View: v}
	}
	public, err := v.Match.PublicAt(v.Match.PublicSeq())
	if err != nil {
		return nil, err
	}
	s := &message.Preparation{View: v, Seat: seat}
	s.Plan = v.Plan(s.Seat)
	s.Variation = prepared.Open(public, s.Seat, draft)
	return s, nil
}

// openPrepare handles Prepare. It shows what is prepared, or the choice of the
// first turn.
func (h *Handlers) openPrepare(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
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

func (h *Handlers) prepareButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq := r.MatchAndSeq()
	v := r.View
	s, err := preparing(v, r.Person.ID, v.Plan(v.SeatOf(r.Person.ID)).Draft)
	if err != nil {
		return interaction.Response{}, err
	}
	path, own := r.Values["path"], s.Variation.Starts()
	stale := seq != v.Match.PublicSeq() || r.Values["revision"] != strconv.Itoa(s.Plan.Revision)
	if path == message.DropAllPath { // whatever it is by now
		s.Plan.Tree, s.Variation = prepared.Tree{}, s.Start()
		return h.keepPlan(ctx, r, s, host.AnySeq, host.AnySeq, r.Say.T("prepare.dropped"), interaction.Update)
	}
	if stale {
		s.Variation = s.Start()
		return h.showPrepare(ctx, r, s, "", r.Say.T("prepare.stale"), interaction.Update)
	}
	if path == message.MenuPath || path == message.LinePath {
		if len(r.Picks) != 1 {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		if path == message.MenuPath {
			path = r.Picks[0]
		}
	}
	switch path {
	case message.AllPath:
		s.Variation = s.Start()
		s.All = true
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	case message.AddPath:
		s.Variation = s.Start()
		return h.drawPrepare(ctx, r, s, "", "", interaction.Update)
	case message.LinePath:
		n, err := strconv.Atoi(r.Picks[0])
		lines := s.Plan.Tree.Lines()
		if err != nil || n < 0 || n >= len(lines) {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		s.Variation = followed(s.Start(), lines[n])
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	case message.BackPath:
		if o := s.Variation; len(o.Begun) > 0 {
			s.Variation = followed(s.Start(), o.Line)
		} else if len(o.Line) > 0 {
			s.Variation = followed(s.Start(), o.Line[:len(o.Line)-1])
		}
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	case message.YesPath:
		return h.savePrepared(ctx, r, s, interaction.Update)
	case message.DropPath:
		line := s.Variation.Line
		s.Plan.Tree = s.Plan.Tree.Without(line, own)
		s.Variation = followed(s.Start(), line[:max(len(line)-2, 0)])
		if len(s.Variation.Line) < 2 {
			s.Variation = s.Start()
		}
		return h.keepPlan(ctx, r, s, seq, s.Plan.Revision, r.Say.T("prepare.dropped"), interaction.Update)
	case message.StartPath:
		path = ""
	case message.AnyPath:
		if s.Variation, err = s.Variation.Play(prepared.Any); err != nil {
			return interaction.Response{}, err
		}
		return h.keepDraft(ctx, r, s, "", interaction.Update)
	}
	legal := s.Variation.Legal()
	a, ok := message.PickedAction(legal, path)
	if !ok {
		if !message.IsPath(legal, path) {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		return h.drawPrepare(ctx, r, s, path, "", interaction.Update)
	}
	reply := s.Variation.Own && len(s.Variation.Line) > 0
	if s.Variation, err = s.Variation.Play(a.String()); err != nil {
		return interaction.Response{}, &host.Refusal{Err: err, View: v}
	}
	if reply && len(s.Variation.Begun) == 0 {
		return h.addPrepared(ctx, r, s, interaction.Update)
	}
	return h.keepDraft(ctx, r, s, message.PathAfter(s.Variation.Legal(), a), interaction.Update)
}

// followed returns a variation after the turns of a line, as far as it goes.
func followed(o prepared.Variation, line []string) prepared.Variation {
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

// lineRisk returns the first risk of the player's turns in a line that are not prepared
// yet, as far as all turns are known, and the match before that turn.
func lineRisk(s *message.Preparation) (match.Risk, *match.Match) {
	at := s.Start()
	for n, turn := range message.Replied(s.Variation) {
		if n < len(at.Line) {
			continue
		}
		next, err := at.Turn(turn)
		if err != nil || !next.Exact && !at.Exact {
			break
		}
		if at.Own && n > 0 && !s.Plan.Tree.Has(next.Line[:n+1]) {
			view := *s.View
			view.Match = at.Known()
			if risk := view.Risk(s.Seat, next.Known()); risk != match.NoRisk {
				return risk, view.Match
			}
		}
		at = next
	}
	return match.NoRisk, nil
}

// addPrepared prepares a line, unless its last turn has a risk or the person
// confirms their turns. Then it asks.
func (h *Handlers) addPrepared(ctx context.Context, r *interaction.Request, s *message.Preparation, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.Risk, s.Before = lineRisk(s)
	if s.Ask = (s.Risk != match.NoRisk || s.View.Confirms(s.Seat)) && !s.Plan.Tree.Has(message.Replied(s.Variation)); s.Ask {
		return h.keepDraft(ctx, r, s, "", respond)
	}
	return h.savePrepared(ctx, r, s, respond)
}

func (h *Handlers) savePrepared(ctx context.Context, r *interaction.Request, s *message.Preparation, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	tree, err := s.Plan.Tree.With(message.Replied(s.Variation), s.Variation.Starts())
	if errors.Is(err, prepared.ErrTooMuch) {
		return h.showPrepare(ctx, r, s, "", r.Say.T("prepare.full"), respond)
	}
	if err != nil {
		return interaction.Response{}, &host.Refusal{Err: err, View: s.View}
	}
	s.Plan.Tree = tree
	return h.keepPlan(ctx, r, s, s.View.Match.PublicSeq(), s.Plan.Revision, r.Say.T("prepare.saved"), respond)
}

// keepDraft stores the line that is being composed and shows what can follow.
func (h *Handlers) keepDraft(ctx context.Context, r *interaction.Request, s *message.Preparation, path string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	if err := h.storePlan(ctx, r, s, s.View.Match.PublicSeq(), s.Plan.Revision); err != nil {
		return h.notPrepared(ctx, r, s, err, respond)
	}
	return h.drawPrepare(ctx, r, s, path, "", respond)
}

func (h *Handlers) keepPlan(ctx context.Context, r *interaction.Request, s *message.Preparation, seq, revision int, note string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.Ask = false
	if err := h.storePlan(ctx, r, s, seq, revision); err != nil {
		return h.notPrepared(ctx, r, s, err, respond)
	}
	return h.showPrepare(ctx, r, s, "", note, respond)
}

// storePlan stores the plan with the variation as its draft.
func (h *Handlers) storePlan(ctx context.Context, r *interaction.Request, s *message.Preparation, seq, revision int) error {
	s.Plan.Draft = s.Variation.Draft()
	v, err := h.Host.Prepare(ctx, r.Actor(), s.View.Record.ID, seq, revision, s.Plan)
	if err != nil {
		return err
	}
	s.View, s.Plan = v, v.Plan(s.Seat)
	return nil
}

// notPrepared shows how a plan stands that could not be changed.
func (h *Handlers) notPrepared(ctx context.Context, r *interaction.Request, s *message.Preparation, err error, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
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
func (h *Handlers) showPrepare(ctx context.Context, r *interaction.Request, s *message.Preparation, path, note string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.All = s.Variation.Draft() == "" && !s.Plan.Tree.Empty()
	return h.drawPrepare(ctx, r, s, path, note, respond)
}

func (h *Handlers) drawPrepare(ctx context.Context, r *interaction.Request, s *message.Preparation, path, note string, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	s.Path, s.Note, s.Salt = path, note, r.Salt()
	if on, ok := strings.CutPrefix(path, message.MovedPath); ok {
		s.Path, s.Moved = "", on
	}
	shown := *s.View
	shown.Match = s.Variation.Match()
	look := message.Look{Reader: s.Seat}
	if s.Variation.Exact {
		look.Picked = message.PickedSteps(s.Path)
	}
	picture, err := h.drawPrivate(ctx, r, &shown, shown.Match, look)
	if err != nil {
		return interaction.Response{}, err
	}
	return naming(r, s.View, respond(message.Prepare(r.Say, s, picture))), nil
}

func (h *Handlers) suggestPrepared(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	typed, done := r.Option("if"), []string(nil)
	if strings.HasSuffix(r.Path, "/then") {
		typed, done = r.Option("then"), typedLine(typed)
	} else if n := strings.LastIndex(typed, thenMark); n >= 0 {
		done, typed = typedLine(typed[:n]), strings.TrimLeft(typed[n+1:], " ")
	}
	notice := func(why string) (interaction.Response, error) {
		return interaction.Suggest(message.Notice(why, typed)), nil
	}
	v, err := h.matchOf(ctx, r, h.matchToPrepare)
	var s *message.Preparation
	if err == nil {
		s, err = preparing(v, r.Person.ID, "")
	}
	for _, turn := range done {
		if err == nil {
			if s.Variation, err = s.Variation.Turn(turn); err != nil {
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
	o := s.Variation
	var choices []discord.Choice
	if o.Exact && o.Sample() != nil {
		shown := *v
		shown.Match = o.Sample()
		choices = message.TurnSuggestions(r.Say, &shown, shown.Match.Seat(), typed)
	} else {
		choices = message.TokenSuggestions(o.Legal(), typed, "")
	}
	meaning := r.Say.T("prepare.anything")
	if all := message.Described(anyTurn, meaning); !o.Own && o.Sample() != nil && begins(typed, all.Name, meaning) {
		choices = slices.DeleteFunc(choices, message.IsRefused) // what is typed is no notation
		choices = append([]discord.Choice{all}, choices[:min(len(choices), discord.MaxChoices-1)]...)
	}
	return interaction.Suggest(message.PrefixChoices(choices, withoutThen(r, done))), nil
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
