package sandbox

import (
	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/fault"
	"castellan/bot/sandbox/internal/gateway"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/world"
)

// The world that a sandbox starts with.
type (
	World       = world.World
	Guild       = world.Guild
	Role        = world.Role
	Channel     = world.Channel
	Overwrite   = world.Overwrite
	User        = world.User
	Application = world.Application
)

// DefaultWorld returns a guild called The Keep with three channels and five
// people, and a smaller one called The Outpost with three of them.
func DefaultWorld() World { return world.Default() }

// Objects of Discord's API.
type (
	Message            = api.Message
	Component          = api.Component
	Modal              = api.Modal
	ApplicationCommand = api.ApplicationCommand
	Choice             = api.Choice
	File               = api.File
)

// Actions of people and their results.
type (
	Person        = model.Person
	CommandOption = model.CommandOption
	Field         = model.Field
	Interaction   = model.Interaction
	Notification  = model.Notification
	Request       = model.Request
	Tally         = model.Tally
	Limits        = model.Limits
	Session       = gateway.Info
)

// Faults.
type (
	Exchange  = fault.Exchange
	Fault     = fault.Fault
	FaultKind = fault.Kind
	Planned   = fault.Planned
)

// ErrNoAnswer means that the bot has not responded to an interaction within
// three seconds.
var ErrNoAnswer = model.ErrNoAnswer

// Opt returns a plain option of a command.
func Opt(name string, value any) CommandOption { return model.Opt(name, value) }

// Sub returns a subcommand or group with its options.
func Sub(name string, options ...CommandOption) CommandOption { return model.Sub(name, options...) }

// Focused returns the option that is being typed, with the text so far.
func Focused(name, text string) CommandOption { return model.Focused(name, text) }

// Fill fills in an input of a modal.
func Fill(customID string, values ...string) Field { return model.Fill(customID, values...) }

// Kinds and states of an interaction.
const (
	KindAutocomplete = model.KindAutocomplete

	StateWaiting  = model.StateWaiting
	StateDeferred = model.StateDeferred
	StateAnswered = model.StateAnswered
	StateFailed   = model.StateFailed
)

// Kinds of faults and scopes of rate limits; see package fault.
const (
	FaultError     = fault.Error
	FaultRateLimit = fault.RateLimit
	FaultProxy     = fault.Proxy
	FaultCut       = fault.Cut
	FaultHold      = fault.Hold

	FaultTwice = fault.Twice
	FaultLate  = fault.Late
	FaultSwap  = fault.Swap
	FaultAgain = fault.Again

	FaultRefuse    = fault.Refuse
	FaultNoHello   = fault.NoHello
	FaultHandshake = fault.Handshake

	ScopeUser   = fault.ScopeUser
	ScopeGlobal = fault.ScopeGlobal
	ScopeShared = fault.ScopeShared
)

// Values of Discord's API.
const (
	MaxUpload = api.MaxUpload

	FlagEphemeral    = api.FlagEphemeral
	FlagLoading      = api.FlagLoading
	FlagComponentsV2 = api.FlagComponentsV2

	MessageReply            = api.MessageReply
	MessageChatInputCommand = api.MessageChatInputCommand

	ComponentButton       = api.ComponentButton
	ComponentStringSelect = api.ComponentStringSelect
	ComponentTextDisplay  = api.ComponentTextDisplay
	ComponentFile         = api.ComponentFile

	ChannelVoice        = api.ChannelVoice
	ChannelCategory     = api.ChannelCategory
	ChannelAnnouncement = api.ChannelAnnouncement
	ChannelForum        = api.ChannelForum

	PermissionAdministrator   = api.PermissionAdministrator
	PermissionViewChannel     = api.PermissionViewChannel
	PermissionSendMessages    = api.PermissionSendMessages
	PermissionManageMessages  = api.PermissionManageMessages
	PermissionEmbedLinks      = api.PermissionEmbedLinks
	PermissionAttachFiles     = api.PermissionAttachFiles
	PermissionReadHistory     = api.PermissionReadHistory
	PermissionUseCommands     = api.PermissionUseCommands
	PermissionConnect         = api.PermissionConnect
	PermissionManageThreads   = api.PermissionManageThreads
	PermissionPublicThreads   = api.PermissionPublicThreads
	PermissionPrivateThreads  = api.PermissionPrivateThreads
	PermissionSendInThreads   = api.PermissionSendInThreads
	PermissionUseExternalApps = api.PermissionUseExternalApps
	DefaultPermissions        = api.DefaultPermissions
	DefaultBotPermissions     = api.DefaultBotPermissions
)
