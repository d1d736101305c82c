// A bot written with disgo.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/events"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/disgo/sharding"
	"github.com/disgoorg/snowflake/v2"

	"clients/setup"
)

func main() {
	options := []gateway.ConfigOpt{
		gateway.WithIntents(gateway.IntentGuilds, gateway.IntentGuildMembers, gateway.IntentGuildMessages, gateway.IntentGuildMessageReactions,
			gateway.IntentMessageContent, gateway.IntentDirectMessages),
		gateway.WithPresenceOpts(gateway.WithOnlineStatus(discord.OnlineStatusIdle), gateway.WithPlayingActivity("in the sandbox")),
	}
	switch setup.Compress {
	case "payload":
		options = append(options, gateway.WithCompression(gateway.CompressionZlibPayload))
	case "zlib-stream", "zstd-stream":
		options = append(options, gateway.WithCompression(gateway.CompressionType(setup.Compress)))
	}
	connection, open := bot.WithGatewayConfigOpts(options...), (*bot.Client).OpenGateway
	if setup.TwoShard {
		connection = bot.WithShardManagerConfigOpts(sharding.WithShardIDs(0, 1), sharding.WithShardCount(2), sharding.WithGatewayConfigOpts(options...))
		open = (*bot.Client).OpenShardManager
	}
	client := setup.Must(disgo.New(setup.Token, connection,
		bot.WithRestClientConfigOpts(rest.WithURL(setup.API+"/v10")),
		bot.WithEventManagerConfigOpts(bot.WithAsyncEventsEnabled()), // a command waits for the gateway
		bot.WithEventListeners(&events.ListenerAdapter{
			OnApplicationCommandInteraction: func(e *events.ApplicationCommandInteractionCreate) { report(command(e)) },
			OnComponentInteraction:          func(e *events.ComponentInteractionCreate) { report(component(e)) },
			OnAutocompleteInteraction:       func(e *events.AutocompleteInteractionCreate) { report(suggest(e)) },
			OnModalSubmit:                   func(e *events.ModalSubmitInteractionCreate) { report(submitted(e)) },
			OnMessageCreate:                 func(e *events.MessageCreate) { report(message(e)) },
			OnMessageReactionAdd:            func(e *events.MessageReactionAdd) { report(reaction(e)) },
		}),
	))
	setup.Check(open(client, context.Background()))
	setup.Must(client.Rest.SetGlobalCommands(client.ApplicationID, commands()))
	setup.Wait()
}

func report(err error) {
	if err != nil {
		log.Print(err)
	}
}

func commands() []discord.ApplicationCommandCreate {
	out := []discord.ApplicationCommandCreate{
		discord.SlashCommandCreate{Name: "suggest", Description: "suggest", Options: []discord.ApplicationCommandOption{
			discord.ApplicationCommandOptionString{Name: "what", Description: "what", Required: true, Autocomplete: true},
		}},
		discord.SlashCommandCreate{Name: "file", Description: "file", Options: []discord.ApplicationCommandOption{
			discord.ApplicationCommandOptionAttachment{Name: "file", Description: "file", Required: true},
		}},
		discord.SlashCommandCreate{Name: "options", Description: "options", Options: []discord.ApplicationCommandOption{
			discord.ApplicationCommandOptionString{Name: "text", Description: "text"},
			discord.ApplicationCommandOptionInt{Name: "whole", Description: "whole"},
			discord.ApplicationCommandOptionFloat{Name: "number", Description: "number"},
			discord.ApplicationCommandOptionBool{Name: "yes", Description: "yes"},
			discord.ApplicationCommandOptionUser{Name: "user", Description: "user"},
			discord.ApplicationCommandOptionChannel{Name: "channel", Description: "channel"},
			discord.ApplicationCommandOptionRole{Name: "role", Description: "role"},
			discord.ApplicationCommandOptionMentionable{Name: "mentionable", Description: "mentionable"},
		}},
		discord.UserCommandCreate{Name: "Inspect"},
		discord.MessageCommandCreate{Name: "Quote"},
	}
	for _, name := range setup.Plain {
		out = append(out, discord.SlashCommandCreate{Name: name, Description: name})
	}
	return out
}

func content(text string) discord.MessageCreate { return discord.NewMessageCreate().WithContent(text) }

// edit changes the response to an interaction.
func edit(client *bot.Client, token, text string) error {
	_, err := client.Rest.UpdateInteractionResponse(client.ApplicationID, token, discord.NewMessageUpdate().WithContent(text))
	return err
}

func command(e *events.ApplicationCommandInteractionCreate) error {
	client := e.Client()
	switch e.Data.CommandName() {
	case "defer":
		if err := e.DeferCreateMessage(false); err != nil {
			return err
		}
		if err := edit(client, e.Token(), "deferred"); err != nil {
			return err
		}
		_, err := client.Rest.CreateFollowupMessage(client.ApplicationID, e.Token(), content("follow-up").WithEphemeral(true))
		return err
	case "buttons":
		row := []discord.InteractiveComponent{}
		for n, id := range setup.Buttons {
			row = append(row, discord.NewButton(discord.ButtonStyle(n+1), id, id, "", 0))
		}
		row = append(row, discord.NewLinkButton("link", "https://example.org"))
		return e.CreateMessage(content("buttons").WithEmbeds(discord.Embed{Title: "embed"}).AddActionRow(row...))
	case "menus":
		return e.CreateMessage(content("menus").AddActionRow(choice()).
			AddActionRow(discord.NewUserSelectMenu("user", "")).AddActionRow(discord.NewRoleSelectMenu("role", "")).
			AddActionRow(discord.NewMentionableSelectMenu("mentionable", "")).AddActionRow(discord.NewChannelSelectMenu("channel", "")))
	case "layout":
		return e.CreateMessage(layout())
	case "modal":
		return e.Modal(discord.NewModalCreate("modal", "modal", discord.NewLabel("text", discord.NewShortTextInput("text"))))
	case "labels":
		return e.Modal(discord.NewModalCreate("labels", "labels",
			discord.NewLabel("text", discord.NewParagraphTextInput("text")), discord.NewLabel("string", choice()),
			discord.NewLabel("user", discord.NewUserSelectMenu("user", "")), discord.NewLabel("role", discord.NewRoleSelectMenu("role", "")),
			discord.NewLabel("channel", discord.NewChannelSelectMenu("channel", ""))))
	case "choices":
		radio, group := discord.RadioGroupComponent{CustomID: "radio"}, discord.CheckboxGroupComponent{CustomID: "group"}
		for _, v := range []string{"a", "b", "c"} {
			radio.Options = append(radio.Options, discord.NewRadioGroupOption(v, v))
			group.Options = append(group.Options, discord.NewCheckboxGroupOption(v, v))
		}
		return e.Modal(discord.NewModalCreate("choices", "choices", discord.NewLabel("radio", radio), discord.NewLabel("group", group),
			discord.NewLabel("checkbox", discord.CheckboxComponent{CustomID: "checkbox"}), discord.NewLabel("file", discord.NewFileUpload("file"))))
	case "activity":
		return e.LaunchActivity()
	case "suggest":
		return e.CreateMessage(content("suggest: " + e.SlashCommandInteractionData().String("what")))
	case "file":
		copied := setup.Download(e.SlashCommandInteractionData().Attachment("file").URL)
		return e.CreateMessage(content("file").AddFile("copy.txt", "", bytes.NewReader(copied)))
	case "options":
		d := e.SlashCommandInteractionData()
		return e.CreateMessage(content(fmt.Sprintf("options: text=%s;whole=%d;number=%v;yes=%v;user=%s;channel=%s;role=%s;mentionable=%s", d.String("text"), d.Int("whole"),
			d.Float("number"), d.Bool("yes"), d.User("user").ID, d.Channel("channel").ID, d.Role("role").ID, d.Snowflake("mentionable"))))
	case "thread":
		return thread(e)
	case "direct":
		if err := e.CreateMessage(content("direct").WithEphemeral(true)); err != nil {
			return err
		}
		dm, err := client.Rest.CreateDMChannel(e.User().ID)
		if err == nil {
			_, err = client.Rest.CreateMessage(dm.ID(), content("in private"))
		}
		return err
	case "members":
		members, err := client.MemberChunkingManager.RequestAllMembers(context.Background(), *e.GuildID())
		if err != nil {
			return err
		}
		var names []string
		for _, m := range members {
			if !m.User.Bot {
				names = append(names, m.User.Username)
			}
		}
		slices.Sort(names)
		return e.CreateMessage(content("members: " + strings.Join(names, ",")))
	case "react":
		if err := e.CreateMessage(content("react")); err != nil {
			return err
		}
		m, err := client.Rest.GetInteractionResponse(client.ApplicationID, e.Token())
		if err == nil {
			err = client.Rest.AddReaction(m.ChannelID, m.ID, "👍")
		}
		return err
	case "Inspect":
		return e.CreateMessage(content("inspect: " + e.UserCommandInteractionData().TargetUser().Username))
	case "Quote":
		return e.CreateMessage(content("quote: " + e.MessageCommandInteractionData().TargetMessage().Content))
	}
	return e.CreateMessage(content(e.Data.CommandName()))
}

func thread(e *events.ApplicationCommandInteractionCreate) error {
	client := e.Client()
	if err := e.CreateMessage(content("thread")); err != nil {
		return err
	}
	m, err := client.Rest.GetInteractionResponse(client.ApplicationID, e.Token())
	if err != nil {
		return err
	}
	t, err := client.Rest.CreateThreadFromMessage(m.ChannelID, m.ID, discord.ThreadCreateFromMessage{Name: "talk"})
	if err != nil {
		return err
	}
	for _, text := range []string{"first", "second"} {
		if _, err := client.Rest.CreateMessage(t.ID(), content(text)); err != nil {
			return err
		}
	}
	list, err := client.Rest.GetMessages(t.ID(), 0, 0, 0, 50)
	if err != nil {
		return err
	}
	var read []string
	for _, m := range slices.Backward(list) {
		if m.Type == discord.MessageTypeDefault {
			read = append(read, m.Content)
		}
	}
	return edit(client, e.Token(), "thread: "+strings.Join(read, ", "))
}

func component(e *events.ComponentInteractionCreate) error {
	switch e.Data.CustomID() {
	case "update":
		return e.UpdateMessage(discord.NewMessageUpdate().WithContent("updated").WithComponents())
	case "defer-update":
		if err := e.DeferUpdateMessage(); err != nil {
			return err
		}
		return edit(e.Client(), e.Token(), "edited later")
	case "answer":
		return e.CreateMessage(content("answered"))
	case "later":
		if err := e.DeferCreateMessage(false); err != nil {
			return err
		}
		return edit(e.Client(), e.Token(), "later")
	case "press":
		return e.UpdateMessage(discord.NewMessageUpdateV2(discord.NewTextDisplay("pressed")))
	}
	var values []string
	switch d := e.Data.(type) {
	case discord.StringSelectMenuInteractionData:
		values = d.Values
	case discord.UserSelectMenuInteractionData:
		values = ids(d.Values)
	case discord.RoleSelectMenuInteractionData:
		values = ids(d.Values)
	case discord.MentionableSelectMenuInteractionData:
		values = ids(d.Values)
	case discord.ChannelSelectMenuInteractionData:
		values = ids(d.Values)
	}
	return e.CreateMessage(content(e.Data.CustomID() + ": " + strings.Join(values, ",")))
}

func ids(list []snowflake.ID) []string {
	var out []string
	for _, id := range list {
		out = append(out, id.String())
	}
	return out
}

func suggest(e *events.AutocompleteInteractionCreate) error {
	var choices []discord.AutocompleteChoice
	for n := range 2 {
		text := fmt.Sprint(e.Data.String("what"), n+1)
		choices = append(choices, discord.AutocompleteChoiceString{Name: text, Value: text})
	}
	return e.AutocompleteResult(choices)
}

func submitted(e *events.ModalSubmitInteractionCreate) error {
	var pairs []string
	for c := range e.Data.AllComponents() {
		switch c := c.(type) {
		case discord.TextInputComponent:
			pairs = append(pairs, c.CustomID+"="+c.Value)
		case discord.StringSelectMenuComponent:
			pairs = append(pairs, c.CustomID+"="+strings.Join(c.Values, ","))
		case discord.UserSelectMenuComponent:
			pairs = append(pairs, c.CustomID+"="+strings.Join(ids(c.Values), ","))
		case discord.RoleSelectMenuComponent:
			pairs = append(pairs, c.CustomID+"="+strings.Join(ids(c.Values), ","))
		case discord.ChannelSelectMenuComponent:
			pairs = append(pairs, c.CustomID+"="+strings.Join(ids(c.Values), ","))
		case discord.RadioGroupComponent:
			pairs = append(pairs, c.CustomID+"="+*c.Value)
		case discord.CheckboxGroupComponent:
			pairs = append(pairs, c.CustomID+"="+strings.Join(c.Values, ","))
		case discord.CheckboxComponent:
			pairs = append(pairs, fmt.Sprintf("%s=%v", c.CustomID, c.Value))
		case discord.FileUploadComponent:
			pairs = append(pairs, c.CustomID+"="+e.Data.Attachments(c.CustomID)[0].Filename)
		}
	}
	return e.CreateMessage(content(e.Data.CustomID + ": " + setup.Pairs(pairs)))
}

func message(e *events.MessageCreate) error {
	if e.Message.Author.Bot || e.Message.Content != "hello" {
		return nil
	}
	_, err := e.Client().Rest.CreateMessage(e.ChannelID, content("hello "+e.Message.Author.Username).WithMessageReferenceByID(e.MessageID))
	return err
}

func reaction(e *events.MessageReactionAdd) error {
	if e.UserID == e.Client().ApplicationID {
		return nil
	}
	_, err := e.Client().Rest.CreateMessage(e.ChannelID, content(fmt.Sprintf("reaction: %s %s", *e.Emoji.Name, e.UserID)))
	return err
}

// choice returns the select of texts.
func choice() discord.StringSelectMenuComponent {
	var options []discord.StringSelectMenuOption
	for _, v := range []string{"a", "b", "c"} {
		options = append(options, discord.NewStringSelectMenuOption(v, v))
	}
	return discord.NewStringSelectMenu("string", "", options...).WithMaxValues(2)
}

func layout() discord.MessageCreate {
	section := discord.NewSection(discord.NewTextDisplay("section"))
	return discord.NewMessageCreateV2(discord.NewContainer(
		section.WithAccessory(discord.NewThumbnail("attachment://pixel.png")),
		section.WithAccessory(discord.NewPrimaryButton("press", "press")),
		discord.NewLargeSeparator(),
		discord.NewTextDisplay("layout"),
		discord.NewMediaGallery(discord.MediaGalleryItem{Media: discord.UnfurledMediaItem{URL: "attachment://pixel.png"}}),
		discord.NewFileComponent("attachment://note.txt"),
		discord.NewActionRow(choice()),
	).WithAccentColor(0x336699)).AddFile("pixel.png", "", bytes.NewReader(setup.Pixel)).AddFile("note.txt", "", strings.NewReader(setup.Note))
}
