package message

import (
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/storage"
)

// maxNotice is the maximum number of characters of a notice, which stands on every board.
const maxNotice = 200

// Operator returns the command of those who run the bot, for their guild alone. Without
// a setting of the guild only its administrators see it.
func (c Commands) Operator() discord.Command {
	english := c.Texts.Printer()
	return c.localized([]discord.Command{operatorCommand(english)}, func(say *catalogue.Printer) []discord.Command {
		return []discord.Command{operatorCommand(say)}
	})[0]
}

func operatorCommand(say *catalogue.Printer) discord.Command {
	option := func(kind discord.OptionType, name string, required bool) discord.Option {
		return discord.Option{Type: kind, Name: name, Description: say.T("command.operator." + name), Required: required}
	}
	sub := func(name string, options ...discord.Option) discord.Option {
		return discord.Option{Type: discord.OptionSubcommand, Name: name, Description: say.T("command.operator." + name), Options: options}
	}
	user, server, reason, text := option(discord.OptionUser, "user", false), option(discord.OptionString, "server", false), option(discord.OptionString, "reason", false), option(discord.OptionString, "text", false)
	reason.MaxLength, text.MaxLength = maxNotice, maxNotice
	left := server
	left.Required = true
	return discord.Command{Name: "operator", Description: say.T("command.operator"), MemberPermissions: "0", Options: []discord.Option{
		sub("statistics"), sub("ban", user, server, reason), sub("unban", user, server, reason), sub("leave", left, reason), sub("notice", text),
	}}
}

// Statistics says how much the bot has to do.
func Statistics(say *catalogue.Printer, app discord.Application, c storage.Counts, banned int) discord.Message {
	running, ended := 0, 0
	for key, n := range c.Matches {
		if key.Ending == "" {
			running += n
		} else {
			ended += n
		}
	}
	return discord.TextMessage(strings.Join([]string{
		say.T("operator.servers", "Servers", app.Guilds, "Installed", app.Users),
		say.T("operator.matches", "Running", running, "Ended", ended, "Challenges", c.OpenChallenges),
		say.T("operator.banned", "Banned", banned),
	}, "\n"))
}

// AddNotice adds to a board what the operators want everybody to know.
func AddNotice(say *catalogue.Printer, board *discord.Message, text string) {
	addLine(board, say.T("board.notice", "Text", text))
}
