package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"castellan/bot/catalogue"
	"castellan/bot/command"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/settings"
	"castellan/bot/suggest"
	"castellan/engine"
	"castellan/storage"
)

// Errors in naming an opponent.
var (
	errBotOpponent = errors.New("a bot cannot be challenged")
	errOwnOpponent = errors.New("the opponent is this bot")
	errPersonLevel = errors.New("a level was chosen, but the opponent is not the computer")
)

// Errors about where a match can be played.
var (
	errOutsideGuild = errors.New("boards cannot be posted outside guilds")
	errNotMember    = errors.New("the bot is not a member of this guild")
)

// checkPostable returns why boards cannot be posted where a request comes from,
// or nil. A board is a post, not a response, because only a new post notifies
// people (docs/decisions/0002-boards-are-channel-posts.md). The bot cannot post
// in people's private channels or in a guild of which it is not a member. In its
// direct messages, the opponent would not see the board.
func checkPostable(r *interaction.Request) error {
	switch {
	case r.Place.Guild == "":
		return errOutsideGuild
	case r.NotMember:
		return errNotMember
	}
	return nil
}

// challenge handles /challenge <game>.
func (h *handlers) challenge(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	g, ok := h.games.Lookup(r.Values["game"])
	if !ok {
		return interaction.Response{}, &host.Refusal{Err: host.ErrUnknownGame}
	}
	guild, err := h.settings.Defaults(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	p := host.Proposal{
		Place: r.Place, Game: g.Key(), First: r.Option("first"), Options: map[string]string{},
	}
	if p.Opponents, err = h.opponents(r, g); err != nil {
		return interaction.Response{}, err
	}
	if players := r.Option("players"); players != "" {
		if p.Seats, err = strconv.Atoi(players); err != nil {
			return interaction.Response{}, fmt.Errorf("the number of players: %w", err)
		}
	}
	for _, option := range g.Options() {
		if v := suggest.TrimDescription(r.Option(option.Key)); v != "" {
			p.Options[option.Key] = v
		}
	}
	text, err := h.propose(ctx, r, guild, p)
	return interaction.PrivateText(text), err
}

// propose creates a challenge and returns what to tell the challenger. The command's
// options, or else the settings of the guild, decide on the clock, the rating and
// the thread; against computers, only the option has a match rated.
func (h *handlers) propose(ctx context.Context, r *interaction.Request, guild storage.GuildSettings, p host.Proposal) (text string, err error) {
	note := settings.Apply(r, guild, &p)
	var missing string
	p.Thread, missing = h.wantsThread(r, guild)
	note += missing
	ch, err := h.host.CreateChallenge(ctx, r.Actor(), p)
	if err != nil {
		return "", err
	}
	return h.showNewChallenge(ctx, r, ch) + note, nil
}

// showNewChallenge posts a challenge, or the board of its match if the match has
// begun at once, and returns what to tell the challenger.
func (h *handlers) showNewChallenge(ctx context.Context, r *interaction.Request, ch storage.Challenge) string {
	shown, err := h.publisher.ShowChallenge(ctx, ch.ID)
	if ch.Match != 0 {
		return h.showFirstBoard(ctx, r, ch)
	}
	if err != nil {
		return h.notShown(r, ch.Place, err, "challenge.kept")
	}
	link := discord.MessageLink(r.Say.T("challenge.link"), shown.Place.Guild, shown.Place.Channel, shown.Message)
	switch {
	case host.IsPublic(ch):
		return r.Say.T("open.sent", "Link", link)
	case host.IsLobby(ch):
		return r.Say.T("lobby.sent", "Link", link)
	}
	return r.Say.T("challenge.sent", "Who", discord.Escape(message.Opponent(ch).Name), "Link", link)
}

// showFirstBoard posts the first board of a match that began with its challenge.
// It also updates the challenge, which links to the match's thread.
func (h *handlers) showFirstBoard(ctx context.Context, r *interaction.Request, ch storage.Challenge) string {
	v, err := h.publisher.ShowMatch(ctx, ch.Match)
	if err != nil {
		return h.notShown(r, ch.Place, err, "computer.kept")
	}
	h.showChallengeLater(ctx, ch.ID)
	return r.Say.T("computer.begun", "Link", message.BoardLink(r.Say, v))
}

// showChallengeLater brings a challenge up to date; if that fails, the
// reconciler does it.
func (h *handlers) showChallengeLater(ctx context.Context, id storage.ChallengeID) {
	if _, err := h.publisher.ShowChallenge(ctx, id); err != nil {
		h.log.Debug("a challenge is not up to date yet", "challenge", id, "error", err)
	}
}

// opponents returns the opponents that a challenge names. The bot itself stands
// for the computer player. The computer is also the opponent if only a level is
// given, and in the bot's direct messages if no opponent is named.
func (h *handlers) opponents(r *interaction.Request, g engine.Game) (all []storage.Person, err error) {
	level := r.Option("level")
	computer := computerPlayer(r.Public, level)
	if level == "" {
		computer = computerPlayer(r.Public, host.DefaultLevel)
	}
	named := false
	for _, name := range command.OpponentOptions(g) {
		id := r.Option(name)
		if id == "" {
			continue
		}
		p, err := namedUser(r, id)
		switch {
		case errors.Is(err, errOwnOpponent):
			p, named = computer, true
		case err != nil:
			return nil, err
		case r.Direct:
			return nil, errOutsideGuild
		}
		all = append(all, p)
	}
	switch {
	case len(all) == 0 && (level != "" || r.Direct):
		all = append(all, computer)
	case level != "" && !named:
		return nil, errPersonLevel
	}
	return all, nil
}

// namedUser returns a user whom a command names as opponent.
func namedUser(r *interaction.Request, id string) (storage.Person, error) {
	u, ok := r.Users[id]
	switch {
	case !ok:
		return storage.Person{}, errors.New("the command does not resolve the user")
	case u.Bot && id == r.Interaction.ApplicationID: // a bot's user has the ID of its application
		return storage.Person{}, errOwnOpponent
	case u.Bot:
		return storage.Person{}, errBotOpponent
	}
	return u.Person, nil
}

// computerPlayer returns the computer at a level as it takes a seat. Its name is in
// the language of the place where it plays.
func computerPlayer(say *catalogue.Printer, level string) storage.Person {
	if level == host.EvenLevel {
		return host.ComputerPlayer(level, say.T("computer.even.open"))
	}
	return host.ComputerPlayer(level, message.ComputerName(say, level))
}

// wantsThread reports whether a match gets a thread: the command's option decides,
// or else the settings of the guild and the configuration. Without the permissions
// there is no thread, and the note names those that are missing. It also says that
// the guild prefers none.
func (h *handlers) wantsThread(r *interaction.Request, guild storage.GuildSettings) (wants bool, note string) {
	switch option := r.Option("thread"); {
	case option == "false", option == "" && h.noThreads:
		return false, ""
	case option == "" && guild.NoThreads:
		return false, "\n" + r.Say.T("challenge.default.thread")
	}
	return h.canThread(r)
}

// canThread reports whether the bot can create a thread in a request's channel.
// The note names the permissions that are missing.
func (h *handlers) canThread(r *interaction.Request) (can bool, note string) {
	if r.Place.Guild == "" || r.Permissions&discord.NoThreads != 0 {
		return false, ""
	}
	if missing := missingThreadPermissions(r); missing != "" {
		return false, "\n" + r.Say.T("thread.missing", "Permissions", missing, "Channel", discord.MentionChannel(r.Place.Channel))
	}
	return true, ""
}

// challengeUser handles Challenge in a user's context menu by asking for the game.
func (h *handlers) challengeUser(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if _, err := h.settings.Defaults(ctx, r); err != nil {
		return interaction.Response{}, err
	}
	p, err := namedUser(r, r.Target)
	switch {
	case errors.Is(err, errOwnOpponent):
		p = computerPlayer(r.Public, host.DefaultLevel)
	case errors.Is(err, errBotOpponent):
		return interaction.Response{}, err
	case r.Direct:
		return interaction.Response{}, errOutsideGuild
	case err != nil:
		return interaction.Response{}, fmt.Errorf("the target of a context menu: %w", err)
	case p.ID == r.Person.ID:
		return interaction.Response{}, &host.Refusal{Err: host.ErrSelfChallenge}
	}
	return interaction.Private(message.ChooseGame(r.Say, h.games.Games(), p)), nil
}

// challengeToGame handles the choice of a game after challengeUser.
func (h *handlers) challengeToGame(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	opponent := storage.Person{ID: r.Values["person"], Name: discord.BoundName(r.Values["name"])}
	for _, level := range append(host.AllLevels(), host.EvenLevel) {
		if c := computerPlayer(r.Public, level); c.ID == opponent.ID {
			opponent = c
		}
	}
	guild, err := h.settings.Defaults(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	text, err := h.propose(ctx, r, guild, host.Proposal{Place: r.Place, Game: r.Values["game"], Opponents: []storage.Person{opponent}})
	return interaction.UpdateText(text), err
}

func (h *handlers) accept(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.changeChallenge(ctx, r, h.host.Accept)
}

func (h *handlers) decline(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.changeChallenge(ctx, r, withoutMatch(h.host.Decline))
}

func (h *handlers) cancel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.changeChallenge(ctx, r, withoutMatch(h.host.Cancel))
}

func (h *handlers) join(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.changeChallenge(ctx, r, h.host.Join)
}

func (h *handlers) leave(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.changeChallenge(ctx, r, withoutMatch(h.host.Leave))
}

func (h *handlers) start(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.changeChallenge(ctx, r, h.host.Start)
}

// changeComputers adds a computer to a table or removes one.
func (h *handlers) changeComputers(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if len(r.Picks) != 1 {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	level := r.Picks[0]
	if level == message.RemoveComputer {
		return h.changeChallenge(ctx, r, withoutMatch(h.host.RemoveComputer))
	}
	return h.changeChallenge(ctx, r, func(ctx context.Context, a host.Actor, id storage.ChallengeID) (storage.Challenge, *host.View, error) {
		return h.host.AddComputer(ctx, a, id, computerPlayer(r.Public, level))
	})
}

// challengeChange is a use case that changes a challenge. The view is of the
// match that has started, nil if none has.
type challengeChange func(context.Context, host.Actor, storage.ChallengeID) (storage.Challenge, *host.View, error)

// withoutMatch adapts a use case that never starts a match.
func withoutMatch(do func(context.Context, host.Actor, storage.ChallengeID) (storage.Challenge, error)) challengeChange {
	return func(ctx context.Context, a host.Actor, id storage.ChallengeID) (storage.Challenge, *host.View, error) {
		ch, err := do(ctx, a, id)
		return ch, nil, err
	}
}

// changeChallenge carries out a change of the challenge whose message has the
// component, and responds by updating that message. Nobody else changes the
// message until the response has been sent.
func (h *handlers) changeChallenge(ctx context.Context, r *interaction.Request, do challengeChange) (response interaction.Response, err error) {
	id, err := r.Challenge()
	if err != nil {
		return interaction.Response{}, err
	}
	unlock, err := h.publisher.LockChallenge(ctx, id)
	if err != nil {
		return interaction.Response{}, err
	}
	responding := false
	defer func() {
		if !responding {
			unlock()
		}
	}()
	ch, v, err := do(ctx, r.Actor(), id)
	if err != nil {
		return interaction.Response{}, err
	}
	if v != nil {
		if ch.Message == "" { // the process that posted it stopped before it recorded the post
			if err := h.host.ChallengeShown(context.WithoutCancel(ctx), ch.ID, r.Message, ch.ShownRevision); err != nil {
				return interaction.Response{}, err
			}
		}
		if _, err := h.publisher.Show(ctx, v); err != nil {
			h.log.Debug("the first board is not posted yet", "match", v.Record.ID, "error", err)
		}
	}
	lease, ch, err := h.host.TakeChallenge(ctx, ch.ID) // it may have a thread now
	if err != nil {
		return interaction.Response{}, err
	}
	release := func() { h.host.EndShow(context.WithoutCancel(ctx), lease); unlock() }
	m, err := h.publisher.ChallengeMessage(ctx, ch)
	if err != nil {
		h.host.EndShow(context.WithoutCancel(ctx), lease)
		return interaction.Response{}, err
	}
	responding = true
	return interaction.Update(m).Then(func(ctx context.Context) {
		if err := h.host.ChallengeShownBy(context.WithoutCancel(ctx), lease, ch.ID, r.Message, ch.Revision); err != nil && !errors.Is(err, storage.ErrFenced) {
			h.log.Error("recording a shown challenge", "challenge", ch.ID, "error", err)
		}
	}).Finally(release), nil
}

// suggestOption completes an option of /challenge whose value is a set.
func (h *handlers) suggestOption(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	g, ok := h.games.Lookup(r.Values["game"])
	if !ok {
		return interaction.Suggest(nil), nil
	}
	o, ok := g.Options().Lookup(r.Values["option"])
	if !ok || o.Kind != engine.Set {
		return interaction.Suggest(nil), nil
	}
	return interaction.Suggest(suggest.SetSuggestions(r.Say, g, o, r.Option(o.Key))), nil
}

// rematchCommand handles /rematch, for the match that the person names or else
// for their match that ended last in this channel.
func (h *handlers) rematchCommand(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := checkPostable(r); err != nil && !r.Direct {
		return interaction.Response{}, err
	}
	v, err := h.namedMatch(ctx, r)
	if err == nil && v == nil {
		v, err = h.browse.LastEnded(ctx, r.Person.ID, r.Place.Channel)
		if errors.Is(err, host.ErrNoFinishedMatch) && r.Place.Guild == "" {
			v, err = h.browse.LastEnded(ctx, r.Person.ID, "")
		}
	}
	if err != nil {
		return interaction.Response{}, err
	}
	return h.rematch(ctx, r, v.Record.ID)
}

// rematchButton handles Rematch on a final board.
func (h *handlers) rematchButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return h.rematch(ctx, r, v.Record.ID)
}

// rematch challenges the players of a match to another one in the request's
// channel, or accepts that challenge if another player has made it.
func (h *handlers) rematch(ctx context.Context, r *interaction.Request, id storage.MatchID, computer ...storage.Person) (interaction.Response, error) {
	if err := h.checkRematch(ctx, r, id); err != nil {
		return interaction.Response{}, err
	}
	if _, err := h.settings.Defaults(ctx, r); err != nil {
		return interaction.Response{}, err
	}
	thread, err := h.host.WantedThread(ctx, id)
	if err != nil {
		return interaction.Response{}, err
	}
	var note string
	if thread {
		thread, note = h.canThread(r)
	}
	ch, v, err := h.host.Rematch(ctx, r.Actor(), id, r.Place, thread, computer...)
	switch {
	case err != nil:
		return interaction.Response{}, err
	case v == nil && ch.Challenger.ID == r.Person.ID:
		return interaction.PrivateText(h.showNewChallenge(ctx, r, ch) + note), nil
	}
	h.showChallengeLater(ctx, ch.ID)
	if v == nil {
		return interaction.PrivateText(r.Say.T("rematch.joined")), nil
	}
	shown, err := h.publisher.Show(ctx, v)
	if err != nil {
		return interaction.PrivateText(h.notShown(r, v.Record.Place, err, "rematch.kept")), nil
	}
	return interaction.PrivateText(r.Say.T("rematch.begun", "Link", message.BoardLink(r.Say, shown))), nil
}

// rematchLevel handles Stronger and Weaker on the final board of a match against
// the computer. It starts a rematch against the next level.
func (h *handlers) rematchLevel(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	levels := h.host.Levels(v.Record.Game)
	i := slices.IndexFunc(levels, func(level string) bool {
		return slices.ContainsFunc(v.Record.Seats, func(p storage.Person) bool { return p.Level == level })
	})
	if next := i + map[string]int{message.Stronger: 1, message.Weaker: -1}[r.Values["which"]]; i >= 0 && next >= 0 && next < len(levels) {
		return h.rematch(ctx, r, v.Record.ID, computerPlayer(r.Public, levels[next]))
	}
	return interaction.Response{}, &host.Refusal{Err: host.ErrUnknownLevel}
}

// checkRematch returns why a match cannot be played again where a request comes
// from, or nil. In the bot's direct messages all opponents must be computers.
func (h *handlers) checkRematch(ctx context.Context, r *interaction.Request, id storage.MatchID) error {
	err := checkPostable(r)
	if !r.Direct {
		return err
	}
	v, missing := h.host.Match(ctx, id)
	switch {
	case missing != nil:
		return missing
	case host.IsSolo(v.Record.Seats):
		return nil
	}
	return err
}

// missingThreadPermissions lists the permissions, by their names in Discord's
// clients, that the bot lacks to create a thread in a request's channel and to
// write in it. It is empty if the bot's permissions are unknown.
func missingThreadPermissions(r *interaction.Request) string {
	return missingPermissions(r, []permission{
		{discord.PermissionCreatePublicThreads, "permission.threads"},
		{discord.PermissionSendMessagesInThreads, "permission.inthreads"},
	})
}
