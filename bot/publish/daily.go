package publish

import (
	"context"
	"errors"
	"strconv"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// nonceMargin is added to nonceLifetime before a daily message counts as sent twice:
// a process that tries again just before the nonce expires needs a moment to send.
const nonceMargin = 10 * time.Second

// sendDaily sends a daily message that is due, unless no match waits for its
// person. In their quiet hours, it waits until these end. It sends it at most once:
// after an attempt whose outcome is not known it tries again only while Discord
// remembers the nonce. If the process was stopped and posts the message later, it
// deletes it, because another process may have sent it.
func (p *Publisher) sendDaily(ctx context.Context, d storage.DailyMessage) {
	id, _ := strconv.ParseInt(d.Person, 10, 64)
	due, now := d.DueAt.Unix(), p.host.Now() // the log names no people
	var failed error
	// save logs the error that it returns.
	save := func(after storage.DailyMessage) error {
		err := p.config.Account.UpdateDaily(uncancelled(ctx), d, after)
		d = after
		if failed != nil || err != nil && !errors.Is(err, host.ErrStale) {
			p.logFailure("sending a daily message", "due", due, storage.Place{Channel: direct + d.Person}, failed, after.NextAttempt, err)
		}
		return err
	}
	defer p.recoverPanic("due", due, func() error { return p.config.Account.UpdateDaily(uncancelled(ctx), d, d.Next(now)) })

	if d.DueAt.After(now) || !d.SendingSince.IsZero() && now.Sub(d.SendingSince).Abs() > nonceLifetime {
		_ = save(d.Next(now)) // the clock was ahead, or it may have been sent
		return
	}
	quiet, err := p.config.Account.QuietUntil(ctx, d.Person, now)
	if err != nil {
		p.log.Error("reading the quiet hours of a person", "due", due, "error", err)
		return
	}
	if !quiet.IsZero() {
		after := d
		if after.NextAttempt = quiet; quiet.Sub(now) >= 24*time.Hour { // on vacation
			after = d.Next(now)
		}
		_ = save(after)
		return
	}
	waiting, err := p.config.Browse.ListWaiting(ctx, d.Person, message.MaxListed+1)
	switch {
	case err != nil:
		p.log.Error("looking for the matches that wait for a person", "due", due, "error", err)
		return
	case len(waiting) == 0:
		_ = save(d.Next(now))
		return
	}
	began := d.SendingSince
	var sent discord.CreatedMessage
	channel, err := p.client.OpenDirect(ctx, d.Person)
	if err == nil {
		if began.IsZero() {
			sending := d
			if sending.SendingSince = now; save(sending) != nil {
				return
			}
		}
		sent, err = p.client.CreateMessage(ctx, channel, nonce("d", id, d.DueAt), message.Daily(p.say(ctx, "", d.Person), waiting, d.Person))
	}
	if err == nil {
		p.reported.remove(direct + d.Person)
		since := d.SendingSince
		if err := save(d.Next(now)); errors.Is(err, host.ErrStale) && sent.At().Sub(since) > nonceLifetime+nonceMargin {
			p.discard(ctx, channel, sent.ID)
		}
		return
	}
	after := d
	if !discord.OutcomeUnknown(err) {
		after.SendingSince = began // this attempt sent nothing
	}
	after.NextAttempt = now.Add(Failure(err).Backoff(d.Attempts))
	if after.Attempts++; discord.Unreachable(err) && after.Attempts >= maxUnreachable {
		after = storage.DailyMessage{Person: d.Person}
	}
	failed = err
	_ = save(after)
}
