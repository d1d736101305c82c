package interaction

import (
	"context"

	"castellan/bot/discord"
)

// Response is what a handler answers. Use Private, PrivateText, Update or
// Suggest.
type Response struct {
	form    form
	message discord.Message
	choices []discord.Choice
	next    func(ctx context.Context, confirmed bool) (text string)
	subject string  // see Replaces
	outcome Outcome // of the interaction once the response has arrived; Answered if empty
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

// Continue calls f when the response has been sent; confirmed says whether it
// has arrived. Work that the person need not wait for belongs there. If f
// returns a text, the person is told it in a private message.
func (r Response) Continue(f func(ctx context.Context, confirmed bool) (text string)) Response {
	r.next = f
	return r
}

// Replaces names the subject of the person's private message: it replaces their
// earlier one about the same subject, which is deleted if it is a quarter of an
// hour old at most. A response that updates a public message only removes the
// earlier one.
func (r Response) Replaces(subject string) Response {
	r.subject = subject
	return r
}

// InPlace returns a private response that replaces the message with the component
// instead.
func (r Response) InPlace() Response {
	if r.form == privateReply {
		r.form = messageUpdate
	}
	return r
}

// Headed returns the response with markdown above its message.
func (r Response) Headed(markdown string) Response {
	r.message.Components = append([]discord.Component{discord.TextDisplay{Content: markdown}}, r.message.Components...)
	return r
}

// mustBeConfirmed reports whether the bot has to know that the response has
// arrived: it changes what everybody sees, and the function of Continue records that.
func (r Response) mustBeConfirmed() bool {
	return r.form == messageUpdate && r.next != nil
}

func (r Response) withOutcome(o Outcome) Response {
	r.outcome = o
	return r
}
