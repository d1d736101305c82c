package bot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"castellan/bot/discord"
	"castellan/bot/publish"
)

// keepRegistering registers the commands. If Discord or the network fails, it
// tries again until the context is done: a bot that gave up would have to be
// restarted by hand, and people who know the commands already are served
// meanwhile.
func (b *Bot) keepRegistering(ctx context.Context, application string) error {
	timer := b.config.Gateway.Timer
	if timer == nil {
		timer = newTimer
	}
	for attempts := 0; ; attempts++ {
		err := b.register(ctx, application)
		if err == nil || ctx.Err() != nil || !discord.OutcomeUnknown(err) && !discord.RateLimited(err) {
			return err
		}
		wait := publish.Failure(err).Backoff(attempts)
		b.log.Warn("the commands are not registered yet", "error", err, "retry_in", wait)
		elapsed, release := timer(wait)
		select {
		case <-elapsed:
		case <-ctx.Done():
		}
		release()
	}
}

// register registers the commands in the configured guilds, or globally if none
// is configured. Commands that are registered as they should be are left alone:
// a registration counts against a daily limit, and clients load them anew.
func (b *Bot) register(ctx context.Context, application string) error {
	guilds := b.config.Guilds
	if len(guilds) == 0 {
		guilds = []string{""}
	}
	for _, guild := range guilds {
		log := b.log.With("count", len(b.commands))
		wanted := slices.Clone(b.commands)
		if guild == "" {
			for i := range wanted {
				wanted[i].IntegrationTypes = guildAndUserInstall
			}
		} else {
			log = log.With("guild", guild)
		}
		if b.isRegistered(ctx, application, guild, wanted, log) {
			log.Info("the commands are registered already")
			continue
		}
		if err := b.client.BulkOverwriteCommands(ctx, application, guild, wanted); err != nil {
			if guild != "" {
				return fmt.Errorf("registering the commands in guild %s: %w", guild, err)
			}
			return fmt.Errorf("registering the commands: %w", err)
		}
		log.Info("commands registered")
	}
	return nil
}

// guildAndUserInstall lets people use the commands who have installed the bot
// for themselves. What cannot be done where the bot is not a member, it says
// there.
var guildAndUserInstall = []int{0, 1}

// isRegistered reports whether Discord lists exactly the wanted commands. If
// that cannot be found out they are registered once more, which does no harm.
func (b *Bot) isRegistered(ctx context.Context, application, guild string, wanted []discord.Command, log *slog.Logger) bool {
	listed, err := b.client.GetCommands(ctx, application, guild)
	if err != nil {
		log.Warn("asking which commands are registered", "error", err)
		return false
	}
	registered := make([]discord.Command, 0, len(listed))
	for _, l := range listed {
		if l.Command.Type = l.Type; l.Type == discord.CommandChatInput {
			l.Command.Type = 0
		}
		if guild != "" {
			l.IntegrationTypes = nil
		}
		registered = append(registered, l.Command)
	}
	return bytes.Equal(canonicalJSON(registered), canonicalJSON(wanted))
}

// canonicalJSON returns commands in a form that can be compared: Discord lists
// them in an order of its own.
func canonicalJSON(commands []discord.Command) []byte {
	sorted := slices.SortedFunc(slices.Values(commands), func(a, b discord.Command) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
	})
	text, err := json.Marshal(sorted)
	if err != nil {
		panic(fmt.Sprintf("bot: encoding commands: %v", err)) // choices are texts and numbers
	}
	return text
}
