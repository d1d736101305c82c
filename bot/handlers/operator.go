package handlers

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

// Operators are the people who run the bot, and the guild in which they have a command
// for that. There is no command if Guild is empty.
type Operators struct {
	Guild  string
	People []string // their IDs
}

func (h *Handlers) operatorRoutes() (routes []route) {
	if h.Operators.Guild == "" {
		return nil
	}
	for name, act := range map[string]reader{
		"statistics": h.statistics, "ban": h.ban(storage.ActBan), "unban": h.ban(storage.ActUnban), "leave": h.leaveGuild, "notice": h.notice,
	} {
		routes = append(routes, route{command, "operator/" + name, private(h.byOperator(act)), ordinary, checked})
	}
	return routes
}

var (
	errNotOperator = errors.New("the person does not operate the bot")
	errBanOperator = errors.New("operators and their guild cannot be banned")
	errNoTarget    = errors.New("neither a person nor a guild is named, or both")
	errNoGuild     = errors.New("the bot is not in this guild")
)

// byOperator keeps everybody but operators from a command. Discord shows it to the
// administrators of their guild, too.
func (h *Handlers) byOperator(act reader) reader {
	return func(ctx context.Context, r *interaction.Request) (discord.Message, error) {
		if r.Place.Guild != h.Operators.Guild || !slices.Contains(h.Operators.People, r.Person.ID) {
			return discord.Message{}, errNotOperator
		}
		return act(ctx, r)
	}
}

func (h *Handlers) statistics(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	app, err := h.Client.GetApplication(ctx)
	if err != nil {
		return m, err
	}
	counts, err := host.Report(ctx, h.Host, func(r storage.Reader) (storage.Counts, error) { return r.Counts(h.Host.Now()) })
	if err != nil {
		return m, err
	}
	banned, err := h.Account.BannedCount(ctx)
	if err == nil {
		err = h.Account.Act(ctx, r.Actor(), storage.Act{Kind: storage.ActStatistics})
	}
	return message.Statistics(r.Say, app, counts, banned), err
}

// ban bans the person or guild that is named, or withdraws that.
func (h *Handlers) ban(kind storage.ActKind) reader {
	return func(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
		target, who := r.Option("user"), discord.MentionUser(r.Option("user"))
		if target == "" {
			if target, err = guildID(r); err != nil {
				return m, err
			}
			who = discord.InlineCode(target)
		} else if r.Option("server") != "" {
			return m, errNoTarget
		}
		if kind == storage.ActBan && (target == h.Operators.Guild || slices.Contains(h.Operators.People, target)) {
			return m, errBanOperator
		}
		if r.Users[target].Bot {
			return m, errBlockBot
		}
		err = h.Account.Act(ctx, r.Actor(), storage.Act{Kind: kind, Target: target, Note: r.Option("reason")})
		h.Publisher.Wake() // to edit the challenges that were withdrawn
		return discord.TextMessage(r.Say.T("operator."+string(kind), "Who", who)), err
	}
}

// leaveGuild has the bot leave a guild. The act is recorded first, so that nothing is
// done without a line.
func (h *Handlers) leaveGuild(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	guild, err := guildID(r)
	switch {
	case err != nil:
		return m, err
	case guild == h.Operators.Guild:
		return m, errBanOperator
	}
	if err := h.Account.Act(ctx, r.Actor(), storage.Act{Kind: storage.ActLeave, Target: guild, Note: r.Option("reason")}); err != nil {
		return m, err
	}
	if err = h.Client.LeaveGuild(ctx, guild); discord.HasCode(err, discord.CodeUnknownGuild, discord.CodeMissingAccess) {
		err = errNoGuild
	}
	return discord.TextMessage(r.Say.T("operator.leave", "Who", discord.InlineCode(guild))), err
}

// notice replaces the line that new boards show.
func (h *Handlers) notice(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	text := strings.Join(strings.Fields(r.Option("text")), " ")
	err := h.Account.Act(ctx, r.Actor(), storage.Act{Kind: storage.ActNotice, Note: text})
	key := "operator.notice"
	if text == "" {
		key = "operator.notice.none"
	}
	return discord.TextMessage(r.Say.T(key, "Hours", int(account.NoticeTime.Hours()), "Text", text)), err
}

var snowflake = regexp.MustCompile(`^[0-9]{17,20}$`)

// guildID returns the option that names a guild.
func guildID(r *interaction.Request) (string, error) {
	id := strings.TrimSpace(r.Option("server"))
	if !snowflake.MatchString(id) {
		return "", errNoTarget
	}
	return id, nil
}
