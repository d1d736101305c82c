package handlers

import (
	"errors"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

func explainLimit(r *interaction.Request, _ *host.View, err error) (string, bool) {
	var flood *interaction.FloodError
	var limit *host.LimitError
	switch {
	case errors.As(err, &flood) && flood.Channel:
		return r.Say.T("error.flood.channel", "Ago", discord.RelativeTime(flood.Again)), true
	case errors.As(err, &flood):
		return r.Say.T("error.flood.person", "Ago", discord.RelativeTime(flood.Again)), true
	case !errors.As(err, &limit):
		return "", false
	case limit.Limit == host.LimitRunning && limit.Person.ID != r.Person.ID:
		return r.Say.T("error.crowded", "Who", message.Name(r.Say, limit.Person), "Most", limit.Max), true
	}
	again := r.Say.T("time.later")
	if !limit.RetryAt.IsZero() {
		again = discord.RelativeTime(limit.RetryAt)
	}
	return r.Say.T("error.limit."+string(limit.Limit), "Most", limit.Max, "Again", again), true
}

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
	return r.Say.T(key, "Who", message.Name(r.Say, v.Person(v.Match.Seat())), "Ago", discord.RelativeTime(v.TimeoutAt())), true
}

func explainClaim(r *interaction.Request, v *host.View, err error) (string, bool) {
	var early *host.EarlyError
	switch {
	case errors.Is(err, match.ErrOwnTurn) && (v == nil || v.Claimable()):
		return r.Say.T("error.owing"), true
	case v == nil:
		return "", false
	case errors.As(err, &early):
		s := r.Say.T("error.early", "Who", message.Name(r.Say, v.Person(v.Match.Seat())), "Date", discord.DateTime(early.At))
		if v.WouldAbort() {
			s = r.Say.Join(s, r.Say.T("error.early.off"))
		}
		return s, true
	case errors.Is(err, match.ErrOwnTurn) && !v.AbandonAt().IsZero():
		return r.Say.T("error.own.computer", "Date", discord.DateTime(v.AbandonAt())), true
	case errors.Is(err, match.ErrOwnTurn):
		return r.Say.T("error.own", "Date", discord.DateTime(v.ClaimableAt())), true
	}
	return "", false
}

// explainTurn explains that it is another player's turn, or what is wrong with a
// typed turn.
func explainTurn(r *interaction.Request, v *host.View, err error) (string, bool) {
	var turn *match.TurnError
	if errors.As(err, &turn) && v != nil {
		return r.Say.T("error.turn", "Who", message.Name(r.Say, v.Person(turn.Seat))), true
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
		s = r.Say.Text(quoted(notation.Why))
	case errors.As(err, &illegal):
		why := quoted(illegal.Why)
		if v != nil {
			why = message.Named(r.Say, v, why)
		}
		s = r.Say.Text(why)
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
		s = r.Say.Join(s, r.Say.T("error.nearest", "Tokens", r.Say.Choice(near...)))
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
		return r.Say.T("error.quicker", "Who", message.Name(r.Say, opponent)), true
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
	return r.Say.T(key, "Challenger", message.Name(r.Say, ch.Challenger), "Opponent", message.Name(r.Say, opponent)), true
}

// maxQuotedText is the maximum number of characters of people's text that a
// sentence repeats.
const maxQuotedText = 100

// quoted returns a phrase whose text arguments, which people may have typed,
// are shortened and escaped so that Discord shows them literally.
func quoted(p engine.Phrase) engine.Phrase {
	args := make(engine.Args, len(p.Args))
	for k, v := range p.Args {
		switch v := v.(type) {
		case string:
			args[k] = discord.Escape(discord.Truncate(v, maxQuotedText))
		case engine.Phrase:
			args[k] = quoted(v)
		default:
			args[k] = v
		}
	}
	p.Args = args
	return p
}
