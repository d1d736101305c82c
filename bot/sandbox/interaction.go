package sandbox

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/gateway"
)

// allowedCallbacks lists the response types that the interaction accepts. A
// modal opened from a component can update the component's message, and no
// modal opens another ("Interaction Callback Type").
func (i *storedInteraction) allowedCallbacks() []int64 {
	if i.InteractionType == api.InteractionAutocomplete {
		return []int64{api.CallbackAutocomplete}
	}
	out := []int64{api.CallbackMessage, api.CallbackDeferMessage}
	if i.Source != nil {
		out = append(out, api.CallbackDeferUpdate, api.CallbackUpdate)
	}
	if i.InteractionType != api.InteractionModal {
		out = append(out, api.CallbackModal)
	}
	return append(out, api.CallbackLaunchActivity)
}

// callbackDeadline is the time for the first response to an interaction,
// tokenLifetime the time for which its token is valid ("Receiving and
// Responding").
const (
	callbackDeadline = 3 * time.Second
	tokenLifetime    = 15 * time.Minute
)

// Kinds of interactions.
const (
	KindCommand      = "command"
	KindAutocomplete = "autocomplete"
	KindComponent    = "component"
	KindModal        = "modal" // a submitted modal
)

// States of an interaction.
const (
	StateWaiting  = "waiting"  // the bot has not answered yet
	StateDeferred = "deferred" // answered by type 5: "thinking…"
	StateAnswered = "answered"
	StateFailed   = "failed" // three seconds passed without an answer
)

// Interaction is an interaction that a person has started.
type Interaction struct {
	ID        string
	Kind      string
	State     string
	UserID    string
	ChannelID string
	Context   int    // ContextGuild, ContextBotDM or ContextPrivate
	Name      string // "challenge trails", or the custom_id of a component or modal
	MessageID string // of the response, or of the clicked message; "" if none
	Callbacks []int  // types of the accepted responses
	Choices   []api.Choice
}

type storedInteraction struct {
	Interaction
	Token           string
	InteractionType int // 2 command, 3 component, 4 autocomplete, 5 modal
	Channel         *channelState
	owners          map[string]string // authorizing_integration_owners
	CommandType     int               // type of the command; 0 for other interactions
	Target          *storedMessage    // of a command on a message
	targetID        string            // of a command on a user
	Created         time.Time
	payload         map[string]any
	Focused         *api.ApplicationCommandOption
	Source          *storedMessage     // the message whose component was used
	opener          *storedInteraction // of a submitted modal: the interaction that it answered
	Modal           *api.Modal         // the response, if it was a modal
	Original        *storedMessage     // @original
	FollowUps       []*storedMessage   // in order of creation, without deleted ones
	FollowUpCount   int                // including deleted ones
	stop            func() bool
}

// newInteraction returns an interaction that happens in a channel.
func newInteraction(kind string, interactionType int, ch *channelState, name string, owners map[string]string) *storedInteraction {
	return &storedInteraction{InteractionType: interactionType, Channel: ch, owners: owners, Interaction: Interaction{Kind: kind, ChannelID: ch.ID, Name: name}}
}

func (i *storedInteraction) stopTimer() {
	if i.stop != nil {
		i.stop()
	}
}

func (i *storedInteraction) snapshot() Interaction {
	v := i.Interaction
	v.Callbacks = append([]int(nil), v.Callbacks...)
	v.Choices = append([]api.Choice(nil), v.Choices...)
	return v
}

// Interaction returns the interaction with an id.
func (s *Sandbox) Interaction(id string) (Interaction, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.interactions[id]
	if !ok {
		return Interaction{}, false
	}
	return i.snapshot(), true
}

// Redeliver sends the INTERACTION_CREATE of an interaction again, as Discord
// may.
func (s *Sandbox) Redeliver(interactionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.interactions[interactionID]
	if !ok {
		return fmt.Errorf("there is no interaction %s", interactionID)
	}
	s.dispatchInteraction(i)
	return nil
}

// startInteraction sends an interaction to the bot and starts the timer of its
// callbackDeadline.
func (s *Sandbox) startInteraction(i *storedInteraction, data map[string]any) {
	s.trimInteractions()
	i.ID = s.ids.Next()
	i.Token = rand.Text() + rand.Text()
	i.Created = s.o.Now()
	i.State = StateWaiting
	i.Context = s.contextOf(i.Channel)
	// Clients unarchive a thread before they send in it (discord-api-docs #8474).
	if t := i.Channel.Thread; t != nil && t.Archived && !t.Locked {
		s.setArchived(i.Channel, false)
		s.announceThreadUpdate(i.Channel)
	}
	channel := s.channelObject(i.Channel)
	u, _ := s.user(i.UserID)
	i.payload = map[string]any{
		"id": i.ID, "application_id": s.ApplicationID(), "type": i.InteractionType, "data": data, "token": i.Token, "version": 1,
		"channel_id": i.ChannelID, "channel": channel, "app_permissions": strconv.FormatInt(s.appPermissions(i.Channel, i.UserID), 10),
		"locale": cmp.Or(u.Locale, "en-US"), "entitlements": []any{}, "entitlement_sku_ids": []any{},
		"authorizing_integration_owners": i.owners, "context": i.Context, "attachment_size_limit": api.MaxUpload,
	}
	if g := i.Channel.Guild; g != nil {
		channel["permissions"] = strconv.FormatInt(s.permissionsIn(i.Channel, i.UserID), 10)
		member := s.member(g, i.UserID, true)
		member["permissions"] = channel["permissions"]
		i.payload["guild_id"], i.payload["member"], i.payload["guild_locale"] = g.ID, member, g.Locale
		i.payload["guild"] = map[string]any{"id": g.ID, "locale": g.Locale, "features": []string{}}
	} else { // "user is sent when invoked in a DM" (Interaction Object)
		i.payload["user"], _ = s.userByID(i.UserID)
	}
	if i.Source != nil {
		i.payload["message"] = i.Source.botView()
	}
	s.interactions[i.ID] = i
	s.interactionOrder = append(s.interactionOrder, i)
	s.tokens[i.Token] = i
	id := i.ID
	i.stop = s.o.AfterFunc(callbackDeadline, func() { s.failInteraction(id) })
	s.recordInteraction(i)
	s.dispatchInteraction(i)
	s.wake()
}

// dispatchInteraction sends the interaction to the interactions endpoint, if there
// is one, otherwise to the shard of its guild, even if the bot is not a member, or
// to shard 0.
func (s *Sandbox) dispatchInteraction(i *storedInteraction) {
	if s.endpointURL != "" {
		raw, err := json.Marshal(i.payload)
		if err != nil {
			s.o.Logger.Error("interaction cannot be marshalled", "err", err)
			return
		}
		go s.deliver(s.endpointURL, i.ID, i.Token, raw)
		return
	}
	scope := i.Channel.Guild.scope()
	scope.Anyway = true
	s.Gateway.Dispatch(scope, 0, "INTERACTION_CREATE", func(*gateway.Session) any { return i.payload })
}

func (s *Sandbox) failInteraction(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.interactions[id]; ok && i.State == StateWaiting {
		s.setState(i, StateFailed)
	}
}

func (s *Sandbox) setState(i *storedInteraction, state string) {
	i.State = state
	if state != StateWaiting {
		i.stopTimer()
	}
	ev := map[string]any{"type": "interaction", "id": i.ID, "state": state}
	if i.MessageID != "" {
		ev["message_id"] = i.MessageID
	}
	if i.Modal != nil {
		ev["modal"] = i.Modal
	}
	s.emit(i.UserID, ev)
	s.wake()
}

func (s *Sandbox) expired(i *storedInteraction) bool {
	return s.o.Now().Sub(i.Created) >= tokenLifetime
}

func (s *Sandbox) setMetadata(i *storedInteraction, m *api.Message) {
	user, _ := s.userByID(i.UserID)
	m.InteractionMetadata = s.metadata(i)
	if i.InteractionType == api.InteractionCommand {
		m.Interaction = &api.MessageInteraction{ID: i.ID, Type: i.InteractionType, Name: i.Name, User: user}
	}
	m.WebhookID, m.ApplicationID = s.ApplicationID(), s.ApplicationID()
}

// metadata returns the metadata of an interaction ("Message Interaction
// Metadata Object").
func (s *Sandbox) metadata(i *storedInteraction) *api.InteractionMetadata {
	user, _ := s.userByID(i.UserID)
	meta := &api.InteractionMetadata{ID: i.ID, Type: i.InteractionType, User: user, AuthorizingIntegrationOwners: i.owners}
	switch {
	case i.InteractionType == api.InteractionCommand:
		if i.Target != nil {
			meta.TargetMessageID = i.Target.Msg.ID
		}
		if u, ok := s.userByID(i.targetID); ok {
			meta.TargetUser = &u
		}
	case i.InteractionType == api.InteractionModal:
		meta.TriggeringInteraction = s.metadata(i.opener)
	case i.Source != nil:
		meta.InteractedMessageID = i.Source.Msg.ID
	}
	return meta
}

// fullName returns a command's name with its group and subcommand: "challenge
// trails".
func fullName(command string, options []CommandOption) string {
	parts := []string{command}
	for len(options) == 1 && len(options[0].Options) > 0 || len(options) == 1 && api.IsNested(options[0].Type) {
		parts = append(parts, options[0].Name)
		options = options[0].Options
	}
	return strings.Join(parts, " ")
}

// trimInteractions removes the oldest interactions once there are many: those
// whose token expired long ago and, if Options.Keep bounds them, those that
// are answered or failed.
func (s *Sandbox) trimInteractions() {
	const many = 4096
	for len(s.interactions) >= many && len(s.interactionOrder) > 0 {
		i := s.interactionOrder[0]
		old := s.o.Now().Sub(i.Created) > 2*tokenLifetime
		spare := s.o.Keep > 0 && len(s.interactionOrder) > s.maxInteractions() && (i.State == StateAnswered || i.State == StateFailed)
		if !old && !spare {
			return
		}
		s.interactionOrder = s.interactionOrder[1:]
		s.trimmed[i.State]++
		delete(s.interactions, i.ID)
		delete(s.tokens, i.Token)
	}
}

// Modal returns the modal that the bot answered an interaction with, if it is
// still open.
func (s *Sandbox) Modal(interactionID string) (api.Modal, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.interactions[interactionID]
	if !ok || i.Modal == nil {
		return api.Modal{}, false
	}
	return *i.Modal, true
}
