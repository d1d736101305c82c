package discord

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Interaction identifies an interaction to answer.
type Interaction struct {
	ID            string
	ApplicationID string
	Token         string // a secret: never log it
}

// callback is the first answer to an interaction.
type callback struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// Types of interaction callbacks.
const (
	callbackMessage         = 4
	callbackDeferredMessage = 5
	callbackDeferredUpdate  = 6
	callbackUpdateMessage   = 7
	callbackAutocomplete    = 8
)

func (i Interaction) callbackPath() string {
	return "/interactions/" + url.PathEscape(i.ID) + "/" + url.PathEscape(i.Token) + "/callback"
}

func (i Interaction) webhookPath() string {
	return "/webhooks/" + url.PathEscape(i.ApplicationID) + "/" + url.PathEscape(i.Token)
}

// httpResponse takes the first answer to an interaction that came by HTTP.
type httpResponse struct {
	interaction string // its ID
	write       func(contentType string, body []byte) error
}

type httpResponseKey struct{}

// WithHTTPResponse returns a context in which the first answer to an interaction
// is passed to write, which sends it as the response to Discord's request, and not
// to the callback route. An empty body says that the callback route follows (status
// 202). write fails with an *Error if Discord does not wait for a response.
func WithHTTPResponse(ctx context.Context, interaction string, write func(contentType string, body []byte) error) context.Context {
	return context.WithValue(ctx, httpResponseKey{}, httpResponse{interaction, write})
}

// WithCallback returns a context in which the first answer to an interaction goes
// to the callback route, even if the interaction came by HTTP. Discord confirms
// that answer, and does not confirm a response.
func WithCallback(ctx context.Context, i Interaction) (context.Context, error) {
	response, ok := i.byHTTP(ctx)
	if !ok {
		return ctx, nil
	}
	return context.WithValue(ctx, httpResponseKey{}, nil), response.write("", nil)
}

// byHTTP returns what takes the first answer to an interaction. ok is false if
// the interaction did not come by HTTP.
func (i Interaction) byHTTP(ctx context.Context) (r httpResponse, ok bool) {
	r, ok = ctx.Value(httpResponseKey{}).(httpResponse)
	return r, ok && r.interaction == i.ID
}

func (c *Client) sendCallback(ctx context.Context, i Interaction, query string, answer callback, files []File) error {
	response, ok := i.byHTTP(ctx)
	if !ok {
		return c.send(ctx, unlimited, http.MethodPost, i.callbackPath()+query, answer, files, nil)
	}
	body, contentType, err := encode(answer, files)
	if err == nil {
		err = response.write(contentType, body)
	}
	if err != nil {
		return fmt.Errorf("responding to an interaction by HTTP: %w", err)
	}
	return nil
}

// webhookDelays are the times after which a webhook request is sent again if
// Discord does not know the webhook yet. That can happen for seconds after a
// response by HTTP (discord/discord-api-docs#7220).
var webhookDelays = []time.Duration{250 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// sendWebhook sends a request to the webhook of an interaction that has been
// answered.
func (c *Client) sendWebhook(ctx context.Context, i Interaction, method, path string, in any, files []File, out any) error {
	_, byHTTP := i.byHTTP(ctx)
	for n := 0; ; n++ {
		err := c.send(ctx, unlimited, method, i.webhookPath()+path, in, files, out)
		if !byHTTP || !HasCode(err, CodeUnknownWebhook) || n == len(webhookDelays) {
			return err
		}
		resume := Pause(ctx)
		slept := sleep(ctx, webhookDelays[n])
		resume()
		if !slept {
			return err
		}
	}
}

// withResponse asks Discord for the resource that the answer has created.
const withResponse = "?with_response=true"

// Reply answers with a message that only the user sees.
func (c *Client) Reply(ctx context.Context, i Interaction, m Message) error {
	return c.sendCallback(ctx, i, withResponse, callback{callbackMessage, m.body(FlagEphemeral)}, m.Files)
}

// UpdateMessage answers a click by replacing the message that was clicked.
func (c *Client) UpdateMessage(ctx context.Context, i Interaction, m Message) error {
	return c.sendCallback(ctx, i, withResponse, callback{callbackUpdateMessage, m.body(0)}, m.Files)
}

// DeferReply acknowledges a command: only the user sees that the bot is
// thinking. EditOriginalResponse then gives the answer.
func (c *Client) DeferReply(ctx context.Context, i Interaction) error {
	data := struct {
		Flags int `json:"flags"`
	}{FlagEphemeral}
	return c.sendCallback(ctx, i, "", callback{callbackDeferredMessage, data}, nil)
}

// DeferUpdate acknowledges a click without showing anything.
func (c *Client) DeferUpdate(ctx context.Context, i Interaction) error {
	return c.sendCallback(ctx, i, "", callback{Type: callbackDeferredUpdate}, nil)
}

// Autocomplete answers an autocomplete interaction with the first MaxChoices
// choices.
func (c *Client) Autocomplete(ctx context.Context, i Interaction, choices []Choice) error {
	data := struct {
		Choices []Choice `json:"choices"`
	}{[]Choice{}}
	for _, choice := range choices[:min(len(choices), MaxChoices)] {
		choice.Name = Truncate(choice.Name, MaxChoiceName)
		data.Choices = append(data.Choices, choice)
	}
	return c.sendCallback(ctx, i, "", callback{callbackAutocomplete, data}, nil)
}

// EditOriginalResponse replaces the first answer: the deferred reply after
// DeferReply, the clicked message after DeferUpdate.
func (c *Client) EditOriginalResponse(ctx context.Context, i Interaction, m Message) error {
	return c.sendWebhook(ctx, i, http.MethodPatch, "/messages/@original", m.body(0), m.Files, nil)
}

// IsThinking reports whether the first answer is a deferred reply that waits for
// EditOriginalResponse.
func (c *Client) IsThinking(ctx context.Context, i Interaction) (bool, error) {
	var m struct {
		Flags int `json:"flags"`
	}
	err := c.sendWebhook(ctx, i, http.MethodGet, "/messages/@original", nil, nil, &m)
	return m.Flags&flagLoading != 0, err
}

// DeleteOriginalResponse deletes what EditOriginalResponse would replace.
func (c *Client) DeleteOriginalResponse(ctx context.Context, i Interaction) error {
	return c.sendWebhook(ctx, i, http.MethodDelete, "/messages/@original", nil, nil, nil)
}

// CreateFollowup sends another message that only the user sees.
func (c *Client) CreateFollowup(ctx context.Context, i Interaction, m Message) error {
	return c.sendWebhook(ctx, i, http.MethodPost, "", m.body(FlagEphemeral), m.Files, nil)
}
