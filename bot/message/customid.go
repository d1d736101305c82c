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

// confirmID is the custom ID of the button that plays a turn. ok is false if
// the turn is too long for it.
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

// saltedID is a custom ID that differs at every redraw of the panel: clients
// send nothing when the same option of the same menu is picked twice.
func saltedID(v *host.View, verb, salt, rest string) string {
	return matchID(v.Record.ID, v.Match.Seq(), verb) + "/" + salt + rest
}

func pickID(v *host.View, salt, path string) string { return saltedID(v, "pick", salt, "/"+path) }

// opponentID is the custom ID of a game offered to a person. It carries as much
// of their name as there is room for, because a component does not say who
// somebody is; once they accept, their own name replaces it.
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
