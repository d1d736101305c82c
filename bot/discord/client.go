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
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	apiPath = "/api/v10"
	// userAgent names the library whose types are used, in the form that Discord
	// demands (https://docs.discord.com/developers/reference#user-agent).
	userAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ")"
	// clientTimeout bounds a request without a deadline of its own.
	clientTimeout = 20 * time.Second
)

// Client sends requests to Discord. It is safe for concurrent use.
type Client struct {
	token     string
	base      *url.URL // nil for Discord itself
	http      *http.Client
	limits    *limiter
	access    *access
	budget    *budget
	observers []func(RequestResult)
	contact   atomic.Pointer[time.Time] // when Discord was last heard from
}

// NewClient returns a client that sends requests with a bot's token to a base
// address, such as that of the sandbox; nil means Discord's. They are sent by
// transport, nil for one like http.DefaultTransport. The observers are called after
// every request, and for each that a known rate limit held back; they must not block.
func NewClient(token string, base *url.URL, transport http.RoundTripper, observers ...func(RequestResult)) *Client {
	if transport == nil {
		transport = newTransport()
	}
	return &Client{
		token: token, base: base, http: &http.Client{Transport: transport, Timeout: clientTimeout},
		limits: newLimiter(), access: newAccess(), budget: &budget{now: time.Now}, observers: observers,
	}
}

// newTransport returns a transport like http.DefaultTransport, except that it keeps
// as many idle connections to one host as to all. Every request goes to one host,
// and a proxy or a sandbox may not know HTTP/2, which needs only one connection.
func newTransport() *http.Transport {
	t := &http.Transport{}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		t = standard.Clone()
	}
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	return t
}

func (c *Client) url(path string) string {
	if c.base == nil {
		return "https://discord.com" + apiPath + path
	}
	return strings.TrimSuffix(c.base.String(), "/") + apiPath + path
}

// SetGlobalLimit sets how many requests are sent in a second. Call it before the
// first request.
func (c *Client) SetGlobalLimit(requests int) { c.limits.sent = make([]time.Time, requests) }

// SetClock replaces the clock of permissions, refusals and invalid requests.
// Call it before the first request.
func (c *Client) SetClock(now func() time.Time) { c.access.now, c.budget.now = now, now }

func (c *Client) observe(r RequestResult) {
	for _, o := range c.observers {
		o(r)
	}
}

// rateLimiting says which rate limits a request waits for.
type rateLimiting int

const (
	// limited requests wait for the limits of their route and of the bot.
	limited rateLimiting = iota
	// unlimited requests wait for no limit. Interaction callbacks and webhooks
	// have tokens of their own and do not count towards the bot's limit
	// (https://docs.discord.com/developers/interactions/receiving-and-responding).
	// They must never wait behind a post.
	unlimited
)

const (
	// maxAttempts is the most times that a request is sent. It is sent again only
	// after a 429, because Discord has then not carried it out and says how long
	// to wait.
	maxAttempts = 3

	// minRetryDelay is the least wait after a 429.
	minRetryDelay = 50 * time.Millisecond

	// maxAnswer is how many bytes of an answer are read: far more than any that
	// the bot asks for.
	maxAnswer = 4 << 20
)

// pauseKey is the key of a context's pause function.
type pauseKey struct{}

// WithPause returns a context whose requests call pause before they wait for
// Discord, and resume when they have the answer.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// Pause calls the pause function of a context, if it has one.
func Pause(ctx context.Context) (resume func()) {
	if pause, ok := ctx.Value(pauseKey{}).(func() func()); ok {
		return pause()
	}
	return func() {}
}

// send makes a request and decodes the answer into out, unless out is nil. It
// fails with an *Error if Discord refuses the request. It also fails with an
// *Error, and sends nothing, if a known limit outlasts the context.
func (c *Client) send(ctx context.Context, l rateLimiting, method, path string, in any, files []File, out any) error {
	payload, contentType, err := encode(in, files)
	if err != nil {
		return fmt.Errorf("encoding %s %s: %w", method, redact(path), err)
	}
	defer Pause(ctx)()
	for attempt := 1; ; attempt++ {
		answer, err := c.attempt(ctx, l, method, path, contentType, payload)
		var refused *Error
		if errors.As(err, &refused) && refused.retryable() && attempt < maxAttempts && sleep(ctx, max(refused.RetryAfter, minRetryDelay)) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, redact(path), err)
		}
		if out == nil || len(answer) == 0 {
			return nil
		}
		if err := json.Unmarshal(answer, out); err != nil {
			return fmt.Errorf("%s %s: decoding the answer: %w", method, redact(path), err)
		}
		return nil
	}
}

// attempt sends a request once, when the rate limits allow it.
func (c *Client) attempt(ctx context.Context, l rateLimiting, method, path, contentType string, payload []byte) (answer []byte, err error) {
	result := RequestResult{Route: routeTemplate(method, path)}
	permit, leave, err := c.admit(ctx, l, method, path, contentType)
	if err != nil {
		if result.RateLimit = rateLimitOf(err); result.RateLimit != "" {
			c.observe(result)
		}
		return nil, err
	}
	var header http.Header
	var refused *Error
	defer func() { // even after a panic
		c.limits.release(permit, header, refused)
		leave(err)
	}()
	began := time.Now()
	result.Status, header, answer, err = c.request(ctx, method, path, contentType, payload)
	errors.As(err, &refused)
	c.budget.record(refused)
	if result.Status > 0 && result.Status < http.StatusInternalServerError {
		c.RecordContact()
	}
	result.Duration, result.RateLimit = time.Since(began), rateLimitOf(err)
	c.observe(result)
	return answer, err
}

// admit waits until a request may be sent. The caller must call leave when the
// request has been answered.
func (c *Client) admit(ctx context.Context, l rateLimiting, method, path, contentType string) (p *permit, leave func(error), err error) {
	if err := c.budget.check(ctx, l); err != nil {
		return nil, nil, err
	}
	if l == unlimited {
		return nil, func(error) {}, nil
	}
	channel, permissions := requiredPermissions(method, path, strings.HasPrefix(contentType, "multipart/"))
	if leave, err = c.access.enter(ctx, channel, permissions); err != nil {
		return nil, nil, err
	}
	if p, err = c.limits.acquire(ctx, method, path); err != nil {
		leave(err)
		return nil, nil, err
	}
	return p, leave, nil
}

// request sends a request and reads the answer. The status is 0 and the header
// nil if there was none.
func (c *Client) request(ctx context.Context, method, path, contentType string, payload []byte) (int, http.Header, []byte, error) {
	var body io.Reader
	if payload != nil {
		body = bytes.NewReader(payload)
	}
	q, err := http.NewRequestWithContext(ctx, method, c.url(path), body)
	if err != nil {
		return 0, nil, nil, withoutURL(err)
	}
	q.Header.Set("Authorization", "Bot "+c.token)
	q.Header.Set("User-Agent", userAgent)
	if payload != nil {
		q.Header.Set("Content-Type", contentType)
	}
	// A process that was stopped may go on before the timer of the context has fired.
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= 0 {
		return 0, nil, nil, context.DeadlineExceeded
	}
	response, err := c.http.Do(q)
	if err != nil {
		return 0, nil, nil, withoutURL(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case response.StatusCode >= 200 && response.StatusCode < 300:
		if err != nil {
			return response.StatusCode, response.Header, nil, fmt.Errorf("reading the answer: %w", withoutURL(err))
		}
		return response.StatusCode, response.Header, answer, nil
	default:
		// A refusal counts even if its body was not read completely.
		return response.StatusCode, response.Header, nil, newError(response, answer)
	}
}

// sleep waits for a duration and reports whether it passed before the context
// ended. It returns false at once if the deadline of the context is earlier.
func sleep(ctx context.Context, d time.Duration) bool {
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
