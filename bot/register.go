package bot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"castellan/bot/discord"
	"castellan/bot/message"
	"castellan/bot/publish"
)

// keepRegistering registers the commands, while no other process does. Commands that
// were registered before work meanwhile.
func (b *Bot) keepRegistering(ctx context.Context, application string) error {
	if c := b.config.Cluster; c != nil {
		return c.Alone(ctx, "commands", func(ctx context.Context) error { return b.registerUntilAnswered(ctx, application) })
	}
	return b.registerUntilAnswered(ctx, application)
}

func (b *Bot) registerUntilAnswered(ctx context.Context, application string) error {
	return b.untilAnswered(ctx, "the commands are not registered yet", func() error {
		return register(ctx, registration{Client: b.client, Application: application, Guilds: b.config.Guilds, Commands: b.commands, OperatorGuild: b.config.Operators.Guild, Operator: b.operator, Logger: b.log, Registered: b.ids.learn})
	})
}

// untilAnswered calls f until it succeeds, Discord refuses it, or the context is
// done. If Discord or the network fails it tries again, so that nobody has to
// restart the bot.
func (b *Bot) untilAnswered(ctx context.Context, problem string, f func() error) error {
	for attempts := 0; ; attempts++ {
		err := f()
		if err == nil || ctx.Err() != nil || !discord.OutcomeUnknown(err) && !discord.RateLimited(err) {
			return err
		}
		wait := publish.Failure(err).Backoff(attempts)
		b.log.Warn(problem, "error", err, "retry_in", wait)
		_ = b.config.Gateway.Sleep(ctx, wait) // f sees that the context is done
	}
}

type registration struct {
	Client      *discord.Client
	Application string
	Guilds      []string // their IDs; globally if empty
	Commands    []discord.Command
	// OperatorGuild also gets the command Operator, unless it is empty.
	OperatorGuild string
	Operator      discord.Command
	Logger        *slog.Logger
	Registered    func(guild string, commands []discord.RegisteredCommand) // is told the IDs
}

// commandIDs holds the IDs of the registered commands, by guild. The zero value is
// ready.
type commandIDs struct {
	mu  sync.Mutex
	ids map[string]string // by guild and name
}

func (c *commandIDs) learn(guild string, commands []discord.RegisteredCommand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		c.ids = map[string]string{}
	}
	for _, command := range commands {
		c.ids[guild+"/"+command.Name] = command.ID
	}
}

// id returns the ID of a command in a guild, empty if it is not known.
func (c *commandIDs) id(guild, name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.ids[guild+"/"+name], c.ids["/"+name])
}

// register registers the commands in the given guilds, or globally. It does nothing
// if the registered commands are the wanted ones, because each registration counts
// against a daily limit and makes clients reload the commands. It keeps an Entry Point command, which Discord creates.
func register(ctx context.Context, r registration) error {
	guilds := r.Guilds
	if len(guilds) == 0 {
		guilds = []string{""}
	}
	for _, guild := range guilds {
		commands := r.Commands
		if guild != "" && guild == r.OperatorGuild {
			commands = append(slices.Clone(commands), r.Operator)
		}
		if err := registerIn(ctx, r, guild, commands); err != nil {
			return err
		}
	}
	if r.OperatorGuild == "" || slices.Contains(guilds, r.OperatorGuild) {
		return nil
	}
	err := registerIn(ctx, r, r.OperatorGuild, []discord.Command{r.Operator})
	if discord.HasCode(err, discord.CodeMissingAccess) { // everybody else can play
		r.Logger.Error("the bot is not in the server of its operators, so it has no command for them: add it there and start it again", "guild", r.OperatorGuild)
		return nil
	}
	return err
}

// registerIn registers commands in a guild, or globally if guild is empty.
func registerIn(ctx context.Context, r registration, guild string, commands []discord.Command) error {
	log, where := r.Logger.With("count", len(commands)), ""
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
	wanted := wantedCommands(commands, guild)
	if bytes.Equal(canonicalJSON(own, guild), canonicalJSON(wanted, guild)) {
		log.Info("the commands are registered already")
		r.Registered(guild, registered)
		return nil
	}
	if registered, err = r.Client.BulkOverwriteCommands(ctx, r.Application, guild, wanted, kept...); err != nil {
		return fmt.Errorf("registering the commands%s: %w", where, err)
	}
	log.Info("commands registered", "kept", len(kept))
	r.Registered(guild, registered)
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
			c.Contexts = message.Anywhere
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
