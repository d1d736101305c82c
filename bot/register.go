package bot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"castellan/bot/command"
	"castellan/bot/discord"
	"castellan/bot/publish"
)

// keepRegistering registers the commands. Commands that were registered before
// work meanwhile.
func (b *Bot) keepRegistering(ctx context.Context, application string) error {
	return b.untilAnswered(ctx, "the commands are not registered yet", func() error { return b.register(ctx, application) })
}

// untilAnswered calls f until it succeeds, Discord refuses it, or the context is
// done. If Discord or the network fails it tries again, so that nobody has to
// restart the bot.
func (b *Bot) untilAnswered(ctx context.Context, problem string, f func() error) error {
	timer := b.config.Gateway.Timer
	if timer == nil {
		timer = newTimer
	}
	for attempts := 0; ; attempts++ {
		err := f()
		if err == nil || ctx.Err() != nil || !discord.OutcomeUnknown(err) && !discord.RateLimited(err) {
			return err
		}
		wait := publish.Failure(err).Backoff(attempts)
		b.log.Warn(problem, "error", err, "retry_in", wait)
		elapsed, release := timer(wait)
		select {
		case <-elapsed:
		case <-ctx.Done():
		}
		release()
	}
}

// register registers the commands in the configured guilds, or globally if none
// is configured. It does nothing if the registered commands are the wanted ones,
// because each registration counts against a daily limit and makes clients
// reload the commands. It keeps an Entry Point command, which Discord creates.
func (b *Bot) register(ctx context.Context, application string) error {
	guilds := b.config.Guilds
	if len(guilds) == 0 {
		guilds = []string{""}
	}
	for _, guild := range guilds {
		log, where := b.log.With("count", len(b.commands)), ""
		if guild != "" {
			log, where = log.With("guild", guild), " in guild "+guild
		}
		registered, err := b.client.GetCommands(ctx, application, guild)
		if err != nil {
			return fmt.Errorf("asking which commands are registered%s: %w", where, err)
		}
		var own []discord.Command
		var kept []discord.RegisteredCommand
		for _, r := range registered {
			if r.Type == discord.CommandEntryPoint {
				kept = append(kept, r)
				continue
			}
			own = append(own, r.Command)
		}
		wanted := wantedCommands(b.commands, guild)
		if bytes.Equal(canonicalJSON(own, guild), canonicalJSON(wanted, guild)) {
			log.Info("the commands are registered already")
			continue
		}
		if err := b.client.BulkOverwriteCommands(ctx, application, guild, wanted, kept...); err != nil {
			return fmt.Errorf("registering the commands%s: %w", where, err)
		}
		log.Info("commands registered", "kept", len(kept))
	}
	return nil
}

// commands returns every command.
func (h *handlers) commands() []discord.Command {
	return command.Builder{Games: h.games, Texts: h.texts, Levels: h.host.Levels, NoThreads: h.noThreads}.All()
}

// guildAndUserInstall makes the commands available in guilds with the bot and to
// people who have installed it for themselves.
var guildAndUserInstall = []int{discord.IntegrationGuild, discord.IntegrationUser}

// wantedCommands returns the commands as they are to be registered. A guild's own
// commands have neither contexts nor integration types.
func wantedCommands(commands []discord.Command, guild string) []discord.Command {
	wanted := slices.Clone(commands)
	for i := range wanted {
		wanted[i].IntegrationTypes = guildAndUserInstall
		if guild != "" {
			wanted[i].Contexts, wanted[i].IntegrationTypes = nil, nil
		}
	}
	return wanted
}

// canonicalJSON returns commands in a form that can be compared. Discord returns
// them in another order, and defaults as values or as null.
func canonicalJSON(commands []discord.Command, guild string) []byte {
	sorted := slices.SortedFunc(slices.Values(commands), func(a, b discord.Command) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
	})
	for i := range sorted {
		c := &sorted[i]
		c.Type = cmp.Or(c.Type, discord.CommandChatInput)
		if c.Contexts = slices.Sorted(slices.Values(c.Contexts)); len(c.Contexts) == 0 {
			c.Contexts = command.Anywhere
		}
		if c.IntegrationTypes = slices.Sorted(slices.Values(c.IntegrationTypes)); len(c.IntegrationTypes) == 0 {
			c.IntegrationTypes = []int{discord.IntegrationGuild}
		}
		if guild != "" {
			c.Contexts, c.IntegrationTypes = nil, nil
		}
	}
	text, err := json.Marshal(sorted)
	if err != nil {
		panic(fmt.Sprintf("bot: encoding commands: %v", err)) // choices are texts and numbers
	}
	return text
}
