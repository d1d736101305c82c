package message

import (
	"bytes"
	"compress/gzip"
	"strings"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/storage"
)

// ShowSummary shows what is kept about a person.
type ShowSummary func(*catalogue.Printer, account.Summary) discord.Message

// Privacy says what is kept about a person, with buttons to export and to delete
// it.
func Privacy(say *catalogue.Printer, k account.Summary) discord.Message {
	lines := []string{
		say.T("privacy.title"),
		say.T("privacy.matches", "Running", k.Running, "Ended", k.Ended),
		say.T("privacy.challenges", "Challenges", k.Challenges),
		say.T("privacy.ratings", "Ratings", k.Ratings),
		say.T("privacy.blocks", "Blocks", k.Blocks),
	}
	if k.Chosen {
		lines = append(lines, say.T("privacy.chosen"))
	}
	if k.Daily {
		lines = append(lines, say.T("privacy.daily"))
	}
	lines = append(lines, say.T("privacy.requests"), say.T("privacy.more"))
	return ContainerMessage(discord.TextDisplay{Content: strings.Join(lines, "\n")}, discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Primary, Label: say.T("privacy.export"), CustomID: "privacy/export"},
		{Style: discord.Danger, Label: say.T("privacy.delete"), CustomID: "privacy/ask"},
	}})
}

// maxExport is the size in bytes from which an export is compressed: Discord takes
// files of up to 10 MB.
const maxExport = 8 << 20

// Export returns a message with the file of everything that is kept about a
// person.
func Export(say *catalogue.Printer, data []byte) discord.Message {
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
	return askMessage(say.T("privacy.ask", "Running", k.Running, "Challenges", k.Challenges, "Ended", k.Ended),
		discord.Button{Style: discord.Danger, Label: say.T("privacy.yes"), CustomID: "privacy/forget"},
		discord.Button{Style: discord.Secondary, Label: say.T("privacy.no"), CustomID: "privacy/keep"})
}

// Blocked confirms that a person is blocked.
func Blocked(say *catalogue.Printer, p storage.Person) discord.Message {
	return askMessage(say.T("block.done", "Who", discord.Escape(p.Name)),
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
	return ContainerMessage(discord.TextDisplay{Content: say.T("block.list", "Number", len(blocks))}, menu)
}
