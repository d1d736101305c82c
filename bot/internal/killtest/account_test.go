package killtest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"castellan/bot/sandbox"
	"castellan/storage"
)

// report counts everything at the end, logs the figures, and fails if one is
// wrong. excuse returns why an interaction needs no answer, or "".
func (e *killTest) report(killed int, excuse func(sandbox.Interaction) string) {
	e.countNotices()
	e.countBoards()
	e.countInteractions(excuse)
	f := &e.f
	log := func(format string, args ...any) { e.t.Helper(); e.t.Logf(format, args...) }
	log("kills and stops: %d before the work, %d before the answer, %d after the answer of a request; %d while starting; %d more at rest",
		f.kills[beforeWork], f.kills[beforeReply], f.kills[afterReply], f.starting, f.resting)
	var routes []string
	for _, r := range slices.Sorted(maps.Keys(f.routes)) {
		routes = append(routes, fmt.Sprintf("%s: %d", r, f.routes[r]))
	}
	log("by route: %s", strings.Join(routes, ", "))
	log("committed without an answer %d; delivered again %d, and after they had counted %d; done again %d", f.between, f.redelivered, f.longAgo, f.refused)
	log("matches begun %d, ended %d; turns %d; prepared turns played %d; reminders of clocks %d, clocks run out %d", f.matches, f.ended, f.turns, f.prepared, f.reminders, f.timeouts)
	log("people asked by offers %d; offers %v", f.offersMade, f.offers)
	log("actions acknowledged %d, lost %d, applied twice %d", f.acknowledged, f.lost, f.repeated)
	log("notifications due %d, missing %d, too many %d; surplus boards %d", f.noticesDue, f.noticesMissing, f.noticesTooMany, f.boardsTooMany)
	log("interactions %d, deferred %d; unanswered by processes that lived %d; others without an answer: %v", f.interactions, e.ledger.deferred, f.unanswered, f.orphans)
	for _, wrong := range e.failures {
		e.t.Error(wrong)
	}
	if len(e.failures) > 0 {
		return
	}
	if killed < e.want || f.ended == 0 || f.matches != f.ended {
		e.t.Errorf("%d kills of %d, %d matches of which %d ended", killed, e.want, f.matches, f.ended)
	}
	if n := f.lost + f.repeated + f.noticesMissing + f.noticesTooMany + f.boardsTooMany + f.unanswered; n != 0 {
		e.t.Errorf("%d figures that are to be 0 are not", n)
	}
}

func tail(s string, lines int) string {
	all := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// countNotices compares all notifications with those that were due.
func (e *killTest) countNotices() {
	type key struct {
		match storage.MatchID
		offer storage.ChallengeID
		notice
	}
	due, got := map[key]int{}, map[key]int{}
	byMatch := map[storage.MatchID]*table{}
	for _, o := range e.everything() {
		if o.match == 0 {
			continue
		}
		byMatch[o.match] = o
		for n, times := range o.due {
			due[key{match: o.match, notice: n}] = times
		}
	}
	for id, n := range e.offers {
		if n.to != "" {
			due[key{offer: id, notice: n}] = 1
		}
	}
	for _, n := range e.chat.Notifications() {
		one := key{notice: notice{"message " + n.MessageID, n.UserID}}
		if b, ok := e.ledger.boardOf(n.MessageID); ok && byMatch[b.match] != nil {
			one = key{match: b.match, notice: notice{byMatch[b.match].keys[min(b.seq, len(byMatch[b.match].keys)-1)], n.UserID}}
		} else if id, ok := e.ledger.offerOf(n.MessageID); ok {
			one = key{offer: id, notice: notice{e.offers[id].of, n.UserID}}
		}
		got[one]++
	}
	for k, n := range due {
		e.f.noticesDue += n
		if missing := n - got[k]; missing > 0 {
			e.f.noticesMissing += missing
			e.fail("notified %d times instead of %d: %+v", got[k], n, k)
		}
	}
	for k, n := range got {
		if extra := n - due[k]; extra > 0 {
			e.f.noticesTooMany += extra
			e.fail("notified %d times: %+v", n, k)
		}
	}
}

// everything returns the records of ended and of current challenges and matches.
func (e *killTest) everything() []*table { return slices.Concat(e.over, e.tables) }

// countBoards counts surplus boards in all channels.
func (e *killTest) countBoards() {
	boards := map[storage.MatchID]int{}
	for _, c := range e.world.Channels {
		for _, m := range e.chat.As(e.world.Users[0].ID).Messages(c.ID) {
			if b, ok := shows(m); ok {
				boards[b.match]++
			}
		}
	}
	for id, n := range boards {
		if n > 1 {
			e.f.boardsTooMany += n - 1
			e.fail("match %d has %d boards at the end", id, n)
		}
	}
}

// countInteractions counts the unanswered interactions, those with an excuse apart.
func (e *killTest) countInteractions(excuse func(sandbox.Interaction) string) {
	for _, i := range e.chat.Interactions() {
		if e.ledger.isAnswered(i.ID) {
			continue
		}
		if why := excuse(i); why != "" {
			e.f.orphans[why]++
			continue
		}
		e.f.unanswered++
		e.fail("interaction %+v is not answered, and its process lived", i)
	}
}
