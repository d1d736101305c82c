package load

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
)

// answerTimeout bounds an answer; Discord refuses later ones.
const answerTimeout = 3 * time.Second

// Acknowledge runs a bot that acknowledges every interaction at once, until the
// context is done. It has no database and renders nothing. It uses Castellan's
// gateway session and REST client.
func Acknowledge(ctx context.Context, token string, api *url.URL, log *slog.Logger) error {
	client := discord.NewClient(token, api, nil)
	return gateway.New(gateway.Config{
		Token: token, GetGateway: client.GetGateway, Logger: log,
		Handle: func(event any) {
			switch e := event.(type) {
			case *discordgo.InteractionCreate:
				go acknowledge(ctx, client, e.Interaction, log)
			case gateway.Replayed:
				go acknowledge(ctx, client, e.Interaction, log)
			}
		},
	}).Run(ctx)
}

func acknowledge(ctx context.Context, client *discord.Client, i *discordgo.Interaction, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	to := discord.Interaction{ID: i.ID, ApplicationID: i.AppID, Token: i.Token}
	var err error
	switch i.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		err = client.Autocomplete(ctx, to, nil)
	case discordgo.InteractionMessageComponent:
		err = client.DeferUpdate(ctx, to)
	default:
		err = client.DeferReply(ctx, to)
	}
	if err != nil {
		log.Warn("not acknowledged", "interaction", i.ID, "error", err)
	}
}
