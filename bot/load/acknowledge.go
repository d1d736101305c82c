package load

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
)

// within bounds an answer: later, Discord would not take it.
const within = 3 * time.Second

// Acknowledge is a bot that acknowledges every interaction as soon as it
// comes, until the context is done: it keeps no database, reads nothing and
// draws nothing. It connects and sends as Castellan does.
func Acknowledge(ctx context.Context, token string, api *url.URL, log *slog.Logger) error {
	session, err := discordgo.New("Bot " + token)
	if err != nil {
		return fmt.Errorf("preparing the session: %w", err)
	}
	session.Client.Transport = &discord.Transport{Base: api}
	client := discord.NewClient(session)
	return gateway.New(gateway.Config{
		Token: token, Intents: discordgo.IntentsGuilds, GetGateway: client.GetGateway, Logger: log,
		Handle: func(event any) {
			if e, ok := event.(*discordgo.InteractionCreate); ok {
				go acknowledge(ctx, client, e.Interaction, log)
			}
		},
	}).Run(ctx)
}

func acknowledge(ctx context.Context, client *discord.Client, i *discordgo.Interaction, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
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
