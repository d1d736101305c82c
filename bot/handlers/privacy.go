package handlers

import (
	"context"
	"errors"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
)

func (h *Handlers) privacyRoutes() []route {
	return []route{
		{command, "privacy", private(h.summary(message.Privacy)), reading, always},
		{component, "privacy/export", private(h.exportData), reading, always},
		{component, "privacy/ask", update(h.summary(message.AskForget)), reading, always},
		{component, "privacy/keep", update(h.summary(message.Privacy)), reading, always},
		{component, "privacy/forget", h.forget, leaving, always},
		{command, "block", private(h.block), ordinary, anyone},
		{component, "block/remove", update(h.unblock), ordinary, anyone},
		{component, "block/remove/{person}", update(h.unblock), ordinary, anyone},
	}
}

// summary returns a message about what is kept about a person.
func (h *Handlers) summary(show func(*catalogue.Printer, account.Summary) discord.Message) reader {
	return func(ctx context.Context, r *interaction.Request) (discord.Message, error) {
		k, err := h.Account.Summary(ctx, r.Person.ID)
		return show(r.Say, k), err
	}
}

func (h *Handlers) exportData(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	data, err := h.Account.Export(ctx, r.Person)
	return message.PrivacyExport(r.Say, data), err
}

func (h *Handlers) forget(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := h.Account.Forget(ctx, r.Actor()); err != nil {
		return interaction.Response{}, err
	}
	h.Locales.Forget(r.Person.ID)
	h.Publisher.Wake() // to post the results, and edit what names the person
	return interaction.UpdateText(r.Say.T("privacy.deleted")), nil
}

var (
	errBlockBot     = errors.New("a bot cannot be blocked")
	errBlockOneself = errors.New("people cannot block themselves")
)

// block blocks the user who is named, or lists the blocked people.
func (h *Handlers) block(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	id := r.Option("user")
	if id == "" {
		return h.blocks(ctx, r)
	}
	u, ok := r.Users[id]
	switch {
	case !ok:
		return m, errUnresolved
	case u.Bot:
		return m, &host.Refusal{Err: errBlockBot}
	case id == r.Person.ID:
		return m, &host.Refusal{Err: errBlockOneself}
	}
	return message.Blocked(r.Say, u.Person), h.Account.Block(ctx, r.Person.ID, u.Person)
}

func (h *Handlers) blocks(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	blocks, err := h.Account.Blocks(ctx, r.Person.ID)
	return message.Blocks(r.Say, blocks), err
}

// unblock handles the button for one person, and the menu of all.
func (h *Handlers) unblock(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	for _, person := range append(r.Picks, r.Values["person"]) {
		if err := h.Account.Unblock(ctx, r.Person.ID, person); err != nil {
			return m, err
		}
	}
	return h.blocks(ctx, r)
}
