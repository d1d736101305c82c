package message

import (
	"bytes"
	"compress/gzip"
	"maps"
	"slices"
	"strings"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/storage"
)

// keptLines are the lines about what is kept of a person: the key of each, the
// table that it counts, and the others that it covers. Lines that count nothing are
// left out, except the first.
var keptLines = []struct {
	key, counted string
	covered      []string
}{
	{"privacy.matches", "", []string{"matches", "seats", "entries"}},
	{"privacy.challenges", "challenges", []string{"challenge_people"}},
	{"privacy.tournaments", "tournament_players", []string{"tournaments", "tournament_games"}},
	{"privacy.ratings", "ratings", []string{"rating_changes", "guild_players"}},
	{"privacy.prepared", "prepared", nil},
	{"privacy.vacations", "vacations", nil},
	{"privacy.blocks", "blocks", nil},
	{"privacy.chosen", "preferences", nil},
	{"privacy.language", "locales", nil},
	{"privacy.daily", "daily_messages", nil},
	{"privacy.audit", "audit", nil},
	{"privacy.departures", "departures", nil},
	{"privacy.requests", "processed_interactions", nil},
}

// Privacy says what is kept about a person, with buttons to export and to delete
// it. It mentions every table of the export.
func Privacy(say *catalogue.Printer, k account.Summary) discord.Message {
	lines := []string{say.T("privacy.title")}
	others := maps.Clone(k.Rows)
	for i, l := range keptLines {
		if n := k.Rows[l.counted]; n > 0 || i == 0 {
			lines = append(lines, say.T(l.key, "Number", n, "Running", k.Running, "Ended", k.Ended, "Open", k.Challenges))
		}
		for _, table := range append(l.covered, l.counted) {
			delete(others, table)
		}
	}
	for _, table := range slices.Sorted(maps.Keys(others)) {
		lines = append(lines, say.T("privacy.other", "Table", table, "Number", others[table]))
	}
	lines = append(lines, say.T("privacy.more"))
	return containerMessage(discord.TextDisplay{Content: strings.Join(lines, "\n")}, discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Primary, Label: say.T("privacy.export"), CustomID: "privacy/export"},
		{Style: discord.Danger, Label: say.T("privacy.delete"), CustomID: "privacy/ask"},
	}})
}

// maxExport is the size in bytes from which an export is compressed: Discord takes
// files of up to 10 MB.
const maxExport = 8 << 20

// PrivacyExport returns a message with the file of everything that is kept about a
// person.
func PrivacyExport(say *catalogue.Printer, data []byte) discord.Message {
	f := discord.File{Name: "castellan-data.json", ContentType: "application/json", Data: data}
	if len(data) > maxExport {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(data) // a buffer accepts everything
		_ = w.Close()
		f = discord.File{Name: f.Name + ".gz", ContentType: "application/gzip", Data: b.Bytes()}
	}
	return WithFile(discord.TextMessage(say.T("privacy.exported")), f)
}

// AskForget says what deleting a person's data does, and asks whether to do it.
func AskForget(say *catalogue.Printer, k account.Summary) discord.Message {
	return question(say.T("privacy.ask", "Running", k.Running, "Challenges", k.Challenges, "Ended", k.Ended),
		discord.Button{Style: discord.Danger, Label: say.T("privacy.yes"), CustomID: "privacy/forget"},
		discord.Button{Style: discord.Secondary, Label: say.T("privacy.no"), CustomID: "privacy/keep"})
}

// Blocked confirms that a person is blocked.
func Blocked(say *catalogue.Printer, p storage.Person) discord.Message {
	return question(say.T("block.done", "Who", Name(say, p)),
		discord.Button{Style: discord.Secondary, Label: say.T("block.undo"), CustomID: "block/remove/" + p.ID})
}

// Blocks lists whom a person has blocked, with a menu to unblock them. Of many it
// lists the last ones.
func Blocks(say *catalogue.Printer, blocks []storage.Block) discord.Message {
	if len(blocks) == 0 {
		return discord.TextMessage(say.T("block.none"))
	}
	menu := discord.StringSelect{CustomID: "block/remove", Placeholder: say.T("block.menu")}
	for _, b := range blocks[max(0, len(blocks)-discord.MaxSelectOptions):] {
		menu.Options = append(menu.Options, discord.SelectOption{Label: discord.Plain(b.Blocked.Name), Value: b.Blocked.ID})
	}
	return containerMessage(discord.TextDisplay{Content: say.T("block.list", "Number", len(blocks))}, menu)
}
