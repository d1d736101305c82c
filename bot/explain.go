package bot

import (
	"context"
	"errors"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// explain is the one place where an error becomes a sentence: what is wrong
// and what to do next. known is false where the fault is ours.
func (b *Bot) explain(r *Request, err error) (sentence string, known bool) {
	var refusal *host.Refusal
	var view *host.View
	if errors.As(err, &refusal) {
		view = refusal.View
	}
	var several *severalError
	if errors.As(err, &several) {
		return r.Say.T("error.several", "Matches", list(r, several.views)), true
	}
	if s, ok := explainTime(r, view, err); ok {
		return s + withBoard(r, view), true
	}
	if s, ok := explainTurn(r, view, err); ok {
		return s + withBoard(r, view), true
	}
	if s, ok := explainComputer(r, view, refusal, err); ok {
		return s, true
	}
	if unwritable(err) {
		return r.Say.T("error.unsaved"), true
	}
	switch {
	case errors.Is(err, errOutside):
		return r.Say.T("error.outside", "Link", inviteLink(r.Say, b.Invite())), true
	case errors.Is(err, errGuest):
		return r.Say.T("error.guest", "Link", inviteLink(r.Say, b.Invite())), true
	}
	var option *engine.OptionError
	if errors.As(err, &option) {
		return r.Say.Say(harmless(option.Why)), true
	}
	var seats *engine.SeatsError
	if errors.As(err, &seats) {
		return r.Say.T("error.players", "Least", seats.Min, "Most", seats.Max), true
	}
	for _, one := range []struct {
		err error
		key string
	}{
		{errBadPath, "error.path"},
		{errNoneHere, "error.none"},
		{errBotOpponent, "error.bot"},
		{host.ErrUnknownGame, "error.game"},
		{host.ErrNoMatch, "error.match"},
		{host.ErrNoChallenge, "error.challenge"},
		{host.ErrNotSeated, "error.seat"},
		{host.ErrStale, "error.stale"},
		{host.ErrNotOver, "error.rematch.early"},
		{host.ErrNoneEnded, "error.rematch.none"},
		{host.ErrAsked, "error.rematch.asked"},
		{host.ErrRematched, "error.rematch.begun"},
		{host.ErrNotAmong, "error.rematch.others"},
		{host.ErrOneself, "error.oneself"},
		{host.ErrWrongFirst, "error.first"},
		{host.ErrTwice, "error.twice"},
		{host.ErrTooMany, "error.named"},
		{match.ErrOver, "error.over"},
		{match.ErrNoTurn, "error.empty"},
		{match.ErrNothingToUndo, "error.undo"},
		{match.ErrNotPlaying, "error.retired"},
		{match.ErrTooLate, "error.begun"},
		{context.DeadlineExceeded, "error.slow"},
	} {
		if errors.Is(err, one.err) {
			return r.Say.T(one.key) + withBoard(r, view), true
		}
	}
	if refusal != nil && refusal.Challenge != nil {
		return b.explainChallenge(r, refusal)
	}
	return "", false
}

// explainTurn is about whose turn it is and what was written.
func explainTurn(r *Request, v *host.View, err error) (string, bool) {
	var turn *match.TurnError
	if errors.As(err, &turn) && v != nil {
		return r.Say.T("error.turn", "Who", escape(v.Person(turn.Seat).Name)), true
	}
	var token *match.TokenError
	if !errors.As(err, &token) {
		return "", false
	}
	var s string
	var notation *engine.NotationError
	var illegal *engine.IllegalError
	switch {
	case errors.As(err, &notation):
		s = r.Say.Say(harmless(notation.Why))
	case errors.As(err, &illegal):
		s = r.Say.Say(harmless(illegal.Why))
	default:
		s = r.Say.T("error.extra", "Token", code(token.Token))
	}
	if token.Index > 0 {
		s = r.Say.T("error.at", "Token", code(token.Token), "Why", s)
	}
	if len(token.Nearest) > 0 {
		var near []string
		for _, t := range token.Nearest {
			near = append(near, code(t))
		}
		s += " " + r.Say.T("error.nearest", "Tokens", strings.Join(near, ", "))
	}
	return s, true
}

// explainChallenge is about a challenge that is not the person's to answer.
func (b *Bot) explainChallenge(r *Request, refusal *host.Refusal) (string, bool) {
	ch := refusal.Challenge
	if s, ok := explainOpen(r, refusal); ok {
		return s, true
	}
	if s, ok := b.explainLobby(r, refusal); ok {
		return s, true
	}
	args := []any{"Challenger", escape(ch.Challenger.Name), "Opponent", escape(opponent(*ch).Name)}
	switch {
	case errors.Is(refusal, host.ErrNotForYou):
		return r.Say.T("error.notforyou", args...), true
	case errors.Is(refusal, host.ErrNotYours):
		return r.Say.T("error.notyours", args...), true
	case errors.Is(refusal, host.ErrAnswered):
		return r.Say.T("error.answered."+string(ch.State), args...), true
	}
	return "", false
}

// withBoard adds the way to the current board.
func withBoard(r *Request, v *host.View) string {
	if to := boardLink(r, v); to != "" {
		return " " + to
	}
	return ""
}

// notShown says that something counts although the channel does not show it
// yet, and why if a person can do something about it.
func (b *Bot) notShown(r *Request, place storage.Place, err error, kept string) string {
	s := r.Say.T(kept)
	switch {
	case discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		s += " " + r.Say.T("error.permission", "Channel", "<#"+place.Channel+">")
		if missing := r.missingIn(place.Channel); missing != "" {
			s += " " + r.Say.T("error.missing", "Permissions", missing)
		}
	case discord.HasCode(err, discord.CodeUnknownChannel):
		s += " " + r.Say.T("error.channel")
	case discord.HasCode(err, discord.CodeLockedThread):
		s += " " + r.Say.T("error.locked", "Channel", "<#"+place.Channel+">")
	case discord.HasCode(err, discord.CodeArchivedThread):
		s += " " + r.Say.T("error.archived", "Channel", "<#"+place.Channel+">")
	default:
		s += " " + r.Say.T("error.later")
	}
	if discord.Blocked(err) && kept != "challenge.kept" {
		s += " " + r.Say.T("error.elsewhere")
	}
	return s
}

// harmless is a phrase whose texts from outside are shown as they are written.
func harmless(p engine.Phrase) engine.Phrase {
	args := make(engine.Args, len(p.Args))
	for k, v := range p.Args {
		switch v := v.(type) {
		case string:
			args[k] = escape(cut(v, longestArgument))
		case engine.Phrase:
			args[k] = harmless(v)
		default:
			args[k] = v
		}
	}
	p.Args = args
	return p
}

// longestArgument is how many characters of a text from outside a sentence
// repeats.
const longestArgument = 100

// code is a text from outside between backquotes.
func code(s string) string {
	s = plain(strings.ReplaceAll(s, "`", "'"))
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return "`" + s + "`"
}
