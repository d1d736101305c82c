package bot

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

// ambiguousError reports that a person must name one of several matches.
type ambiguousError struct{ views []*host.View }

func (e *ambiguousError) Error() string { return "several matches fit" }

// playable returns the match in which a person can play a turn, or nil if there
// is not exactly one.
func (e *ambiguousError) playable(person, text string) (only *host.View) {
	for _, v := range e.views {
		seat := v.SeatOf(person)
		if _, _, err := v.Match.Try(seat, v.Match.Read(seat, text), match.Moment{}); err != nil {
			continue
		}
		if only != nil {
			return nil
		}
		only = v
	}
	return only
}

// namedMatch returns the match that an option or a custom ID names, nil if none
// is named. It fails with host.ErrNoMatch if the person may not find it.
func (h *handlers) namedMatch(ctx context.Context, r *interaction.Request) (*host.View, error) {
	id, given, err := r.Match()
	if err != nil || !given {
		return nil, err
	}
	v, err := h.host.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	if !mayFind(r, v) {
		return nil, &host.Refusal{Err: host.ErrNoMatch}
	}
	return v, nil
}

// mayFind reports whether a person may find a match by its number: everywhere
// if they play in it, otherwise in its own channel only.
func mayFind(r *interaction.Request, v *host.View) bool {
	return v.SeatOf(r.Person.ID) != engine.Nobody || v.Record.Place.Channel == r.Place.Channel
}

// matchToMove returns the match in which a person wants to move: the match they
// name, or the only match from runningHere that waits for them. If none waits for
// them, it returns the first that they play.
func (h *handlers) matchToMove(ctx context.Context, r *interaction.Request) (*host.View, error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := h.runningHere(ctx, r)
	if err != nil {
		return nil, err
	}
	here = stillPlaying(here, r.Person.ID)
	switch waiting := waitingFor(here, r.Person.ID); {
	case len(waiting) == 1:
		return waiting[0], nil
	case len(waiting) > 1:
		return nil, &ambiguousError{waiting}
	case len(here) > 0:
		return here[0], nil
	}
	return nil, errNoMatchHere
}

// runningHere returns a person's running matches of this channel and of the
// threads in it. If there are none and the channel is no thread, it returns those
// of the guild; outside guilds, those of all channels. In the thread of a match of
// theirs that has ended, it fails with match.ErrOver.
func (h *handlers) runningHere(ctx context.Context, r *interaction.Request) ([]*host.View, error) {
	here, err := h.host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err != nil || len(here) > 0 {
		return here, err
	}
	if r.Permissions&discord.InThread != 0 {
		ended, err := h.browse.LastEnded(ctx, r.Person.ID, r.Place.Channel)
		if errors.Is(err, host.ErrNoFinishedMatch) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		return nil, &host.Refusal{Err: match.ErrOver, View: ended}
	}
	all, err := h.host.Running(ctx, r.Person.ID, "")
	return slices.DeleteFunc(all, func(v *host.View) bool {
		return r.Place.Guild != "" && r.Place.Guild != v.Record.Place.Guild
	}), err
}

// only returns the single match of a list. It fails with errNoMatchHere or an
// *ambiguousError.
func only(views []*host.View) (*host.View, error) {
	switch len(views) {
	case 0:
		return nil, errNoMatchHere
	case 1:
		return views[0], nil
	}
	return nil, &ambiguousError{views}
}

// waitingFor returns the matches in which it is a person's turn.
func waitingFor(views []*host.View, person string) (waiting []*host.View) {
	for _, v := range views {
		if v.WaitsFor(person) {
			waiting = append(waiting, v)
		}
	}
	return waiting
}

// stillPlaying returns the matches that a person has not left. If they have left
// all of them it returns all, so that the refusal can say so.
func stillPlaying(views []*host.View, person string) []*host.View {
	var playing []*host.View
	for _, v := range views {
		if v.Match.Playing(v.SeatOf(person)) {
			playing = append(playing, v)
		}
	}
	if len(playing) == 0 {
		return views
	}
	return playing
}

// ownMatch returns the match that a person names, or else the only match from
// runningHere.
func (h *handlers) ownMatch(ctx context.Context, r *interaction.Request) (*host.View, error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := h.runningHere(ctx, r)
	if err != nil {
		return nil, err
	}
	return only(stillPlaying(here, r.Person.ID))
}

// matchToClaim returns the match that a person names, or else the only match from
// runningHere that they could claim. If they could claim none, it returns the
// only match that they play.
func (h *handlers) matchToClaim(ctx context.Context, r *interaction.Request) (*host.View, error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := h.runningHere(ctx, r)
	if err != nil {
		return nil, err
	}
	var claimable []*host.View
	for _, v := range here {
		if v.CheckClaim(r.Person.ID) == nil {
			claimable = append(claimable, v)
		}
	}
	if len(claimable) == 0 {
		return only(stillPlaying(here, r.Person.ID))
	}
	return only(claimable)
}

// matchToShow returns the match whose board a person wants to see, with its
// boards: the match they name, their newest match in this channel, the newest
// match of anybody there, or theirs that ended there last.
func (h *handlers) matchToShow(ctx context.Context, r *interaction.Request) (*host.View, error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := h.runningHere(ctx, r)
	if err != nil && !errors.Is(err, match.ErrOver) {
		return nil, err
	}
	if len(here) > 0 {
		return h.host.Match(ctx, here[0].Record.ID)
	}
	v, err := h.host.NewestIn(ctx, r.Place.Channel)
	if errors.Is(err, host.ErrNoMatch) {
		v, err = h.browse.LastEnded(ctx, r.Person.ID, r.Place.Channel)
	}
	if errors.Is(err, host.ErrNoFinishedMatch) {
		return nil, errNoMatchHere
	}
	return v, err
}

// matchToRead returns the match whose record or replay a person wants: the match they
// name, their newest that runs in this channel, theirs that ended last there or else in
// the guild, or the one from matchToShow.
func (h *handlers) matchToRead(ctx context.Context, r *interaction.Request) (*host.View, error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := h.host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err != nil {
		return nil, err
	}
	for _, channel := range []string{r.Place.Channel, ""} {
		if len(here) > 0 {
			break
		}
		v, err := h.browse.LastEnded(ctx, r.Person.ID, channel)
		if err == nil && v.Record.Place.Guild == r.Place.Guild || err != nil && !errors.Is(err, host.ErrNoFinishedMatch) {
			return v, err
		}
	}
	return h.matchToShow(ctx, r)
}

// searchedEnded is how many of a person's ended matches the option match suggests
// from.
const searchedEnded = 100

// matchList returns some of a person's matches as suggestions.
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
			return interaction.Suggest([]discord.Choice{{Name: r.Say.T(none), Value: 1}}), nil
		}
		typed := strings.ToLower(r.Option("match"))
		fitting := slices.DeleteFunc(slices.Clone(all), func(c discord.Choice) bool { return !strings.Contains(strings.ToLower(c.Name), typed) })
		if len(fitting) == 0 { // a number that is none of theirs
			fitting = all
		}
		return interaction.Suggest(fitting), nil
	}
}

// runningList lists the matches that a person plays.
func (h *handlers) runningList(ctx context.Context, r *interaction.Request) (list []discord.Choice, err error) {
	views, err := h.host.Running(ctx, r.Person.ID, "")
	for _, v := range views {
		list = append(list, discord.Choice{Name: message.MatchLine(r.Say, v, r.Person.ID), Value: int64(v.Record.ID)})
	}
	return list, err
}

// endedList lists a person's matches that have ended, the newest first.
func (h *handlers) endedList(ctx context.Context, r *interaction.Request) (list []discord.Choice, err error) {
	latest, err := h.browse.LatestEnded(ctx, r.Person.ID, searchedEnded)
	for _, m := range latest {
		if g, ok := h.games.Lookup(m.Game); ok {
			list = append(list, discord.Choice{Name: message.EndedLine(r.Say, g, m, r.Person.ID), Value: int64(m.ID)})
		}
	}
	return list, err
}
