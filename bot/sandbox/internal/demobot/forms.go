package demobot

import (
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"
)

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

// submitted answers what was filled in.
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

// thread starts a thread from a message and writes into it.
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
