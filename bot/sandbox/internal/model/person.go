package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

// Person acts as a user of a Discord client, and can do everything that the
// page can. Its methods return as soon as the bot has been sent the
// interaction; use Wait and Interaction for the outcome. Errors are sentences
// for people.
type Person struct {
	s  *Model
	id string
}

// CommandOnUser uses a command of a user's context menu. It fails without
// sending anything if there is no such command or user.
func (p *Person) CommandOnUser(channelID, name, targetID string) (Interaction, error) {
	return p.menuCommand(channelID, name, api.CommandUser, func(i *StoredInteraction, e *entities) error {
		if !p.s.addUser(e, targetID) {
			return fmt.Errorf("there is no user %q", targetID)
		}
		i.targetID = targetID
		return nil
	})
}

// CommandOnMessage uses a command of a message's context menu. It fails
// without sending anything if there is no such command or message.
func (p *Person) CommandOnMessage(channelID, name, messageID string) (Interaction, error) {
	return p.menuCommand(channelID, name, api.CommandMessage, func(i *StoredInteraction, e *entities) error {
		target := p.s.FindMessage(channelID, messageID)
		if target == nil || !target.visibleTo(p.id) {
			return errors.New("this message is gone")
		}
		if target.Viewer != "" {
			return errors.New("private messages have no commands")
		}
		e.messages, i.Target, i.targetID = append(e.messages, target), target, messageID
		return nil
	})
}

func (p *Person) menuCommand(channelID, name string, kind int, aim func(*StoredInteraction, *entities) error) (Interaction, error) {
	return p.start(func() (*StoredInteraction, map[string]any, error) {
		s := p.s
		ch, def, err := s.commandInChannel(p.id, channelID, name, kind)
		if err != nil {
			return nil, nil, err
		}
		i := &StoredInteraction{
			InteractionType: api.InteractionCommand, CommandType: kind, Channel: ch, owners: owners(ch, p.id, s.commandInstalls(def, ch, p.id)),
			Interaction: Interaction{Kind: KindCommand, UserID: p.id, ChannelID: channelID, Name: name},
		}
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
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.Exists(); err != nil {
		return "", err
	}
	if !p.s.SharesGuild(p.id) && !p.s.Installed[p.id] {
		return "", fmt.Errorf("you share no server with %s and have not installed it", p.s.World.Application.Name)
	}
	return p.s.Direct(p.id, p.s.World.Application.ID).ID, nil
}

// DirectMessagesWith opens the person's direct messages with another person
// and returns their channel, which the bot cannot see.
func (p *Person) DirectMessagesWith(userID string) (channelID string, err error) {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.Exists(); err != nil {
		return "", err
	}
	if _, ok := p.s.User(userID); !ok || userID == p.id {
		return "", fmt.Errorf("there is no user %q to write to", userID)
	}
	return p.s.Direct(p.id, userID).ID, nil
}

// CloseMessages sets whether the person refuses direct messages.
func (p *Person) CloseMessages(closed bool) error {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.Exists(); err != nil {
		return err
	}
	p.s.DMsClosed[p.id] = closed
	p.s.worldChanged()
	return nil
}

// ErrNoAnswer is the error of an interaction that the bot has not answered in
// three seconds: "The application did not respond".
var ErrNoAnswer = errors.New("the application did not respond")

// As returns the person with an id. If there is none, their actions fail.
func (s *Model) As(userID string) *Person { return &Person{s: s, id: userID} }

// ID returns the person's user id.
func (p *Person) ID() string { return p.id }

// Exists returns an error if the world has no such user.
func (p *Person) Exists() error {
	if _, ok := p.s.User(p.id); !ok {
		return fmt.Errorf("there is no user %q", p.id)
	}
	return nil
}

// start builds an interaction and sends it to the bot. build is called with the
// lock held and returns the interaction with its data.
func (p *Person) start(build func() (*StoredInteraction, map[string]any, error)) (Interaction, error) {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.Exists(); err != nil {
		return Interaction{}, err
	}
	p.s.Actions.Add(1)
	p.s.ArchiveIdle()
	i, data, err := build()
	if err != nil {
		return Interaction{}, err
	}
	if t := i.Channel.Thread; t != nil && t.Archived && !t.Locked {
		if err := p.s.RoomForThread(i.Channel.Guild); err != nil {
			return Interaction{}, err
		}
	}
	i.UserID = p.id
	p.s.startInteraction(i, data)
	return i.snapshot(), nil
}

// Command uses a slash command. It fails without sending anything if the
// command or an option does not exist, is missing or out of range.
func (p *Person) Command(channelID, name string, options ...CommandOption) (Interaction, error) {
	return p.start(func() (*StoredInteraction, map[string]any, error) {
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
	return p.start(func() (*StoredInteraction, map[string]any, error) {
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
	return p.start(func() (*StoredInteraction, map[string]any, error) {
		return p.s.prepareComponent(p.id, channelID, messageID, customID, kind, values)
	})
}

// prepareComponent validates the use of a component.
func (s *Model) prepareComponent(userID, channelID, messageID, customID string, kind int, values []string) (*StoredInteraction, map[string]any, error) {
	ch := s.Channels[channelID]
	if ch == nil {
		return nil, nil, fmt.Errorf("there is no channel %q", channelID)
	}
	if !s.May(channelID, userID, 0) {
		return nil, nil, errors.New("you cannot see this channel")
	}
	m := s.FindMessage(channelID, messageID)
	if m == nil || !m.visibleTo(userID) {
		return nil, nil, errors.New("this message is gone")
	}
	if !s.reachesBot(ch, m, userID) {
		return nil, nil, errNotInstalled
	}
	if s.closed(ch, userID) {
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
	i := &StoredInteraction{InteractionType: api.InteractionComponent, Channel: ch, owners: s.ownersOf(ch, m), Source: m, Interaction: Interaction{
		Kind: KindComponent, UserID: userID, ChannelID: channelID, Name: customID,
	}}
	return i, data, nil
}

// Say sends a message with files that Upload has returned.
func (p *Person) Say(channelID, content string, files ...string) (api.Message, error) {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.Exists(); err != nil {
		return api.Message{}, err
	}
	ch := s.Channels[channelID]
	if ch == nil {
		return api.Message{}, fmt.Errorf("there is no channel %q", channelID)
	}
	if !s.May(channelID, p.id, api.PermissionSendMessages) {
		return api.Message{}, errors.New("you may not write in this channel")
	}
	content = strings.TrimSpace(content)
	if n := utf8.RuneCountInString(content); n == 0 && len(files) == 0 || n > api.MaxContent {
		return api.Message{}, fmt.Errorf("a message must have 1 to %d characters", api.MaxContent)
	}
	if wait := s.slowmode(ch, p.id); wait > 0 {
		return api.Message{}, fmt.Errorf("slow mode: wait %v", wait)
	}
	var named entities
	for _, id := range files {
		if err := s.addFile(&named, id, nil); err != nil {
			return api.Message{}, err
		}
	}
	author, _ := s.UserByID(p.id)
	m := s.NewMessage(channelID, api.MessageDefault, author, content)
	s.SetMentions(&m.Msg, payload.AllowedMentions{ParseUsers: true, Everyone: true})
	s.ArchiveIdle()
	if err := s.Unarchive(ch, p.id); err != nil {
		return api.Message{}, err
	}
	m.Files = payload.CloneFiles(named.files)
	for _, f := range m.Files {
		f.Ephemeral = false
		f.Rename(s.URL, channelID, f.Filename)
	}
	s.Publish(m)
	return m.PageView(), nil
}

// slowmode returns how long a person must wait before their next message.
// Neither bots nor people with the permission wait ("Channel Object",
// rate_limit_per_user).
func (s *Model) slowmode(ch *Channel, userID string) time.Duration {
	seconds := ch.Slowmode
	if ch.Thread != nil {
		seconds = ch.Thread.Slowmode
	}
	if seconds == 0 || s.May(ch.ID, userID, api.PermissionBypassSlowmode) {
		return 0
	}
	for _, m := range slices.Backward(s.Messages[ch.ID]) {
		if m.Msg.Author.ID == userID {
			return time.Duration(seconds)*time.Second - s.Now().Sub(m.Created)
		}
	}
	return 0
}

// Messages lists what the person sees in a channel, oldest first, including
// ephemeral messages.
func (p *Person) Messages(channelID string) []api.Message {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.VisibleMessages(p.id, channelID)
}

// Mentions returns how many notifications the person has ever had in a
// channel.
func (p *Person) Mentions(channelID string) int {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.UnreadOf(p.id, channelID).notifications
}

// Unread returns what the person's client shows for a channel: the
// notifications since it was last read, and whether anything is new.
func (p *Person) Unread(channelID string) (mentions int, unread bool) {
	p.s.Lock()
	defer p.s.Unlock()
	m := p.s.UnreadOf(p.id, channelID)
	return m.Mentions, m.Unread
}

// Read marks a channel as read.
func (p *Person) Read(channelID string) {
	p.s.Lock()
	defer p.s.Unlock()
	m := p.s.UnreadOf(p.id, channelID)
	if m.Mentions != 0 || m.Unread {
		m.Mentions, m.Unread = 0, false
		p.s.emitUnread(p.id, channelID)
		p.s.wake()
	}
}

// Commands lists the slash commands that the person may use in the world's
// first guild.
func (p *Person) Commands() []api.ApplicationCommand {
	p.s.Lock()
	defer p.s.Unlock()
	if len(p.s.FirstGuild().Channels) == 0 {
		return nil
	}
	return p.s.commandsFor(p.s.FirstGuild().Channels[0], p.id, api.CommandChatInput)
}

// CommandsIn lists the commands of every type that the person may use in a
// channel.
func (p *Person) CommandsIn(channelID string) []api.ApplicationCommand {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.commandsFor(p.s.Channels[channelID], p.id, 0)
}
