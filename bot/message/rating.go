package message

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// ratingText returns a rating as people read it: a whole number, with a
// question mark while it is provisional.
func ratingText(say *catalogue.Printer, e storage.Estimate, provisional bool) string {
	key := "rating.settled"
	if provisional {
		key = "rating.provisional"
	}
	return say.T(key, "Rating", wholeRating(e.Mean))
}

func wholeRating(rating float64) string { return strconv.Itoa(int(math.Round(rating))) }

// changeText returns how a match changed a rating: "1500? → 1612?".
func changeText(say *catalogue.Printer, c storage.RatingChange) string {
	return say.T("rating.change",
		"Before", ratingText(say, c.Before, host.IsProvisional(c.Before)),
		"After", ratingText(say, c.After, host.IsProvisional(c.After)))
}

// ratingChanges returns a line with people's changes of rating, empty if the
// match was unrated.
func ratingChanges(say *catalogue.Printer, v *host.View) string {
	var all []string
	key, note := "rating.line", ""
	for _, c := range v.RatingChanges {
		if c.List == storage.ComputerList {
			key = "rating.computer"
		}
		if host.IsComputer(v.Person(engine.Seat(c.Seat))) {
			continue // its rating is fixed
		}
		if host.IsProvisional(c.After) {
			note = "\n" + say.T("rating.note")
		}
		all = append(all, markedPlayer(say, v, engine.Seat(c.Seat))+" "+changeText(say, c))
	}
	switch {
	case v.TooShort():
		return "\n-# " + say.T("rating.short", "Turns", host.LeastTurns(v.Match))
	case len(all) == 0:
		return ""
	}
	return "\n" + say.T(key, "Changes", strings.Join(all, " · ")) + repeated(say, v.RatingChanges) + note
}

// repeated returns a line if the match counted less because its people have met
// often lately, or "".
func repeated(say *catalogue.Printer, changes []storage.RatingChange) string {
	less := func(c storage.RatingChange) bool { return c.Weight < 1 }
	switch {
	case !slices.ContainsFunc(changes, less):
		return ""
	case len(changes) > 2:
		return "\n" + say.T("rating.repeated.some", "Full", host.FullMatches)
	}
	halvings := -math.Ilogb(changes[0].Weight)
	return "\n" + say.T("rating.repeated", "Share", fmt.Sprintf("1/%d", int64(1)<<halvings), "Number", host.FullMatches+halvings)
}
