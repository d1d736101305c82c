package bot

import (
	"math"
	"strconv"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// ratingText is a rating as people read it: a whole number, and a question
// mark while it is provisional.
func ratingText(say *catalogue.Printer, f storage.Estimate, provisional bool) string {
	key := "rating.settled"
	if provisional {
		key = "rating.provisional"
	}
	return say.T(key, "Rating", strconv.Itoa(int(math.Round(f.Mean))))
}

// changeText is what a match did to a rating: "1500? → 1612?".
func changeText(say *catalogue.Printer, c storage.RatingChange) string {
	return say.T("rating.change",
		"Before", ratingText(say, c.Before, host.IsProvisional(c.Before)),
		"After", ratingText(say, c.After, host.IsProvisional(c.After)))
}

// ratingsLine is what a match did to everybody's rating, a line below the
// outcome; empty where it was not rated.
func ratingsLine(say *catalogue.Printer, v *host.View) string {
	var all []string
	for _, c := range v.Changes {
		all = append(all, marked(v, engine.Seat(c.Seat))+" "+changeText(say, c))
	}
	if len(all) == 0 {
		return ""
	}
	return "\n" + say.T("rating.line", "Changes", strings.Join(all, " · "))
}

// listedName is how much of a name stands in lists, where many must have
// room in the 4,000 characters of a message.
const listedName = 20

// nameText is a name in a list, within markdown.
func nameText(p storage.Person) string {
	name := []rune(plain(p.Name))
	if len(name) > listedName {
		return escape(strings.TrimSpace(string(name[:listedName-1]))) + "…"
	}
	return escape(string(name))
}
