package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// What organisers do in their guild. The caller has checked that the person is one. Each
// use case records an act in the same transaction, and fails with ErrNoMatch or
// ErrNoChallenge for what belongs to another guild.

// RevertWithin is how long a decision of an organiser can be taken back.
const RevertWithin = 10 * time.Minute

// VoidWithin is how long after its end a result can be taken out of the ratings. All
// matches that depend on it are rated again.
const VoidWithin = 14 * 24 * time.Hour

// Errors of organisers.
var (
	ErrOwnMatch   = errors.New("organisers decide nothing about matches that they play")
	ErrRevertLate = errors.New("the decision is too old to be taken back")
	ErrVoidLate   = errors.New("the match ended too long ago")
	ErrNotRated   = errors.New("the match has changed no ratings")
	ErrFrozen     = errors.New("the clocks stand still already")
	ErrNotFrozen  = errors.New("the clocks are going")
)

// StartFor starts a match for the opponents of a proposal, who are at least two people,
// at once. It fails like CreateChallenge, with ErrOwnMatch if the organiser is among them,
// and with ErrCannotJoin if one of them has blocked another.
func (h *Host) StartFor(ctx context.Context, a Actor, p Proposal) (ch storage.Challenge, err error) {
	if contains(p.Opponents, a.Person) {
		return ch, &Refusal{Err: ErrOwnMatch}
	}
	if len(p.Opponents) < 2 {
		return ch, &Refusal{Err: ErrTooFewPlayers}
	}
	game, ok := h.games.Lookup(p.Game)
	if !ok {
		return ch, &Refusal{Err: ErrUnknownGame}
	}
	p.First, p.Seats, p.forOthers = FirstRandom, len(p.Opponents), true
	asked := p
	asked.Opponents = p.Opponents[1:]
	options, err := h.checkProposal(asked, game, p.Opponents[0])
	if err != nil {
		return ch, &Refusal{Err: err}
	}
	var v *View
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if processed != nil {
			v = nil // of an earlier run
			ch, err = tx.Challenge(processed.Challenge)
			return err
		}
		if ch, v, err = h.insertChallenge(tx, a, p, options); err != nil {
			return err
		}
		return h.addAct(tx, a, storage.Act{Kind: storage.ActStart, Target: storage.MatchTarget(ch.Match)})
	})
	_, err = h.remember(v, err)
	return ch, err
}

// addAct records an act of an organiser, with the present time unless it has one.
func (h *Host) addAct(tx storage.AuditStore, a Actor, act storage.Act) error {
	act.Guild, act.Operator = a.Place.Guild, a.Person.ID
	if act.At.IsZero() {
		act.At = h.Now()
	}
	return tx.AddAct(act)
}

// Adjudicate ends a running match. It fails with ErrOwnMatch, ErrTimeUp or an error of
// match.Adjudicate.
func (h *Host) Adjudicate(ctx context.Context, a Actor, id storage.MatchID, verdict match.Verdict) (*View, error) {
	return h.organise(ctx, a, id, func(tx storage.Tx, v *View, d decided) (*View, error) {
		if _, over := v.Match.Over(); !over {
			if err := h.checkTime(tx, a, v); err != nil {
				return nil, err
			}
		}
		entries, err := v.Match.Adjudicate(verdict, d.cause)
		if err != nil {
			return nil, v.refuse(err)
		}
		return d.append(v, entries, storage.Act{Kind: storage.ActAdjudicate, Note: string(verdict)})
	})
}

// CheckVoid returns why the result of a match cannot be taken out of the ratings:
// match.ErrNoVoid, ErrNotRated or ErrVoidLate.
func (v *View) CheckVoid() error {
	out, over := v.Match.Over()
	switch {
	case !over || v.Match.Voided():
		return match.ErrNoVoid
	case len(v.RatingChanges) == 0:
		return ErrNotRated
	case v.ReadAt.Sub(out.At) > VoidWithin:
		return ErrVoidLate
	}
	return nil
}

// Void takes the result of a match out of the ratings. It fails with ErrOwnMatch or an
// error of View.CheckVoid.
func (h *Host) Void(ctx context.Context, a Actor, id storage.MatchID) (*View, error) {
	return h.organise(ctx, a, id, func(tx storage.Tx, v *View, d decided) (*View, error) {
		err := v.CheckVoid()
		if err != nil {
			return nil, v.refuse(err)
		}
		entries, err := v.Match.Void(d.cause)
		if err != nil {
			return nil, v.refuse(err)
		}
		after, err := d.append(v, entries, storage.Act{Kind: storage.ActVoid})
		if err != nil {
			return nil, err
		}
		return after, h.rateAfresh(tx, after)
	})
}

// CheckRevert returns why entry seq of a match cannot be taken back: match.ErrNoRevert or
// ErrRevertLate.
func (v *View) CheckRevert(seq int) error {
	last, ok := v.Match.ByOrganiser(seq)
	switch {
	case !ok || last.Kind == match.KindRevert || seq != v.Match.Seq():
		return match.ErrNoRevert
	case v.ReadAt.Sub(last.At) > RevertWithin:
		return ErrRevertLate
	}
	return nil
}

// Revert takes back entry seq of a match, which was adjudicated or taken out of the
// ratings by it. A match that was adjudicated goes on, with the time that each player had;
// what was prepared or offered is gone. Revert fails with ErrOwnMatch or an error of
// View.CheckRevert.
func (h *Host) Revert(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.organise(ctx, a, id, func(tx storage.Tx, v *View, d decided) (*View, error) {
		if err := v.CheckRevert(seq); err != nil {
			return nil, v.refuse(err)
		}
		entries, err := v.Match.Revert(d.cause)
		if err != nil {
			return nil, v.refuse(err)
		}
		act := storage.Act{Kind: storage.ActRevert}
		if entry, _ := v.Match.ByOrganiser(seq); entry.Kind == match.KindVoid {
			after, err := d.append(v, entries, act)
			if err != nil {
				return nil, err
			}
			return after, h.rateAfresh(tx, after)
		}
		if v, err = h.reopen(tx, v); err != nil {
			return nil, err
		}
		after, err := d.append(v, entries, act)
		if err != nil {
			return nil, err
		}
		return after, reviseThreadChallenge(tx, after.Record)
	})
}

// reopen removes what the end of a match has changed besides its log. It returns the view
// of the running match.
func (h *Host) reopen(tx storage.Tx, v *View) (*View, error) {
	if err := h.replaceRatings(tx, v.Record, nil); err != nil {
		return nil, err
	}
	if err := tx.ReopenMatch(v.Record.ID); err != nil {
		return nil, err
	}
	if v.Timed() {
		if err := recordContact(tx, h.Now()); err != nil {
			return nil, err
		}
	}
	return h.view(tx, v.Record.ID)
}

// decided is what a use case of organise needs to append entries.
type decided struct {
	cause  match.Cause
	append func(*View, []match.Entry, storage.Act) (*View, error)
}

// organise carries out a decision of an organiser about a match. do calls append once,
// before it changes anything else that a second run would repeat.
func (h *Host) organise(ctx context.Context, a Actor, id storage.MatchID, do func(storage.Tx, *View, decided) (*View, error)) (*View, error) {
	return h.withNewBoard(ctx, func(failIfDue func(*View) error) (*View, error) {
		return h.onMatch(ctx, a, id, func(tx storage.Tx, before *View) (*View, error) {
			switch {
			case before.Record.Place.Guild == "" || before.Record.Place.Guild != a.Place.Guild:
				return nil, &Refusal{Err: ErrNoMatch}
			case before.SeatOf(a.Person.ID) != engine.Nobody:
				return nil, before.refuse(ErrOwnMatch)
			}
			// The log does not say who it was, so that they can be forgotten.
			cause, _ := h.cause(Actor{Interaction: fmt.Sprintf("organiser-%d-%d", id, before.Match.Seq())}, before)
			return do(tx, before, decided{cause, func(v *View, entries []match.Entry, act storage.Act) (*View, error) {
				if err := failIfDue(v); err != nil {
					return nil, err
				}
				act.At, act.Target = cause.At, storage.MatchTarget(id)
				if err := h.addAct(tx, a, act); err != nil {
					return nil, err
				}
				act.Operator = a.Person.ID
				acting := *v
				acting.acts = append(slices.Clip(v.acts), act)
				return h.appendEntries(tx, &acting, entries, cause, &a)
			}})
		})
	})
}

// OrganiserOf returns the identifier of the organiser who made entry seq of the match;
// empty if none did.
func (v *View) OrganiserOf(seq int) string {
	n := 0
	for s := 1; s <= seq; s++ {
		if _, ok := v.Match.ByOrganiser(s); ok {
			n++
		}
	}
	// Every decision has its act, in the same order.
	acts := slices.DeleteFunc(slices.Clone(v.acts), func(a storage.Act) bool { return a.Kind == storage.ActStart })
	if _, ok := v.Match.ByOrganiser(seq); !ok || n > len(acts) {
		return ""
	}
	return acts[n-1].Operator
}

// rateAfresh rates a match again that has ended, and all that depend on it. It sets the
// rating changes of the view.
func (h *Host) rateAfresh(tx storage.Tx, v *View) (err error) {
	var changes []storage.RatingChange
	if changesRatings(v.Record, v.Match, v.Record.Results) {
		if changes, err = h.rateStored(tx, v.Record); err != nil {
			return err
		}
	}
	v.RatingChanges = changes
	return h.replaceRatings(tx, v.Record, changes)
}

// rateStored returns the rating changes of a rated match that ended some time ago.
func (h *Host) rateStored(tx storage.RatingReader, rec storage.Match) ([]storage.RatingChange, error) {
	var current []storage.Rating
	list := ratingList(rec)
	for _, p := range people(rec.Seats) {
		c, err := tx.RatingBefore(rec.Game, list, p.ID, rec.EndNumber)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			current = append(current, storage.Rating{Person: p, Estimate: c.After, At: c.At})
		}
	}
	met, err := tx.RatedMeetings(rec.ID, list, rec.EndedAt.Add(-rating.Repeat))
	return rateSeats(rec, rec.Results, h.levelRating, pastOf(current, met)), err
}

// replaceRatings replaces the rating changes of a match, and rates again the later
// matches of its people, of those whom they met in them, and so on.
func (h *Host) replaceRatings(tx storage.Tx, rec storage.Match, changes []storage.RatingChange) error {
	if err := tx.ReplaceRatingChanges(rec.ID, changes); err != nil {
		return err
	}
	later, known := map[int]storage.MatchID{}, map[string]bool{}
	add := func(m storage.Match) error {
		for _, p := range people(m.Seats) {
			if known[p.ID] {
				continue
			}
			known[p.ID] = true
			all, err := tx.RatedAfter(rec.Game, ratingList(rec), p.ID, m.EndNumber)
			if err != nil {
				return err
			}
			for _, r := range all {
				later[r.EndNumber] = r.Match
			}
		}
		return nil
	}
	err := add(rec)
	for err == nil && len(later) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(later)))
		id := later[first]
		delete(later, first)
		next, readErr := tx.Match(id)
		if readErr != nil {
			return readErr
		}
		if changes, err = h.rateStored(tx, next); err != nil {
			return err
		}
		if err = tx.ReplaceRatingChanges(id, changes); err == nil {
			err = add(next)
		}
	}
	return err
}

// WithdrawChallenge cancels an open challenge of others. It fails with ErrNoChallenge,
// ErrExpired or ErrAnswered.
func (h *Host) WithdrawChallenge(ctx context.Context, a Actor, id storage.ChallengeID) (ch storage.Challenge, err error) {
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if ch, err = challenge(tx, id); err != nil || processed != nil {
			return err
		}
		switch {
		case ch.Place.Guild == "" || ch.Place.Guild != a.Place.Guild:
			return &Refusal{Err: ErrNoChallenge}
		case expired(ch, h.Now()):
			return &Refusal{Err: ErrExpired, Challenge: &ch}
		case ch.State != storage.ChallengeOpen:
			return &Refusal{Err: ErrAnswered, Challenge: &ch}
		}
		if err := tx.ResolveChallenge(id, storage.ChallengeCancelled, 0, h.Now()); err != nil {
			return err
		}
		if err := h.addAct(tx, a, storage.Act{Kind: storage.ActWithdraw, Target: storage.ChallengeTarget(id)}); err != nil {
			return err
		}
		if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: a.Interaction, At: h.Now(), Challenge: id}); err != nil {
			return err
		}
		ch, err = tx.Challenge(id)
		return err
	})
	return ch, err
}

// WithdrawnBy returns the identifier of the organiser who has withdrawn a challenge; empty
// if none has.
func (h *Host) WithdrawnBy(ctx context.Context, id storage.ChallengeID) (string, error) {
	acts, err := Read(ctx, h, func(r storage.Reader) ([]storage.Act, error) { return r.ActsOn(storage.ChallengeTarget(id)) })
	if err != nil || len(acts) == 0 {
		return "", err
	}
	return acts[0].Operator, nil
}

// A freeze stops the clocks of all matches of a guild. It is nothing but its act.

// Freeze is a time in which the clocks of a guild stand still.
type Freeze struct {
	By          string // the organiser
	From, Until time.Time
}

// freezesOf returns the freezes that the acts of a guild began, and perhaps ended early.
func freezesOf(acts []storage.Act) (all []Freeze) {
	for _, a := range acts {
		hours, err := strconv.Atoi(a.Note)
		if a.Kind == storage.ActFreeze && err == nil {
			all = append(all, Freeze{a.Operator, a.At, a.At.Add(time.Duration(hours) * time.Hour)})
		}
		for i := range all {
			if a.Kind == storage.ActThaw && a.At.Before(all[i].Until) {
				all[i].Until = a.At
			}
		}
	}
	return slices.DeleteFunc(all, func(f Freeze) bool { return !f.From.Before(f.Until) })
}

// freezes returns the freezes of a guild that can still last.
func (h *Host) freezes(r storage.AuditReader, guild string) ([]storage.Act, error) {
	if guild == "" {
		return nil, nil
	}
	return r.Freezes(guild, h.Now().Add(-storage.MaxFreeze))
}

// frozenAt returns the freeze at a time; its Until is zero if there is none.
func frozenAt(acts []storage.Act, now time.Time) (last Freeze) {
	for _, f := range freezesOf(acts) {
		if !now.Before(f.From) && now.Before(f.Until) {
			last = f
		}
	}
	return last
}

// Frozen returns the freeze in which the clocks of the match stood still when the view was
// made; its Until is zero if there is none.
func (v *View) Frozen() Freeze { return frozenAt(v.freezes, v.ReadAt) }

// ThawedBy returns the organiser who has set the clocks going in the open turn, before a
// freeze was to end; empty if none has.
func (v *View) ThawedBy() string {
	if n := len(v.freezes); n > 0 && v.freezes[n-1].Kind == storage.ActThaw && !v.freezes[n-1].At.Before(v.Since()) {
		return v.freezes[n-1].Operator
	}
	return ""
}

// Frozen returns the present freeze of a guild; its Until is zero if there is none.
func (h *Host) Frozen(ctx context.Context, guild string) (Freeze, error) {
	acts, err := Read(ctx, h, func(r storage.Reader) ([]storage.Act, error) { return h.freezes(r, guild) })
	return frozenAt(acts, h.Now()), err
}

// SetFrozen stops the clocks of a guild for some hours, at most storage.MaxFreeze, or with
// none sets them going. The boards of its matches with a clock are edited; it returns how
// many there are. It fails with ErrFrozen or ErrNotFrozen.
func (h *Host) SetFrozen(ctx context.Context, a Actor, hours int) (matches int, err error) {
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if matches = 0; processed != nil {
			return nil
		}
		acts, err := h.freezes(tx, a.Place.Guild)
		frozen := !frozenAt(acts, h.Now()).Until.IsZero()
		act := storage.Act{Kind: storage.ActThaw}
		switch {
		case err != nil:
			return err
		case hours > 0 && frozen:
			return &Refusal{Err: ErrFrozen}
		case hours > 0:
			act.Kind, act.Note = storage.ActFreeze, strconv.Itoa(min(hours, int(storage.MaxFreeze/time.Hour)))
		case !frozen:
			return &Refusal{Err: ErrNotFrozen}
		}
		if err := h.addAct(tx, a, act); err != nil {
			return err
		}
		if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: a.Interaction, At: h.Now()}); err != nil {
			return err
		}
		matches, err = h.showFrozen(tx, a.Place.Guild)
		return err
	})
	return matches, err
}

// showFrozen has the boards of the matches of a guild edited whose clocks have stopped or
// go on, and judges again when to look at the matches.
func (h *Host) showFrozen(tx storage.Tx, guild string) (n int, err error) {
	records, err := tx.AllRunning()
	for _, rec := range records {
		if rec.Place.Guild != guild || rec.Clock == "" {
			continue
		}
		v, err := h.view(tx, rec.ID)
		if isBroken(err) {
			continue
		}
		if err == nil {
			err = h.insertBoard(tx, v, storage.Board{Edit: true})
		}
		if err == nil {
			err = tx.SetCheckAt(rec.ID, v.checkAt())
		}
		if err != nil {
			return n, err
		}
		h.committed(v)
		n++
	}
	return n, err
}

// Acts returns what the organisers of a guild have done since a time, in order.
func (h *Host) Acts(ctx context.Context, guild string, since time.Time) ([]storage.Act, error) {
	return Report(ctx, h, func(r storage.Reader) ([]storage.Act, error) { return r.Acts(guild, since) })
}

// ToOrganise lists what organisers can decide about in a channel.
type ToOrganise struct {
	Running    []*View
	Last       *View // the match that ended last; nil if none did, or if it cannot be read
	Challenges []storage.Challenge
}

// ToOrganise returns what organisers can decide about in a channel.
func (h *Host) ToOrganise(ctx context.Context, place storage.Place) (t ToOrganise, err error) {
	return Read(ctx, h, func(r storage.Reader) (t ToOrganise, err error) {
		read := func(id storage.MatchID) (*View, error) {
			v, err := h.view(r, id)
			if isBroken(err) {
				return nil, nil
			}
			return v, err
		}
		records, err := r.RunningInChannel(place.Channel)
		if err != nil {
			return t, err
		}
		for _, rec := range records {
			v, err := read(rec.ID)
			if err != nil {
				return t, err
			}
			if v != nil {
				t.Running = append(t.Running, v)
			}
		}
		last, err := r.LastEnded("", place.Channel)
		if err == nil {
			t.Last, err = read(last.ID)
		}
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return t, err
		}
		open, err := r.OpenChallenges("")
		t.Challenges = slices.DeleteFunc(open, func(ch storage.Challenge) bool { return ch.Place != place || expired(ch, h.Now()) })
		return t, err
	})
}
