package demobot

import (
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Commands are the bot's commands: one for each kind of option and of answer,
// and those of the menus of people and messages.
func Commands() []*discordgo.ApplicationCommand {
	least, most := 1.0, 20.0
	str := discordgo.ApplicationCommandOptionString
	return []*discordgo.ApplicationCommand{
		{Name: "paint", Description: "Paint a picture and show it with buttons and a menu", Options: []*discordgo.ApplicationCommandOption{
			{Type: str, Name: "colour", Description: "The colour to paint in", Required: true, Autocomplete: true},
			{Type: discordgo.ApplicationCommandOptionInteger, Name: "size", Description: "How large", Choices: []*discordgo.ApplicationCommandOptionChoice{
				{Name: "small", Value: 320}, {Name: "medium", Value: 640}, {Name: "large", Value: 1200},
			}},
			{Type: discordgo.ApplicationCommandOptionUser, Name: "for", Description: "Whom to tell of it"},
		}},
		{Name: "answer", Description: "Answer in one of the ways that there are", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "publicly", Description: "For everybody", Options: []*discordgo.ApplicationCommandOption{
				{Type: str, Name: "text", Description: "What to say", Required: true, MaxLength: 200},
			}},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "privately", Description: "For you alone"},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "later", Description: "After thinking", Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionInteger, Name: "seconds", Description: "How long to think", MinValue: &least, MaxValue: most},
				{Type: discordgo.ApplicationCommandOptionBoolean, Name: "private", Description: "Whether only you see it"},
			}},
			{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "never", Description: "Not at all: the interaction fails"},
		}},
		{Name: "classic", Description: "A message with plain text, an attachment and buttons of every style"},
		{Name: "form", Description: "Ask for something in a dialog"},
		{Name: "Greet", Type: discordgo.UserApplicationCommand},
		{Name: "Count words", Type: discordgo.MessageApplicationCommand},
		{Name: "Start a thread", Type: discordgo.MessageApplicationCommand, Contexts: &[]discordgo.InteractionContextType{discordgo.InteractionContextGuild}},
	}
}

// colours are the suggestions of /paint.
var colours = []struct {
	name string
	rgb  uint32
}{
	{"amber · warm, like lamplight", 0xE0A030}, {"brick · the colour of the keep", 0xA04A38}, {"moss · what grows on it", 0x6A8A4A},
	{"slate · its roof", 0x5A6A7A}, {"sky · above it", 0x6AA8D8}, {"plum · the banners", 0x8A4A8A},
}

// suggest lists the colours that begin with what was typed.
func suggest(typed string) []*discordgo.ApplicationCommandOptionChoice {
	var out []*discordgo.ApplicationCommandOptionChoice
	for _, c := range colours {
		if strings.HasPrefix(c.name, strings.ToLower(typed)) {
			value, _, _ := strings.Cut(c.name, " ")
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: c.name, Value: value})
		}
	}
	return out
}

// colour finds a colour by what a client sends: its value, or the name that a
// suggestion showed.
func colour(text string) (name string, rgb uint32, ok bool) {
	text, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	for _, c := range colours {
		if name, _, _ := strings.Cut(c.name, " "); name == text {
			return name, c.rgb, true
		}
	}
	return "", 0, false
}
