package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/bwmarrin/discordgo"
)

// CreatedMessage identifies a new message, or what else an answer names.
type CreatedMessage struct {
	ID        string `json:"id"`
	ChannelID string `json:"channel_id"`
}

// At returns when Discord made the message, by its own clock.
func (m CreatedMessage) At() time.Time {
	at, _ := discordgo.SnowflakeTimestamp(m.ID) // zero if it is no number
	return at
}

// CreateMessage posts a message in a channel. If a message with the same
// nonce (1 to 25 characters) was posted minutes ago, Discord returns that one.
func (c *Client) CreateMessage(ctx context.Context, channel, nonce string, m Message) (CreatedMessage, error) {
	flags := 0
	if m.Silent {
		flags = FlagSuppressNotifications
	}
	b := m.body(flags)
	b.Nonce, b.EnforceNonce = nonce, nonce != ""
	return c.sendForID(ctx, http.MethodPost, "/channels/"+channel+"/messages", b, m.Files)
}

func (c *Client) sendForID(ctx context.Context, method, path string, in any, files []File) (out CreatedMessage, err error) {
	err = c.send(ctx, limited, method, path, in, files, &out)
	if err == nil && out.ID == "" {
		err = fmt.Errorf("%s %s: the answer has no id", method, redact(path))
	}
	return out, err
}

// OpenDirect returns the channel of the bot's direct messages with a user. It
// also exists for a user who takes none.
func (c *Client) OpenDirect(ctx context.Context, user string) (channel string, err error) {
	in := struct {
		Recipient string `json:"recipient_id"`
	}{user}
	out, err := c.sendForID(ctx, http.MethodPost, "/users/@me/channels", in, nil)
	return out.ID, err
}

// EditMessage replaces a message in a channel.
func (c *Client) EditMessage(ctx context.Context, channel, message string, m Message) error {
	return c.send(ctx, limited, http.MethodPatch, "/channels/"+channel+"/messages/"+message, m.body(0), m.Files, nil)
}

// DeleteMessage deletes a message in a channel.
func (c *Client) DeleteMessage(ctx context.Context, channel, message string) error {
	return c.send(ctx, limited, http.MethodDelete, "/channels/"+channel+"/messages/"+message, nil, nil, nil)
}

// ChannelMessage is a message in a channel, as far as is needed to recognise it.
type ChannelMessage struct {
	ID       string
	AuthorID string
	Images   []string // the file names of the pictures that it shows, in order
}

// GetMessages returns the newest messages of a channel, at most MaxMessages, the
// newest first. It returns none if the bot may not read the channel's history.
func (c *Client) GetMessages(ctx context.Context, channel string) ([]ChannelMessage, error) {
	var all []struct {
		ID     string `json:"id"`
		Author struct {
			ID string `json:"id"`
		} `json:"author"`
		Components []receivedComponent `json:"components"`
	}
	err := c.send(ctx, limited, http.MethodGet, fmt.Sprintf("/channels/%s/messages?limit=%d", channel, MaxMessages), nil, nil, &all)
	if err != nil {
		return nil, err
	}
	messages := make([]ChannelMessage, len(all))
	for i, m := range all {
		messages[i] = ChannelMessage{ID: m.ID, AuthorID: m.Author.ID, Images: images(nil, m.Components)}
	}
	return messages, nil
}

// receivedComponent is a component of a message that Discord returns.
type receivedComponent struct {
	Components []receivedComponent `json:"components"`
	Accessory  receivedPicture     `json:"accessory"`
	Items      []receivedPicture   `json:"items"`
}

type receivedPicture struct {
	Media struct {
		URL string `json:"url"`
	} `json:"media"`
}

func images(all []string, components []receivedComponent) []string {
	for _, c := range components {
		for _, i := range append(c.Items, c.Accessory) {
			if u, err := url.Parse(i.Media.URL); err == nil && u.Path != "" {
				all = append(all, path.Base(u.Path))
			}
		}
		all = images(all, c.Components)
	}
	return all
}

// GetCurrentUser returns the identifier of the bot's own user.
func (c *Client) GetCurrentUser(ctx context.Context) (string, error) {
	user, err := c.sendForID(ctx, http.MethodGet, "/users/@me", nil, nil)
	return user.ID, err
}

// Application is the bot's own application.
type Application struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	PublicKey string `json:"verify_key"` // with which interactions by HTTP are signed, in hexadecimal
	// Endpoint is the URL to which Discord sends interactions; empty if they go to
	// the gateway.
	Endpoint string `json:"interactions_endpoint_url"`
	// Guilds and Users are about how many guilds and people have installed it.
	Guilds int `json:"approximate_guild_count"`
	Users  int `json:"approximate_user_install_count"`
}

// GetApplication returns the bot's own application.
func (c *Client) GetApplication(ctx context.Context) (a Application, err error) {
	err = c.send(ctx, limited, http.MethodGet, "/applications/@me", nil, nil, &a)
	if err == nil && a.ID == "" {
		err = errors.New("GET /applications/@me: the answer has no id")
	}
	return a, err
}

// Guild is a guild that the bot is in.
type Guild struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions int64  `json:"permissions,string"` // of the bot in the guild, without what channels allow or deny
}

// Lacks returns the names of the permissions that the bot asks for and lacks in the
// guild, as Discord's clients show them in English; "" if it has them all.
func (g Guild) Lacks() string {
	if g.Permissions&PermissionAdministrator != 0 {
		return ""
	}
	return permissionNames(invitePermissions &^ g.Permissions)
}

// GetGuilds returns the guilds that the bot is in, at most 200.
func (c *Client) GetGuilds(ctx context.Context) (guilds []Guild, err error) {
	err = c.send(ctx, limited, http.MethodGet, "/users/@me/guilds", nil, nil, &guilds)
	return guilds, err
}

// LeaveGuild has the bot leave a guild. It fails with CodeUnknownGuild or
// CodeMissingAccess if the bot is not in it.
func (c *Client) LeaveGuild(ctx context.Context, guild string) error {
	return c.send(ctx, limited, http.MethodDelete, "/users/@me/guilds/"+guild, nil, nil, nil)
}

// GetChannel returns the parent of a channel: the channel of a thread, or a category.
// It fails if the channel does not exist or the bot cannot see it.
func (c *Client) GetChannel(ctx context.Context, channel string) (parent string, err error) {
	var out struct {
		Parent string `json:"parent_id"`
	}
	err = c.send(ctx, limited, http.MethodGet, "/channels/"+channel, nil, nil, &out)
	return out.Parent, err
}

// HasMessage reports whether a message exists. It fails unless that is known.
func (c *Client) HasMessage(ctx context.Context, channel, message string) (bool, error) {
	err := c.send(ctx, limited, http.MethodGet, "/channels/"+channel+"/messages/"+message, nil, nil, nil)
	if HasCode(err, CodeUnknownMessage, CodeUnknownChannel) {
		return false, nil
	}
	return err == nil, err
}

// IsMember reports whether a person is a member of a guild. It fails unless that is
// known. It needs no privileged intent.
func (c *Client) IsMember(ctx context.Context, guild, person string) (bool, error) {
	err := c.send(ctx, limited, http.MethodGet, "/guilds/"+guild+"/members/"+person, nil, nil, nil)
	if HasCode(err, CodeUnknownMember, CodeUnknownUser) {
		return false, nil
	}
	return err == nil, err
}

// TriggerTyping shows in a channel that the bot is typing. It fails where the bot may
// not write.
func (c *Client) TriggerTyping(ctx context.Context, channel string) error {
	return c.send(ctx, limited, http.MethodPost, "/channels/"+channel+"/typing", nil, nil, nil)
}

// StartThread starts a public thread from a message of a channel, whose identifier is
// that of the message. A message has at most one thread: the error has
// CodeThreadExists if there is one
// (https://docs.discord.com/developers/resources/channel#start-thread-from-message).
func (c *Client) StartThread(ctx context.Context, channel, message, name string) error {
	in := struct {
		Name    string `json:"name"`
		Archive int    `json:"auto_archive_duration"`
	}{Truncate(name, MaxThreadName), threadArchiveMinutes}
	_, err := c.sendForID(ctx, http.MethodPost, "/channels/"+channel+"/messages/"+message+"/threads", in, nil)
	return err
}

// RenameThread renames a thread. The bot may rename its own threads, unless they are
// locked or archived.
func (c *Client) RenameThread(ctx context.Context, thread, name string) error {
	in := struct {
		Name string `json:"name"`
	}{Truncate(name, MaxThreadName)}
	return c.send(ctx, limited, http.MethodPatch, "/channels/"+thread, in, nil, nil)
}

// SetArchived archives or unarchives a thread. The bot may archive its own
// threads. Unarchiving takes the permission to send messages in the thread, or
// to manage threads if it is locked
// (https://docs.discord.com/developers/topics/threads#editing-deleting-threads).
func (c *Client) SetArchived(ctx context.Context, thread string, archived bool) error {
	in := struct {
		Archived bool `json:"archived"`
	}{archived}
	return c.send(ctx, limited, http.MethodPatch, "/channels/"+thread, in, nil, nil)
}

// BulkOverwriteCommands replaces all commands of an application except those to
// be kept: those of one guild, or the global ones if the guild is empty. It returns
// them as they are registered.
func (c *Client) BulkOverwriteCommands(ctx context.Context, application, guild string, commands []Command, kept ...RegisteredCommand) ([]RegisteredCommand, error) {
	body := make([]any, 0, len(commands)+len(kept))
	for _, command := range commands {
		body = append(body, command)
	}
	for _, k := range kept {
		command, err := k.overwrite()
		if err != nil {
			return nil, fmt.Errorf("keeping the command %q: %w", k.Name, err)
		}
		body = append(body, command)
	}
	var all []json.RawMessage
	if err := c.send(ctx, limited, http.MethodPut, commandPath(application, guild), body, nil, &all); err != nil {
		return nil, err
	}
	return registeredCommands(all)
}

// GetCommands lists the registered commands of one guild, or the global ones if
// the guild is empty.
func (c *Client) GetCommands(ctx context.Context, application, guild string) (commands []RegisteredCommand, err error) {
	var all []json.RawMessage
	if err = c.send(ctx, limited, http.MethodGet, commandPath(application, guild)+"?with_localizations=true", nil, nil, &all); err != nil {
		return nil, err
	}
	return registeredCommands(all)
}

func registeredCommands(all []json.RawMessage) (commands []RegisteredCommand, err error) {
	for _, raw := range all {
		command := RegisteredCommand{Raw: raw}
		var id struct{ ID string }
		if err := errors.Join(json.Unmarshal(raw, &command.Command), json.Unmarshal(raw, &id)); err != nil {
			return nil, fmt.Errorf("reading a registered command: %w", err)
		}
		command.ID = id.ID
		commands = append(commands, command)
	}
	return commands, nil
}

func commandPath(application, guild string) string {
	if guild != "" {
		return "/applications/" + application + "/guilds/" + guild + "/commands"
	}
	return "/applications/" + application + "/commands"
}

// GatewayInfo is the gateway's address and its limits ("Get Gateway Bot").
type GatewayInfo struct {
	URL               string            `json:"url"`    // of a websocket, without query
	Shards            int               `json:"shards"` // recommended
	SessionStartLimit SessionStartLimit `json:"session_start_limit"`
}

// SessionStartLimit says how many sessions may be started.
type SessionStartLimit struct {
	Total          int           `json:"total"`
	Remaining      int           `json:"remaining"`       // identifies until the reset
	ResetAfter     time.Duration `json:"reset_after"`     // until Remaining is Total again; Discord's are milliseconds
	MaxConcurrency int           `json:"max_concurrency"` // identifies in five seconds; at least 1
}

// ErrFileTooLarge reports a file that is larger than the bot reads.
var ErrFileTooLarge = errors.New("the file is too large")

// Download returns a file that was uploaded to Discord, of at most limit bytes.
// It fails with ErrFileTooLarge if there are more. The request carries no token,
// and goes to no other hosts than Discord's.
func (c *Client) Download(ctx context.Context, address string, limit int) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || !c.hostsFiles(u) {
		return nil, errors.New("the address of a file is not Discord's")
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	client := *c.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer Pause(ctx)()
	response, err := client.Do(q)
	if err != nil {
		return nil, fmt.Errorf("downloading a file: %w", withoutURL(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("downloading a file: status %d", response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("downloading a file: %w", withoutURL(err))
	case len(data) > limit:
		return nil, ErrFileTooLarge
	}
	return data, nil
}

// hostsFiles reports whether Discord, or what stands in for it, keeps uploaded
// files at an address.
func (c *Client) hostsFiles(u *url.URL) bool {
	if c.base != nil {
		return u.Scheme == c.base.Scheme && u.Host == c.base.Host
	}
	return u.Scheme == "https" && (u.Host == "cdn.discordapp.com" || u.Host == "media.discordapp.net")
}

// GetGateway returns the gateway's address and limits. If Discord refuses the
// token, the error is an *Error with status 401.
func (c *Client) GetGateway(ctx context.Context) (info GatewayInfo, err error) {
	if err := c.send(ctx, unlimited, http.MethodGet, "/gateway/bot", nil, nil, &info); err != nil {
		return GatewayInfo{}, err
	}
	if info.URL == "" {
		return GatewayInfo{}, errors.New("GET /gateway/bot: the answer has no address")
	}
	limit := &info.SessionStartLimit
	limit.ResetAfter, limit.MaxConcurrency = limit.ResetAfter*time.Millisecond, max(limit.MaxConcurrency, 1)
	return info, nil
}
