package endure_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"castellan/storage"
)

// lastLife starts the bot once more when everything has been played, and stops
// it properly.
func (e *killTest) lastLife() {
	e.ledger.begin()
	if !e.start(nil) {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errImpatient)
	defer cancel()
	wrong := ""
	err := e.ledger.wait(ctx, func() bool {
		for _, o := range e.over {
			if wrong = o.unsettled(); wrong != "" {
				return false
			}
		}
		return true
	})
	if err != nil {
		e.fail("at the end: %s", wrong)
	}
	if err := e.process.stop(); err != nil {
		e.fail("the bot stopped with: %v", err)
	}
}

// report counts everything at the end, logs the figures, and fails if one is
// wrong.
func (e *killTest) report(took time.Duration) {
	e.countNotices()
	e.countBoards()
	e.countInteractions()
	f := &e.f
	log := func(format string, args ...any) { e.t.Helper(); e.t.Logf(format, args...) }
	log("kills %d in %.1f s: %d before the work, %d before the answer, %d after the answer; %d of them while starting; %d more at rest; a start takes %d ms",
		f.killed(), took.Seconds(), f.kills[beforeWork], f.kills[beforeReply], f.kills[afterReply], f.starting, f.resting,
		(f.startup / time.Duration(max(f.starts, 1))).Milliseconds())
	var routes []string
	for _, r := range slices.Sorted(maps.Keys(f.routes)) {
		routes = append(routes, fmt.Sprintf("%s: %d", r, f.routes[r]))
	}
	log("kills by route: %s", strings.Join(routes, ", "))
	log("kills between commit and answer: %d; afterwards done again %d, delivered again %d, and long afterwards %d", f.between, f.redone, f.redelivered, f.longAgo)
	log("matches begun %d, ended %d; turns %d; actions acknowledged %d, lost %d, repeated %d", f.matches, f.ended, f.turns, f.acknowledged, f.lost, f.repeated)
	log("reminders of clocks %d, clocks run out %d; prepared turns played %d", f.reminders, f.timeouts, f.prepared)
	log("people asked by offers %d; offers %v; unanswered offers that a kill left as they were %d", f.offersMade, f.offers, f.offersKept)
	log("notifications due %d, missing %d, too many %d; boards too many %d", f.noticesDue, f.noticesMissing, f.noticesTooMany, f.boardsTooMany)
	log("interactions %d, deferred %d; of processes that lived: unanswered %d; of processes that died: %v", f.interactions, e.ledger.deferred, f.unanswered, f.orphans)
	for _, wrong := range e.failures {
		e.t.Error(wrong)
	}
	if len(e.failures) > 0 {
		if e.process != nil {
			e.process.kill()
			e.t.Logf("the last process said:\n%s", tail(e.process.log.String(), 60))
		}
		return
	}
	if f.killed() >= 100 && 4*f.between < f.killed() {
		e.t.Errorf("only %d of %d kills fell between commit and answer, not a quarter", f.between, f.killed())
	}
	if f.killed() < e.want || f.ended == 0 || f.matches != f.ended {
		e.t.Errorf("%d kills of %d, %d matches of which %d ended", f.killed(), e.want, f.matches, f.ended)
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

// countInteractions counts the unanswered interactions, those of killed processes
// apart from those of processes that lived.
func (e *killTest) countInteractions() {
	for _, i := range e.chat.Interactions() {
		switch {
		case e.ledger.isAnswered(i.ID):
		case e.orphans[i.ID]:
			e.f.orphans[i.State]++
		default:
			e.f.unanswered++
			e.fail("interaction %+v is not answered, and its process lived", i)
		}
	}
}
