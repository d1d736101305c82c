package wire

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
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// api is where version 10 lives; a Transport moves it to another base.
const api = "https://discord.com/api/v10"

// Client sends. It is safe for concurrent use.
type Client struct {
	session *discordgo.Session
}

// NewClient sends through a session, whose token it uses.
func NewClient(s *discordgo.Session) *Client { return &Client{session: s} }

// Transport sends requests for discord.com to another base address, such as
// that of the sandbox. With no Base it leaves them as they are.
type Transport struct {
	Base *url.URL
	Next http.RoundTripper // http.DefaultTransport where nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.Next
	if next == nil {
		next = http.DefaultTransport
	}
	if t.Base != nil && r.URL.Host == "discord.com" {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = t.Base.Scheme, t.Base.Host, t.Base.Host
		r.URL.Path = strings.TrimSuffix(t.Base.Path, "/") + r.URL.Path
	}
	return next.RoundTrip(r)
}

// Posted is the part of a message that comes back which a caller needs.
type Posted struct {
	ID      string `json:"id"`
	Channel string `json:"channel_id"`
}

// Post creates a message in a channel. Discord creates only one message for a
// nonce (1 to 25 characters) within some minutes and returns that one again.
func (c *Client) Post(ctx context.Context, channel, nonce string, m Message) (Posted, error) {
	b := m.body(0)
	b.Nonce, b.Enforce = nonce, nonce != ""
	var p Posted
	err := c.send(ctx, limited, http.MethodPost, "/channels/"+channel+"/messages", b, m.Files, &p)
	if err == nil && p.ID == "" {
		err = errors.New("the answer to a new message names no message")
	}
	return p, err
}

// Edit replaces a message in a channel.
func (c *Client) Edit(ctx context.Context, channel, message string, m Message) error {
	return c.send(ctx, limited, http.MethodPatch, "/channels/"+channel+"/messages/"+message, m.body(0), m.Files, nil)
}

// Register replaces all commands of an application: those of one server, or
// those of everywhere where the server is empty.
func (c *Client) Register(ctx context.Context, application, guild string, commands []Command) error {
	return c.send(ctx, limited, http.MethodPut, commandPath(application, guild), commands, nil, nil)
}

// Commands lists the commands that are registered, as Register names their
// place.
func (c *Client) Commands(ctx context.Context, application, guild string) (out []Registered, err error) {
	err = c.send(ctx, limited, http.MethodGet, commandPath(application, guild), nil, nil, &out)
	return out, err
}

func commandPath(application, guild string) string {
	if guild != "" {
		return "/applications/" + application + "/guilds/" + guild + "/commands"
	}
	return "/applications/" + application + "/commands"
}

// lane says which rate limiter a request goes through.
type lane int

const (
	// limited goes through discordgo's limiter, by path.
	limited lane = iota
	// free goes through none: interaction callbacks and webhooks have tokens
	// of their own, for each of which discordgo would keep a bucket for ever,
	// and its lock would let one slow answer hold up the others.
	free
)

// tries is how often a request is sent at most while the answer is 429, which
// says that it was not carried out and how long to wait.
const tries = 3

// send makes a request and decodes its answer into out, unless out is nil. An
// answer other than success is an *Error.
func (c *Client) send(ctx context.Context, l lane, method, path string, in any, files []File, out any) error {
	payload, contentType, err := encode(in, files)
	if err != nil {
		return fmt.Errorf("encoding %s %s: %w", method, routeOf(path), err)
	}
	for try := 1; ; try++ {
		answer, err := c.once(ctx, l, method, path, contentType, payload)
		var refused *Error
		if errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests && try < tries && wait(ctx, refused.RetryAfter) {
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

func (c *Client) once(ctx context.Context, l lane, method, path, contentType string, payload []byte) ([]byte, error) {
	options := []discordgo.RequestOption{
		discordgo.WithContext(ctx), discordgo.WithRestRetries(0), discordgo.WithRetryOnRatelimit(false),
	}
	var answer []byte
	var err error
	if l == free {
		bucket := discordgo.NewRatelimiter().LockBucket("")
		answer, err = c.session.RequestWithLockedBucket(method, api+path, contentType, payload, bucket, 0, options...)
	} else {
		answer, err = c.session.RequestRaw(method, api+path, contentType, payload, "", 0, options...)
	}
	return answer, asError(err)
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
