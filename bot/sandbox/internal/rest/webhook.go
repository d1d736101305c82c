package rest

import (
	"net/http"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

func (s *API) createWebhook(c *call) (int, any, error) {
	if !slices.Contains(api.GuildChannels, c.channel.Type) || c.channel.Type == api.ChannelCategory {
		return 0, nil, api.ErrChannelType
	}
	if err := s.BotMay(c.channel.ID, api.PermissionManageWebhooks); err != nil {
		return 0, nil, err
	}
	var form struct{ Name string }
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	w, err := s.AddWebhook(c.channel, form.Name)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.WebhookObject(w, false), nil
}

// listWebhooks lists the webhooks of a channel or guild.
func (s *API) listWebhooks(c *call) (int, any, error) {
	err := s.listWebhooksAllowed(c)
	if err != nil {
		return 0, nil, err
	}
	out := []any{}
	for _, w := range s.WebhooksOf(func(w *model.Webhook) bool {
		ch := s.Channels[w.ChannelID]
		return c.channel == ch || c.channel == nil && ch.Guild == c.guild
	}) {
		out = append(out, s.WebhookObject(w, false))
	}
	return http.StatusOK, out, nil
}

func (s *API) listWebhooksAllowed(c *call) error {
	if c.channel == nil {
		return s.BotMayInGuild(c.guild, api.PermissionManageWebhooks)
	}
	return s.BotMay(c.channel.ID, api.PermissionManageWebhooks)
}

// resolveWebhook looks up the webhook that the path names, unless it is an
// interaction's, and its message.
func (s *API) resolveWebhook(c *call) error {
	w := s.Webhooks[c.param("webhook_id")]
	token, byToken := c.params["webhook_token"]
	if w == nil || s.Channels[w.ChannelID] == nil {
		return api.ErrUnknownWebhook
	}
	if byToken && token != w.Token {
		return api.ErrInvalidToken
	}
	if !byToken {
		if err := s.BotMay(w.ChannelID, api.PermissionManageWebhooks); err != nil {
			return err
		}
	}
	c.webhook = w
	channel := w.ChannelID
	if thread := s.Channels[c.query("thread_id")]; thread != nil && thread.Thread != nil && thread.Thread.Parent.ID == channel {
		channel = thread.ID
	} else if c.query("thread_id") != "" {
		return api.ErrUnknownChannel
	}
	c.channel = s.Channels[channel]
	if id, ok := c.params["message_id"]; ok {
		c.message = s.FindMessage(channel, id)
		if c.message == nil || c.message.Msg.Author.ID != w.ID {
			return api.ErrUnknownMessage
		}
	} else if c.route.template == originalPath {
		return api.ErrUnknownMessage
	}
	return nil
}

func (s *API) getWebhook(c *call) (int, any, error) {
	return http.StatusOK, s.WebhookObject(c.webhook, c.route.public), nil
}

func (s *API) editWebhook(c *call) (int, any, error) {
	var form struct {
		Name    *string       `json:"name"`
		Channel *payload.Text `json:"channel_id"`
	}
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	if form.Channel != nil && !c.route.public {
		to := s.Channels[string(*form.Channel)]
		if to == nil || to.Guild != c.channel.Guild || !slices.Contains(api.GuildChannels, to.Type) {
			return 0, nil, api.ErrUnknownChannel
		}
		c.webhook.ChannelID = to.ID
	}
	assign(&c.webhook.Name, form.Name)
	s.WebhooksChanged(c.channel)
	return http.StatusOK, s.WebhookObject(c.webhook, c.route.public), nil
}

func (s *API) deleteWebhook(c *call) (int, any, error) {
	delete(s.Webhooks, c.webhook.ID)
	s.WebhooksChanged(c.channel)
	return http.StatusNoContent, nil, nil
}

// executeWebhook posts a message as a webhook, or a follow-up if the token is an
// interaction's ("Execute Webhook"). In a forum channel thread_name starts a
// post.
func (s *API) executeWebhook(c *call) (int, any, error) {
	w := c.webhook
	if w == nil {
		return s.followUp(c)
	}
	var form struct {
		Username string `json:"username"`
		Thread   string `json:"thread_name"`
	}
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	forum := c.channel.Type == api.ChannelForum
	if forum == (form.Thread == "") {
		code, message := 220001, "Webhooks posted to forum channels must have a thread_name or thread_id"
		if !forum {
			code, message = 220003, "Webhooks can only create threads in forum channels"
		}
		if forum || form.Thread != "" {
			return 0, nil, &api.Error{Status: http.StatusBadRequest, Code: code, Message: message}
		}
	}
	m, err := s.newMessage(c.form, c.files, c.channel.ID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	name := w.Name
	if form.Username != "" {
		name = form.Username
	}
	m.Msg.Author = api.User{ID: w.ID, Username: name, Discriminator: "0000", Bot: true}
	m.Msg.WebhookID = w.ID
	switch {
	case forum:
		s.StartPost(c.channel, m, w.ID, model.ThreadOptions{Name: form.Thread})
	default:
		if err := s.Unarchive(c.channel, s.ApplicationID()); err != nil {
			return 0, nil, err
		}
		s.Publish(m)
	}
	if c.query("wait") != "true" {
		return http.StatusNoContent, nil, nil
	}
	return http.StatusOK, m.BotView(), nil
}
