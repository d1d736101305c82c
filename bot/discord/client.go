package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// api is where version 10 lives; a Transport moves it to another base.
const api = "https://discord.com/api/v10"

// Client sends. It is safe for concurrent use.
//
// It uses a session's HTTP client, token and name, and none of discordgo's
// own sending: that sleeps through rate limits whatever the context says,
// keeps a bucket for every path for ever, and puts whole bodies into errors.
type Client struct {
	session   *discordgo.Session
	limits    *limiter
	observers []func(RequestResult)
}

// NewClient sends through a session, whose token it uses. The observers are
// told of every request when it is done, and of each that a known limit held
// back; they must not wait.
func NewClient(s *discordgo.Session, observers ...func(RequestResult)) *Client {
	return &Client{session: s, limits: newLimiter(), observers: observers}
}

// tell tells the observers of a request.
func (c *Client) tell(s RequestResult) {
	for _, o := range c.observers {
		o(s)
	}
}

// Posted is the part of a message that comes back which a caller needs.
type CreatedMessage struct {
	ID        string `json:"id"`
	ChannelID string `json:"channel_id"`
}

// Post creates a message in a channel. Discord creates only one message for a
// nonce (1 to 25 characters) within some minutes and returns that one again.
func (c *Client) CreateMessage(ctx context.Context, channel, nonce string, m Message) (CreatedMessage, error) {
	flags := 0
	if m.Silent {
		flags = FlagSuppressNotifications
	}
	b := m.body(flags)
	b.Nonce, b.Enforce = nonce, nonce != ""
	var p CreatedMessage
	err := c.send(ctx, limited, http.MethodPost, "/channels/"+channel+"/messages", b, m.Files, &p)
	if err == nil && p.ID == "" {
		err = errors.New("the answer to a new message names no message")
	}
	return p, err
}

// Edit replaces a message in a channel.
func (c *Client) EditMessage(ctx context.Context, channel, message string, m Message) error {
	return c.send(ctx, limited, http.MethodPatch, "/channels/"+channel+"/messages/"+message, m.body(0), m.Files, nil)
}

// Register replaces all commands of an application: those of one server, or
// those of everywhere where the server is empty.
func (c *Client) BulkOverwriteCommands(ctx context.Context, application, guild string, commands []Command) error {
	return c.send(ctx, limited, http.MethodPut, commandPath(application, guild), commands, nil, nil)
}

// Commands lists the commands that are registered, as Register names their
// place.
func (c *Client) GetCommands(ctx context.Context, application, guild string) (out []RegisteredCommand, err error) {
	err = c.send(ctx, limited, http.MethodGet, commandPath(application, guild), nil, nil, &out)
	return out, err
}

func commandPath(application, guild string) string {
	if guild != "" {
		return "/applications/" + application + "/guilds/" + guild + "/commands"
	}
	return "/applications/" + application + "/commands"
}

// lane says which rate limits a request waits for.
type lane int

const (
	// limited waits for the limits of its route and of the whole bot.
	limited lane = iota
	// free waits for none: interaction callbacks and webhooks have tokens of
	// their own and are not bound to the limit of the whole bot
	// (https://docs.discord.com/developers/interactions/receiving-and-responding),
	// and one of them may never wait behind a post.
	free
)

// tries is how often a request is sent at most while the answer is 429, which
// says that it was not carried out and how long to wait.
const tries = 3

// pause is the shortest wait before a request is sent again after a 429 that
// asks for none.
const pause = 50 * time.Millisecond

// send makes a request and decodes its answer into out, unless out is nil. An
// answer other than success is an *Error. So is a limit that does not pass
// before the context ends: nothing is sent then.
func (c *Client) send(ctx context.Context, l lane, method, path string, in any, files []File, out any) error {
	payload, contentType, err := encode(in, files)
	if err != nil {
		return fmt.Errorf("encoding %s %s: %w", method, routeOf(path), err)
	}
	for try := 1; ; try++ {
		answer, err := c.once(ctx, l, method, path, contentType, payload)
		var refused *Error
		if errors.As(err, &refused) && refused.sendAgain() && try < tries && wait(ctx, max(refused.RetryAfter, pause)) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, routeOf(path), err)
		}
		if out == nil || len(answer) == 0 {
			return nil
		}
		if err := json.Unmarshal(answer, out); err != nil {
			return fmt.Errorf("%s %s: reading the answer: %w", method, routeOf(path), err)
		}
		return nil
	}
}

// once sends a request once, in its turn.
func (c *Client) once(ctx context.Context, l lane, method, path, contentType string, payload []byte) ([]byte, error) {
	t := &ticket{}
	if l == limited {
		var err error
		if t, err = c.limits.acquire(ctx, method, path); err != nil {
			if limit := limitMet(err); limit != "" {
				c.tell(RequestResult{Route: templateOf(method, path), RateLimit: limit})
			}
			return nil, err
		}
	}
	var header http.Header
	var refused *Error
	defer func() { c.limits.release(t, header, refused) }() // after a panic, too
	var status int
	var answer []byte
	var err error
	began := time.Now()
	status, header, answer, err = c.request(ctx, method, path, contentType, payload)
	errors.As(err, &refused)
	c.tell(RequestResult{Route: templateOf(method, path), Status: status, Duration: time.Since(began), RateLimit: limitMet(err)})
	return answer, err
}

// maxAnswer is how much of an answer is read: far more than any that the bot
// asks for.
const maxAnswer = 4 << 20

// request sends a request and reads its answer; the status is 0 and the header
// nil where none came.
func (c *Client) request(ctx context.Context, method, path, contentType string, payload []byte) (int, http.Header, []byte, error) {
	var body io.Reader
	if payload != nil {
		body = bytes.NewReader(payload)
	}
	q, err := http.NewRequestWithContext(ctx, method, api+path, body)
	if err != nil {
		return 0, nil, nil, withoutAddress(err)
	}
	q.Header.Set("Authorization", c.session.Token)
	q.Header.Set("User-Agent", c.session.UserAgent)
	if payload != nil {
		q.Header.Set("Content-Type", contentType)
	}
	response, err := c.session.Client.Do(q)
	if err != nil {
		return 0, nil, nil, withoutAddress(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case response.StatusCode >= 200 && response.StatusCode < 300:
		if err != nil {
			return response.StatusCode, response.Header, nil, fmt.Errorf("reading the answer: %w", withoutAddress(err))
		}
		return response.StatusCode, response.Header, answer, nil
	default:
		// A refusal is one whether or not all of its words arrived.
		return response.StatusCode, response.Header, nil, refusal(response, answer)
	}
}

// wait reports whether it could wait that long within the context.
func wait(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// routeOf is a path without the tokens that grant access.
func routeOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	if len(parts) > 3 && (parts[1] == "interactions" || parts[1] == "webhooks") {
		parts[3] = "…"
	}
	return strings.Join(parts, "/")
}

// encode is the body of a request: JSON, or JSON and files in parts.
func encode(in any, files []File) (payload []byte, contentType string, err error) {
	if in == nil {
		return nil, "", nil
	}
	text, err := json.Marshal(in)
	if err != nil {
		return nil, "", err
	}
	if len(files) == 0 {
		return text, "application/json", nil
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part := func(disposition, contentType string, data []byte) error {
		h := textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {contentType}}
		p, err := w.CreatePart(h)
		if err != nil {
			return err
		}
		_, err = io.Copy(p, bytes.NewReader(data))
		return err
	}
	if err := part(`form-data; name="payload_json"`, "application/json", text); err != nil {
		return nil, "", err
	}
	for i, f := range files {
		if err := part(fmt.Sprintf(`form-data; name="files[%d]"; filename=%q`, i, f.Name), f.ContentType, f.Data); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}
