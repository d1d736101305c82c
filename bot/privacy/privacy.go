// Package privacy answers /privacy, by which people see, export and delete what is
// kept about them, and /block, by which they keep others from challenging them.
package privacy

import (
	"context"
	"errors"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
)

// Handlers answers the two commands.
type Handlers struct {
	Account *account.Service
	// Forgotten is called after a person's data has been deleted.
	Forgotten func(person string)
}

// Show handles /privacy.
func (h *Handlers) Show(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	k, err := h.Account.Summary(ctx, r.Person.ID)
	return interaction.Private(summaryMessage(r.Say, k)), err
}

// Ask handles Delete: it asks whether to delete a person's data.
func (h *Handlers) Ask(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.update(ctx, r, askForget)
}

// Keep handles the answer that nothing is to be deleted.
func (h *Handlers) Keep(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.update(ctx, r, summaryMessage)
}

func (h *Handlers) update(ctx context.Context, r *interaction.Request, show func(*catalogue.Printer, account.Summary) discord.Message) (interaction.Response, error) {
	k, err := h.Account.Summary(ctx, r.Person.ID)
	return interaction.Update(show(r.Say, k)), err
}

// Export handles Export.
func (h *Handlers) Export(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	data, err := h.Account.Export(ctx, r.Person)
	if err != nil {
		return interaction.Response{}, err
	}
	return interaction.Private(exportMessage(r.Say, data)), nil
}

// Forget handles the confirmation that a person's data is to be deleted.
func (h *Handlers) Forget(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := h.Account.Forget(ctx, r.Actor()); err != nil {
		return interaction.Response{}, err
	}
	h.Forgotten(r.Person.ID)
	return interaction.UpdateText(r.Say.T("privacy.deleted")), nil
}

// Explain explains an error of this package: whom nobody can block. ok is false for
// other errors.
func Explain(r *interaction.Request, err error) (sentence string, ok bool) {
	switch {
	case errors.Is(err, errBlockBot):
		return r.Say.T("error.block.bot"), true
	case errors.Is(err, errBlockOneself):
		return r.Say.T("error.block.oneself"), true
	}
	return "", false
}

var (
	errBlockBot     = errors.New("a bot cannot be blocked")
	errBlockOneself = errors.New("people cannot block themselves")
)

// Block handles /block: it blocks the user who is named, or lists the blocked
// people.
func (h *Handlers) Block(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	id := r.Option("user")
	if id == "" {
		m, err := h.blocks(ctx, r)
		return interaction.Private(m), err
	}
	u, ok := r.Users[id]
	switch {
	case !ok:
		return interaction.Response{}, errors.New("the command does not resolve the user")
	case u.Bot:
		return interaction.Response{}, &host.Refusal{Err: errBlockBot}
	case id == r.Person.ID:
		return interaction.Response{}, &host.Refusal{Err: errBlockOneself}
	}
	err := h.Account.Block(ctx, r.Person.ID, u.Person)
	return interaction.Private(blockedMessage(r.Say, u.Person)), err
}

func (h *Handlers) blocks(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	blocks, err := h.Account.Blocks(ctx, r.Person.ID)
	return blocksMessage(r.Say, blocks), err
}

// Unblock handles Unblock, and the menu of the blocked people.
func (h *Handlers) Unblock(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	for _, person := range append(r.Picks, r.Values["person"]) {
		if err := h.Account.Unblock(ctx, r.Person.ID, person); err != nil {
			return interaction.Response{}, err
		}
	}
	m, err := h.blocks(ctx, r)
	return interaction.Update(m), err
}
