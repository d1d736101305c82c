package bot

import (
	"context"
	"errors"
	"strings"

	"castellan/bot/account"
	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/privacy"
	"castellan/bot/publish"
	"castellan/bot/refusal"
	"castellan/bot/settings"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/engine/record"
	"castellan/storage"
)

// simpleErrors maps errors to the keys of fixed sentences. The first match counts.
// A link to the match's board follows the sentence.
var simpleErrors = []struct {
	err error
	key string
}{
	{interaction.ErrBadCustomID, "error.path"},
	{errNoMatchHere, "error.none"},
	{errTooQuick, "error.quick"},
	{errBotOpponent, "error.bot"},
	{errPersonLevel, "error.level"},
	{host.ErrCannotReplay, "error.unreadable"},
	{computer.ErrBusy, "error.hint.busy"},
	{message.ErrReplaysBusy, "error.replay.busy"},
	{errNothingPlayed, "error.replay"},
	{host.ErrUnknownGame, "error.game"},
	{host.ErrNoMatch, "error.match"},
	{host.ErrNoChallenge, "error.challenge"},
	{host.ErrNotSeated, "error.seat"},
	{host.ErrStale, "error.stale"},
	{host.ErrExpired, "error.expired"},
	{host.ErrNotOver, "error.rematch.early"},
	{host.ErrNoFinishedMatch, "error.rematch.none"},
	{host.ErrRematchPending, "error.rematch.asked"},
	{host.ErrRematchStarted, "error.rematch.begun"},
	{host.ErrDidNotPlay, "error.rematch.others"},
	{host.ErrSelfChallenge, "error.oneself"},
	{host.ErrCannotChallenge, "error.unchallengeable"},
	{host.ErrCannotJoin, "error.unjoinable"},
	{account.ErrTooManyBlocks, "error.block.many"},
	{host.ErrInvalidFirst, "error.first"},
	{host.ErrNoClock, "error.clock"},
	{host.ErrDuplicatePlayer, "error.twice"},
	{host.ErrTooManyPlayers, "error.named"},
	{host.ErrUnknownLevel, "error.level.unknown"},
	{host.ErrNoComputer, "error.computer"},
	{host.ErrComputerTurn, "error.thinking"},
	{host.ErrTimed, "error.thinking"}, // if a person is to move, refusal.Clock says more
	{host.ErrNoComputerSeated, "error.away"},
	{host.ErrRatedMatch, "error.hint.rated"},
	{prepared.ErrTooMuch, "prepare.full"},
	{prepared.ErrCondition, "prepare.reply"},
	{prepared.ErrNoOutlook, "prepare.over"},
	{offers.ErrLapsed, "error.offer.lapsed"},
	{offers.ErrRepeated, "error.offer.repeated"},
	{offers.ErrOpen, "error.offer.open"},
	{offers.ErrOwn, "error.offer.own"},
	{offers.ErrOthers, "error.offer.others"},
	{offers.ErrNoTurn, "error.offer.turn"},
	{offers.ErrRated, "error.offer.rated"},
	{offers.ErrPlaysOn, "error.offer.draw"},
	{offers.ErrComputersTime, "error.offer.time"},
	{match.ErrTwoSeats, "error.offer.two"},
	{match.ErrNoClock, "error.offer.clock"},
	{match.ErrTooMuchTime, "error.offer.enough"},
	{match.ErrOver, "error.over"},
	{match.ErrNoTurn, "error.empty"},
	{match.ErrNothingToUndo, "error.undo"},
	{match.ErrNoTakeback, "error.takeback"},
	{match.ErrNotPlaying, "error.retired"},
	{match.ErrTooLate, "error.begun"},
	{host.ErrStopping, "error.restarting"},
	{storage.ErrClosed, "error.restarting"},
	{context.DeadlineExceeded, "error.slow"},
}

// explain turns an error into a sentence for a person: what is wrong and what
// to do next. ok is false if the error is a fault of the bot.
func (h *handlers) explain(r *interaction.Request, err error) (sentence string, ok bool) {
	var refused *host.Refusal
	var view *host.View
	if errors.As(err, &refused) {
		view = refused.View
	}
	if view != nil && !mayFind(r, view) { // the number is a guess or forged
		err, view = host.ErrNoMatch, nil
	}
	var ambiguous *ambiguousError
	if errors.As(err, &ambiguous) {
		return r.Say.T("error.several", "Matches", message.MatchLines(r.Say, ambiguous.views, r.Person.ID)), true
	}
	for _, explain := range []func(*interaction.Request, *host.View, error) (string, bool){refusal.Limits, refusal.Clock, refusal.Claim, refusal.Turn} {
		if s, ok := explain(r, view, err); ok {
			return s + refusal.BoardLink(r, view), true
		}
	}
	for _, explain := range []func(*interaction.Request, error) (string, bool){settings.Explain, privacy.Explain} {
		if s, ok := explain(r, err); ok {
			return s, true
		}
	}
	var turns *turnsError
	var unreadable *record.Error
	var option *engine.OptionError
	var seats *engine.SeatsError
	switch {
	case publish.Unsaved(err):
		return r.Say.T("error.unsaved"), true
	case errors.Is(err, errOutsideGuild):
		return r.Say.T("error.outside", "Link", message.InviteLink(r.Say, h.invite())), true
	case errors.Is(err, errNotMember):
		return r.Say.T("error.guest", "Link", message.InviteLink(r.Say, h.invite())), true
	case errors.As(err, &unreadable):
		key := "error.record"
		if unreadable.Turn != 0 {
			key = "error.record.turn"
		}
		return r.Say.T(key, "Line", unreadable.Line, "Turn", unreadable.Turn, "Why", refusal.Escape(unreadable.Why)), true
	case errors.Is(err, discord.ErrFileTooLarge):
		return r.Say.T("error.record.large", "Most", record.MaxBytes>>10), true
	case errors.As(err, &turns):
		return r.Say.T("error.turns", "Turns", turns.turns), true
	case errors.As(err, &option):
		return r.Say.Say(refusal.Escape(option.Why)), true
	case errors.As(err, &seats):
		return r.Say.T("error.players", "Least", seats.Min, "Most", seats.Max), true
	}
	for _, e := range simpleErrors {
		if errors.Is(err, e.err) {
			return r.Say.T(e.key) + refusal.BoardLink(r, view), true
		}
	}
	if refused != nil && refused.Challenge != nil {
		return refusal.Challenge(r, *refused.Challenge, err)
	}
	return "", false
}

// notShown returns the text of the key kept, which says that something counts
// although it could not be posted. It adds why, and what people can do about it.
func (h *handlers) notShown(r *interaction.Request, place storage.Place, err error, kept string) string {
	s := r.Say.T(kept)
	channel := discord.MentionChannel(place.Channel)
	switch {
	case discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		s += " " + r.Say.T("error.permission", "Channel", channel)
		if place.Channel == r.Place.Channel { // r.Permissions are those in the request's channel
			if missing := missingPostPermissions(r); missing != "" {
				s += " " + r.Say.T("error.missing", "Permissions", missing)
			}
		}
	case discord.Unreachable(err):
		return s + " " + r.Say.T("error.unreachable")
	case discord.HasCode(err, discord.CodeUnknownChannel):
		s += " " + r.Say.T("error.channel")
	case discord.HasCode(err, discord.CodeLockedThread):
		s += " " + r.Say.T("error.locked", "Channel", channel)
	case discord.HasCode(err, discord.CodeArchivedThread):
		s += " " + r.Say.T("error.archived", "Channel", channel)
	default:
		s += " " + r.Say.T("error.later")
	}
	if discord.Blocked(err) && kept != "challenge.kept" {
		s += " " + r.Say.T("error.elsewhere")
	}
	return s
}

// permission pairs permission bits, any of which is enough, with the catalogue
// key of their name in Discord's clients.
type permission struct {
	bits int64
	key  string
}

// missingPostPermissions lists the permissions that the bot lacks to post in the
// channel of a request.
func missingPostPermissions(r *interaction.Request) string {
	send := "permission.send"
	if r.Permissions&discord.InThread != 0 {
		send = "permission.inthreads"
	}
	return missingPermissions(r, []permission{
		{discord.PermissionViewChannel, "permission.view"},
		{discord.PermissionSendMessages, send},
		{discord.PermissionAttachFiles, "permission.attach"},
	})
}

// missingPermissions lists the permissions that the bot lacks in the channel of
// a request; none if its permissions are unknown.
func missingPermissions(r *interaction.Request, needed []permission) string {
	var missing []string
	for _, p := range needed {
		if r.Permissions != 0 && r.Permissions&(p.bits|discord.PermissionAdministrator) == 0 {
			missing = append(missing, r.Say.T(p.key))
		}
	}
	return strings.Join(missing, ", ")
}
