package demobot

import (
	"bytes"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
)

// answer is /answer: publicly, privately, later or never.
func (b *Bot) answer(s *discordgo.Session, i *discordgo.Interaction, how *discordgo.ApplicationCommandInteractionDataOption) error {
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

func (b *Bot) later(s *discordgo.Session, i *discordgo.Interaction, how *discordgo.ApplicationCommandInteractionDataOption) error {
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

// classic is a message without components v2.
func (b *Bot) classic(s *discordgo.Session, i *discordgo.Interaction) error {
	png, err := picture(0xE0A030, 320)
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
