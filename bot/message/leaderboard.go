package message

import (
	"fmt"
	"strconv"
	"strings"

	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Scopes of a leaderboard.
const (
	ScopeServer     = "server"
	ScopeEverywhere = "everywhere"
)

// LeaderboardData is a page of a leaderboard with what its buttons lead to.
type LeaderboardData struct {
	browse.Leaders
	Scope   string
	InGuild bool // the person can see the list of a guild
	Games   []engine.Game
	Levels  []host.Level // of the computer; without any, there is no list against it
}

// Leaderboard returns a page of a leaderboard with buttons for the other pages,
// scopes, lists and games.
func Leaderboard(say *catalogue.Printer, d LeaderboardData) discord.Message {
	parts := []discord.Component{
		discord.TextDisplay{Content: say.T("leaders.title", "Game", listGameName(say, d.Game, d.List)) + "\n" +
			say.T("leaders.scope."+d.Scope, "Players", say.T("leaders.players", "Count", d.Total))},
		discord.Separator{},
		discord.TextDisplay{Content: leaderRows(say, d)},
	}
	if own := ownRow(say, d); own != "" {
		parts = append(parts, discord.Separator{}, discord.TextDisplay{Content: own})
	}
	notes := []string{say.T("leaders.note")}
	if d.Pages > 1 {
		notes = append(notes, say.T("leaders.page", "Page", d.Page, "Pages", d.Pages))
	}
	parts = append(parts, discord.TextDisplay{Content: "-# " + strings.Join(notes, " · ")})
	return containerMessage(append(parts, leaderButtons(say, d)...)...)
}

func leaderRows(say *catalogue.Printer, l LeaderboardData) string {
	if len(l.Rows) == 0 {
		return say.T("leaders.empty")
	}
	var lines []string
	for _, row := range l.Rows {
		lines = append(lines, leaderRow(say, l.Levels, row, l.OwnRow != nil && row.Person.ID == l.OwnRow.Person.ID))
	}
	return strings.Join(lines, "\n")
}

func leaderRow(say *catalogue.Printer, levels []host.Level, row storage.LeaderboardRow, own bool) string {
	key, place := "leaders.row", strconv.Itoa(row.Place)
	if own {
		key = "leaders.own"
	}
	if row.Provisional {
		place = say.T("leaders.unplaced")
	}
	for _, l := range levels {
		if host.ComputerPlayer(l.Key, "").ID == row.Person.ID {
			row.Person.Level = l.Key
		}
	}
	return say.T(key, "Place", place, "Who", listedName(say, levels, row.Person),
		"Rating", ratingText(say, row.Estimate, row.Provisional), "Matches", say.T("matches.count", "Count", row.Matches))
}

// ownRow returns the person's own row if it is not on the page.
func ownRow(say *catalogue.Printer, l LeaderboardData) string {
	if l.OwnRow == nil {
		return say.T("leaders.none")
	}
	for _, row := range l.Rows {
		if row.Person.ID == l.OwnRow.Person.ID {
			return ""
		}
	}
	return say.T("leaders.below") + "\n" + leaderRow(say, l.Levels, *l.OwnRow, true)
}

func leaderButtons(say *catalogue.Printer, d LeaderboardData) (rows []discord.Component) {
	id := func(verb, game string, list storage.RatingList, scope string, page int) string {
		return fmt.Sprintf("leaders/%s/%s/%s/%s/%d", verb, game, list, scope, page)
	}
	key := d.Game.Key()
	row := pageButtons(say, d.Page, d.Pages, func(page int) string { return id("page", key, d.List, d.Scope, page) })
	if len(d.Levels) > 0 {
		other := storage.ComputerList
		if d.List == other {
			other = storage.PeopleList
		}
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: say.T("leaders.list." + string(other)), CustomID: id("list", key, other, d.Scope, 1),
		})
	}
	if d.InGuild {
		other := ScopeEverywhere
		if d.Scope == other {
			other = ScopeServer
		}
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: say.T("leaders.see." + other), CustomID: id("scope", key, d.List, other, 1),
		})
	}
	if len(row.Buttons) > 0 {
		rows = append(rows, row)
	}
	if len(d.Games) > 1 {
		var buttons []discord.Button
		for _, g := range d.Games {
			buttons = append(buttons, choiceButton(gameName(say, g), id("game", g.Key(), d.List, d.Scope, 1), g.Key() == key))
		}
		rows = append(rows, discord.ButtonRows(buttons)...)
	}
	return rows
}
