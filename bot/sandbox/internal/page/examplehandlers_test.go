package page_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// handle responds to every interaction.
func (b *exampleBot) handle(s *discordgo.Session, e *discordgo.InteractionCreate) {
	var err error
	switch e.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		err = b.autocomplete(s, e.Interaction)
	case discordgo.InteractionApplicationCommand:
		switch data := e.ApplicationCommandData(); data.Name {
		case "paint":
			err = b.paint(s, e.Interaction, data)
		case "answer":
			err = b.answer(s, e.Interaction, data.Options[0])
		case "classic":
			err = b.classic(s, e.Interaction)
		case "form":
			err = form(s, e.Interaction)
		case "Greet":
			err = answerText(s, e.Interaction, "Good day, <@"+data.TargetID+">.")
		case "Count words":
			n := len(strings.Fields(data.Resolved.Messages[data.TargetID].Content))
			err = private(s, e.Interaction, fmt.Sprintf("That message has %d words.", n))
		case "Start a thread":
			err = thread(s, e.Interaction, data.TargetID)
		}
	case discordgo.InteractionMessageComponent:
		err = b.component(s, e.Interaction)
	case discordgo.InteractionModalSubmit:
		err = submitted(s, e.Interaction)
	}
	if err != nil {
		b.log.Error("interaction not answered", "id", e.ID, "err", err)
	}
}

func (b *exampleBot) autocomplete(s *discordgo.Session, i *discordgo.Interaction) error {
	typed := ""
	for _, o := range i.ApplicationCommandData().Options {
		if o.Focused {
			typed, _ = o.Value.(string)
		}
	}
	return s.InteractionRespond(i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionApplicationCommandAutocompleteResult,
		Data: &discordgo.InteractionResponseData{Choices: suggest(typed)},
	})
}

func (b *exampleBot) paint(s *discordgo.Session, i *discordgo.Interaction, data discordgo.ApplicationCommandInteractionData) error {
	name, rgb, ok := colour(data.GetOption("colour").StringValue())
	if !ok {
		return private(s, i, "There is no such colour. Try one of the suggestions.")
	}
	width, mention := 640, ""
	if o := data.GetOption("size"); o != nil {
		width = int(o.IntValue())
	}
	if o := data.GetOption("for"); o != nil {
		mention = o.UserValue(nil).ID
	}
	answer, err := easel(name, rgb, width, mention)
	if err != nil {
		return err
	}
	return s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: answer})
}

// easel returns the message with the picture, in components v2.
func easel(name string, rgb uint32, width int, mention string) (*discordgo.InteractionResponseData, error) {
	png, err := paintKeep(rgb, width)
	if err != nil {
		return nil, err
	}
	file := name + ".png"
	accent, description := int(rgb), "A keep painted in "+name
	text := fmt.Sprintf("## The keep in %s\nPainted <t:%d:R>, **%d** pixels wide.", name, time.Now().Unix(), width)
	allowed := &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
	if mention != "" {
		text += "\nFor <@" + mention + ">."
		allowed.Users = []string{mention}
	}
	var options []discordgo.SelectMenuOption
	for _, c := range colours {
		value, remark, _ := strings.Cut(c.name, " · ")
		options = append(options, discordgo.SelectMenuOption{Label: value, Value: value, Description: remark})
	}
	// Clients send nothing when the same option is chosen twice in a menu, so
	// every redraw gets new ids.
	stamp := fmt.Sprint(time.Now().UnixNano())
	return &discordgo.InteractionResponseData{
		Flags:           discordgo.MessageFlagsIsComponentsV2,
		AllowedMentions: allowed,
		Files:           []*discordgo.File{{Name: file, ContentType: "image/png", Reader: bytes.NewReader(png)}},
		Components: []discordgo.MessageComponent{discordgo.Container{AccentColor: &accent, Components: []discordgo.MessageComponent{
			discordgo.TextDisplay{Content: text},
			discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{
				Media: discordgo.UnfurledMediaItem{URL: "attachment://" + file}, Description: &description,
			}}},
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{Label: "Copy for me", Style: discordgo.PrimaryButton, CustomID: "copy/" + name + "/" + stamp},
				discordgo.Button{Label: "Sold", Style: discordgo.SuccessButton, CustomID: "sold/" + stamp},
				discordgo.Button{Label: "Not for sale", Style: discordgo.SecondaryButton, CustomID: "none", Disabled: true},
			}},
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: "repaint/" + stamp, Placeholder: "Paint it anew", Options: options},
			}},
		}}},
	}, nil
}

func (b *exampleBot) component(s *discordgo.Session, i *discordgo.Interaction) error {
	data := i.MessageComponentData()
	verb, rest, _ := strings.Cut(data.CustomID, "/")
	switch verb {
	case "copy":
		name, _, _ := strings.Cut(rest, "/")
		_, rgb, _ := colour(name)
		answer, err := easel(name, rgb, 320, "")
		if err != nil {
			return err
		}
		answer.Flags |= discordgo.MessageFlagsEphemeral
		return s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource, Data: answer})
	case "repaint":
		name, rgb, _ := colour(data.Values[0])
		answer, err := easel(name, rgb, 640, "")
		if err != nil {
			return err
		}
		return s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseUpdateMessage, Data: answer})
	case "sold":
		return s.InteractionRespond(i, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseUpdateMessage,
			Data: &discordgo.InteractionResponseData{
				Flags:      discordgo.MessageFlagsIsComponentsV2,
				Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "Sold to <@" + i.Member.User.ID + ">."}},
			},
		})
	case "style":
		return s.InteractionRespond(i, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "<@" + i.Member.User.ID + "> pressed **" + rest + "**."},
		})
	case "whom":
		return private(s, i, "You picked <@"+data.Values[0]+">.")
	}
	return private(s, i, "This button belongs to nothing any more.")
}

func private(s *discordgo.Session, i *discordgo.Interaction, text string) error {
	return s.InteractionRespond(i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: text, Flags: discordgo.MessageFlagsEphemeral},
	})
}

// answer handles /answer: publicly, privately, later or never.
func (b *exampleBot) answer(s *discordgo.Session, i *discordgo.Interaction, how *discordgo.ApplicationCommandInteractionDataOption) error {
	switch how.Name {
	case "publicly":
		return s.InteractionRespond(i, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: how.GetOption("text").StringValue()},
		})
	case "privately":
		return private(s, i, "Only you see this. Some markdown: **bold**, *italic*, `code`, ||hidden||, ~~struck~~.")
	case "later":
		return b.later(s, i, how)
	}
	return nil // never
}

func (b *exampleBot) later(s *discordgo.Session, i *discordgo.Interaction, how *discordgo.ApplicationCommandInteractionDataOption) error {
	wait := time.Duration(0)
	if o := how.GetOption("seconds"); o != nil {
		wait = time.Duration(o.IntValue()) * time.Second
	}
	data := &discordgo.InteractionResponseData{}
	if o := how.GetOption("private"); o != nil && o.BoolValue() {
		data.Flags = discordgo.MessageFlagsEphemeral
	}
	err := s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource, Data: data})
	if err != nil {
		return err
	}
	if wait > 0 {
		time.Sleep(wait)
	}
	text := fmt.Sprintf("After %v of thinking: nothing, <@%s>.", wait, i.Member.User.ID)
	if _, err := s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text}); err != nil {
		return err
	}
	_, err = s.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "One thing more.", Flags: data.Flags})
	return err
}

// classic responds with a message without components v2.
func (b *exampleBot) classic(s *discordgo.Session, i *discordgo.Interaction) error {
	png, err := paintKeep(0xE0A030, 320)
	if err != nil {
		return err
	}
	var buttons []discordgo.MessageComponent
	for _, st := range []struct {
		label string
		style discordgo.ButtonStyle
	}{{"primary", discordgo.PrimaryButton}, {"secondary", discordgo.SecondaryButton}, {"success", discordgo.SuccessButton}, {"danger", discordgo.DangerButton}} {
		buttons = append(buttons, discordgo.Button{Label: st.label, Style: st.style, CustomID: "style/" + st.label})
	}
	buttons = append(buttons, discordgo.Button{Label: "link", Style: discordgo.LinkButton, URL: "https://example.org/"})
	return s.InteractionRespond(i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{
			Content: "A **plain** message.\n> with a quote\n- and a list",
			Files:   []*discordgo.File{{Name: "keep.png", ContentType: "image/png", Reader: bytes.NewReader(png)}},
			Embeds: []*discordgo.MessageEmbed{{Title: "An embed", Description: "with a field", Color: 0x6AA8D8,
				Fields: []*discordgo.MessageEmbedField{{Name: "Field", Value: "value", Inline: true}}}},
			Components: []discordgo.MessageComponent{
				discordgo.ActionsRow{Components: buttons},
				discordgo.ActionsRow{Components: []discordgo.MessageComponent{
					discordgo.SelectMenu{MenuType: discordgo.UserSelectMenu, CustomID: "whom", Placeholder: "Whom?"},
				}},
			},
		},
	})
}

func answerText(s *discordgo.Session, i *discordgo.Interaction, text string) error {
	return s.InteractionRespond(i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: text},
	})
}

// form opens a dialog with a field of each kind.
func form(s *discordgo.Session, i *discordgo.Interaction) error {
	var options []discordgo.SelectMenuOption
	for _, c := range colours {
		value, remark, _ := strings.Cut(c.name, " · ")
		options = append(options, discordgo.SelectMenuOption{Label: value, Value: value, Description: remark})
	}
	one, two, need, free := 1, 2, true, false
	return s.InteractionRespond(i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseModal,
		Data: &discordgo.InteractionResponseData{CustomID: "order", Title: "Order a picture", Components: []discordgo.MessageComponent{
			discordgo.TextDisplay{Content: "What should be **painted**?"},
			discordgo.Label{Label: "Title", Description: "It stands below the picture.", Component: discordgo.TextInput{
				CustomID: "title", Style: discordgo.TextInputShort, MinLength: 2, MaxLength: 40, Required: &need,
			}},
			discordgo.Label{Label: "Colours", Component: discordgo.SelectMenu{
				CustomID: "colours", MenuType: discordgo.StringSelectMenu, Options: options, MinValues: &one, MaxValues: two,
			}},
			discordgo.Label{Label: "For whom", Component: discordgo.SelectMenu{CustomID: "whom", MenuType: discordgo.UserSelectMenu}},
			discordgo.Label{Label: "Wishes", Component: discordgo.TextInput{CustomID: "wishes", Style: discordgo.TextInputParagraph, Required: &free, Placeholder: "Anything else?"}},
		}},
	})
}

// submitted responds with the fields that were filled in.
func submitted(s *discordgo.Session, i *discordgo.Interaction) error {
	var lines []string
	for _, c := range i.ModalSubmitData().Components {
		label, ok := c.(*discordgo.Label)
		if !ok {
			continue
		}
		switch in := label.Component.(type) {
		case *discordgo.TextInput:
			if in.Value != "" {
				lines = append(lines, fmt.Sprintf("%s: %s", in.CustomID, in.Value))
			}
		case *discordgo.SelectMenu:
			text := strings.Join(in.Values, ", ")
			if in.CustomID == "whom" {
				text = "<@" + text + ">"
			}
			lines = append(lines, fmt.Sprintf("%s: %s", in.CustomID, text))
		}
	}
	return answerText(s, i, "Ordered.\n"+strings.Join(lines, "\n"))
}

// thread starts a thread from a message and posts in it.
func thread(s *discordgo.Session, i *discordgo.Interaction, messageID string) error {
	t, err := s.MessageThreadStart(i.ChannelID, messageID, "About this picture", 1440)
	if err != nil {
		return private(s, i, "I cannot start a thread here: "+err.Error())
	}
	if _, err := s.ChannelMessageSend(t.ID, "Let us talk about it here."); err != nil {
		return fmt.Errorf("write into the thread: %w", err)
	}
	return private(s, i, "Here it is: <#"+t.ID+">")
}
