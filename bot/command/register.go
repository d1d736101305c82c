package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"castellan/bot/discord"
)

// Registration says which commands are registered where.
type Registration struct {
	Client      *discord.Client
	Application string
	Guilds      []string // their IDs; globally if empty
	Commands    []discord.Command
	Logger      *slog.Logger
}

// Register registers the commands in the given guilds, or globally. It does nothing
// if the registered commands are the wanted ones, because each registration counts
// against a daily limit and makes clients reload the commands. It keeps an Entry Point command, which Discord creates.
func Register(ctx context.Context, r Registration) error {
	guilds := r.Guilds
	if len(guilds) == 0 {
		guilds = []string{""}
	}
	for _, guild := range guilds {
		log, where := r.Logger.With("count", len(r.Commands)), ""
		if guild != "" {
			log, where = log.With("guild", guild), " in guild "+guild
		}
		registered, err := r.Client.GetCommands(ctx, r.Application, guild)
		if err != nil {
			return fmt.Errorf("asking which commands are registered%s: %w", where, err)
		}
		var own []discord.Command
		var kept []discord.RegisteredCommand
		for _, c := range registered {
			if c.Type == discord.CommandEntryPoint {
				kept = append(kept, c)
				continue
			}
			own = append(own, c.Command)
		}
		wanted := wantedCommands(r.Commands, guild)
		if bytes.Equal(canonicalJSON(own, guild), canonicalJSON(wanted, guild)) {
			log.Info("the commands are registered already")
			continue
		}
		if err := r.Client.BulkOverwriteCommands(ctx, r.Application, guild, wanted, kept...); err != nil {
			return fmt.Errorf("registering the commands%s: %w", where, err)
		}
		log.Info("commands registered", "kept", len(kept))
	}
	return nil
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
			c.Contexts = Anywhere
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
		panic(fmt.Sprintf("command: encoding commands: %v", err)) // choices are texts and numbers
	}
	return text
}
