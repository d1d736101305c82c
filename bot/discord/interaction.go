package discord

import (
	"context"
	"net/http"
	"net/url"
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

// Reply answers with a message that only the user sees.
func (c *Client) Reply(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, unlimited, http.MethodPost, i.callbackPath()+"?with_response=true",
		callback{callbackMessage, m.body(FlagEphemeral)}, m.Files, nil)
}

// UpdateMessage answers a click by replacing the message that was clicked.
func (c *Client) UpdateMessage(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, unlimited, http.MethodPost, i.callbackPath()+"?with_response=true",
		callback{callbackUpdateMessage, m.body(0)}, m.Files, nil)
}

// DeferReply acknowledges a command: only the user sees that the bot is
// thinking. EditOriginalResponse then gives the answer.
func (c *Client) DeferReply(ctx context.Context, i Interaction) error {
	data := struct {
		Flags int `json:"flags"`
	}{FlagEphemeral}
	return c.send(ctx, unlimited, http.MethodPost, i.callbackPath(), callback{callbackDeferredMessage, data}, nil, nil)
}

// DeferUpdate acknowledges a click without showing anything.
func (c *Client) DeferUpdate(ctx context.Context, i Interaction) error {
	return c.send(ctx, unlimited, http.MethodPost, i.callbackPath(), callback{Type: callbackDeferredUpdate}, nil, nil)
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
	return c.send(ctx, unlimited, http.MethodPost, i.callbackPath(), callback{callbackAutocomplete, data}, nil, nil)
}

// EditOriginalResponse replaces the first answer: the deferred reply after
// DeferReply, the clicked message after DeferUpdate.
func (c *Client) EditOriginalResponse(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, unlimited, http.MethodPatch, i.webhookPath()+"/messages/@original", m.body(0), m.Files, nil)
}

// DeleteOriginalResponse deletes what EditOriginalResponse would replace.
func (c *Client) DeleteOriginalResponse(ctx context.Context, i Interaction) error {
	return c.send(ctx, unlimited, http.MethodDelete, i.webhookPath()+"/messages/@original", nil, nil, nil)
}

// CreateFollowup sends another message that only the user sees.
func (c *Client) CreateFollowup(ctx context.Context, i Interaction, m Message) error {
	return c.send(ctx, unlimited, http.MethodPost, i.webhookPath(), m.body(FlagEphemeral), m.Files, nil)
}
