package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrNoAnswer is what a person meets when the bot has not answered in three
// seconds: "The application did not respond".
var ErrNoAnswer = errors.New("the application did not respond")

// Person does what somebody does in a client: everything that the page can
// do. Its methods return as soon as the bot has been told; use Wait and
// Interaction for what comes of it. Errors are sentences for a person.
type Person struct {
	s  *Model
	id string
}

// As is the person with an id. Whether there is one shows at the first thing
// that the person does.
func (s *Model) As(userID string) *Person { return &Person{s: s, id: userID} }

// ID is the person's user id.
func (p *Person) ID() string { return p.id }

func (p *Person) exists() error {
	if _, ok := p.s.user(p.id); !ok {
		return fmt.Errorf("there is no user %q", p.id)
	}
	return nil
}

// Command uses a slash command. It fails, and the bot is told nothing, when
// the command or an option does not exist, is missing or out of its range.
func (p *Person) Command(channelID, name string, options ...CommandOption) (Interaction, error) {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.exists(); err != nil {
		return Interaction{}, err
	}
	i, data, err := p.s.prepareCommand(p.id, channelID, name, options, false)
	if err != nil {
		return Interaction{}, err
	}
	p.s.startInteraction(i, data)
	return i.snapshot(), nil
}

// Autocomplete asks for suggestions for the option that is marked Focused and
// waits for them. The error is ErrNoAnswer after three seconds.
func (p *Person) Autocomplete(ctx context.Context, channelID, name string, options ...CommandOption) ([]Choice, error) {
	i, err := p.beginAutocomplete(channelID, name, options)
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

// Suggest asks for suggestions and does not wait for them: they are the Choices
// of the interaction.
func (p *Person) Suggest(channelID, name string, options ...CommandOption) (Interaction, error) {
	return p.beginAutocomplete(channelID, name, options)
}

func (p *Person) beginAutocomplete(channelID, name string, options []CommandOption) (Interaction, error) {
	p.s.Lock()
	defer p.s.Unlock()
	if err := p.exists(); err != nil {
		return Interaction{}, err
	}
	i, data, err := p.s.prepareCommand(p.id, channelID, name, options, true)
	if err != nil {
		return Interaction{}, err
	}
	p.s.startInteraction(i, data)
	return i.snapshot(), nil
}

// Click presses a button of a message that the person sees.
func (p *Person) Click(channelID, messageID, customID string) (Interaction, error) {
	return p.useComponent(channelID, messageID, customID, ComponentButton, nil)
}

// Select picks values in a menu: option values of a string select, ids of the
// others.
func (p *Person) Select(channelID, messageID, customID string, values ...string) (Interaction, error) {
	return p.useComponent(channelID, messageID, customID, 0, orEmpty(values))
}

// useComponent uses a component of a type; 0 is any menu.
func (p *Person) useComponent(channelID, messageID, customID string, kind int, values []string) (Interaction, error) {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.exists(); err != nil {
		return Interaction{}, err
	}
	at := s.channels[channelID]
	if at == nil {
		return Interaction{}, fmt.Errorf("there is no channel %q", channelID)
	}
	if !s.may(channelID, p.id, 0) {
		return Interaction{}, errors.New("you cannot see this channel")
	}
	post := s.findMessage(channelID, messageID)
	if post == nil || !post.visibleTo(p.id) {
		return Interaction{}, errors.New("this message is gone")
	}
	if !s.reachesBot(at, post, p.id) {
		return Interaction{}, errNotInstalled
	}
	c, ok := findComponent(post.msg.Components, customID)
	switch {
	case !ok:
		return Interaction{}, fmt.Errorf("the message has no component %q", customID)
	case c.Disabled:
		return Interaction{}, errors.New("this component is disabled")
	case kind == 0 && !c.isSelect(), kind != 0 && c.Type != kind:
		return Interaction{}, errors.New("this component is of another kind")
	}
	data := map[string]any{"custom_id": c.CustomID, "component_type": c.Type, "id": c.ID}
	if c.isSelect() {
		resolved, err := s.resolveSelection(at, p.id, c, values)
		if err != nil {
			return Interaction{}, err
		}
		data["values"] = values
		if len(resolved) > 0 {
			data["resolved"] = resolved
		}
	}
	i := &interaction{interactionType: interactionComponent, channel: at, owners: s.ownersOf(at, post), source: post, Interaction: Interaction{
		Kind: KindComponent, UserID: p.id, ChannelID: channelID, Name: customID,
	}}
	s.startInteraction(i, data)
	return i.snapshot(), nil
}

// picked checks the values of a menu and resolves ids.
func (s *Model) resolveSelection(at *place, userID string, c Component, values []string) (map[string]any, error) {
	var named entities
	if err := s.checkSelection(&named, at, c, values); err != nil {
		return nil, err
	}
	return s.resolve(at, userID, named), nil
}

// pick checks the values of a menu and takes the entities among them.
func (s *Model) checkSelection(named *entities, at *place, c Component, values []string) error {
	if n := len(values); n < c.MinValues || n > c.MaxValues {
		return fmt.Errorf("choose %d to %d", c.MinValues, c.MaxValues)
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%q is chosen twice", v)
		}
		ok := false
		switch c.Type {
		case ComponentStringSelect:
			ok = slices.ContainsFunc(c.Options, func(o SelectOption) bool { return o.Value == v })
		case ComponentUserSelect:
			ok = s.addUser(named, v)
		case ComponentRoleSelect:
			ok = s.addRole(named, at, v)
		case ComponentMentionableSelect:
			ok = s.addUser(named, v) || s.addRole(named, at, v)
		case ComponentChannelSelect:
			ok = s.addChannel(named, at, v, c.Channels)
		}
		if !ok {
			return fmt.Errorf("%q is not one of the choices", v)
		}
	}
	return nil
}

// Say writes a message into a channel.
func (p *Person) Say(channelID, content string) (Message, error) {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.exists(); err != nil {
		return Message{}, err
	}
	at := s.channels[channelID]
	if at == nil {
		return Message{}, fmt.Errorf("there is no channel %q", channelID)
	}
	if !s.may(channelID, p.id, PermissionSendMessages) {
		return Message{}, errors.New("you may not write in this channel")
	}
	content = strings.TrimSpace(content)
	if n := utf8.RuneCountInString(content); n == 0 || n > maxContent {
		return Message{}, fmt.Errorf("a message must have 1 to %d characters", maxContent)
	}
	author, _ := s.userObject(p.id)
	m := &post{created: s.now(), msg: Message{
		ChannelID: channelID, Author: author, Content: content, Timestamp: stamp(s.now()),
		Embeds: []Embed{}, Components: []Component{}, Mentions: []UserObject{}, MentionRoles: []string{},
	}}
	s.setMentions(&m.msg, allowedMentions{parseUsers: true, everyone: true})
	if err := s.unarchive(at, p.id); err != nil {
		return Message{}, errors.New("this thread is locked")
	}
	s.publish(m)
	return m.pageView(), nil
}

// Messages lists what the person sees in a channel, oldest first, private
// answers to the person included.
func (p *Person) Messages(channelID string) []Message {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.visibleMessages(p.id, channelID)
}

func (s *Model) visibleMessages(userID, channelID string) []Message {
	out := []Message{}
	for _, post := range s.messages[channelID] {
		if post.visibleTo(userID) {
			out = append(out, post.pageView())
		}
	}
	return out
}

// Mentions is how many notifications the person ever had in a channel.
func (p *Person) Mentions(channelID string) int {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.unreadOf(p.id, channelID).notifications
}

// Unread is what the person's client shows at a channel: notifications since
// it was last read, and whether there is anything new.
func (p *Person) Unread(channelID string) (mentions int, unread bool) {
	p.s.Lock()
	defer p.s.Unlock()
	m := p.s.unreadOf(p.id, channelID)
	return m.mentions, m.unread
}

// Read marks a channel as read.
func (p *Person) Read(channelID string) {
	p.s.Lock()
	defer p.s.Unlock()
	m := p.s.unreadOf(p.id, channelID)
	if m.mentions != 0 || m.unread {
		m.mentions, m.unread = 0, false
		p.s.emitUnread(p.id, channelID)
		p.s.wake()
	}
}

// Commands lists the slash commands that the person may use in the world's
// first server.
func (p *Person) Commands() []ApplicationCommand {
	p.s.Lock()
	defer p.s.Unlock()
	if len(p.s.firstGuild().channels) == 0 {
		return nil
	}
	return p.s.commandsFor(p.s.firstGuild().channels[0], p.id, CommandChatInput)
}

// CommandsIn lists the commands of every type that the person may use in a
// channel, thread or direct messages.
func (p *Person) CommandsIn(channelID string) []ApplicationCommand {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.commandsFor(p.s.channels[channelID], p.id, 0)
}

// Attachment returns the bytes of an attachment of a message that still has
// it, by the attachment's id.
func (s *Model) Attachment(id string) (File, bool) {
	s.Lock()
	defer s.Unlock()
	f, ok := s.files[id]
	if !ok {
		return File{}, false
	}
	return File{Filename: f.Filename, Data: slices.Clone(f.data)}, true
}
