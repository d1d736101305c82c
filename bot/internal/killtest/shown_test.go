package killtest_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"castellan/bot/bottest"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// settled waits until the channel shows what the table knows: one board of the
// match, one notification of each turn, the state of the challenge.
func (t *table) settled(ctx context.Context) error {
	wrong := ""
	bounded, cancel := context.WithTimeoutCause(ctx, t.e.patience, errImpatient)
	defer cancel()
	err := t.e.ledger.wait(bounded, func() bool {
		wrong = t.unsettled()
		return wrong == ""
	})
	if err != nil && ctx.Err() == nil {
		t.e.fail("%s: %s", t.name, wrong)
	}
	return err
}

// unsettled returns what the channel does not show yet, or "".
func (t *table) unsettled() string {
	who := t.people[0]
	if t.match != 0 {
		who = t.order[0]
	}
	messages := t.e.chat.As(who).Messages(t.channel)
	switch {
	case t.match != 0:
		if wrong := t.wrongBoard(messages); wrong != "" {
			return wrong
		}
		if wrong := t.wrongNotices(); wrong != "" {
			return wrong
		}
		return t.wrongOffer(messages, t.from, offer{state: storage.ChallengeAccepted})
	case t.offer != 0:
		return t.wrongOffer(messages, t.offer, t.now)
	}
	return ""
}

var boardPicture = regexp.MustCompile(`/board-(\d+)-(\d+)-n\d+\.png`)

func shows(m api.Message) (b board, ok bool) {
	if m.Flags&api.FlagEphemeral != 0 {
		return b, false
	}
	bottest.Each(m, func(c api.Component) {
		for _, item := range c.Items {
			if found := boardPicture.FindStringSubmatch(item.Media.URL); found != nil {
				id, _ := strconv.ParseInt(found[1], 10, 64)
				b.match, ok = storage.MatchID(id), true
				b.seq, _ = strconv.Atoi(found[2])
			}
		}
	})
	return b, ok
}

func (t *table) wrongBoard(messages []api.Message) string {
	var found []string
	for _, m := range messages {
		if b, ok := shows(m); ok && b.match == t.match {
			found = append(found, m.ID)
			if b.seq != t.model.PublicSeq() {
				return fmt.Sprintf("match %d: a board shows it after entry %d, not %d", t.match, b.seq, t.model.PublicSeq())
			}
			if wrong := t.wrongButtons(m); wrong != "" {
				return wrong
			}
		}
	}
	if len(found) != 1 {
		return fmt.Sprintf("match %d: %d boards, not 1", t.match, len(found))
	}
	if last := t.e.ledger.last(t.match); last != found[0] {
		return fmt.Sprintf("match %d: the board %s is not at the foot, where %s is", t.match, found[0], last)
	}
	return ""
}

// notices counts the notifications of the match, by event and person.
func (t *table) notices() map[notice]int {
	got := map[notice]int{}
	for _, n := range t.e.chat.Notifications() {
		b, ok := t.e.ledger.boardOf(n.MessageID)
		if !ok || b.match != t.match {
			continue
		}
		key := fmt.Sprintf("entry %d", b.seq)
		if b.seq < len(t.keys) {
			key = t.keys[b.seq]
		}
		got[notice{key, n.UserID}]++
	}
	return got
}

func (t *table) wrongNotices() string {
	got := t.notices()
	for n, times := range t.due {
		if got[n] < times {
			return fmt.Sprintf("match %d: %s has been notified %d times of %s, not %d", t.match, n.to, got[n], n.of, times)
		}
	}
	for n, times := range got {
		if t.due[n] == 0 {
			return fmt.Sprintf("match %d: %s was notified of %s, which does not concern them", t.match, n.to, n.of)
		}
		if times > t.due[n] {
			return fmt.Sprintf("match %d: %s was notified %d times of %s", t.match, n.to, times, n.of)
		}
	}
	return ""
}

// wrongOffer compares the message of a challenge with its state.
func (t *table) wrongOffer(messages []api.Message, id storage.ChallengeID, o offer) string {
	message := t.e.ledger.messageOf(id)
	for _, m := range messages {
		if m.ID != message {
			continue
		}
		open := bottest.Find(m, fmt.Sprintf("challenge/%d/", id)) != ""
		if open != (o.state == storage.ChallengeOpen) {
			return fmt.Sprintf("challenge %d is %s; that its message can be answered is %t", id, o.state, open)
		}
		for _, who := range o.joined {
			if open && t.seats > 2 && !strings.Contains(bottest.Text(m), "<@"+who+">") {
				return fmt.Sprintf("challenge %d: its message has no seat of %s", id, who)
			}
		}
		return ""
	}
	return fmt.Sprintf("challenge %d is not shown", id)
}
