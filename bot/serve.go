package bot

import (
	"cmp"
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
)

// Discord waits three seconds for the first answer and takes further ones for
// fifteen minutes.
const (
	// deferAfter is when an answer that is not ready is put off.
	deferAfter = 1500 * time.Millisecond
	// suggestWithin bounds suggestions, which cannot be put off.
	suggestWithin = 2500 * time.Millisecond
	// workWithin bounds everything else.
	workWithin = time.Minute
	// answerWithin bounds the answer that follows the work, also where the
	// work took too long: that is then what it says.
	answerWithin = 20 * time.Second
	// overrun is for how long a handler is waited for that does not end when
	// its time is up. It is then left behind.
	overrun = 5 * time.Second
)

// delay is what is known of putting an answer off.
type delay int

const (
	inTime    delay = iota // it was not put off
	late                   // it was
	maybeLate              // it may have been: no clear answer came
)

// serve carries out one interaction from its arrival to its confirmed answer.
// It never panics.
func (b *Bot) serve(ctx context.Context, i *discordgo.Interaction) {
	code := codeOf(i.ID)
	log := b.log.With("interaction", i.ID, "code", code)
	visit := b.visited()
	defer b.tell(visit)
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic while answering", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	r, err := b.read(i)
	if err != nil {
		log.Warn("interaction not understood", "type", int(i.Type), "error", err)
		visit.served.Outcome = Foreign
		return
	}
	visit.served.Kind = string(r.kind)
	log = log.With("kind", string(r.kind), "path", clean(r.path), "person", r.Person.ID)

	within := workWithin
	if r.kind == onSuggest {
		within = suggestWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within+answerWithin)
	defer cancel()
	work, stop := context.WithTimeout(ctx, within)
	defer stop()

	result := make(chan Response, 1)
	go func() { result <- b.carryOut(work, r, code, log) }()

	if r.kind == onSuggest {
		b.answer(ctx, r, b.outcome(work, result, r, code, log), inTime, visit, log)
		return
	}
	defer b.thinking.nudge()        // it may be a computer's turn now
	defer b.reachable(ctx, r.Place) // nobody waits for it any more
	overdue, release := b.timer(deferAfter)
	defer release()
	select {
	case response := <-result:
		b.answer(ctx, r, response, inTime, visit, log)
	case <-overdue:
		delay := b.putOff(ctx, r, visit, log)
		b.answer(ctx, r, b.outcome(work, result, r, code, log), delay, visit, log)
	}
}

// outcome is what a handler answers. One that does not heed the end of its time
// is answered for, so that it takes no room for ever.
func (b *Bot) outcome(work context.Context, result <-chan Response, r *Request, code string, log *slog.Logger) Response {
	select {
	case response := <-result:
		return response
	case <-work.Done():
	}
	last, stop := context.WithTimeout(context.WithoutCancel(work), overrun)
	defer stop()
	select {
	case response := <-result:
		return response
	case <-last.Done():
	}
	log.Error("a handler does not end: left behind")
	if r.kind == onSuggest {
		return Suggest(nil).as(Failed)
	}
	return b.excuse(r, code)
}

// carryOut calls the handler and turns its errors, and panics, into sentences.
func (b *Bot) carryOut(ctx context.Context, r *Request, code string, log *slog.Logger) (response Response) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in a handler", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			response = b.excuse(r, code)
			if r.kind == onSuggest {
				response = Suggest(nil).as(Failed) // which takes no message
			}
		}
	}()
	h, values, ok := b.router.find(r.kind, r.path)
	if len(r.path) > maxPath {
		ok = false
	}
	err := errBadPath
	if ok {
		r.values = values
		if err = b.guard.admit(r, b.host.Now()); err == nil {
			response, err = h(ctx, r)
		}
	}
	if err == nil {
		return response
	}
	if r.kind == onSuggest {
		log.Debug("no suggestions", "error", err)
		return Suggest(nil).as(Refused)
	}
	if sentence, known := b.explain(r, err); known {
		level := slog.LevelDebug
		switch {
		case errors.Is(err, errBadPath):
			level = slog.LevelWarn
		case unwritable(err): // whoever runs the bot has to do something
			level = slog.LevelError
		}
		log.Log(ctx, level, "refused", "error", err)
		return PrivateText(sentence).as(Refused)
	}
	log.Error("failed", "error", err)
	return b.excuse(r, code)
}

// putOff acknowledges an interaction whose answer is not ready.
func (b *Bot) putOff(ctx context.Context, r *Request, visit *visit, log *slog.Logger) delay {
	_, err := twice(ctx, func() error {
		if r.kind == onClick {
			return b.client.DeferUpdate(ctx, r.Interaction)
		}
		return b.client.DeferReply(ctx, r.Interaction)
	})
	if err == nil || discord.HasCode(err, discord.CodeAlreadyAcknowledged) {
		visit.acknowledge(b.clock())
		return late
	}
	log.Warn("putting off an answer", "error", err)
	if discord.OutcomeUnknown(err) {
		return maybeLate
	}
	return inTime
}

// twice sends once more what may or may not have arrived: Discord then says
// that it has it already. again reports whether it did.
func twice(ctx context.Context, send func() error) (again bool, err error) {
	err = send()
	if discord.OutcomeUnknown(err) && ctx.Err() == nil {
		return true, send()
	}
	return false, err
}

// answer sends a response and does what is to be done when it is confirmed.
func (b *Bot) answer(ctx context.Context, r *Request, response Response, delay delay, visit *visit, log *slog.Logger) {
	if response.finished != nil {
		defer response.finished()
	}
	again, err := twice(ctx, func() error {
		if delay == late {
			return b.sendLate(ctx, r, response)
		}
		return b.sendFirst(ctx, r, response)
	})
	if delay == maybeLate && discord.HasCode(err, discord.CodeAlreadyAcknowledged) {
		// It was put off: the person sees the bot thinking.
		again, err = twice(ctx, func() error { return b.sendLate(ctx, r, response) })
	}
	switch {
	case err == nil:
	case discord.HasCode(err, discord.CodeAlreadyAcknowledged) && again:
		log.Info("answered before")
	case discord.HasCode(err, discord.CodeAlreadyAcknowledged):
		// By another delivery, which may have said something else.
		log.Info("answered by another delivery")
		visit.served.Outcome = Repeated
		return
	default:
		log.Warn("the answer did not arrive", "error", err)
		visit.served.Outcome = Lost
		return
	}
	visit.acknowledge(b.clock())
	visit.served.Outcome = cmp.Or(response.outcome, Answered)
	if response.confirmed != nil {
		response.confirmed(ctx)
	}
}

func (b *Bot) sendFirst(ctx context.Context, r *Request, response Response) error {
	switch response.how {
	case byUpdate:
		return b.client.UpdateMessage(ctx, r.Interaction, response.message)
	case bySuggesting:
		return b.client.Autocomplete(ctx, r.Interaction, response.choices)
	}
	return b.client.Reply(ctx, r.Interaction, response.message)
}

// sendLate answers after putOff. The first follow-up of a command that was put
// off would take the place of its thinking; a click's is a message of its own.
func (b *Bot) sendLate(ctx context.Context, r *Request, response Response) error {
	if response.how == privately && r.kind == onClick {
		return b.client.CreateFollowup(ctx, r.Interaction, response.message)
	}
	return b.client.EditOriginalResponse(ctx, r.Interaction, response.message)
}

// excuse is the answer when the fault is ours.
func (b *Bot) excuse(r *Request, code string) Response {
	return PrivateText(r.Say.T("error.internal", "Code", code)).as(Failed)
}

// codeOf is the short code by which an interaction is found in the log: six
// letters and digits that are not mistaken for others.
func codeOf(interaction string) string {
	h := fnv.New32a()
	h.Write([]byte(interaction))
	return base32.NewEncoding("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").EncodeToString(h.Sum(nil))[:6]
}

// clean is a path that came from outside as it may stand in a log.
func clean(path string) string {
	if len(path) > maxPath {
		path = path[:maxPath]
	}
	return strings.ToValidUTF8(path, "�")
}
