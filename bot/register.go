package bot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"

	"castellan/bot/discord"
)

// keepRegistering registers the commands. Where Discord, or the way to it,
// fails for the moment, it tries again until the context is done: a bot that
// gave up would have to be started again by somebody, and whoever knows the
// commands already is served meanwhile.
func (b *Bot) keepRegistering(ctx context.Context, application string) error {
	timer := b.config.Gateway.Timer
	if timer == nil {
		timer = newTimer
	}
	for tries := 0; ; tries++ {
		err := b.register(ctx, application)
		if err == nil || ctx.Err() != nil || !discord.OutcomeUnknown(err) && !discord.RateLimited(err) {
			return err
		}
		wait := failure(err).Backoff(tries)
		b.log.Warn("the commands are not registered yet", "error", err, "again_in", wait)
		after, release := timer(wait)
		select {
		case <-after:
		case <-ctx.Done():
		}
		release()
	}
}

// register makes the commands known to Discord: to the servers of the
// configuration, or everywhere where it names none. Commands that Discord has
// as they should be are left alone: a registration counts against a daily
// limit, and shows people the commands anew.
func (b *Bot) register(ctx context.Context, application string) error {
	places := b.config.Servers
	if len(places) == 0 {
		places = []string{""}
	}
	for _, server := range places {
		wanted := b.commands()
		for i := range wanted {
			if server == "" {
				wanted[i].IntegrationTypes = byAnybody
			}
		}
		log := b.log.With("count", len(wanted))
		if server != "" {
			log = log.With("server", server)
		}
		if b.registered(ctx, application, server, wanted, log) {
			log.Info("commands are registered already")
			continue
		}
		if err := b.client.BulkOverwriteCommands(ctx, application, server, wanted); err != nil {
			if server != "" {
				return fmt.Errorf("registering the commands in server %s: %w", server, err)
			}
			return fmt.Errorf("registering the commands: %w", err)
		}
		log.Info("commands registered")
	}
	return nil
}

// byAnybody is the installs of every command: what a person who has installed
// the bot for themselves cannot do where it is no member, it says there.
var byAnybody = []int{0, 1}

// registered reports whether Discord lists exactly the wanted commands. Where
// that cannot be found out they are registered once more, which does no harm.
func (b *Bot) registered(ctx context.Context, application, server string, wanted []discord.Command, log *slog.Logger) bool {
	listed, err := b.client.GetCommands(ctx, application, server)
	if err != nil {
		log.Warn("asking which commands are registered", "error", err)
		return false
	}
	have := make([]discord.Command, 0, len(listed))
	for _, l := range listed {
		if l.Command.Type = l.Type; l.Type == discord.CommandChatInput {
			l.Command.Type = 0
		}
		if server != "" {
			l.IntegrationTypes = nil
		}
		have = append(have, l.Command)
	}
	return bytes.Equal(canonical(have), canonical(wanted))
}

// canonical is commands in a form that can be compared: Discord lists them in
// an order of its own.
func canonical(commands []discord.Command) []byte {
	sorted := slices.SortedFunc(slices.Values(commands), func(a, b discord.Command) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
	})
	text, err := json.Marshal(sorted)
	if err != nil {
		// Choices hold texts and numbers; nothing else can get here.
		panic(fmt.Sprintf("bot: commands that are no JSON: %v", err))
	}
	return text
}

// Permissions that the bot asks for when it is invited, by the bits of
// Discord's documentation ("Permissions"): see the channel, post boards there
// and in threads, with their pictures, and find a post of its own again to
// which no answer came. It has no intent to read what people write.
const (
	permissionView    = 1 << 10
	permissionSend    = 1 << 11
	permissionAttach  = 1 << 15
	permissionHistory = 1 << 16 // read message history
	permissionMake    = 1 << 35 // create public threads
	permissionThreads = 1 << 38 // send messages in threads

	permissions = permissionView | permissionSend | permissionAttach | permissionHistory | permissionMake | permissionThreads
)

// Invite is the address at which somebody who manages a server adds the bot to
// it, with exactly the permissions and scopes that it needs. It is known once
// Ready is closed, and empty before.
func (b *Bot) Invite() string {
	select {
	case <-b.ready:
	default:
		return ""
	}
	base := url.URL{Scheme: "https", Host: "discord.com"}
	if b.config.API != nil {
		base = *b.config.API
	}
	link := base.JoinPath("oauth2", "authorize")
	link.RawQuery = "client_id=" + url.QueryEscape(b.application) +
		"&scope=bot+applications.commands&permissions=" + strconv.Itoa(permissions)
	return link.String()
}
