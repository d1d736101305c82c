package host

import (
	"strconv"
	"time"

	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// newAccountAge is the age up to which an account counts as new.
const newAccountAge = 30 * 24 * time.Hour

// isNewAccount reports whether an account was new at a time. The upper bits of its ID
// are the milliseconds from the beginning of 2015 to when it was made
// (https://docs.discord.com/developers/reference#snowflakes).
func isNewAccount(id string, at time.Time) bool {
	n, err := strconv.ParseUint(id, 10, 64)
	made := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n>>22) * time.Millisecond)
	return err == nil && at.Sub(made) < newAccountAge
}

// newAccounts returns the seats of people with new accounts, see storage.Match.
func newAccounts(seats []storage.Person, at time.Time) (all uint8) {
	for i, p := range seats {
		if p.Level == "" && isNewAccount(p.ID, at) {
			all |= 1 << i
		}
	}
	return all
}

const (
	// manyResignations is how many people resign early to one person within
	// rating.Repeat before that is reported.
	manyResignations = 5
	// lookedAt is how many matches of the person are looked at.
	lookedAt = 50
	// fewTurns stands for the usual turns of a game that does not know them.
	fewTurns = 10
)

// noteShortResignations logs and counts a match if so many have resigned early to its
// winner lately that they may be accounts made for that. An operator can look at the
// matches; nothing else happens.
func (h *Host) noteShortResignations(r storage.MatchReader, rec storage.Match) error {
	loser, winner := h.shortResignation(rec)
	if loser == "" {
		return nil
	}
	recent, _, err := r.EndedMatches(winner, 0, lookedAt)
	losers := map[string]bool{loser: true}
	for _, other := range recent {
		if l, w := h.shortResignation(other); w == winner && rec.EndedAt.Sub(other.EndedAt) < rating.Repeat {
			losers[l] = true
		}
	}
	if len(losers) < manyResignations || err != nil {
		return err
	}
	if _, known := h.suspicious.LoadOrStore(rec.ID, true); !known {
		h.log.Warn("many people have resigned early to the winner of this match: look at it, and at the winner's matches before",
			"match", rec.ID, "guild", rec.Place.Guild, "people", len(losers))
	}
	return nil
}

// shortResignation returns who resigned a rated match of two people before half of a
// usual match, and to whom, or nobody. The log tells how long it was: every turn has
// at least one entry.
func (h *Host) shortResignation(rec storage.Match) (loser, winner string) {
	g, ok := h.games.Lookup(rec.Game)
	if !ok || rec.Ending != string(match.ByResignation) || rec.Unrated || len(rec.Results) != 2 || ratingList(rec) != storage.PeopleList {
		return "", ""
	}
	options, err := g.Options().Parse(rec.Options)
	if err != nil || rec.Seq > max(usualTurns(g, options, 2), fewTurns)/2 {
		return "", ""
	}
	if rec.Results[0].Result == storage.Won {
		return rec.Seats[1].ID, rec.Seats[0].ID
	}
	return rec.Seats[0].ID, rec.Seats[1].ID
}
