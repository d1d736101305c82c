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
	"castellan/bot/publish"
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
	{errBlockBot, "error.block.bot"},
	{errBlockOneself, "error.block.oneself"},
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
	var refusal *host.Refusal
	var view *host.View
	if errors.As(err, &refusal) {
		view = refusal.View
	}
	if view != nil && !mayFind(r, view) { // the number is a guess or forged
		err, view = host.ErrNoMatch, nil
	}
	var ambiguous *ambiguousError
	if errors.As(err, &ambiguous) {
		return r.Say.T("error.several", "Matches", message.MatchLines(r.Say, ambiguous.views, r.Person.ID)), true
	}
	for _, explain := range []func(*interaction.Request, *host.View, error) (string, bool){explainLimits, explainClock, explainClaim, explainTurn} {
		if s, ok := explain(r, view, err); ok {
			return s + withBoardLink(r, view), true
		}
	}
	if s, ok := settings.Explain(r, err); ok {
		return s, true
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
		return r.Say.T(key, "Line", unreadable.Line, "Turn", unreadable.Turn, "Why", escapeArgs(unreadable.Why)), true
	case errors.Is(err, discord.ErrFileTooLarge):
		return r.Say.T("error.record.large", "Most", record.MaxBytes>>10), true
	case errors.As(err, &turns):
		return r.Say.T("error.turns", "Turns", turns.turns), true
	case errors.As(err, &option):
		return r.Say.Say(escapeArgs(option.Why)), true
	case errors.As(err, &seats):
		return r.Say.T("error.players", "Least", seats.Min, "Most", seats.Max), true
	}
	for _, e := range simpleErrors {
		if errors.Is(err, e.err) {
			return r.Say.T(e.key) + withBoardLink(r, view), true
		}
	}
	if refusal != nil && refusal.Challenge != nil {
		return explainChallenge(r, *refusal.Challenge, err)
	}
	return "", false
}

// explainLimits explains that a person has reached a limit.
func explainLimits(r *interaction.Request, _ *host.View, err error) (string, bool) {
	var flood *interaction.FloodError
	var limit *host.LimitError
	switch {
	case errors.As(err, &flood) && flood.Channel:
		return r.Say.T("error.flood.channel", "Again", discord.RelativeTime(flood.Again)), true
	case errors.As(err, &flood):
		return r.Say.T("error.flood.person", "Again", discord.RelativeTime(flood.Again)), true
	case !errors.As(err, &limit):
		return "", false
	case limit.Limit == host.LimitRunning && limit.Person.ID != r.Person.ID:
		return r.Say.T("error.crowded", "Who", discord.Escape(limit.Person.Name), "Most", limit.Max), true
	}
	again := r.Say.T("time.later")
	if !limit.RetryAt.IsZero() {
		again = discord.RelativeTime(limit.RetryAt)
	}
	return r.Say.T("error.limit."+string(limit.Limit), "Most", limit.Max, "Again", again), true
}

// explainClock explains what cannot be done in a match with a clock.
func explainClock(r *interaction.Request, v *host.View, err error) (string, bool) {
	if v == nil || v.TimeoutAt().IsZero() {
		return "", false
	}
	var key string
	switch {
	case errors.Is(err, host.ErrTimeUp) && v.SeatOf(r.Person.ID) == v.Match.Seat():
		key = "error.late"
	case errors.Is(err, host.ErrTimeUp):
		key = "error.late.other"
	case errors.Is(err, host.ErrTimed):
		key = "error.timed"
	default:
		return "", false
	}
	return r.Say.T(key, "Who", discord.Escape(v.Person(v.Match.Seat()).Name), "When", discord.RelativeTime(v.TimeoutAt())), true
}

// explainClaim explains why a match cannot be claimed yet.
func explainClaim(r *interaction.Request, v *host.View, err error) (string, bool) {
	var early *host.EarlyError
	switch {
	case errors.Is(err, match.ErrOwnTurn) && (v == nil || v.Claimable()):
		return r.Say.T("error.owing"), true
	case v == nil:
		return "", false
	case errors.As(err, &early):
		s := r.Say.T("error.early", "Who", discord.Escape(v.Person(v.Match.Seat()).Name), "When", discord.DateTime(early.At))
		if v.WouldAbort() {
			s += " " + r.Say.T("error.early.off")
		}
		return s, true
	case errors.Is(err, match.ErrOwnTurn) && !v.AbandonAt().IsZero():
		return r.Say.T("error.own.computer", "When", discord.DateTime(v.AbandonAt())), true
	case errors.Is(err, match.ErrOwnTurn):
		return r.Say.T("error.own", "When", discord.DateTime(v.ClaimableAt())), true
	}
	return "", false
}

// explainTurn explains that it is another player's turn, or what is wrong with a
// typed turn.
func explainTurn(r *interaction.Request, v *host.View, err error) (string, bool) {
	var turn *match.TurnError
	if errors.As(err, &turn) && v != nil {
		return r.Say.T("error.turn", "Who", discord.Escape(v.Person(turn.Seat).Name)), true
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
		s = r.Say.Say(escapeArgs(notation.Why))
	case errors.As(err, &illegal):
		why := escapeArgs(illegal.Why)
		if v != nil {
			why = message.Named(v, why)
		}
		s = r.Say.Say(why)
	default:
		s = r.Say.T("error.extra", "Token", discord.InlineCode(token.Token))
	}
	if token.Index > 0 {
		s = r.Say.T("error.at", "Before", discord.InlineCode(strings.Join(token.Before, " ")), "Why", s)
	}
	if len(token.Nearest) > 0 {
		var near []string
		for _, t := range token.Nearest {
			near = append(near, discord.InlineCode(t))
		}
		s += " " + r.Say.T("error.nearest", "Tokens", strings.Join(near, ", "))
	}
	return s, true
}

// explainChallenge explains why a person cannot answer a challenge, take or leave
// a seat at a table, or start its match.
func explainChallenge(r *interaction.Request, ch storage.Challenge, err error) (string, bool) {
	opponent := message.Opponent(ch)
	key := ""
	switch lobby := host.IsLobby(ch); {
	case errors.Is(err, host.ErrNoFreeSeat) && ch.Seats == 2 && opponent.ID != "":
		return r.Say.T("error.quicker", "Who", discord.Escape(opponent.Name)), true
	case errors.Is(err, host.ErrAlreadyJoined) && host.IsPublic(ch):
		key = "error.own.open"
	case errors.Is(err, host.ErrNoFreeSeat):
		key = "error.full"
	case errors.Is(err, host.ErrAlreadyJoined):
		key = "error.joined"
	case errors.Is(err, host.ErrNotJoined):
		key = "error.unseated"
	case errors.Is(err, host.ErrNotStarter):
		key = "error.starter"
	case errors.Is(err, host.ErrNotChallenger):
		key = "error.seats"
	case errors.Is(err, host.ErrTooFewPlayers):
		key = "error.few"
	case errors.Is(err, host.ErrNotInvited) && lobby:
		key = "error.unkept"
	case errors.Is(err, host.ErrAnswered) && lobby && ch.State == storage.ChallengeAccepted:
		key = "error.started"
	case errors.Is(err, host.ErrNotInvited) && r.Person.ID == ch.Challenger.ID:
		key = "error.waiting"
	case errors.Is(err, host.ErrNotInvited):
		key = "error.notforyou"
	case errors.Is(err, host.ErrNotYourChallenge):
		key = "error.notyours"
	case errors.Is(err, host.ErrAnswered):
		key = "error.answered." + string(ch.State)
	default:
		return "", false
	}
	return r.Say.T(key, "Challenger", discord.Escape(ch.Challenger.Name), "Opponent", discord.Escape(opponent.Name)), true
}

// withBoardLink returns a space and a link to the current board, or "" if there
// is none.
func withBoardLink(r *interaction.Request, v *host.View) string {
	if link := message.BoardLink(r.Say, v); link != "" {
		return " " + link
	}
	return ""
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

// maxQuotedText is the maximum number of characters of people's text that a
// sentence repeats.
const maxQuotedText = 100

// escapeArgs returns a phrase whose text arguments, which people may have typed,
// are shortened and escaped so that Discord shows them literally.
func escapeArgs(p engine.Phrase) engine.Phrase {
	args := make(engine.Args, len(p.Args))
	for k, v := range p.Args {
		switch v := v.(type) {
		case string:
			args[k] = discord.Escape(discord.Truncate(v, maxQuotedText))
		case engine.Phrase:
			args[k] = escapeArgs(v)
		default:
			args[k] = v
		}
	}
	p.Args = args
	return p
}
