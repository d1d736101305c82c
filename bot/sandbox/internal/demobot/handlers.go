package demobot

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// handle answers every interaction.
func (b *Bot) handle(s *discordgo.Session, e *discordgo.InteractionCreate) {
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

func (b *Bot) autocomplete(s *discordgo.Session, i *discordgo.Interaction) error {
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

func (b *Bot) paint(s *discordgo.Session, i *discordgo.Interaction, data discordgo.ApplicationCommandInteractionData) error {
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

// easel is the message with the picture, in components v2.
func easel(name string, rgb uint32, width int, mention string) (*discordgo.InteractionResponseData, error) {
	png, err := picture(rgb, width)
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
	// The ids change with every redraw: a client sends nothing when the same
	// choice is picked twice in one menu.
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

func (b *Bot) component(s *discordgo.Session, i *discordgo.Interaction) error {
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
