package sandbox

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// How long an interaction waits for its first answer, and how long its token
// lives ("Receiving and Responding").
const (
	callbackDeadline = 3 * time.Second
	tokenLifetime    = 15 * time.Minute
)

// Kinds of an interaction.
const (
	KindCommand      = "command"
	KindAutocomplete = "autocomplete"
	KindComponent    = "component"
	KindModal        = "modal" // what was filled in is sent
)

// States of an interaction.
const (
	StateWaiting  = "waiting"  // the bot has not answered yet
	StateDeferred = "deferred" // answered by type 5: "thinking…"
	StateAnswered = "answered"
	StateFailed   = "failed" // three seconds passed without an answer
)

// Interaction is what a person has started, as it stands.
type Interaction struct {
	ID        string
	Kind      string
	State     string
	UserID    string
	ChannelID string
	Context   int    // ContextGuild, ContextBotDM or ContextPrivate
	Name      string // "challenge trails", or the custom_id of a component or modal
	MessageID string // of the answer, or of the message that was clicked; "" if none
	Callbacks []int  // types of the answers that were accepted
	Choices   []Choice
}

// interaction is that with what is needed to go on.
type interaction struct {
	Interaction
	token           string
	interactionType int // 2 command, 3 component, 4 autocomplete, 5 modal
	channel         *place
	owners          map[string]string // who installed the application, as far as it matters here
	commandType     int               // type of the command, 0 if it is none
	target          *post             // of a command on a message
	targetID        string            // of a command on a user
	created         time.Time
	payload         map[string]any
	focused         *ApplicationCommandOption
	source          *post        // the message whose component was used
	opener          *interaction // of a modal that is sent: what it was the answer to
	modal           *Modal       // the answer, if it was one
	original        *post        // what @original means
	followUps       []*post      // in the order of creation, without deleted ones
	followUpCount   int          // how many there ever were
	stop            func() bool
}

func (i *interaction) stopTimer() {
	if i.stop != nil {
		i.stop()
	}
}

func (i *interaction) snapshot() Interaction {
	v := i.Interaction
	v.Callbacks = append([]int(nil), v.Callbacks...)
	v.Choices = append([]Choice(nil), v.Choices...)
	return v
}

// Interaction looks an interaction up by its id.
func (s *Model) Interaction(id string) (Interaction, bool) {
	s.Lock()
	defer s.Unlock()
	i, ok := s.interactions[id]
	if !ok {
		return Interaction{}, false
	}
	return i.snapshot(), true
}

// interactionByID returns an interaction, nil if there is none.
func (s *Model) interactionByID(id string) *interaction { return s.interactions[id] }

// interactionByToken returns an interaction, nil if there is none.
func (s *Model) interactionByToken(token string) *interaction { return s.tokens[token] }

// Redeliver sends the same INTERACTION_CREATE again, as Discord may.
func (s *Model) Redeliver(interactionID string) error {
	s.Lock()
	defer s.Unlock()
	i, ok := s.interactions[interactionID]
	if !ok {
		return fmt.Errorf("there is no interaction %s", interactionID)
	}
	s.dispatchInteraction(i)
	return nil
}

// begin starts an interaction: the bot is told, and the three seconds run.
// The caller holds the lock.
func (s *Model) startInteraction(i *interaction, data map[string]any) {
	s.trimInteractions()
	i.ID = s.IDs.next()
	i.token = rand.Text() + rand.Text()
	i.created = s.now()
	i.State = StateWaiting
	i.Context = s.contextOf(i.channel)
	// Clients make an archived thread active before they send anything in it
	// (discord-api-docs #8474).
	if t := i.channel.thread; t != nil && t.archived && !t.locked {
		s.setArchived(i.channel, false)
		s.announceThreadUpdate(i.channel)
	}
	channel := s.channelObject(i.channel)
	u, _ := s.user(i.UserID)
	locale := u.Locale
	if locale == "" {
		locale = "en-US"
	}
	i.payload = map[string]any{
		"id": i.ID, "application_id": s.world.Application.ID, "type": i.interactionType, "data": data, "token": i.token, "version": 1,
		"channel_id": i.ChannelID, "channel": channel, "app_permissions": strconv.FormatInt(s.appPermissions(i.channel, i.UserID), 10),
		"locale": locale, "entitlements": []any{}, "entitlement_sku_ids": []any{},
		"authorizing_integration_owners": i.owners, "context": i.Context, "attachment_size_limit": MaxUpload,
	}
	if g := i.channel.guild; g != nil {
		channel["permissions"] = strconv.FormatInt(s.permissionsIn(i.channel, i.UserID), 10)
		member := s.member(g, i.UserID, true)
		member["permissions"] = channel["permissions"]
		i.payload["guild_id"], i.payload["member"], i.payload["guild_locale"] = g.ID, member, "en-US"
		i.payload["guild"] = map[string]any{"id": g.ID, "locale": "en-US", "features": []string{}}
	} else { // "user is sent when invoked in a DM" (Interaction Object)
		i.payload["user"], _ = s.userObject(i.UserID)
	}
	if i.source != nil {
		i.payload["message"] = i.source.botView()
	}
	s.interactions[i.ID] = i
	s.interactionOrder = append(s.interactionOrder, i)
	s.tokens[i.token] = i
	id := i.ID
	i.stop = s.afterFunc(callbackDeadline, func() { s.failInteraction(id) })
	s.recordInteraction(i)
	s.dispatchInteraction(i)
	s.wake()
}

// dispatchInteraction sends the interaction to the shard of its server,
// whether the bot is in there or not, or to that of direct messages.
func (s *Model) dispatchInteraction(i *interaction) {
	scope := i.channel.guild.scope()
	scope.Anyway = true
	s.gateway.Dispatch(scope, 0, "INTERACTION_CREATE", func(*Session) any { return i.payload })
}

// giveUp fails an interaction that nobody has answered.
func (s *Model) failInteraction(id string) {
	s.Lock()
	defer s.Unlock()
	if i, ok := s.interactions[id]; ok && i.State == StateWaiting {
		s.setState(i, StateFailed)
	}
}

// setState moves an interaction on and tells the page of its user.
func (s *Model) setState(i *interaction, state string) {
	i.State = state
	if state != StateWaiting {
		i.stopTimer()
	}
	ev := map[string]any{"type": "interaction", "id": i.ID, "state": state}
	if i.MessageID != "" {
		ev["message_id"] = i.MessageID
	}
	if i.modal != nil {
		ev["modal"] = i.modal
	}
	s.emit(i.UserID, ev)
	s.wake()
}

// expired says whether the token's fifteen minutes are over.
func (s *Model) expired(i *interaction) bool { return s.now().Sub(i.created) >= tokenLifetime }

// about is what a message says of the interaction that made it.
func (s *Model) setMetadata(i *interaction, m *Message) {
	user, _ := s.userObject(i.UserID)
	m.InteractionMetadata = s.metadata(i)
	if i.interactionType == interactionCommand {
		m.Interaction = &MessageInteraction{ID: i.ID, Type: i.interactionType, Name: i.Name, User: user}
	}
	m.WebhookID, m.ApplicationID = s.world.Application.ID, s.world.Application.ID
}

// metadata describes an interaction ("Message Interaction Metadata Object").
func (s *Model) metadata(i *interaction) *InteractionMetadata {
	user, _ := s.userObject(i.UserID)
	meta := &InteractionMetadata{ID: i.ID, Type: i.interactionType, User: user, AuthorizingIntegrationOwners: i.owners}
	switch {
	case i.interactionType == interactionCommand:
		meta.CommandName = i.Name
		if i.target != nil {
			meta.TargetMessageID = i.target.msg.ID
		}
		if u, ok := s.userObject(i.targetID); ok {
			meta.TargetUser = &u
		}
	case i.interactionType == interactionModal:
		meta.TriggeringInteraction = s.metadata(i.opener)
	case i.source != nil:
		meta.InteractedMessageID = i.source.msg.ID
	}
	return meta
}

// fullName is a command with its group and subcommand: "challenge trails".
func fullName(command string, options []CommandOption) string {
	parts := []string{command}
	for len(options) == 1 && len(options[0].Options) > 0 || len(options) == 1 && isNested(options[0].Type) {
		parts = append(parts, options[0].Name)
		options = options[0].Options
	}
	return strings.Join(parts, " ")
}
