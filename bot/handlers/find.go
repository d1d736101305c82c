package handlers

import (
	"context"
	"errors"
	"slices"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/match"
)

// errNoMatchHere reports that a command names no match and the person has none in
// the channel.
var errNoMatchHere = errors.New("the person has no match in this channel")

// ambiguousError reports that a person has to choose a match: several fit, or those
// that fit have their boards in other channels.
type ambiguousError struct {
	views     []*host.View
	elsewhere bool
}

func (e *ambiguousError) Error() string { return "it is not clear which match is meant" }

// playable returns the matches in which a person can play a turn, or begin one with
// the choice that they typed.
func (e *ambiguousError) playable(person, text string) []*host.View {
	return filtered(e.views, func(v *host.View) bool {
		seat := v.SeatOf(person)
		line := v.Match.Read(seat, text)
		_, _, err := v.Match.Try(seat, line, match.Cause{})
		return err == nil || message.BegunPath(v.Match.Position().Legal(), line) != ""
	})
}

// namedMatch returns the match that an option or a custom ID names, nil if none
// is named. It fails with host.ErrNoMatch if the person may not find it.
func (h *Handlers) namedMatch(ctx context.Context, r *interaction.Request) (*host.View, error) {
	id, given, err := r.Match()
	if err != nil || !given {
		return nil, err
	}
	v, err := h.Host.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	if !mayFind(r, v) {
		return nil, &host.Refusal{Err: host.ErrNoMatch}
	}
	return v, nil
}

// mayFind reports whether a person may find a match by its number: everywhere
// if they play in it, organisers in their guild, others in its own channel only.
func mayFind(r *interaction.Request, v *host.View) bool {
	return v.SeatOf(r.Person.ID) != engine.Nobody || v.Record.Place.Channel == r.Place.Channel || r.Organises && v.Record.Place.Guild == r.Place.Guild
}

func (h *Handlers) matchOf(ctx context.Context, r *interaction.Request, find finder) (*host.View, error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		return v, err
	}
	return find(ctx, r)
}

// matchToMove returns the match in which a person wants to move: the only one of this
// channel that waits for them. If none waits for them, it returns the first that they
// play.
func (h *Handlers) matchToMove(ctx context.Context, r *interaction.Request) (*host.View, error) {
	views, elsewhere, err := h.running(ctx, r)
	if err != nil {
		return nil, err
	}
	views = stillPlaying(views, r.Person.ID)
	if waiting := filtered(views, func(v *host.View) bool { return v.WaitsFor(r.Person.ID) }); len(waiting) > 0 {
		return only(waiting, elsewhere)
	}
	if len(views) > 0 {
		return views[0], nil
	}
	return nil, errNoMatchHere
}

// running returns a person's running matches whose boards are in this channel. If there
// are none and the channel is no thread, it returns those elsewhere in the guild;
// outside guilds, those of all channels. In the thread of a match of theirs that has
// ended, it fails with match.ErrOver.
func (h *Handlers) running(ctx context.Context, r *interaction.Request) (views []*host.View, elsewhere bool, err error) {
	here, err := h.Host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err != nil {
		return nil, false, err
	}
	if here = filtered(here, func(v *host.View) bool { return v.Record.Place.Channel == r.Place.Channel }); len(here) > 0 {
		r.Several = len(here) > 1
		return here, false, nil
	}
	if r.Permissions&discord.InThread != 0 {
		ended, err := h.Browse.LastEnded(ctx, r.Person.ID, r.Place.Channel)
		if errors.Is(err, host.ErrNoFinishedMatch) {
			return nil, false, nil
		} else if err != nil {
			return nil, false, err
		}
		return nil, false, &host.Refusal{Err: match.ErrOver, View: ended}
	}
	all, err := h.Host.Running(ctx, r.Person.ID, "")
	return filtered(all, func(v *host.View) bool { return r.Place.Guild == "" || r.Place.Guild == v.Record.Place.Guild }), true, err
}

// only returns the single match of a list, unless its board is elsewhere. It fails with
// errNoMatchHere or an *ambiguousError.
func only(views []*host.View, elsewhere bool) (*host.View, error) {
	switch {
	case len(views) == 0:
		return nil, errNoMatchHere
	case len(views) == 1 && !elsewhere:
		return views[0], nil
	}
	return nil, &ambiguousError{views, elsewhere}
}

// filtered returns the matches that fulfil a condition.
func filtered(views []*host.View, fits func(*host.View) bool) []*host.View {
	return slices.DeleteFunc(slices.Clone(views), func(v *host.View) bool { return !fits(v) })
}

// stillPlaying returns the matches that a person has not left. If they have left
// all of them it returns all, so that the refusal can say so.
func stillPlaying(views []*host.View, person string) []*host.View {
	playing := filtered(views, func(v *host.View) bool { return v.Match.Playing(v.SeatOf(person)) })
	if len(playing) == 0 {
		return views
	}
	return playing
}

// ownMatch returns the only match that a person plays in this channel.
func (h *Handlers) ownMatch(ctx context.Context, r *interaction.Request) (*host.View, error) {
	views, elsewhere, err := h.running(ctx, r)
	if err != nil {
		return nil, err
	}
	return only(stillPlaying(views, r.Person.ID), elsewhere)
}

// matchToClaim returns the only match of this channel that a person could claim, as
// it is now with vacations and outages. If they could claim none, it returns the only
// match that they play.
func (h *Handlers) matchToClaim(ctx context.Context, r *interaction.Request) (*host.View, error) {
	views, elsewhere, err := h.running(ctx, r)
	if err != nil {
		return nil, err
	}
	claimable := filtered(views, func(v *host.View) bool { return v.CheckClaim(r.Person.ID) == nil })
	if len(claimable) == 0 {
		claimable = stillPlaying(views, r.Person.ID)
	}
	v, err := only(claimable, elsewhere)
	if err != nil {
		return nil, err
	}
	return h.Host.Match(ctx, v.Record.ID)
}

// matchToShow returns the match whose board a person wants to see, with its
// boards. It is the first that exists of: their newest match in this channel, anybody's
// newest match there, their newest match elsewhere, their match that ended last in this
// channel, anybody's match that ended last there.
func (h *Handlers) matchToShow(ctx context.Context, r *interaction.Request) (*host.View, error) {
	own, elsewhere, err := h.running(ctx, r)
	if err != nil && !errors.Is(err, match.ErrOver) {
		return nil, err
	}
	if len(own) > 0 && !elsewhere {
		return h.Host.Match(ctx, own[0].Record.ID)
	}
	v, err := h.Host.NewestIn(ctx, r.Place.Channel)
	if len(own) > 0 && (errors.Is(err, host.ErrNoMatch) || err == nil && v.Record.Place.Channel != r.Place.Channel) {
		return h.Host.Match(ctx, own[0].Record.ID)
	}
	if errors.Is(err, host.ErrNoMatch) {
		v, err = h.Browse.LastEnded(ctx, r.Person.ID, r.Place.Channel)
	}
	if errors.Is(err, host.ErrNoFinishedMatch) {
		v, err = h.Browse.LastEnded(ctx, "", r.Place.Channel)
	}
	if errors.Is(err, host.ErrNoFinishedMatch) {
		return nil, errNoMatchHere
	}
	return v, err
}

// matchToRead returns the match whose record or replay a person wants: their newest
// that runs in this channel, theirs that ended last there or else in the guild, or the
// one from matchToShow.
func (h *Handlers) matchToRead(ctx context.Context, r *interaction.Request) (*host.View, error) {
	running, err := h.Host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err != nil {
		return nil, err
	}
	for _, channel := range []string{r.Place.Channel, ""} {
		if len(running) > 0 {
			break
		}
		v, err := h.Browse.LastEnded(ctx, r.Person.ID, channel)
		if err == nil && v.Record.Place.Guild == r.Place.Guild || err != nil && !errors.Is(err, host.ErrNoFinishedMatch) {
			return v, err
		}
	}
	return h.matchToShow(ctx, r)
}

func (h *Handlers) matchOptionRoutes() (routes []route) {
	for _, s := range []struct {
		commands string
		handler  interaction.Handler
	}{
		{"move end undo hint prepare resign draw time abort claim", suggestMatch("suggest.match", h.runningList)},
		{"board", suggestMatch("suggest.match.any", h.runningList, h.endedList)},
		{"replay record", suggestMatch("suggest.match.any", h.endedList, h.runningList)},
		{"rematch", suggestMatch("games.none.finished", h.endedList)},
	} {
		for name := range strings.FieldsSeq(s.commands) {
			routes = append(routes, route{autocomplete, name + "/match", s.handler, typing, anyone})
		}
	}
	return routes
}

// searchedEnded is how many of a person's ended matches the option match suggests
// from.
const searchedEnded = 100

type matchList func(context.Context, *interaction.Request) ([]discord.Choice, error)

// suggestMatch returns a handler that completes the number of one of the person's
// matches in one of the lists, in this order. Each list has its share of the places;
// what is left over follows.
func suggestMatch(none string, lists ...matchList) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		var all, rest []discord.Choice
		for _, list := range lists {
			choices, err := list(ctx, r)
			if err != nil {
				return interaction.Response{}, err
			}
			share := min(len(choices), discord.MaxChoices/len(lists))
			all, rest = append(all, choices[:share]...), append(rest, choices[share:]...)
		}
		if all = append(all, rest...); len(all) == 0 {
			return interaction.Suggest([]discord.Choice{{Name: r.Say.T(none), Value: 0}}), nil
		}
		typed := strings.ToLower(r.Option("match"))
		fitting := slices.DeleteFunc(slices.Clone(all), func(c discord.Choice) bool { return !strings.Contains(strings.ToLower(c.Name), typed) })
		if len(fitting) == 0 { // a number that is none of theirs
			fitting = all
		}
		return interaction.Suggest(fitting), nil
	}
}

func (h *Handlers) runningList(ctx context.Context, r *interaction.Request) (list []discord.Choice, err error) {
	views, err := h.Host.Running(ctx, r.Person.ID, "")
	for _, v := range views {
		list = append(list, discord.Choice{Name: message.MatchLine(r.Say, v, r.Person.ID), Value: int64(v.Record.ID)})
	}
	return list, err
}

// endedList lists a person's matches that have ended, the newest first.
func (h *Handlers) endedList(ctx context.Context, r *interaction.Request) (list []discord.Choice, err error) {
	latest, err := h.Browse.LatestEnded(ctx, r.Person.ID, searchedEnded)
	for _, m := range latest {
		if g, ok := h.Games.Lookup(m.Game); ok {
			list = append(list, discord.Choice{Name: message.EndedLine(r.Say, g, h.Host.Levels(m.Game), m, r.Person.ID), Value: int64(m.ID)})
		}
	}
	return list, err
}
