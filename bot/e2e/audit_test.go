package e2e_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// counts holds the counts of an audit by name. Those that are not named here are of
// defects.
type counts map[string]int

const (
	refused     = "refused"     // answers, by Discord for good
	undelivered = "undelivered" // interactions
)

var harmless = []string{"interactions", "actions", "notifications", refused, undelivered}

func (f counts) add(g counts) {
	for name, n := range g {
		f[name] += n
	}
}

func (f counts) defects() (n int) {
	for name, k := range f {
		if !slices.Contains(harmless, name) {
			n += k
		}
	}
	return n
}

// audit lets the bot finish everything, then counts in the chat and the database
// the effects of the interactions since the last audit. Failures are reported
// under name.
func (s *scenario) audit(name string) counts {
	s.t.Helper()
	f := counts{}
	s.awaitIdle()
	s.awaitComputers()
	s.catchUp()
	s.deleteUnknown()
	s.expireInteractions()
	must(s.t, s.store.View(s.t.Context(), func(r storage.Reader) error {
		all, err := r.MatchesAfter(0, 10000)
		if err != nil {
			return err
		}
		return errors.Join(s.countInteractions(f, name), s.countActions(f, name, r, all), s.countMessages(f, name, r, all))
	}))
	return f
}

func (s *scenario) wrong(name, format string, args ...any) {
	s.t.Helper()
	s.t.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
}

// final holds the codes with which Discord refuses a reply for good.
var final = []int{10003, 10008, 10015, 10062, 30046, 40060, 50001, 50013, 50027, 50083}

// countInteractions counts the interactions without an answer.
func (s *scenario) countInteractions(f counts, name string) error {
	f["interactions"] = len(s.unaudited)
	for _, i := range s.chat.Interactions(sandbox.StateWaiting, sandbox.StateDeferred, sandbox.StateFailed) {
		if s.excused[i.ID] != "" {
			continue
		}
		s.excused[i.ID] = name
		s.mu.Lock()
		answers := s.answers[i.ID]
		s.mu.Unlock()
		switch {
		case s.lost[i.ID]:
			f[undelivered]++
		case slices.ContainsFunc(answers, func(a answer) bool { return slices.Contains(final, a.code) }):
			f[refused]++
		case i.State == sandbox.StateDeferred:
			f["thinking"]++
			s.wrong(name, "still thinking: %+v, answers %v", i, answers)
		default:
			f["unanswered"]++
			s.wrong(name, "unanswered: %+v, answers %v", i, answers)
		}
	}
	s.unaudited = nil
	return nil
}

// countActions compares the logs and challenges with what people did.
func (s *scenario) countActions(f counts, name string, r storage.Reader, all []storage.Match) error {
	seen := map[string]bool{}
	for _, m := range all {
		log, err := r.Entries(m.ID)
		if err != nil {
			return err
		}
		for len(log) > 0 {
			id, n := log[0].Interaction, 0
			for n < len(log) && log[n].Interaction == id {
				n++
			}
			var got []string
			for _, e := range log[:n] {
				got = append(got, e.Kind+" "+e.Text)
			}
			log = log[n:]
			want, ok := s.expectedEntries[id]
			if strings.HasPrefix(id, "thought-") { // a computer's turn: at most one after each entry
				if seen[id] {
					f["applied twice"]++
					s.wrong(name, "match %d: %q by %s, which has played already", m.ID, got, id)
				}
				seen[id] = true
				continue
			}
			switch {
			case s.reported[id]:
			case !ok || seen[id]:
				s.reported[id] = true
				f["applied twice"]++
				s.wrong(name, "match %d: %q by interaction %s, of which %q was to come", m.ID, got, id, want)
			case !follows(got, want):
				s.reported[id] = true
				f["lost"]++
				s.wrong(name, "match %d: %q by interaction %s, not %q", m.ID, got, id, want)
			}
			seen[id] = true
		}
	}
	for id, want := range s.expectedEntries {
		if !seen[id] {
			f["lost"]++
			s.wrong(name, "nothing has come of interaction %s: %q", id, want)
			delete(s.expectedEntries, id)
		}
	}
	f["actions"] = len(s.expectedEntries) + len(s.expectations) - s.counted
	s.counted = len(s.expectedEntries)
	for _, w := range s.expectations {
		if ok, err := w.is(r); err != nil || !ok {
			f["lost"]++
			s.wrong(name, "%s: not as it should be, %v", w.what, err)
		}
	}
	s.expectations = nil
	return nil
}

// follows reports whether entries are the expected ones, perhaps followed by
// passes and ends of turns that are played automatically.
func follows(got, want []string) bool {
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		return false
	}
	for _, g := range got[len(want):] {
		if g != "action end" && g != "action pass" {
			return false
		}
	}
	return true
}

// turnOf identifies a state of a match of which a board notifies once.
type turnOf struct {
	match storage.MatchID
	seq   int
	offer int // the number of the offer that the board asks about, 0 if it tells of a turn
	moved int // how often the match has moved to another channel, where its board notifies again
}

// countMessages compares the channels with the database: every message is a
// board or a challenge, every match has one board, and every turn has notified
// the player to move once.
func (s *scenario) countMessages(f counts, name string, r storage.Reader, all []storage.Match) error {
	boards, notifies := map[string]turnOf{}, map[turnOf]bool{}
	current, due := map[storage.MatchID]string{}, map[turnOf]string{}
	for _, m := range all {
		list, err := r.Boards(m.ID)
		if err != nil {
			return err
		}
		moved := 0
		for i, b := range list {
			if i > 0 && b.Place != list[i-1].Place {
				moved++
			}
			at := turnOf{m.ID, b.Seq, b.Offer, moved}
			if b.Message == "" {
				continue
			}
			if _, edited := boards[b.Message]; !edited {
				boards[b.Message] = at
				notifies[at] = notifies[at] || b.Notify || b.Offer != 0
			}
			if b.State == storage.BoardPosted {
				current[m.ID] = b.Message
			}
		}
		v, err := s.host.Match(s.t.Context(), m.ID)
		if err != nil {
			return err
		}
		if p, ok := v.ToMove(); ok && !host.IsComputer(p) {
			due[turnOf{m.ID, v.Match.PublicSeq(), 0, moved}] = p.ID
		}
	}
	standing := map[storage.MatchID][]string{}
	for _, channel := range []string{s.channel, s.otherChannel} {
		for _, m := range s.chloe.Messages(channel) {
			at, known := boards[m.ID]
			switch {
			case m.Flags&api.FlagEphemeral != 0:
			case isBoard(m):
				id := at.match
				if !known {
					fmt.Sscanf(boardName(m), "board-%d-", &id) //nolint:errcheck // 0 where it cannot be read
				}
				standing[id] = append(standing[id], m.ID)
			case !known && !s.isChallenge(r, m.ID) && !s.isTournament(r, m.ID):
				f["boards too many"]++
				s.wrong(name, "a message that the database does not know: %s %s", m.ID, bottest.Text(m))
			}
		}
	}
	for _, m := range all {
		is := standing[m.ID]
		if len(is) > 1 && !s.reported[fmt.Sprint(is)] {
			f["boards too many"] += len(is) - 1
			s.reported[fmt.Sprint(is)] = true
			s.wrong(name, "match %d has %d boards\n%s", m.ID, len(is), s.transcript(s.chloe))
		}
		if !slices.Contains(is, current[m.ID]) && !s.reported[current[m.ID]] {
			f["boards missing"]++
			s.reported[current[m.ID]] = true
			s.wrong(name, "match %d has no board\n%s", m.ID, s.transcript(s.chloe))
		}
	}
	told := map[turnOf]map[string]int{}
	notices := s.chat.Notifications()
	f["notifications"] = len(notices) - s.notices
	s.notices = len(notices)
	for _, n := range notices {
		at, ok := boards[n.MessageID]
		if !ok {
			continue // a challenge, or a surplus board that is counted already
		}
		if told[at] == nil {
			told[at] = map[string]int{}
		}
		told[at][n.UserID]++
		if told[at][n.UserID] == 2 && !s.reported[fmt.Sprint(at)] {
			f["notified twice"]++
			s.reported[fmt.Sprint(at)] = true
			s.wrong(name, "%v has notified twice\n%s", at, s.transcript(s.chloe))
		}
	}
	for at, who := range due {
		if told[at][who] != 1 && !s.reported["due"+fmt.Sprint(at)] {
			f["not notified"]++
			s.reported["due"+fmt.Sprint(at)] = true
			s.wrong(name, "%v has notified %v, not %s alone", at, told[at], who)
		}
	}
	for at, notify := range notifies {
		if n := len(told[at]); (n > 0) != notify && !s.reported["n"+fmt.Sprint(at)] {
			f["not notified"]++
			s.reported["n"+fmt.Sprint(at)] = true
			s.wrong(name, "%v was to notify: %t; it has notified %d", at, notify, n)
		}
	}
	return nil
}

// boardName returns the file name of the picture of a board.
func boardName(m api.Message) (name string) {
	bottest.Each(m, func(c api.Component) {
		for _, item := range c.Items {
			name = item.Media.URL[strings.LastIndex(item.Media.URL, "/")+1:]
		}
	})
	return name
}

func (s *scenario) isChallenge(r storage.Reader, message string) bool {
	for id := storage.ChallengeID(1); ; id++ {
		ch, err := r.Challenge(id)
		if err != nil {
			return false
		}
		if ch.Message == message {
			return true
		}
	}
}
