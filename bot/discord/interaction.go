package discord

import (
	"context"
	"net/http"
	"net/url"
)

// Interaction is what answers to an interaction are addressed by.
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

// Types of first answers.
const (
	callbackMessage       = 4
	callbackDefer         = 5
	callbackDeferUpdate   = 6
	callbackUpdate        = 7
	callbackSuggestions   = 8
	maxSuggestions        = 25
	maxSuggestionName     = 100
	originalMessage       = "@original"
	withResponseParameter = "?with_response=true"
)

func (i Interaction) callbackPath() string {
	return "/interactions/" + url.PathEscape(i.ID) + "/" + url.PathEscape(i.Token) + "/callback"
}

func (i Interaction) webhookPath() string {
	return "/webhooks/" + url.PathEscape(i.ApplicationID) + "/" + url.PathEscape(i.Token)
}

// Reply answers with a message that only the person sees.
func (c *Client) Reply(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, free, http.MethodPost, i.callbackPath()+withResponseParameter,
		callback{callbackMessage, m.body(FlagEphemeral)}, m.Files, nil)
}

// Update answers a click by replacing the message that was clicked.
func (c *Client) UpdateMessage(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, free, http.MethodPost, i.callbackPath()+withResponseParameter,
		callback{callbackUpdate, m.body(0)}, m.Files, nil)
}

// Defer acknowledges a command: the person alone sees that the bot is
// thinking. EditOriginal then gives the answer.
func (c *Client) DeferReply(ctx context.Context, i Interaction) error {
	data := struct {
		Flags int `json:"flags"`
	}{FlagEphemeral}
	return c.send(ctx, free, http.MethodPost, i.callbackPath(), callback{callbackDefer, data}, nil, nil)
}

// DeferUpdate acknowledges a click without showing anything.
func (c *Client) DeferUpdate(ctx context.Context, i Interaction) error {
	return c.send(ctx, free, http.MethodPost, i.callbackPath(), callback{Type: callbackDeferUpdate}, nil, nil)
}

// Suggest answers a question for suggestions with at most 25.
func (c *Client) Autocomplete(ctx context.Context, i Interaction, choices []Choice) error {
	if len(choices) > maxSuggestions {
		choices = choices[:maxSuggestions]
	}
	data := struct {
		Choices []Choice `json:"choices"`
	}{[]Choice{}}
	for _, ch := range choices {
		ch.Name = clip(ch.Name, maxSuggestionName)
		data.Choices = append(data.Choices, ch)
	}
	return c.send(ctx, free, http.MethodPost, i.callbackPath(), callback{callbackSuggestions, data}, nil, nil)
}

// EditOriginal replaces the first answer: what stands for the thinking after
// Defer, the clicked message after DeferUpdate.
func (c *Client) EditOriginalResponse(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, free, http.MethodPatch, i.webhookPath()+"/messages/"+originalMessage, m.body(0), m.Files, nil)
}

// FollowUp sends another message that only the person sees.
func (c *Client) CreateFollowup(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, free, http.MethodPost, i.webhookPath(), m.body(FlagEphemeral), m.Files, nil)
}
