package interaction

import (
	"context"

	"castellan/bot/discord"
)

// Response is what a handler answers. Use Private, PrivateText, Update or
// Suggest.
type Response struct {
	form        form
	message     discord.Message
	choices     []discord.Choice
	onConfirmed func(context.Context)
	onSent      func()
	next        func(ctx context.Context, confirmed bool) (text string)
	subject     string  // see About
	outcome     Outcome // of the interaction once the response has arrived; Answered if empty
}

type form int

const (
	privateReply form = iota + 1
	messageUpdate
	suggestions
)

// Private responds with a message that only the person sees.
func Private(m discord.Message) Response { return Response{form: privateReply, message: m} }

// PrivateText responds with markdown that only the person sees.
func PrivateText(s string) Response { return Private(discord.TextMessage(s)) }

// Update responds to a component by replacing its message.
func Update(m discord.Message) Response { return Response{form: messageUpdate, message: m} }

// UpdateText responds to a component by replacing its message with markdown.
func UpdateText(s string) Response { return Update(discord.TextMessage(s)) }

// Suggest responds to an autocomplete request.
func Suggest(c []discord.Choice) Response { return Response{form: suggestions, choices: c} }

// Then calls f when Discord has confirmed the response.
func (r Response) Then(f func(context.Context)) Response {
	r.onConfirmed = f
	return r
}

// Finally calls f when the response has been sent, whether or not it arrived.
func (r Response) Finally(f func()) Response {
	r.onSent = f
	return r
}

// Continue calls f when the response has been sent; confirmed says whether it
// has arrived. Work that the person need not wait for belongs there. If f
// returns a text, the person is told it in a private message.
func (r Response) Continue(f func(ctx context.Context, confirmed bool) (text string)) Response {
	r.next = f
	return r
}

// About names the subject of the person's private message: it replaces their
// earlier one about the same subject, which is deleted if it is a quarter of an
// hour old at most. A response that updates a public message only removes the
// earlier one.
func (r Response) About(subject string) Response {
	r.subject = subject
	return r
}

// mustBeConfirmed reports whether the bot has to know that the response has
// arrived: it changes what everybody sees, and a hook records that.
func (r Response) mustBeConfirmed() bool {
	return r.form == messageUpdate && (r.onConfirmed != nil || r.next != nil)
}

// withOutcome sets the outcome that is reported once the response has arrived.
func (r Response) withOutcome(o Outcome) Response {
	r.outcome = o
	return r
}
