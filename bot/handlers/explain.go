package handlers

import (
	"context"
	"errors"

	"castellan/bot/account"
	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/publish"
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
	{errNotManager, "error.manager"},
	{errNotOrganiser, "error.organiser"},
	{host.ErrOwnMatch, "error.organise.own"},
	{host.ErrRevertLate, "error.organise.late"},
	{match.ErrNoRevert, "error.organise.revert"},
	{match.ErrNoVoid, "error.organise.unrated"},
	{host.ErrNotRated, "error.organise.unrated"},
	{host.ErrVoidLate, "error.organise.old"},
	{host.ErrFrozen, "error.organise.frozen"},
	{host.ErrNotFrozen, "error.organise.going"},
	{errNotOperator, "error.operator"},
	{errBanOperator, "error.operator.own"},
	{errNoTarget, "error.operator.target"},
	{errNoGuild, "error.operator.server"},
	{account.ErrBannedPerson, "error.banned"},
	{account.ErrBannedGuild, "error.banned.server"},
	{errBlockBot, "error.block.bot"},
	{errBlockOneself, "error.block.oneself"},
	{account.ErrNoVacation, "error.vacation"},
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
	{host.ErrTimed, "error.thinking"}, // if a person is to move, explainClock says more
	{host.ErrNoComputerSeated, "error.away"},
	{host.ErrRatedMatch, "error.hint.rated"},
	{prepared.ErrTooMuch, "prepare.full"},
	{prepared.ErrCondition, "prepare.reply"},
	{prepared.ErrNoVariation, "prepare.over"},
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

// Explain turns an error into a sentence for a person: what is wrong and what
// to do next, below the match that is meant if it is not the one in view. ok is false
// if the error is a fault of the bot.
func (h *Handlers) Explain(r *interaction.Request, err error) (text string, ok bool) {
	text, ok = h.explain(r, err)
	refused, _ := errors.AsType[*host.Refusal](err)
	if ok && r.Kind != autocomplete && refused != nil && refused.View != nil && mayFind(r, refused.View) && !inView(r, refused.View) {
		text = "-# " + discord.Escape(message.MatchLine(r.Say, refused.View, r.Person.ID)) + "\n" + text
	}
	return text, ok
}

func (h *Handlers) explain(r *interaction.Request, err error) (sentence string, ok bool) {
	var refused *host.Refusal
	var view *host.View
	if errors.As(err, &refused) {
		view = refused.View
	}
	if view != nil && !mayFind(r, view) { // the number is a guess or forged
		err, view = host.ErrNoMatch, nil
	}
	var unclear *ambiguousError
	if errors.As(err, &unclear) { // commands ask
		return r.Say.T("suggest.several"), true
	}
	for _, explain := range []func(*interaction.Request, *host.View, error) (string, bool){explainLimit, explainClock, explainClaim, explainTurn} {
		if s, ok := explain(r, view, err); ok {
			return r.Say.Join(s, message.BoardLink(r.Say, view)), true
		}
	}
	var turns *turnsError
	var channel *channelError
	var blind *blindError
	var leaders *leaderboardError
	var departed *departedError
	var unreadable *record.Error
	var option *engine.OptionError
	var seats *engine.SeatsError
	switch {
	case publish.Unsaved(err):
		return r.Say.T("error.unsaved"), true
	case errors.Is(err, errOutsideGuild):
		return r.Say.T("error.outside", "Link", message.InviteLink(r.Say, h.Invite())), true
	case errors.Is(err, errNotMember):
		return r.Say.T("error.guest", "Link", message.InviteLink(r.Say, h.Invite())), true
	case errors.As(err, &blind):
		return r.Say.T("error.settings.blind", "Channels", r.Say.List(mentionChannels(blind.channels)...)), true
	case errors.As(err, &channel):
		return r.Say.T("error.settings.channel", "Channels", r.Say.List(mentionChannels(channel.allowed)...)), true
	case errors.As(err, &departed):
		return r.Say.T("error.departed", "Who", discord.Escape(departed.person.Name)), true
	case errors.As(err, &leaders):
		return r.Say.T("error.leaderboard." + string(leaders.access)), true
	case errors.As(err, &unreadable):
		key := "error.record"
		if unreadable.Turn != 0 {
			key = "error.record.turn"
		}
		return r.Say.T(key, "Line", unreadable.Line, "Turn", unreadable.Turn, "Why", quoted(unreadable.Why)), true
	case errors.Is(err, discord.ErrFileTooLarge):
		return r.Say.T("error.record.large", "Most", record.MaxBytes>>10), true
	case errors.As(err, &turns):
		return r.Say.T("error.turns", "Turns", turns.turns), true
	case errors.As(err, &option):
		return r.Say.Text(quoted(option.Why)), true
	case errors.As(err, &seats):
		return r.Say.T("error.players", "Least", seats.Min, "Most", seats.Max), true
	}
	if s, ok := explainTournament(r, err); ok {
		return s, true
	}
	for _, e := range simpleErrors {
		if errors.Is(err, e.err) {
			return r.Say.Join(r.Say.T(e.key), message.BoardLink(r.Say, view)), true
		}
	}
	if refused != nil && refused.Challenge != nil {
		return explainChallenge(r, *refused.Challenge, err)
	}
	return "", false
}

// notShown returns the text of the key kept, which says that something counts
// although it could not be posted. It adds why, and what people can do about it.
func (h *Handlers) notShown(r *interaction.Request, place storage.Place, err error, kept string) string {
	channel := discord.MentionChannel(place.Channel)
	parts := []string{r.Say.T(kept)}
	add := func(key string, args ...any) { parts = append(parts, r.Say.T(key, args...)) }
	switch {
	case discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		add("error.permission", "Channel", channel)
		if place.Channel == r.Place.Channel { // r.Permissions are those in the request's channel
			if missing := missingPostPermissions(r); missing != "" {
				add("error.missing", "Permissions", missing)
			}
		}
	case discord.Unreachable(err):
		add("error.unreachable")
	case discord.HasCode(err, discord.CodeUnknownChannel):
		add("error.channel")
	case discord.HasCode(err, discord.CodeLockedThread):
		add("error.locked", "Channel", channel)
	case discord.HasCode(err, discord.CodeArchivedThread):
		add("error.archived", "Channel", channel)
	default:
		add("error.later")
	}
	if discord.Blocked(err) && !discord.Unreachable(err) && kept != "challenge.kept" {
		add("error.elsewhere")
	}
	return r.Say.Join(parts...)
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
	return r.Say.List(missing...)
}
