package bot

import (
	"context"

	"castellan/bot/command"
	"castellan/bot/discord"
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
		return command.Register(ctx, command.Registration{Client: b.client, Application: application, Guilds: b.config.Guilds, Commands: b.commands, Logger: b.log})
	})
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

// commands returns every command.
func (h *handlers) commands() []discord.Command {
	return command.Builder{Games: h.games, Texts: h.texts, Levels: h.host.LevelChoices, NoThreads: h.noThreads}.All()
}
