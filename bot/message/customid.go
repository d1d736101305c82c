package message

import (
	"fmt"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Custom IDs are paths: routes with their parameters filled in.

func actionID(match storage.MatchID, seq int, a engine.Action) string {
	return fmt.Sprintf("match/%d/%d/act/%s", match, seq, a)
}

func matchID(match storage.MatchID, seq int, verb string) string {
	return fmt.Sprintf("match/%d/%d/%s", match, seq, verb)
}

func challengeID(challenge storage.ChallengeID, verb string) string {
	return fmt.Sprintf("challenge/%d/%s", challenge, verb)
}

// rulesID takes the reference of a game (see engine.Registry.Ref).
func rulesID(ref string, page int) string { return fmt.Sprintf("rules/%s/%d", ref, page) }

func helpID(level string) string { return "help/" + level }

// confirmID returns the custom ID of the button that plays a turn. ok is false if
// the turn is too long for a custom ID.
func confirmID(v *host.View, turn string) (id string, ok bool) {
	id = matchID(v.Record.ID, v.Match.Seq(), "confirm") + "/" + discord.Plain(turn)
	return id, len(id) <= discord.MaxCustomID
}

// Paths in the custom IDs of the panel that name no step: a menu, whose value
// names the path, and the way back to the first step. No step begins with a
// dot.
const (
	MenuPath  = ".menu"
	StartPath = ".none"
)

// saltedID returns a custom ID that differs at every redraw of the panel, because
// clients send nothing when the same option of the same menu is picked twice.
func saltedID(v *host.View, verb, salt, rest string) string {
	return matchID(v.Record.ID, v.Match.Seq(), verb) + "/" + salt + rest
}

// ZoomParts is the number of parts of a large board, see imaging.Scene. The last
// one is the middle.
const ZoomParts = 5

func zoomID(p PanelState, part int) string {
	return saltedID(p.View, "zoom", p.Salt, fmt.Sprint("/", part))
}

func pickID(v *host.View, salt, path string) string { return saltedID(v, "pick", salt, "/"+path) }

// opponentID returns the custom ID of the button that challenges a person to a
// game. It contains as much of their name as there is room for, because an
// interaction with a component does not resolve users. When the person accepts,
// the name from that interaction replaces it.
func opponentID(game string, p storage.Person) string {
	id := fmt.Sprintf("duel/%s/%s/", game, p.ID)
	room := discord.MaxCustomID - len(id)
	if len(p.Name) <= room {
		return id + p.Name
	}
	name := ""
	for i := range p.Name {
		if i <= room {
			name = p.Name[:i]
		}
	}
	return id + strings.TrimSpace(name)
}
