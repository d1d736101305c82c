// A bot written with arikawa.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/gateway"
	"github.com/diamondburned/arikawa/v3/state"
	"github.com/diamondburned/arikawa/v3/utils/json/option"
	"github.com/diamondburned/arikawa/v3/utils/sendpart"

	"clients/setup"
)

func main() {
	setup.Redirect()
	count := 1
	if setup.TwoShard {
		count = 2
	}
	for n := range count {
		id := gateway.DefaultIdentifier("Bot " + setup.Token)
		id.SetShard(n, count)
		id.Presence = &gateway.UpdatePresenceCommand{Status: discord.IdleStatus, Activities: []discord.Activity{{Name: "in the sandbox"}}}
		b := &bot{state.NewWithIdentifier(id), make(chan *gateway.GuildMembersChunkEvent, 1)}
		b.s.AddIntents(gateway.IntentGuilds | gateway.IntentGuildMembers | gateway.IntentGuildMessages | gateway.IntentGuildMessageReactions |
			gateway.IntentMessageContent | gateway.IntentDirectMessages)
		b.s.AddHandler(func(e *gateway.InteractionCreateEvent) { report(b.interaction(&e.InteractionEvent)) })
		b.s.AddHandler(func(e *gateway.MessageCreateEvent) { report(b.message(e)) })
		b.s.AddHandler(func(e *gateway.MessageReactionAddEvent) { report(b.reaction(e)) })
		b.s.AddHandler(func(e *gateway.GuildMembersChunkEvent) { b.members <- e })
		setup.Check(b.s.Open(context.Background()))
		if n == count-1 {
			setup.Must(b.s.BulkOverwriteCommands(b.app(), commands()))
		}
	}
	setup.Wait()
}

func report(err error) {
	if err != nil {
		log.Print(err)
	}
}

func commands() []api.CreateCommandData {
	out := []api.CreateCommandData{
		{Name: "suggest", Description: "suggest", Options: discord.CommandOptions{
			&discord.StringOption{OptionName: "what", Description: "what", Required: true, Autocomplete: true},
		}},
		{Name: "file", Description: "file", Options: discord.CommandOptions{&discord.AttachmentOption{OptionName: "file", Description: "file", Required: true}}},
		{Name: "options", Description: "options", Options: discord.CommandOptions{
			discord.NewStringOption("text", "text", false), discord.NewIntegerOption("whole", "whole", false),
			discord.NewNumberOption("number", "number", false), discord.NewBooleanOption("yes", "yes", false),
			discord.NewUserOption("user", "user", false), discord.NewChannelOption("channel", "channel", false),
			discord.NewRoleOption("role", "role", false), discord.NewMentionableOption("mentionable", "mentionable", false),
		}},
		{Type: discord.UserCommand, Name: "Inspect"},
		{Type: discord.MessageCommand, Name: "Quote"},
	}
	for _, name := range setup.Plain {
		out = append(out, api.CreateCommandData{Name: name, Description: name})
	}
	return out
}

type bot struct {
	s       *state.State
	members chan *gateway.GuildMembersChunkEvent
}

func (b *bot) app() discord.AppID { return discord.AppID(b.s.Ready().User.ID) }

func content(text string) api.InteractionResponseData {
	return api.InteractionResponseData{Content: option.NewNullableString(text)}
}

func (b *bot) respond(e *discord.InteractionEvent, kind api.InteractionResponseType, d *api.InteractionResponseData) error {
	return b.s.RespondInteraction(e.ID, e.Token, api.InteractionResponse{Type: kind, Data: d})
}

func (b *bot) answer(e *discord.InteractionEvent, d api.InteractionResponseData) error {
	return b.respond(e, api.MessageInteractionWithSource, &d)
}

func (b *bot) say(e *discord.InteractionEvent, text string) error { return b.answer(e, content(text)) }

func (b *bot) edit(e *discord.InteractionEvent, text string) error {
	_, err := b.s.EditInteractionResponse(b.app(), e.Token, api.EditInteractionResponseData{Content: option.NewNullableString(text)})
	return err
}

// later acknowledges and edits the response afterwards.
func (b *bot) later(e *discord.InteractionEvent, kind api.InteractionResponseType, text string) error {
	if err := b.respond(e, kind, nil); err != nil {
		return err
	}
	return b.edit(e, text)
}

func (b *bot) interaction(e *discord.InteractionEvent) error {
	switch d := e.Data.(type) {
	case *discord.CommandInteraction:
		return b.command(e, d)
	case *discord.AutocompleteInteraction:
		var choices api.AutocompleteStringChoices
		for n := range 2 {
			text := fmt.Sprint(d.Options[0].String(), n+1)
			choices = append(choices, discord.StringChoice{Name: text, Value: text})
		}
		return b.respond(e, api.AutocompleteResult, &api.InteractionResponseData{Choices: choices})
	case *discord.ModalInteraction:
		input := (*d.Components[0].(*discord.ActionRowComponent))[0].(*discord.TextInputComponent)
		return b.say(e, fmt.Sprintf("%s: %s=%s", d.CustomID, input.CustomID, input.Value))
	case *discord.ButtonInteraction:
		switch d.CustomID {
		case "update":
			update := content("updated")
			update.Components = &discord.ContainerComponents{}
			return b.respond(e, api.UpdateMessage, &update)
		case "defer-update":
			return b.later(e, api.DeferredMessageUpdate, "edited later")
		case "later":
			return b.later(e, api.DeferredMessageInteractionWithSource, "later")
		}
		return b.say(e, "answered")
	case *discord.StringSelectInteraction:
		return b.say(e, string(d.CustomID)+": "+strings.Join(d.Values, ","))
	case *discord.UserSelectInteraction:
		return b.selected(e, d.CustomID, d.Values)
	case *discord.RoleSelectInteraction:
		return b.selected(e, d.CustomID, d.Values)
	case *discord.MentionableSelectInteraction:
		return b.selected(e, d.CustomID, d.Values)
	case *discord.ChannelSelectInteraction:
		return b.selected(e, d.CustomID, d.Values)
	}
	return fmt.Errorf("an interaction with %T", e.Data)
}

func (b *bot) selected(e *discord.InteractionEvent, id discord.ComponentID, values any) error {
	return b.say(e, fmt.Sprintf("%s: %s", id, strings.Trim(fmt.Sprint(values), "[]")))
}

func (b *bot) command(e *discord.InteractionEvent, d *discord.CommandInteraction) error {
	switch d.Name {
	case "reply":
		return b.say(e, "reply")
	case "defer":
		if err := b.later(e, api.DeferredMessageInteractionWithSource, "deferred"); err != nil {
			return err
		}
		follow := content("follow-up")
		follow.Flags = discord.EphemeralMessage
		_, err := b.s.FollowUpInteraction(b.app(), e.Token, follow)
		return err
	case "buttons":
		row := discord.ActionRowComponent{}
		for n, id := range setup.Buttons {
			styles := []discord.ButtonComponentStyle{discord.PrimaryButtonStyle(), discord.SecondaryButtonStyle(), discord.SuccessButtonStyle(), discord.DangerButtonStyle()}
			row = append(row, &discord.ButtonComponent{Label: id, CustomID: discord.ComponentID(id), Style: styles[n]})
		}
		row = append(row, &discord.ButtonComponent{Label: "link", Style: discord.LinkButtonStyle("https://example.org")})
		out := content("buttons")
		out.Embeds, out.Components = &[]discord.Embed{{Title: "embed"}}, &discord.ContainerComponents{&row}
		return b.answer(e, out)
	case "menus":
		text := &discord.StringSelectComponent{CustomID: "string", ValueLimits: [2]int{1, 2}}
		for _, v := range []string{"a", "b", "c"} {
			text.Options = append(text.Options, discord.SelectOption{Label: v, Value: v})
		}
		out := content("menus")
		out.Components = discord.ComponentsPtr(text, &discord.UserSelectComponent{CustomID: "user"}, &discord.RoleSelectComponent{CustomID: "role"},
			&discord.MentionableSelectComponent{CustomID: "mentionable"}, &discord.ChannelSelectComponent{CustomID: "channel"})
		return b.answer(e, out)
	case "modal":
		return b.respond(e, api.ModalResponse, &api.InteractionResponseData{
			CustomID: option.NewNullableString("modal"), Title: option.NewNullableString("modal"),
			Components: discord.ComponentsPtr(&discord.TextInputComponent{CustomID: "text", Label: "text", Style: discord.TextInputShortStyle}),
		})
	case "activity":
		return b.respond(e, 12, nil)
	case "suggest":
		return b.say(e, "suggest: "+d.Options[0].String())
	case "file":
		id := setup.Must(d.Options[0].SnowflakeValue())
		out := content("file")
		out.Files = []sendpart.File{{Name: "copy.txt", Reader: bytes.NewReader(setup.Download(d.Resolved.Attachments[discord.AttachmentID(id)].URL))}}
		return b.answer(e, out)
	case "options":
		var pairs []string
		for _, o := range d.Options {
			pairs = append(pairs, o.Name+"="+strings.Trim(o.Value.String(), `"`))
		}
		return b.say(e, "options: "+setup.Pairs(pairs))
	case "thread":
		return b.thread(e)
	case "direct":
		out := content("direct")
		out.Flags = discord.EphemeralMessage
		if err := b.answer(e, out); err != nil {
			return err
		}
		dm, err := b.s.CreatePrivateChannel(e.SenderID())
		if err == nil {
			_, err = b.s.SendMessage(dm.ID, "in private")
		}
		return err
	case "members":
		err := b.s.SendGateway(context.Background(), &gateway.RequestGuildMembersCommand{GuildIDs: []discord.GuildID{e.GuildID}, Query: option.NewString("")})
		if err != nil {
			return err
		}
		var names []string
		for _, m := range (<-b.members).Members {
			if !m.User.Bot {
				names = append(names, m.User.Username)
			}
		}
		slices.Sort(names)
		return b.say(e, "members: "+strings.Join(names, ","))
	case "react":
		if err := b.say(e, "react"); err != nil {
			return err
		}
		m, err := b.s.InteractionResponse(b.app(), e.Token)
		if err == nil {
			err = b.s.React(m.ChannelID, m.ID, "👍")
		}
		return err
	case "Inspect":
		return b.say(e, "inspect: "+d.Resolved.Users[d.TargetUserID()].Username)
	case "Quote":
		return b.say(e, "quote: "+d.Resolved.Messages[d.TargetMessageID()].Content)
	}
	return fmt.Errorf("no command %s", d.Name)
}

func (b *bot) thread(e *discord.InteractionEvent) error {
	if err := b.say(e, "thread"); err != nil {
		return err
	}
	m, err := b.s.InteractionResponse(b.app(), e.Token)
	if err != nil {
		return err
	}
	thread, err := b.s.StartThreadWithMessage(m.ChannelID, m.ID, api.StartThreadData{Name: "talk", AutoArchiveDuration: discord.OneHourArchive})
	if err != nil {
		return err
	}
	for _, text := range []string{"first", "second"} {
		if _, err := b.s.SendMessage(thread.ID, text); err != nil {
			return err
		}
	}
	list, err := b.s.Client.Messages(thread.ID, 50)
	if err != nil {
		return err
	}
	var read []string
	for _, m := range slices.Backward(list) {
		if m.Type == discord.DefaultMessage {
			read = append(read, m.Content)
		}
	}
	return b.edit(e, "thread: "+strings.Join(read, ", "))
}

func (b *bot) message(e *gateway.MessageCreateEvent) error {
	if e.Author.Bot || e.Content != "hello" {
		return nil
	}
	_, err := b.s.SendTextReply(e.ChannelID, "hello "+e.Author.Username, e.ID)
	return err
}

func (b *bot) reaction(e *gateway.MessageReactionAddEvent) error {
	if e.UserID == b.s.Ready().User.ID {
		return nil
	}
	_, err := b.s.SendMessage(e.ChannelID, fmt.Sprintf("reaction: %s %s", e.Emoji.Name, e.UserID))
	return err
}
