package bot

import (
	"context"
	"errors"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
)

// privacy handles /privacy.
func (h *handlers) privacy(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	k, err := h.account.Summary(ctx, r.Person.ID)
	return interaction.Private(message.Privacy(r.Say, k)), err
}

// privacyButton handles the buttons that ask whether to delete a person's data,
// and that lead back.
func (h *handlers) privacyButton(show message.ShowSummary) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		k, err := h.account.Summary(ctx, r.Person.ID)
		return interaction.Update(show(r.Say, k)), err
	}
}

// exportData handles Export.
func (h *handlers) exportData(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	data, err := h.account.Export(ctx, r.Person)
	if err != nil {
		return interaction.Response{}, err
	}
	return interaction.Private(message.Export(r.Say, data)), nil
}

// forget handles the confirmation that a person's data is to be deleted.
func (h *handlers) forget(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := h.account.Forget(ctx, r.Actor()); err != nil {
		return interaction.Response{}, err
	}
	h.languages.Forget(r.Person.ID)
	h.publisher.Wake() // to post the results, and edit what names the person
	return interaction.UpdateText(r.Say.T("privacy.deleted")), nil
}

var (
	errBlockBot     = errors.New("a bot cannot be blocked")
	errBlockOneself = errors.New("people cannot block themselves")
)

// block handles /block: it blocks the user who is named, or lists the blocked
// people.
func (h *handlers) block(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	id := r.Option("user")
	if id == "" {
		m, err := h.blocksMessage(ctx, r)
		return interaction.Private(m), err
	}
	p, err := namedUser(r, id)
	switch {
	case errors.Is(err, errBotOpponent), errors.Is(err, errOwnOpponent):
		err = &host.Refusal{Err: errBlockBot}
	case err == nil && p.ID == r.Person.ID:
		err = &host.Refusal{Err: errBlockOneself}
	case err == nil:
		err = h.account.Block(ctx, r.Person.ID, p)
	}
	return interaction.Private(message.Blocked(r.Say, p)), err
}

func (h *handlers) blocksMessage(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	blocks, err := h.account.Blocks(ctx, r.Person.ID)
	return message.Blocks(r.Say, blocks), err
}

// unblock handles Unblock, and the menu of the blocked people.
func (h *handlers) unblock(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	for _, person := range append(r.Picks, r.Values["person"]) {
		if err := h.account.Unblock(ctx, r.Person.ID, person); err != nil {
			return interaction.Response{}, err
		}
	}
	m, err := h.blocksMessage(ctx, r)
	return interaction.Update(m), err
}
