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

// daily is the work on a daily message that is due.
type daily struct {
	*Publisher
	record storage.DailyMessage // as it is stored
	due    int64                // for the log, which names no people
	now    time.Time
	next   storage.DailyMessage // the record once the message has been dealt with
}

// sendDaily sends a daily message that is due, unless no match waits for its
// person. In their quiet hours, it waits until these end. It sends it at most once:
// after an attempt whose outcome is not known it tries again only while Discord
// remembers the nonce. If the process was stopped and posts the message later, it
// deletes it, because another process may have sent it.
func (p *Publisher) sendDaily(ctx context.Context, record storage.DailyMessage) {
	m := &daily{Publisher: p, record: record, due: record.DueAt.Unix(), now: p.host.Now()}
	preferences, err := p.config.Account.Preferences(ctx, record.Person)
	var waiting []*host.View
	after := record
	if err == nil {
		m.next = record.Next(m.now, preferences.Location())
		defer p.recoverPanic("due", m.due, func() error { return p.config.Account.UpdateDaily(context.WithoutCancel(ctx), m.record, m.next) })
		waiting, after, err = m.plan(ctx)
	}
	switch {
	case err != nil:
		p.log.Error("preparing a daily message", "due", m.due, "error", err)
	case len(waiting) > 0:
		m.send(ctx, waiting)
	default:
		_ = m.save(ctx, after, nil)
	}
}

// plan returns the matches that the message lists. If it is not to be sent now, it
// returns none, and the record afterwards.
func (m *daily) plan(ctx context.Context) (waiting []*host.View, after storage.DailyMessage, err error) {
	d := m.record
	if d.DueAt.After(m.now) || !d.SendingSince.IsZero() && m.now.Sub(d.SendingSince).Abs() > nonceLifetime {
		return nil, m.next, nil // the clock was ahead, or it may have been sent
	}
	quiet, err := m.config.Account.QuietUntil(ctx, d.Person, m.now)
	switch {
	case err != nil || quiet.Sub(m.now) >= 24*time.Hour: // on vacation
		return nil, m.next, err
	case !quiet.IsZero():
		d.NextAttempt = quiet
		return nil, d, nil
	}
	waiting, err = m.config.Browse.ListWaiting(ctx, d.Person, message.MaxListed+1)
	return waiting, m.next, err
}

// save replaces the record. It logs failed, which is nil after a success, and the
// error that it returns.
func (m *daily) save(ctx context.Context, after storage.DailyMessage, failed error) error {
	err := m.config.Account.UpdateDaily(context.WithoutCancel(ctx), m.record, after)
	m.record = after
	if failed != nil || err != nil && !errors.Is(err, host.ErrStale) {
		m.logFailure("sending a daily message", "due", m.due, storage.Place{Channel: direct + after.Person}, failed, after.NextAttempt, err)
	}
	return err
}

func (m *daily) send(ctx context.Context, waiting []*host.View) {
	person, began := m.record.Person, m.record.SendingSince
	id, _ := strconv.ParseInt(person, 10, 64)
	var sent discord.CreatedMessage
	channel, err := m.client.OpenDirect(ctx, person)
	if err == nil {
		if began.IsZero() {
			sending := m.record
			if sending.SendingSince = m.now; m.save(ctx, sending, nil) != nil {
				return
			}
		}
		sent, err = m.client.CreateMessage(ctx, channel, nonce("d", id, m.record.DueAt), message.Daily(m.config.Say(ctx, "", person), waiting, person))
	}
	if err == nil {
		m.reported.remove(direct + person)
		since := m.record.SendingSince
		if err := m.save(ctx, m.next, nil); errors.Is(err, host.ErrStale) && sent.At().Sub(since) > nonceLifetime+nonceMargin {
			m.deleteDuplicate(ctx, channel, sent.ID)
		}
		return
	}
	after := m.record
	if !discord.OutcomeUnknown(err) {
		after.SendingSince = began // this attempt sent nothing
	}
	after.NextAttempt = m.now.Add(Failure(err).Backoff(after.Attempts))
	if after.Attempts++; discord.Unreachable(err) && after.Attempts >= maxUnreachable {
		after = storage.DailyMessage{Person: person}
	}
	_ = m.save(ctx, after, err)
}
