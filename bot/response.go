package bot

import (
	"context"

	"castellan/bot/discord"
)

// Response is what a handler wants to be answered.
type Response struct {
	how       how
	message   discord.Message
	choices   []discord.Choice
	confirmed func(context.Context)
	finished  func()
	outcome   Outcome // of the interaction when this has arrived; Answered where empty
}

type how int

const (
	privately how = iota + 1
	byUpdate
	bySuggesting
)

// Private answers with a message that only the person sees.
func Private(m discord.Message) Response { return Response{how: privately, message: m} }

// PrivateText answers with markdown that only the person sees.
func PrivateText(s string) Response { return Private(textMessage(s)) }

// Update answers a click by replacing the message that was clicked.
func Update(m discord.Message) Response { return Response{how: byUpdate, message: m} }

// Suggest answers a question for suggestions.
func Suggest(c []discord.Choice) Response { return Response{how: bySuggesting, choices: c} }

// Then has something done when Discord has confirmed the answer.
func (r Response) Then(confirmed func(context.Context)) Response {
	r.confirmed = confirmed
	return r
}

// Finally has something done when the answer has been sent, whether or not it
// arrived.
func (r Response) Finally(finished func()) Response {
	r.finished = finished
	return r
}

// as says what becomes of the interaction by this answer.
func (r Response) as(o Outcome) Response {
	r.outcome = o
	return r
}

func textMessage(s string) discord.Message {
	return discord.Message{Components: []discord.Component{discord.TextDisplay{Content: s}}}
}
