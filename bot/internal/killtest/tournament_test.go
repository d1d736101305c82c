package killtest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine/tournament"
	"castellan/storage"
)

// TestKillTournament kills the bot again and again during a round robin of four people,
// from its announcement to the final table. CASTELLAN_KILLS sets the most kills.
func TestKillTournament(t *testing.T) {
	e, n := newAlone(t, int(number(t, "CASTELLAN_KILLS", 20)))
	e.tables = nil // nobody plays anything else
	must(t, e.begin(n))
	v := &evening{e: e, channel: e.world.Channels[0].ID}
	for _, u := range e.world.Users[:4] {
		v.people = append(v.people, e.chat.As(u.ID))
	}
	var playing sync.WaitGroup
	over := make(chan struct{})
	playing.Go(func() {
		defer close(over)
		if err := v.play(); err != nil {
			e.fail("%v", err)
		}
	})
	kills := 0
	for ; kills < e.want; kills++ {
		select {
		case <-over:
		default:
			e.killAlone(n)
			continue
		}
		break
	}
	playing.Wait()
	if !e.failed() {
		if err := v.await("everything is shown", func() bool { return v.wrong() == "" }); err != nil {
			e.fail("%v: %s", err, v.wrong())
		}
		v.check()
	}
	if err := n.stop(); err != nil {
		e.fail("%v", err)
	}
	if kills < min(e.want, 2) {
		e.fail("only %d kills", kills)
	}
	f := &e.f
	t.Logf("kills: %d before the work, %d before the answer, %d after the answer of a request; %d while starting; %d at rest; requests made again %d",
		f.kills[beforeWork], f.kills[beforeReply], f.kills[afterReply], f.starting, f.resting, f.redelivered)
	if n.exits > 0 {
		e.fail("the bot ended by itself %d times", n.exits)
	}
	if e.failed() {
		t.Fatalf("%s\nthe bot said last:\n%s", strings.Join(e.failures, "\n"), n.logTail(60))
	}
}

// evening is a tournament and its people.
type evening struct {
	e       *killTest
	channel string
	people  []*sandbox.Person
}

// now returns the tournament; its ID is 0 while there is none.
func (v *evening) now() storage.Tournament {
	t, _, err := read(v.e.now, func(r storage.Reader) (t storage.Tournament, err error) {
		all, err := r.Tournaments("", 10)
		if err != nil || len(all) == 0 {
			return t, err
		}
		if len(all) > 1 {
			return t, fmt.Errorf("there are %d tournaments", len(all))
		}
		return r.Tournament(all[0])
	})
	if err != nil {
		v.e.fail("%v", err)
	}
	return t
}

// await waits until something is so.
func (v *evening) await(what string, is func() bool) error {
	for began := time.Now(); !is(); time.Sleep(50 * time.Millisecond) {
		if v.e.failed() || time.Since(began) > patience {
			return fmt.Errorf("%w: %s", errImpatient, what)
		}
	}
	return nil
}

// do sends something, again and again, until it has counted. It is not sent again before
// the process has answered or died.
func (v *evening) do(what string, send func() (sandbox.Interaction, error), counted func() bool) error {
	var failed error
	for began, tries := time.Now(), 0; !counted(); tries++ {
		if v.e.failed() || time.Since(began) > 2*patience {
			return fmt.Errorf("%w: %s: %w", errImpatient, what, failed)
		}
		if tries > 0 {
			v.e.count(func(f *figures) { f.redelivered++ })
		}
		life := v.e.ledger.lives()
		i, err := send()
		if failed = err; err != nil { // the message has changed, or nobody is connected
			time.Sleep(50 * time.Millisecond)
			continue
		}
		wait, cancel := context.WithTimeout(context.Background(), patience)
		err = v.e.ledger.wait(wait, func() bool { return v.e.ledger.isAnswered(i.ID) || v.e.ledger.lives() != life || v.e.failed() })
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// press returns a press of the newest button that somebody sees, whose custom ID begins
// and goes on like this.
func (v *evening) press(who *sandbox.Person, of, part string) func() (sandbox.Interaction, error) {
	return func() (sandbox.Interaction, error) {
		all := who.Messages(v.channel)
		for i := len(all) - 1; i >= 0; i-- {
			if custom := bottest.Find(all[i], part); strings.HasPrefix(custom, of) {
				return who.Click(v.channel, all[i].ID, custom)
			}
		}
		return sandbox.Interaction{}, errChanged
	}
}

// play plays the tournament.
func (v *evening) play() error {
	organiser := v.people[0]
	if err := v.do("announcing", func() (sandbox.Interaction, error) {
		return organiser.Command(v.channel, "tournament", sandbox.Sub("create", sandbox.Opt("game", "trails"), sandbox.Opt("format", "robin"), sandbox.Opt("start", 1440), sandbox.Opt("clock", "3d")))
	}, func() bool { return v.now().ID != 0 }); err != nil {
		return err
	}
	for _, p := range v.people {
		if err := v.do("joining", v.press(p, "tournament/", "/join"), func() bool { _, in := host.PlayerIn(v.now(), p.ID()); return in }); err != nil {
			return err
		}
	}
	running := func() bool { return v.now().State == storage.TournamentRunning }
	for !running() {
		shown := false
		if err := v.do("opening the panel", v.press(organiser, "tournament/", "/organise"), func() bool { was := shown; shown = true; return was }); err != nil {
			return err
		}
		_, _ = v.press(organiser, "tournament/", "/start")()
		_ = v.e.ledger.wait(contextFor(v.e.t, time.Second), running)
	}
	for v.now().EndedAt.IsZero() {
		for _, g := range v.now().Games {
			if g.Outcome == "" && g.Match != 0 {
				if err := v.lose(g); err != nil {
					return fmt.Errorf("match %d: %w", g.Match, err)
				}
			}
		}
		if err := v.await("the next round or the end", func() bool {
			t := v.now()
			for _, g := range t.Games {
				if g.Outcome == "" && g.Match != 0 {
					rec, _, err := v.e.now.record(g.Match)
					return err == nil && rec.EndedAt.IsZero()
				}
			}
			return !t.EndedAt.IsZero()
		}); err != nil {
			return err
		}
	}
	return nil
}

func contextFor(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// lose plays a turn of each player in a game; then the first one resigns.
func (v *evening) lose(g storage.TournamentGame) error {
	rec, _, err := v.e.now.record(g.Match)
	if err != nil {
		return err
	}
	game, _ := v.e.games.Lookup(rec.Game)
	t := &table{e: v.e, channel: v.channel, game: game, r: rand.New(rand.NewPCG(uint64(g.Match), 0))}
	if err := t.begin(rec); err != nil {
		return err
	}
	for turn := range 2 {
		m, _, err := t.replay(v.e.now)
		if err != nil {
			return err
		}
		if _, over := m.Over(); over || len(m.Turns()) > turn {
			continue
		}
		text := bottest.Written(bottest.RandomTurn(t.r, m.Position()))
		who := v.e.chat.As(t.order[m.Seat()-1])
		if err := v.do("playing "+text, func() (sandbox.Interaction, error) { return t.move(who, text) }, func() bool {
			m, _, err := t.replay(v.e.now)
			return err == nil && len(m.Turns()) > turn
		}); err != nil {
			return err
		}
	}
	first := v.e.chat.As(t.order[0])
	over := func() bool { rec, _, err := v.e.now.record(g.Match); return err == nil && !rec.EndedAt.IsZero() }
	return v.do("resigning", func() (i sandbox.Interaction, err error) {
		for _, send := range []func() (sandbox.Interaction, error){
			func() (sandbox.Interaction, error) {
				return first.Command(v.channel, "resign", sandbox.Opt("match", int(g.Match)))
			},
			v.press(first, fmt.Sprintf("match/%d/", g.Match), "/resign"),
		} {
			if i, err = send(); err != nil {
				return i, err
			}
			life := v.e.ledger.lives()
			if err := v.e.ledger.wait(contextFor(v.e.t, patience), func() bool { return v.e.ledger.isAnswered(i.ID) || v.e.ledger.lives() != life || v.e.failed() }); err != nil {
				return i, err
			}
			if v.e.ledger.lives() != life {
				return i, errChanged
			}
		}
		return i, nil
	}, over)
}

// wrong returns what is not shown yet, or "".
func (v *evening) wrong() string {
	t := v.now()
	if t.ShownRevision != t.Revision || t.OldMessage != "" {
		return "the message of the tournament is not up to date"
	}
	for _, g := range t.Games {
		boards, _, err := read(v.e.now, func(r storage.Reader) ([]storage.Board, error) { return r.Boards(g.Match) })
		if err != nil {
			return err.Error()
		}
		for _, b := range boards {
			if b.State == storage.BoardDue || b.State == storage.BoardSuperseded {
				return fmt.Sprintf("match %d: board %d is %s", g.Match, b.ID, b.State)
			}
		}
	}
	return ""
}

// check compares the tournament with what was played and what the channel shows.
func (v *evening) check() {
	e, t := v.e, v.now()
	matches := map[storage.MatchID]bool{}
	for _, g := range t.Games {
		if g.Match == 0 || matches[g.Match] || g.Outcome != string(tournament.SecondWon) {
			e.fail("round %d, game %d: match %d, %s", g.Round, g.Table, g.Match, g.Outcome)
		}
		matches[g.Match] = true
	}
	if len(matches) != 6 {
		e.fail("%d matches, want 6", len(matches))
	}
	for id := range storage.MatchID(200) { // runs of updates that were rolled back use numbers up
		if _, ok, err := e.now.record(id); err != nil || ok != matches[id] {
			e.fail("match %d is in the database: %t, %v", id, ok, err)
		}
	}
	cards, boards := 0, map[storage.MatchID]int{}
	for _, m := range v.people[0].Messages(v.channel) {
		if m.ID == t.Message {
			cards++
		} else if m.Flags&api.FlagEphemeral == 0 && strings.Contains(bottest.Text(m), "organised by") {
			e.fail("message %s shows the tournament, too", m.ID)
		}
		if b, ok := shows(m); ok {
			boards[b.match]++
		}
	}
	if cards != 1 {
		e.fail("%d messages show the tournament", cards)
	}
	notified := map[board]int{}
	for _, n := range e.chat.Notifications() {
		if b, ok := e.ledger.boardOf(n.MessageID); ok {
			notified[b]++
		} else {
			e.fail("%s was notified by message %s, which is no board", n.UserID, n.MessageID)
		}
	}
	for id := range matches {
		if boards[id] != 1 {
			e.fail("match %d: %d boards", id, boards[id])
		}
		for seq := range 3 { // the start and two turns
			if n := notified[board{id, seq}]; n > 1 || seq == 0 && n == 0 {
				e.fail("match %d: %d notifications after entry %d", id, n, seq)
			}
		}
	}
}
