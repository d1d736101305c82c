package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"castellan/bot/sandbox/api"
)

// Person acts as a user of a Discord client, and can do everything that the
// page can. Its methods return as soon as the bot has been sent the
// interaction; use Wait and Interaction for the outcome. Errors are sentences
// for people.
type Person struct {
	s  *Sandbox
	id string
}

// CommandOnUser uses a command of a user's context menu. It fails without
// sending anything if there is no such command or user.
func (p *Person) CommandOnUser(channelID, name, targetID string) (Interaction, error) {
	return p.menuCommand(channelID, name, api.CommandUser, func(i *storedInteraction, e *entities) error {
		if !p.s.addEntity(e, i.Channel, api.ComponentUserSelect, targetID, nil) {
			return fmt.Errorf("there is no user %q", targetID)
		}
		i.targetID = targetID
		return nil
	})
}

// CommandOnMessage uses a command of a message's context menu. It fails
// without sending anything if there is no such command or message.
func (p *Person) CommandOnMessage(channelID, name, messageID string) (Interaction, error) {
	return p.menuCommand(channelID, name, api.CommandMessage, func(i *storedInteraction, e *entities) error {
		target := p.s.findMessage(channelID, messageID)
		if target == nil || !target.visibleTo(p.id) {
			return errGone
		}
		if target.Viewer != "" {
			return errors.New("private messages have no commands")
		}
		e.messages, i.Target, i.targetID = append(e.messages, target), target, messageID
		return nil
	})
}

func (p *Person) menuCommand(channelID, name string, kind int, aim func(*storedInteraction, *entities) error) (Interaction, error) {
	return p.start(func() (*storedInteraction, map[string]any, error) {
		s := p.s
		ch, def, err := s.commandInChannel(p.id, channelID, name, kind)
		if err != nil {
			return nil, nil, err
		}
		i := newInteraction(KindCommand, api.InteractionCommand, ch, name, owners(ch, p.id, s.commandInstalls(def, ch, p.id)))
		i.CommandType = kind
		var named entities
		if err := aim(i, &named); err != nil {
			return nil, nil, err
		}
		data := map[string]any{"id": def.ID, "name": def.Name, "type": def.Type, "target_id": i.targetID, "resolved": s.resolve(ch, p.id, named)}
		if def.GuildID != "" {
			data["guild_id"] = def.GuildID
		}
		return i, data, nil
	})
}

// DirectMessages opens the person's direct messages with the bot and returns
// their channel. It fails if the person neither shares a guild with the bot
// nor has installed it.
func (p *Person) DirectMessages() (channelID string, err error) {
	return act(p, func(s *Sandbox) (string, error) {
		if !s.sharesGuild(p.id) && !s.installed[p.id] {
			return "", fmt.Errorf("you share no server with %s and have not installed it", s.o.World.Application.Name)
		}
		return s.direct(p.id, s.ApplicationID()).ID, nil
	})
}

// DirectMessagesWith opens the person's direct messages with another person
// and returns their channel, which the bot cannot see.
func (p *Person) DirectMessagesWith(userID string) (channelID string, err error) {
	return act(p, func(s *Sandbox) (string, error) {
		if _, ok := s.user(userID); !ok || userID == p.id {
			return "", fmt.Errorf("there is no user %q to write to", userID)
		}
		return s.direct(p.id, userID).ID, nil
	})
}

// CloseMessages sets whether the person refuses direct messages.
func (p *Person) CloseMessages(closed bool) error {
	return p.do(func(s *Sandbox) error {
		s.dmsClosed[p.id] = closed
		s.worldChanged()
		return nil
	})
}

var errGone = errors.New("this message is gone")

// ErrNoAnswer is the error of an interaction that the bot has not answered in
// three seconds: "The application did not respond".
var ErrNoAnswer = errors.New("the application did not respond")

// As returns the person with an id. If there is none, their actions fail.
func (s *Sandbox) As(userID string) *Person { return &Person{s: s, id: userID} }

// ID returns the person's user id.
func (p *Person) ID() string { return p.id }

func (p *Person) exists() error {
	if _, ok := p.s.user(p.id); !ok {
		return fmt.Errorf("there is no user %q", p.id)
	}
	return nil
}

// act runs f for a person who exists, with the lock held.
func act[T any](p *Person, f func(s *Sandbox) (T, error)) (out T, err error) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if err := p.exists(); err != nil {
		return out, err
	}
	p.s.archiveIdle()
	return f(p.s)
}

// do is like act for actions without a result.
func (p *Person) do(f func(s *Sandbox) error) error {
	_, err := act(p, func(s *Sandbox) (struct{}, error) { return struct{}{}, f(s) })
	return err
}

// start builds an interaction and sends it to the bot. build is called with the
// lock held and returns the interaction with its data.
func (p *Person) start(build func() (*storedInteraction, map[string]any, error)) (Interaction, error) {
	return act(p, func(s *Sandbox) (Interaction, error) {
		s.actions.Add(1)
		i, data, err := build()
		if err != nil {
			return Interaction{}, err
		}
		if t := i.Channel.Thread; t != nil && t.Archived && !t.Locked {
			if err := s.roomForThread(i.Channel.Guild); err != nil {
				return Interaction{}, err
			}
		}
		i.UserID = p.id
		s.startInteraction(i, data)
		return i.snapshot(), nil
	})
}

// Command uses a slash command. It fails without sending anything if the
// command or an option does not exist, is missing or out of range.
func (p *Person) Command(channelID, name string, options ...CommandOption) (Interaction, error) {
	return p.start(func() (*storedInteraction, map[string]any, error) {
		return p.s.prepareCommand(p.id, channelID, name, options, false)
	})
}

// Autocomplete requests suggestions for the option marked Focused and waits
// for them. The error is ErrNoAnswer after three seconds.
func (p *Person) Autocomplete(ctx context.Context, channelID, name string, options ...CommandOption) ([]api.Choice, error) {
	i, err := p.Suggest(channelID, name, options...)
	if err != nil {
		return nil, err
	}
	var now Interaction
	err = p.s.Wait(ctx, func() bool {
		now, _ = p.s.Interaction(i.ID)
		return now.State != StateWaiting
	})
	if err != nil {
		return nil, fmt.Errorf("wait for suggestions: %w", err)
	}
	if now.State == StateFailed {
		return nil, ErrNoAnswer
	}
	return now.Choices, nil
}

// Suggest requests suggestions without waiting for them. They are the Choices
// of the interaction.
func (p *Person) Suggest(channelID, name string, options ...CommandOption) (Interaction, error) {
	return p.start(func() (*storedInteraction, map[string]any, error) {
		return p.s.prepareCommand(p.id, channelID, name, options, true)
	})
}

// Click presses a button of a message that the person sees.
func (p *Person) Click(channelID, messageID, customID string) (Interaction, error) {
	return p.UseComponent(channelID, messageID, customID, api.ComponentButton, nil)
}

// Select chooses values in a menu: option values of a string select, ids in
// others.
func (p *Person) Select(channelID, messageID, customID string, values ...string) (Interaction, error) {
	return p.UseComponent(channelID, messageID, customID, 0, api.OrEmpty(values))
}

// UseComponent uses a component of a type; 0 is any select menu.
func (p *Person) UseComponent(channelID, messageID, customID string, kind int, values []string) (Interaction, error) {
	return p.start(func() (*storedInteraction, map[string]any, error) {
		return p.s.prepareComponent(p.id, channelID, messageID, customID, kind, values)
	})
}

func (s *Sandbox) prepareComponent(userID, channelID, messageID, customID string, kind int, values []string) (*storedInteraction, map[string]any, error) {
	ch := s.channels[channelID]
	if ch == nil {
		return nil, nil, fmt.Errorf("there is no channel %q", channelID)
	}
	if !s.may(channelID, userID, 0) {
		return nil, nil, errors.New("you cannot see this channel")
	}
	m := s.findMessage(channelID, messageID)
	if m == nil || !m.visibleTo(userID) {
		return nil, nil, errGone
	}
	if !s.reachesBot(ch, m, userID) {
		return nil, nil, errNotInstalled
	}
	if s.closedTo(ch, userID) {
		return nil, nil, errLocked
	}
	c, ok := api.FindComponent(m.Msg.Components, customID)
	switch {
	case !ok:
		return nil, nil, fmt.Errorf("the message has no component %q", customID)
	case c.Disabled:
		return nil, nil, errors.New("this component is disabled")
	case kind == 0 && !c.IsSelect(), kind != 0 && c.Type != kind:
		return nil, nil, errors.New("this component is of another kind")
	}
	data := map[string]any{"custom_id": c.CustomID, "component_type": c.Type, "id": c.ID}
	if c.IsSelect() {
		var named entities
		if err := s.checkSelection(&named, ch, c, values); err != nil {
			return nil, nil, err
		}
		data["values"] = values
		if r := s.resolve(ch, userID, named); len(r) > 0 {
			data["resolved"] = r
		}
	}
	i := newInteraction(KindComponent, api.InteractionComponent, ch, customID, s.ownersOf(ch, m))
	i.Source = m
	return i, data, nil
}

// Say sends a message with files that Upload has returned.
func (p *Person) Say(channelID, content string, files ...string) (api.Message, error) {
	return p.Reply(channelID, "", content, files...)
}

// Reply is like Say for a reply to a message, which notifies its author; "" replies
// to none.
func (p *Person) Reply(channelID, messageID, content string, files ...string) (api.Message, error) {
	return act(p, func(s *Sandbox) (api.Message, error) {
		ch := s.channels[channelID]
		if ch == nil {
			return api.Message{}, fmt.Errorf("there is no channel %q", channelID)
		}
		if !s.may(channelID, p.id, api.PermissionSendMessages) {
			return api.Message{}, errors.New("you may not write in this channel")
		}
		content, err := checkContent(content, len(files))
		if err != nil {
			return api.Message{}, err
		}
		if wait := s.slowmode(ch, p.id); wait > 0 {
			return api.Message{}, fmt.Errorf("slow mode: wait %v", wait)
		}
		var named entities
		for _, id := range files {
			if err := s.addFile(&named, id); err != nil {
				return api.Message{}, err
			}
		}
		author, _ := s.userByID(p.id)
		m := s.emptyMessage(channelID, api.MessageDefault, author, content)
		if messageID != "" {
			to := s.findMessage(channelID, messageID)
			if to == nil || to.Viewer != "" {
				return api.Message{}, errGone
			}
			s.replyTo(&m.Msg, to)
		}
		s.setMentions(&m.Msg, api.AllowedMentions{ParseUsers: true, Everyone: true, RepliedUser: true})
		if err := s.unarchive(ch, p.id); err != nil {
			return api.Message{}, err
		}
		m.Files = api.CloneFiles(named.files)
		for _, f := range m.Files {
			f.Ephemeral = false
			f.Rename(s.url, channelID, f.Filename)
		}
		s.publish(m)
		return m.pageView(), nil
	})
}

// checkContent returns the text of a message with so many files as it is sent.
func checkContent(content string, files int) (string, error) {
	content = strings.TrimSpace(content)
	if n := utf8.RuneCountInString(content); n == 0 && files == 0 || n > api.MaxContent {
		return "", fmt.Errorf("a message must have 1 to %d characters", api.MaxContent)
	}
	return content, nil
}

// own returns a public message that the person sees and may change: one of their
// own, or any if they have the permissions.
func (p *Person) own(channelID, messageID string, permissions int64) (*storedMessage, error) {
	s := p.s
	m := s.findMessage(channelID, messageID)
	switch {
	case m == nil || m.Viewer != "" || !s.may(channelID, p.id, 0):
		return nil, errGone
	case m.Msg.Author.ID != p.id && (permissions == 0 || !s.may(channelID, p.id, permissions)):
		return nil, errors.New("this message is not yours")
	}
	return m, s.checkEdit(s.channels[channelID], p.id)
}

// Edit changes the text of a message of the person. Nobody is notified.
func (p *Person) Edit(channelID, messageID, content string) error {
	return p.do(func(s *Sandbox) error {
		m, err := p.own(channelID, messageID, 0)
		if err != nil {
			return err
		}
		if content, err = checkContent(content, len(m.Files)); err != nil {
			return err
		}
		m.Msg.Content, m.Msg.EditedTimestamp = content, new(api.FormatTime(s.o.Now()))
		s.setMentions(&m.Msg, api.AllowedMentions{ParseUsers: true, Everyone: true})
		s.announceEdit(m)
		return nil
	})
}

// Delete deletes a message of the person, or of others if they manage messages.
func (p *Person) Delete(channelID, messageID string) error {
	return p.do(func(s *Sandbox) error {
		m, err := p.own(channelID, messageID, api.PermissionManageMessages)
		if err == nil {
			s.removeMessage(m)
		}
		return err
	})
}

// StartThread starts a thread from a message and returns its id.
func (p *Person) StartThread(channelID, messageID, name string) (threadID string, err error) {
	return act(p, func(s *Sandbox) (string, error) {
		m, ch := s.findMessage(channelID, messageID), s.channels[channelID]
		name = strings.TrimSpace(name)
		switch n := utf8.RuneCountInString(name); {
		case m == nil || m.Viewer != "":
			return "", errGone
		case ch.Guild == nil || !hasThreads(ch):
			return "", errors.New("there can be no threads here")
		case s.channels[messageID] != nil:
			return "", errors.New("this message has a thread already")
		case !s.may(channelID, p.id, api.PermissionPublicThreads):
			return "", errors.New("you may not start threads in this channel")
		case n < 1 || n > 100:
			return "", errors.New("the name of a thread must have 1 to 100 characters")
		}
		if err := s.roomForThread(ch.Guild); err != nil {
			return "", err
		}
		return s.startThreadFrom(m, p.id, threadOptions{Name: name}).ID, nil
	})
}

// SetMember has the person join a guild or leave it. Owners cannot leave.
func (p *Person) SetMember(guildID string, member bool) error {
	return p.do(func(s *Sandbox) error {
		g := s.guildByID(guildID)
		switch {
		case g == nil:
			return fmt.Errorf("there is no server %q", guildID)
		case s.isMember(g, p.id) == member:
			return errors.New("you are in this server already, or not in it")
		case p.id == g.OwnerID:
			return errors.New("the owner cannot leave the server")
		}
		user, _ := s.userByID(p.id)
		if member {
			g.Members = append(g.Members, p.id)
			joined := s.member(g, p.id, true)
			joined["guild_id"] = g.ID
			s.dispatch(g, api.IntentGuildMembers, "GUILD_MEMBER_ADD", joined)
		} else {
			g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(id string) bool { return id == p.id })
			for _, ch := range s.threadsOf(func(ch *channelState) bool { return ch.Guild == g }) {
				ch.Thread.Members = slices.DeleteFunc(ch.Thread.Members, func(m threadMember) bool { return m.userID == p.id })
			}
			s.dispatch(g, api.IntentGuildMembers, "GUILD_MEMBER_REMOVE", map[string]any{"guild_id": g.ID, "user": user})
		}
		s.worldChanged()
		return nil
	})
}

// SetLocale sets the language of the person's client, such as "fr".
func (p *Person) SetLocale(locale string) error {
	return p.do(func(s *Sandbox) error {
		if !slices.Contains(api.Locales, locale) {
			return fmt.Errorf("there is no language %q", locale)
		}
		i := slices.IndexFunc(s.o.World.Users, func(u User) bool { return u.ID == p.id })
		s.o.World.Users[i].Locale = locale
		s.worldChanged()
		return nil
	})
}

// slowmode returns how long a person must wait before their next message.
// Neither bots nor people with the permission wait ("Channel Object",
// rate_limit_per_user).
func (s *Sandbox) slowmode(ch *channelState, userID string) time.Duration {
	if ch.Slowmode == 0 || s.may(ch.ID, userID, api.PermissionBypassSlowmode) {
		return 0
	}
	for _, m := range slices.Backward(s.messages[ch.ID]) {
		if m.Msg.Author.ID == userID {
			return time.Duration(ch.Slowmode)*time.Second - s.o.Now().Sub(m.Created)
		}
	}
	return 0
}

// Messages lists what the person sees in a channel, oldest first, including
// ephemeral messages.
func (p *Person) Messages(channelID string) []api.Message {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.visibleMessages(p.id, channelID)
}

// Mentions returns how many notifications the person has ever had in a
// channel.
func (p *Person) Mentions(channelID string) int {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.unreadOf(p.id, channelID).notifications
}

// Unread returns what the person's client shows for a channel: the
// notifications since it was last read, and whether anything is new.
func (p *Person) Unread(channelID string) (mentions int, unread bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.unreadOf(p.id, channelID)
	return m.Mentions, m.Unread
}

// Read marks a channel as read.
func (p *Person) Read(channelID string) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	m := p.s.unreadOf(p.id, channelID)
	if m.Mentions != 0 || m.Unread {
		m.Mentions, m.Unread = 0, false
		p.s.emitUnread(p.id, channelID)
		p.s.wake()
	}
}

// Commands lists the slash commands that the person may use in the world's
// first guild.
func (p *Person) Commands() []api.ApplicationCommand {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if len(p.s.guilds[0].Channels) == 0 {
		return nil
	}
	return p.s.commandsFor(p.s.guilds[0].Channels[0], p.id, api.CommandChatInput)
}

// CommandsIn lists the commands of every type that the person may use in a
// channel.
func (p *Person) CommandsIn(channelID string) []api.ApplicationCommand {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.s.commandsFor(p.s.channels[channelID], p.id, 0)
}
