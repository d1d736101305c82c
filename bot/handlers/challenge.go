package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/storage"
)

func (h *Handlers) challengeRoutes() []route {
	return []route{
		{command, "challenge/{game}", h.challenge, ordinary, anyone},
		{autocomplete, "challenge/{game}/{option}", h.suggestOption, typing, anyone},
		{component, "challenge/{challenge}/accept", h.change(h.Host.Accept), ordinary, checked},
		{component, "challenge/{challenge}/decline", h.change(withoutMatch(h.Host.Decline)), leaving, checked},
		{component, "challenge/{challenge}/cancel", h.change(withoutMatch(h.Host.Cancel)), leaving, checked},
		{component, "challenge/{challenge}/withdraw", update(h.withdraw), leaving, checked},
		{component, "challenge/{challenge}/join", h.change(h.Host.Join), ordinary, checked},
		{component, "challenge/{challenge}/leave", h.change(withoutMatch(h.Host.Leave)), leaving, checked},
		{component, "challenge/{challenge}/start", h.change(h.Host.Start), ordinary, checked},
		{component, "challenge/{challenge}/computer/{revision}", h.changeComputers, ordinary, checked},
		{command, "user/challenge", h.challengeUser, ordinary, anyone},
		{component, "duel/{game}/{person}/{name...}", h.challengeToGame, ordinary, anyone},
		{command, "rematch", h.rematchCommand, ordinary, checked},
		{component, "match/{match}/{seq}/rematch", h.about(h.namedMatch, h.rematchButton), ordinary, checked},
		{component, "match/{match}/{seq}/rematch/{which}", h.about(h.namedMatch, h.rematchLevel), ordinary, checked},
	}
}

// Errors in naming an opponent.
var (
	errBotOpponent = errors.New("a bot cannot be challenged")
	errOwnOpponent = errors.New("the opponent is this bot")
	errPersonLevel = errors.New("a level was chosen, but the opponent is not the computer")
	errUnresolved  = errors.New("the command does not resolve the user")
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

func (h *Handlers) challenge(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	g, ok := h.Games.Lookup(r.Values["game"])
	if !ok {
		return interaction.Response{}, &host.Refusal{Err: host.ErrUnknownGame}
	}
	guild, err := h.guildDefaults(ctx, r)
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
		if v := message.TrimDescription(r.Option(option.Key)); v != "" {
			p.Options[option.Key] = v
		}
	}
	text, err := h.propose(ctx, r, guild, p)
	return interaction.PrivateText(text), err
}

// propose creates a challenge and returns what to tell the challenger. The command's
// options, or else the settings of the guild, decide on the clock, the rating and
// the thread; against computers, only the option has a match rated.
func (h *Handlers) propose(ctx context.Context, r *interaction.Request, guild storage.GuildSettings, p host.Proposal) (text string, err error) {
	if p.Options, err = h.withFirstOptions(ctx, r.Person.ID, p); err != nil {
		return "", err
	}
	note := applyDefaults(r, guild, &p)
	var missing string
	p.Thread, missing = h.wantsThread(r, guild)
	note += missing
	ch, err := h.Host.CreateChallenge(ctx, r.Actor(), p)
	if h.makeRoom(ctx, r.Person.ID, err) {
		ch, err = h.Host.CreateChallenge(ctx, r.Actor(), p)
	}
	if err != nil {
		return "", err
	}
	return h.showNewChallenge(ctx, r, ch) + note, nil
}

// withFirstOptions returns the chosen options of a challenge, with those of a first match
// if the person has not finished one of the game.
func (h *Handlers) withFirstOptions(ctx context.Context, person string, p host.Proposal) (map[string]string, error) {
	options := map[string]string{}
	maps.Copy(options, p.Options)
	g, ok := h.Games.Lookup(p.Game)
	if !ok { // the host refuses it
		return options, nil
	}
	for _, o := range g.Options() {
		if o.First == "" || options[o.Key] != "" {
			continue
		}
		if finished, err := h.Browse.HasFinished(ctx, person, p.Game); finished || err != nil {
			return options, err
		}
		options[o.Key] = o.First
	}
	return options, nil
}

// showNewChallenge posts a challenge, or the board of its match if the match has
// begun at once, and returns what to tell the challenger.
func (h *Handlers) showNewChallenge(ctx context.Context, r *interaction.Request, ch storage.Challenge) string {
	shown, err := h.Publisher.ShowChallenge(ctx, ch.ID)
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
	return r.Say.T("challenge.sent", "Who", message.Name(r.Say, message.Opponent(ch)), "Link", link)
}

// showFirstBoard posts the first board of a match that began with its challenge.
// It also updates the challenge, which links to the match's thread.
func (h *Handlers) showFirstBoard(ctx context.Context, r *interaction.Request, ch storage.Challenge) string {
	v, err := h.Publisher.ShowMatch(ctx, ch.Match)
	if err != nil {
		return h.notShown(r, ch.Place, err, "computer.kept")
	}
	h.showChallengeLater(ctx, ch.ID)
	return r.Say.T("computer.begun", "Link", message.BoardLink(r.Say, v))
}

// showChallengeLater brings a challenge up to date; if that fails, the
// reconciler does it.
func (h *Handlers) showChallengeLater(ctx context.Context, id storage.ChallengeID) {
	if _, err := h.Publisher.ShowChallenge(ctx, id); err != nil {
		h.Log.Debug("a challenge is not up to date yet", "challenge", id, "error", err)
	}
}

// opponents returns the opponents that a challenge names. The bot itself stands
// for the computer player. The computer is also the opponent if only a level is
// given, and in the bot's direct messages if no opponent is named.
func (h *Handlers) opponents(r *interaction.Request, g engine.Game) (all []storage.Person, err error) {
	level := r.Option("level")
	computer := h.computer(r, g.Key(), cmp.Or(level, host.EvenLevel))
	named := false
	for _, name := range message.OpponentOptions(g) {
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

func namedUser(r *interaction.Request, id string) (storage.Person, error) {
	u, ok := r.Users[id]
	switch {
	case !ok:
		return storage.Person{}, errUnresolved
	case u.Bot && id == r.Interaction.ApplicationID: // a bot's user has the ID of its application
		return storage.Person{}, errOwnOpponent
	case u.Bot:
		return storage.Person{}, errBotOpponent
	case u.Elsewhere:
		return storage.Person{}, &departedError{u.Person}
	}
	return u.Person, nil
}

// departedError reports that a person is not a member of the guild, so would not see a
// challenge.
type departedError struct{ person storage.Person }

func (*departedError) Error() string { return "the person is not a member of the guild" }

// computer returns the computer at a level of a game. If there is no such level, the
// host refuses it.
func (h *Handlers) computer(r *interaction.Request, game, key string) storage.Person {
	for _, l := range h.Host.LevelChoices(game) {
		if l.Key == key {
			return message.Computer(r.Public, l)
		}
	}
	return host.ComputerPlayer(key, "")
}

// wantsThread reports whether a match gets a thread: the command's option decides,
// or else the settings of the guild and the configuration. Without the permissions
// there is no thread, and the note names those that are missing. It also says that
// the guild prefers none.
func (h *Handlers) wantsThread(r *interaction.Request, guild storage.GuildSettings) (wants bool, note string) {
	switch option := r.Option("thread"); {
	case option == "false", option == "" && h.NoThreads:
		return false, ""
	case option == "" && guild.NoThreads:
		return false, "\n" + r.Say.T("challenge.default.thread")
	}
	return h.canThread(r)
}

// canThread reports whether the bot can create a thread in a request's channel.
// The note names the permissions that are missing.
func (h *Handlers) canThread(r *interaction.Request) (can bool, note string) {
	if r.Place.Guild == "" || r.Permissions&discord.NoThreads != 0 {
		return false, ""
	}
	if missing := missingThreadPermissions(r); missing != "" {
		return false, "\n" + r.Say.T("thread.missing", "Permissions", missing, "Channel", discord.MentionChannel(r.Place.Channel))
	}
	return true, ""
}

// challengeUser handles Challenge in a user's context menu by asking for the game.
func (h *Handlers) challengeUser(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if _, err := h.guildDefaults(ctx, r); err != nil {
		return interaction.Response{}, err
	}
	p, err := namedUser(r, r.Target)
	switch {
	case errors.Is(err, errOwnOpponent):
		p = message.Computer(r.Public, host.Level{Key: host.EvenLevel})
	case errors.Is(err, errBotOpponent):
		return interaction.Response{}, err
	case r.Direct:
		return interaction.Response{}, errOutsideGuild
	case err != nil:
		return interaction.Response{}, fmt.Errorf("the target of a context menu: %w", err)
	case p.ID == r.Person.ID:
		return interaction.Response{}, &host.Refusal{Err: host.ErrSelfChallenge}
	}
	return interaction.Private(message.ChooseGame(r.Say, h.Games.Games(), p)), nil
}

func (h *Handlers) challengeToGame(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	opponent := storage.Person{ID: r.Values["person"], Name: discord.BoundName(r.Values["name"])}
	for _, l := range h.Host.LevelChoices(r.Values["game"]) {
		if c := message.Computer(r.Public, l); c.ID == opponent.ID {
			opponent = c
		}
	}
	guild, err := h.guildDefaults(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	text, err := h.propose(ctx, r, guild, host.Proposal{Place: r.Place, Game: r.Values["game"], Opponents: []storage.Person{opponent}})
	return interaction.UpdateText(text), err
}

func (h *Handlers) changeComputers(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if len(r.Picks) != 1 {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	level := r.Picks[0]
	if level == message.RemoveComputer {
		return h.changeChallenge(ctx, r, withoutMatch(h.Host.RemoveComputer))
	}
	return h.changeChallenge(ctx, r, func(ctx context.Context, a host.Actor, id storage.ChallengeID) (storage.Challenge, *host.View, error) {
		ch, err := h.Host.FindChallenge(ctx, id)
		if err != nil {
			return ch, nil, err
		}
		return h.Host.AddComputer(ctx, a, id, h.computer(r, ch.Game, level))
	})
}

// challengeChange is a use case that changes a challenge. The view is of the
// match that has started, nil if none has.
type challengeChange func(context.Context, host.Actor, storage.ChallengeID) (storage.Challenge, *host.View, error)

func withoutMatch(do func(context.Context, host.Actor, storage.ChallengeID) (storage.Challenge, error)) challengeChange {
	return func(ctx context.Context, a host.Actor, id storage.ChallengeID) (storage.Challenge, *host.View, error) {
		ch, err := do(ctx, a, id)
		return ch, nil, err
	}
}

func (h *Handlers) change(do challengeChange) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		return h.changeChallenge(ctx, r, do)
	}
}

// changeChallenge carries out a change of the challenge whose message has the
// component, and responds by updating that message. Nobody else changes the
// message until the response has been sent.
func (h *Handlers) changeChallenge(ctx context.Context, r *interaction.Request, do challengeChange) (response interaction.Response, err error) {
	id := storage.ChallengeID(r.Number("challenge"))
	unlock, err := h.Publisher.LockChallenge(ctx, id)
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
			if err := h.Host.ChallengeShown(context.WithoutCancel(ctx), storage.DeliveryLease{}, ch.ID, r.Message, ch.ShownRevision); err != nil {
				return interaction.Response{}, err
			}
		}
		if _, err := h.Publisher.Show(ctx, v); err != nil {
			h.Log.Debug("the first board is not posted yet", "match", v.Record.ID, "error", err)
		}
	}
	lease, ch, err := h.Host.TakeChallenge(ctx, ch.ID) // it may have a thread now
	if err != nil {
		return interaction.Response{}, err
	}
	m, err := h.Publisher.ChallengeMessage(ctx, ch)
	if err != nil {
		h.Host.EndShow(context.WithoutCancel(ctx), lease)
		return interaction.Response{}, err
	}
	responding = true
	return interaction.Update(m).Continue(func(ctx context.Context, confirmed bool) string {
		ctx = context.WithoutCancel(ctx)
		defer func() { h.Host.EndShow(ctx, lease); unlock() }()
		if !confirmed {
			return ""
		}
		if err := h.Host.ChallengeShown(ctx, lease, ch.ID, r.Message, ch.Revision); err != nil && !errors.Is(err, storage.ErrFenced) {
			h.Log.Error("recording a shown challenge", "challenge", ch.ID, "error", err)
		}
		return ""
	}), nil
}

// withdrawLost withdraws those of a person's open challenges whose messages have been
// deleted, and returns the others. Discord tells of deleted messages only those that
// receive every message, so the bot looks when it matters.
func (h *Handlers) withdrawLost(ctx context.Context, open []storage.Challenge) []storage.Challenge {
	return slices.DeleteFunc(slices.Clone(open), func(ch storage.Challenge) bool {
		if ch.Message == "" {
			return false
		}
		exists, err := h.Client.HasMessage(ctx, ch.Place.Channel, ch.Message)
		if err == nil && !exists {
			err = h.Host.WithdrawLost(ctx, ch.ID, ch.Message)
		}
		if err != nil {
			h.Log.Debug("looking for the message of a challenge", "challenge", ch.ID, "error", err)
		}
		return err == nil && !exists
	})
}

// makeRoom withdraws the lost challenges of a person if their own prevent another one,
// as an error says, and reports whether there were any.
func (h *Handlers) makeRoom(ctx context.Context, person string, err error) bool {
	var limit *host.LimitError
	own := errors.Is(err, host.ErrRematchPending) ||
		errors.As(err, &limit) && (limit.Limit == host.LimitOpenByPerson || limit.Limit == host.LimitOpenInGuild)
	if !own {
		return false
	}
	open, err := h.Host.OwnChallenges(ctx, person)
	return err == nil && len(h.withdrawLost(ctx, open)) < len(open)
}

// withdraw handles Withdraw in /games, for a challenge of the person wherever it is. If
// they have no such challenge any more, the list says so.
func (h *Handlers) withdraw(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	open, err := h.Host.OwnChallenges(ctx, r.Person.ID)
	i := slices.IndexFunc(open, func(ch storage.Challenge) bool { return int(ch.ID) == r.Number("challenge") })
	if err == nil && i >= 0 {
		a := r.Actor()
		a.Place = open[i].Place
		_, err = h.Host.Cancel(ctx, a, open[i].ID)
		h.showChallengeLater(ctx, open[i].ID)
	}
	if err != nil {
		return m, err
	}
	return h.gamesMessage(ctx, r, message.ListMine, 1)
}

// suggestOption completes an option of /challenge whose value is a set.
func (h *Handlers) suggestOption(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	g, ok := h.Games.Lookup(r.Values["game"])
	if !ok {
		return interaction.Suggest(nil), nil
	}
	o, ok := g.Options().Lookup(r.Values["option"])
	if !ok || o.Kind != engine.Set {
		return interaction.Suggest(nil), nil
	}
	return interaction.Suggest(message.SetSuggestions(r.Say, g, o, r.Option(o.Key))), nil
}

// rematchCommand handles /rematch, for the match that the person names or else
// for their match that ended last in this channel.
func (h *Handlers) rematchCommand(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := checkPostable(r); err != nil && !r.Direct {
		return interaction.Response{}, err
	}
	v, err := h.namedMatch(ctx, r)
	if err == nil && v == nil {
		v, err = h.Browse.LastEnded(ctx, r.Person.ID, r.Place.Channel)
		if errors.Is(err, host.ErrNoFinishedMatch) && r.Place.Guild == "" {
			v, err = h.Browse.LastEnded(ctx, r.Person.ID, "")
		}
	}
	if err != nil {
		return interaction.Response{}, err
	}
	return h.rematch(ctx, r, v.Record.ID)
}

func (h *Handlers) rematchButton(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	return h.rematch(ctx, r, v.Record.ID)
}

// rematch challenges the players of a match to another one in the request's
// channel, or accepts that challenge if another player has made it.
func (h *Handlers) rematch(ctx context.Context, r *interaction.Request, id storage.MatchID, computer ...storage.Person) (interaction.Response, error) {
	if err := h.checkRematch(ctx, r, id); err != nil {
		return interaction.Response{}, err
	}
	if _, err := h.guildDefaults(ctx, r); err != nil {
		return interaction.Response{}, err
	}
	thread, err := h.Host.WantedThread(ctx, id)
	if err != nil {
		return interaction.Response{}, err
	}
	var note string
	if thread {
		thread, note = h.canThread(r)
	}
	ch, v, err := h.Host.Rematch(ctx, r.Actor(), id, r.Place, thread, computer...)
	if h.makeRoom(ctx, r.Person.ID, err) {
		ch, v, err = h.Host.Rematch(ctx, r.Actor(), id, r.Place, thread, computer...)
	}
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
	shown, err := h.Publisher.Show(ctx, v)
	if err != nil {
		return interaction.PrivateText(h.notShown(r, v.Record.Place, err, "rematch.kept")), nil
	}
	return interaction.PrivateText(r.Say.T("rematch.begun", "Link", message.BoardLink(r.Say, shown))), nil
}

// rematchLevel handles Stronger and Weaker on the final board of a match against
// the computer. It starts a rematch against the next level.
func (h *Handlers) rematchLevel(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	levels := h.Host.Levels(v.Record.Game)
	i := slices.IndexFunc(levels, func(l host.Level) bool {
		return slices.ContainsFunc(v.Record.Seats, func(p storage.Person) bool { return p.Level == l.Key })
	})
	if next := i + map[string]int{message.Stronger: 1, message.Weaker: -1}[r.Values["which"]]; i >= 0 && next >= 0 && next < len(levels) {
		return h.rematch(ctx, r, v.Record.ID, message.Computer(r.Public, levels[next]))
	}
	return interaction.Response{}, &host.Refusal{Err: host.ErrUnknownLevel}
}

// checkRematch returns why a match cannot be played again where a request comes
// from, or nil. In the bot's direct messages all opponents must be computers, elsewhere
// all must be members of the guild.
func (h *Handlers) checkRematch(ctx context.Context, r *interaction.Request, id storage.MatchID) error {
	err := checkPostable(r)
	if err != nil && !r.Direct {
		return err
	}
	v, missing := h.Host.Match(ctx, id)
	switch {
	case missing != nil:
		return missing
	case r.Direct && host.IsSolo(v.Record.Seats):
		return nil
	case r.Direct:
		return err
	}
	for _, p := range v.Record.Seats {
		if host.IsComputer(p) || p.IsFormer() || p.ID == r.Person.ID {
			continue
		}
		if h.Publisher.HasLeft(ctx, r.Place.Guild, p.ID) {
			return &departedError{p}
		}
	}
	return nil
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
