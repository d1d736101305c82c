// A bot written with discordgo.
package main

import (
	"bytes"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"clients/setup"
)

func main() {
	setup.Redirect()
	count := 1
	if setup.TwoShard {
		count = 2
	}
	for n := range count {
		s := setup.Must(discordgo.New("Bot " + setup.Token))
		s.ShardID, s.ShardCount = n, count
		s.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMembers | discordgo.IntentsGuildMessages |
			discordgo.IntentsGuildMessageReactions | discordgo.IntentsMessageContent | discordgo.IntentsDirectMessages
		b := &bot{s, make(chan *discordgo.GuildMembersChunk, 1)}
		s.AddHandler(b.interaction)
		s.AddHandler(b.message)
		s.AddHandler(b.reaction)
		s.AddHandler(func(_ *discordgo.Session, c *discordgo.GuildMembersChunk) { b.members <- c })
		setup.Check(s.Open())
		setup.Check(s.UpdateStatusComplex(discordgo.UpdateStatusData{
			Status: "idle", Activities: []*discordgo.Activity{{Name: "in the sandbox", Type: discordgo.ActivityTypeGame}},
		}))
		if n == count-1 {
			setup.Must(s.ApplicationCommandBulkOverwrite(s.State.User.ID, "", commands()))
		}
	}
	setup.Wait()
}

func option(kind discordgo.ApplicationCommandOptionType, name string) *discordgo.ApplicationCommandOption {
	return &discordgo.ApplicationCommandOption{Type: kind, Name: name, Description: name}
}

func commands() []*discordgo.ApplicationCommand {
	out := []*discordgo.ApplicationCommand{
		{Name: "suggest", Description: "suggest", Options: []*discordgo.ApplicationCommandOption{option(discordgo.ApplicationCommandOptionString, "what")}},
		{Name: "file", Description: "file", Options: []*discordgo.ApplicationCommandOption{option(discordgo.ApplicationCommandOptionAttachment, "file")}},
		{Name: "options", Description: "options", Options: []*discordgo.ApplicationCommandOption{
			option(discordgo.ApplicationCommandOptionString, "text"), option(discordgo.ApplicationCommandOptionInteger, "whole"),
			option(discordgo.ApplicationCommandOptionNumber, "number"), option(discordgo.ApplicationCommandOptionBoolean, "yes"),
			option(discordgo.ApplicationCommandOptionUser, "user"), option(discordgo.ApplicationCommandOptionChannel, "channel"),
			option(discordgo.ApplicationCommandOptionRole, "role"), option(discordgo.ApplicationCommandOptionMentionable, "mentionable"),
		}},
		{Type: discordgo.UserApplicationCommand, Name: "Inspect"},
		{Type: discordgo.MessageApplicationCommand, Name: "Quote"},
	}
	out[0].Options[0].Autocomplete, out[0].Options[0].Required = true, true
	out[1].Options[0].Required = true
	for _, name := range setup.Plain {
		out = append(out, &discordgo.ApplicationCommand{Name: name, Description: name})
	}
	return out
}

type bot struct {
	s       *discordgo.Session
	members chan *discordgo.GuildMembersChunk
}

func (b *bot) interaction(_ *discordgo.Session, i *discordgo.InteractionCreate) {
	var err error
	switch i.Type {
	case discordgo.InteractionApplicationCommand:
		err = b.command(i.Interaction, i.ApplicationCommandData())
	case discordgo.InteractionMessageComponent:
		err = b.component(i.Interaction, i.MessageComponentData())
	case discordgo.InteractionApplicationCommandAutocomplete:
		typed := i.ApplicationCommandData().Options[0].StringValue()
		var choices []*discordgo.ApplicationCommandOptionChoice
		for n := range 2 {
			text := fmt.Sprint(typed, n+1)
			choices = append(choices, &discordgo.ApplicationCommandOptionChoice{Name: text, Value: text})
		}
		err = b.respond(i.Interaction, discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{Choices: choices})
	case discordgo.InteractionModalSubmit:
		d := i.ModalSubmitData()
		input := d.Components[0].(*discordgo.ActionsRow).Components[0].(*discordgo.TextInput)
		err = b.say(i.Interaction, fmt.Sprintf("%s: %s=%s", d.CustomID, input.CustomID, input.Value))
	}
	if err != nil {
		log.Print(err)
	}
}

func (b *bot) respond(i *discordgo.Interaction, kind discordgo.InteractionResponseType, d *discordgo.InteractionResponseData) error {
	return b.s.InteractionRespond(i, &discordgo.InteractionResponse{Type: kind, Data: d})
}

func (b *bot) answer(i *discordgo.Interaction, d *discordgo.InteractionResponseData) error {
	return b.respond(i, discordgo.InteractionResponseChannelMessageWithSource, d)
}

func (b *bot) say(i *discordgo.Interaction, content string) error {
	return b.answer(i, &discordgo.InteractionResponseData{Content: content})
}

// later acknowledges and edits the response afterwards.
func (b *bot) later(i *discordgo.Interaction, kind discordgo.InteractionResponseType, content string) error {
	if err := b.respond(i, kind, nil); err != nil {
		return err
	}
	_, err := b.s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &content})
	return err
}

func (b *bot) command(i *discordgo.Interaction, d discordgo.ApplicationCommandInteractionData) error {
	switch d.Name {
	case "reply":
		return b.say(i, "reply")
	case "defer":
		if err := b.later(i, discordgo.InteractionResponseDeferredChannelMessageWithSource, "deferred"); err != nil {
			return err
		}
		_, err := b.s.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "follow-up", Flags: discordgo.MessageFlagsEphemeral})
		return err
	case "buttons":
		return b.answer(i, &discordgo.InteractionResponseData{Content: "buttons", Embeds: []*discordgo.MessageEmbed{{Title: "embed"}}, Components: buttons()})
	case "menus":
		return b.answer(i, &discordgo.InteractionResponseData{Content: "menus", Components: []discordgo.MessageComponent{
			row(text()), row(menu(discordgo.UserSelectMenu, "user")), row(menu(discordgo.RoleSelectMenu, "role")),
			row(menu(discordgo.MentionableSelectMenu, "mentionable")), row(menu(discordgo.ChannelSelectMenu, "channel")),
		}})
	case "layout":
		return b.answer(i, &discordgo.InteractionResponseData{Flags: discordgo.MessageFlagsIsComponentsV2, Components: layout(), Files: []*discordgo.File{
			{Name: "pixel.png", ContentType: "image/png", Reader: bytes.NewReader(setup.Pixel)},
			{Name: "note.txt", ContentType: "text/plain", Reader: strings.NewReader(setup.Note)},
		}})
	case "modal":
		return b.respond(i, discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "modal", Title: "modal", Components: []discordgo.MessageComponent{
			row(discordgo.TextInput{CustomID: "text", Label: "text", Style: discordgo.TextInputShort}),
		}})
	case "activity":
		return b.respond(i, 12, nil)
	case "suggest":
		return b.say(i, "suggest: "+d.Options[0].StringValue())
	case "file":
		copied := setup.Download(d.Resolved.Attachments[d.Options[0].Value.(string)].URL)
		return b.answer(i, &discordgo.InteractionResponseData{Content: "file", Files: []*discordgo.File{{Name: "copy.txt", Reader: bytes.NewReader(copied)}}})
	case "options":
		var pairs []string
		for _, o := range d.Options {
			pairs = append(pairs, fmt.Sprintf("%s=%v", o.Name, o.Value))
		}
		return b.say(i, "options: "+setup.Pairs(pairs))
	case "thread":
		return b.thread(i)
	case "direct":
		if err := b.answer(i, &discordgo.InteractionResponseData{Content: "direct", Flags: discordgo.MessageFlagsEphemeral}); err != nil {
			return err
		}
		dm, err := b.s.UserChannelCreate(i.Member.User.ID)
		if err == nil {
			_, err = b.s.ChannelMessageSend(dm.ID, "in private")
		}
		return err
	case "members":
		if err := b.s.RequestGuildMembers(i.GuildID, "", 0, "", false); err != nil {
			return err
		}
		var names []string
		for _, m := range (<-b.members).Members {
			if !m.User.Bot {
				names = append(names, m.User.Username)
			}
		}
		slices.Sort(names)
		return b.say(i, "members: "+strings.Join(names, ","))
	case "react":
		if err := b.say(i, "react"); err != nil {
			return err
		}
		m, err := b.s.InteractionResponse(i)
		if err == nil {
			err = b.s.MessageReactionAdd(m.ChannelID, m.ID, "👍")
		}
		return err
	case "Inspect":
		return b.say(i, "inspect: "+d.Resolved.Users[d.TargetID].Username)
	case "Quote":
		return b.say(i, "quote: "+d.Resolved.Messages[d.TargetID].Content)
	}
	return fmt.Errorf("no command %s", d.Name)
}

func (b *bot) thread(i *discordgo.Interaction) error {
	if err := b.say(i, "thread"); err != nil {
		return err
	}
	m, err := b.s.InteractionResponse(i)
	if err != nil {
		return err
	}
	thread, err := b.s.MessageThreadStart(m.ChannelID, m.ID, "talk", 60)
	if err != nil {
		return err
	}
	for _, text := range []string{"first", "second"} {
		if _, err := b.s.ChannelMessageSend(thread.ID, text); err != nil {
			return err
		}
	}
	list, err := b.s.ChannelMessages(thread.ID, 50, "", "", "")
	if err != nil {
		return err
	}
	var read []string
	for _, m := range slices.Backward(list) {
		if m.Type == discordgo.MessageTypeDefault {
			read = append(read, m.Content)
		}
	}
	content := "thread: " + strings.Join(read, ", ")
	_, err = b.s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &content})
	return err
}

func (b *bot) component(i *discordgo.Interaction, d discordgo.MessageComponentInteractionData) error {
	switch d.CustomID {
	case "update":
		return b.respond(i, discordgo.InteractionResponseUpdateMessage, &discordgo.InteractionResponseData{Content: "updated", Components: []discordgo.MessageComponent{}})
	case "defer-update":
		return b.later(i, discordgo.InteractionResponseDeferredMessageUpdate, "edited later")
	case "answer":
		return b.say(i, "answered")
	case "later":
		return b.later(i, discordgo.InteractionResponseDeferredChannelMessageWithSource, "later")
	case "press":
		return b.respond(i, discordgo.InteractionResponseUpdateMessage, &discordgo.InteractionResponseData{
			Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "pressed"}}, Attachments: &[]*discordgo.MessageAttachment{},
		})
	}
	return b.say(i, d.CustomID+": "+strings.Join(d.Values, ","))
}

func (b *bot) message(s *discordgo.Session, m *discordgo.MessageCreate) {
	if m.Author.Bot || m.Content != "hello" {
		return
	}
	if _, err := s.ChannelMessageSendReply(m.ChannelID, "hello "+m.Author.Username, m.Reference()); err != nil {
		log.Print(err)
	}
}

func (b *bot) reaction(s *discordgo.Session, r *discordgo.MessageReactionAdd) {
	if r.UserID == s.State.User.ID {
		return
	}
	if _, err := s.ChannelMessageSend(r.ChannelID, fmt.Sprintf("reaction: %s %s", r.Emoji.Name, r.UserID)); err != nil {
		log.Print(err)
	}
}

func row(c ...discordgo.MessageComponent) discordgo.ActionsRow {
	return discordgo.ActionsRow{Components: c}
}

func menu(kind discordgo.SelectMenuType, id string) discordgo.SelectMenu {
	return discordgo.SelectMenu{MenuType: kind, CustomID: id}
}

// text returns the select of texts.
func text() discordgo.SelectMenu {
	m := menu(discordgo.StringSelectMenu, "string")
	m.MaxValues = 2
	for _, v := range []string{"a", "b", "c"} {
		m.Options = append(m.Options, discordgo.SelectMenuOption{Label: v, Value: v})
	}
	return m
}

func buttons() []discordgo.MessageComponent {
	var list []discordgo.MessageComponent
	for n, id := range setup.Buttons {
		list = append(list, discordgo.Button{Label: id, CustomID: id, Style: discordgo.ButtonStyle(n + 1)})
	}
	return []discordgo.MessageComponent{row(append(list, discordgo.Button{Label: "link", Style: discordgo.LinkButton, URL: "https://example.org"})...)}
}

func layout() []discordgo.MessageComponent {
	color, divider, large := 0x336699, true, discordgo.SeparatorSpacingSizeLarge
	pixel := discordgo.UnfurledMediaItem{URL: "attachment://pixel.png"}
	section := func(accessory discordgo.MessageComponent) discordgo.Section {
		return discordgo.Section{Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "section"}}, Accessory: accessory}
	}
	return []discordgo.MessageComponent{discordgo.Container{AccentColor: &color, Components: []discordgo.MessageComponent{
		section(discordgo.Thumbnail{Media: pixel}),
		section(discordgo.Button{Label: "press", CustomID: "press", Style: discordgo.PrimaryButton}),
		discordgo.Separator{Divider: &divider, Spacing: &large},
		discordgo.TextDisplay{Content: "layout"},
		discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{Media: pixel}}},
		discordgo.FileComponent{File: discordgo.UnfurledMediaItem{URL: "attachment://note.txt"}},
		row(text()),
	}}}
}
