package bot

import (
	"context"
	"errors"
	"strings"

	"castellan/bot/host"
	"castellan/engine"
)

// Errors of looking for the match that a command is about.
var errNoneHere = errors.New("the person has no match in this channel")

// severalError says that a person must name one of several matches.
type severalError struct{ views []*host.View }

func (e *severalError) Error() string { return "several matches fit" }

// named is the match that a command names; nil where it names none. One that
// the person does not play in is only found in its own channel.
func (b *Bot) named(ctx context.Context, r *Request) (*host.View, error) {
	id, given, err := r.match()
	if err != nil || !given {
		return nil, err
	}
	v, err := b.host.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	if v.SeatOf(r.Person.ID) == engine.Nobody && v.Record.Place.Channel != r.Place.Channel {
		return nil, &host.Refusal{Err: host.ErrNoMatch}
	}
	return v, nil
}

// findToMove is the match in which a person wants to move: the one they name,
// the only one of this channel that waits for them, the one that they play
// here although it is not their turn, or the only one that waits elsewhere.
func (b *Bot) findToMove(ctx context.Context, r *Request) (*host.View, error) {
	if v, err := b.named(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := b.runningHere(ctx, r)
	if err != nil {
		return nil, err
	}
	here = playedBy(here, r.Person.ID)
	var waiting []*host.View
	for _, v := range here {
		if p, ok := v.ToMove(); ok && p.ID == r.Person.ID {
			waiting = append(waiting, v)
		}
	}
	switch {
	case len(waiting) == 1:
		return waiting[0], nil
	case len(waiting) > 1:
		return nil, &severalError{waiting}
	case len(here) > 0:
		return here[0], nil
	}
	return b.waitingElsewhere(ctx, r)
}

// runningHere is a person's matches of this channel that have not ended; outside
// servers, where they play none, those of all channels.
func (b *Bot) runningHere(ctx context.Context, r *Request) ([]*host.View, error) {
	here, err := b.host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err == nil && len(here) == 0 && r.Place.Guild == "" {
		return b.host.Running(ctx, r.Person.ID, "")
	}
	return here, err
}

// waitingElsewhere is the only match of the server that waits for a person, or
// the only one of all where they ask outside servers: of a match in a thread
// people speak in its channel, too.
func (b *Bot) waitingElsewhere(ctx context.Context, r *Request) (*host.View, error) {
	all, err := b.host.Running(ctx, r.Person.ID, "")
	if err != nil {
		return nil, err
	}
	var waiting []*host.View
	for _, v := range all {
		p, ok := v.ToMove()
		if ok && p.ID == r.Person.ID && (r.Place.Guild == "" || r.Place.Guild == v.Record.Place.Guild) {
			waiting = append(waiting, v)
		}
	}
	switch len(waiting) {
	case 0:
		return nil, errNoneHere
	case 1:
		return waiting[0], nil
	}
	return nil, &severalError{waiting}
}

// findOwn is the match that a person plays: the one they name or the only one
// of this channel.
func (b *Bot) findOwn(ctx context.Context, r *Request) (*host.View, error) {
	if v, err := b.named(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := b.runningHere(ctx, r)
	here = playedBy(here, r.Person.ID)
	switch {
	case err != nil:
		return nil, err
	case len(here) == 1:
		return here[0], nil
	case len(here) > 1:
		return nil, &severalError{here}
	}
	return nil, errNoneHere
}

// findToShow is the match whose board a person wants to see: the one they
// name, the newest of their own in this channel, or the newest of anybody.
func (b *Bot) findToShow(ctx context.Context, r *Request) (*host.View, error) {
	if v, err := b.named(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := b.runningHere(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(here) > 0 {
		return b.host.Match(ctx, here[0].Record.ID)
	}
	v, err := b.host.NewestIn(ctx, r.Place.Channel)
	if errors.Is(err, host.ErrNoMatch) {
		return nil, errNoneHere
	}
	return v, err
}

// longestList is how many matches a list shows. With the longest names of six
// people a line each still fits a message.
const longestList = 8

// list is several matches, a line each.
func list(r *Request, views []*host.View) string {
	var lines []string
	for _, v := range views[:min(len(views), longestList)] {
		lines = append(lines, "- "+escape(matchInWords(r, v)))
	}
	if len(views) > longestList {
		lines = append(lines, "- …")
	}
	return strings.Join(lines, "\n")
}
