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
	for killing, kills := true, 0; killing && kills < e.want; kills++ {
		select {
		case <-over:
			killing = false
		default:
			e.killAlone(n)
		}
	}
	playing.Wait()
	if !e.failed() {
		if err := v.await("everything is posted and collapsed", func() bool { return v.pending() == "" }); err != nil {
			e.fail("%v: %s", err, v.pending())
		}
		v.checkOutcome()
		v.checkChannel()
	}
	if err := n.stop(); err != nil {
		e.fail("%v", err)
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

// await waits until something is so. It looks after every request of the bot.
func (v *evening) await(what string, is func() bool) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errImpatient)
	defer cancel()
	err := v.e.ledger.wait(ctx, func() bool { return v.e.failed() || is() })
	if err == nil && v.e.failed() {
		err = errChanged
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

type send func() (sandbox.Interaction, error)

// do has somebody send one thing after another, and all of them again until they have
// counted: after a kill nobody knows whether they have. Nothing is sent before the process
// has answered what was sent before, or has died.
func (v *evening) do(what string, counted func() bool, all ...send) error {
	for tries := range 100 {
		if v.e.failed() || counted() {
			return nil
		}
		if tries > 0 {
			v.e.count(func(f *figures) { f.redelivered++ })
		}
		for _, send := range all {
			life := v.e.ledger.lives()
			i, err := send()
			if err != nil { // a button is not there, or nobody is connected: wait for the bot
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				_ = v.e.ledger.wait(ctx, func() bool { return v.e.ledger.lives() != life || counted() }) // looked at again in any case
				cancel()
				break
			}
			if err := v.await(what, func() bool { return v.e.ledger.isAnswered(i.ID) || v.e.ledger.lives() != life }); err != nil {
				return err
			}
			if v.e.ledger.lives() != life {
				break
			}
		}
	}
	return fmt.Errorf("%w: %s", errImpatient, what)
}

// press presses the newest button that somebody sees whose custom ID begins and goes on
// like this.
func (v *evening) press(who *sandbox.Person, of, part string) send {
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

func (v *evening) command(who *sandbox.Person, name string, options ...sandbox.CommandOption) send {
	return func() (sandbox.Interaction, error) { return who.Command(v.channel, name, options...) }
}

// play has people play the tournament. After each match they wait for a kill.
func (v *evening) play() error {
	organiser := v.people[0]
	if err := v.do("announcing", func() bool { return v.now().ID != 0 },
		v.command(organiser, "tournament", sandbox.Sub("create", sandbox.Opt("game", "trails"), sandbox.Opt("format", "robin"), sandbox.Opt("start", 1440), sandbox.Opt("clock", "3d")))); err != nil {
		return err
	}
	for _, p := range v.people {
		if err := v.do("joining", func() bool { _, in := host.PlayerIn(v.now(), p.ID()); return in }, v.press(p, "tournament/", "/join")); err != nil {
			return err
		}
	}
	if err := v.do("starting", func() bool { return v.now().State == storage.TournamentRunning },
		v.press(organiser, "tournament/", "/organise"), v.press(organiser, "tournament/", "/start")); err != nil {
		return err
	}
	for played := 0; !v.e.failed(); played++ {
		var open storage.TournamentGame
		if err := v.await("the next match, or the end", func() bool {
			t := v.now()
			for _, g := range t.Games {
				if g.Match != 0 && !v.ended(g.Match) {
					open = g
					return true
				}
			}
			return !t.EndedAt.IsZero()
		}); err != nil {
			return err
		}
		if open.Match == 0 {
			return nil
		}
		if err := v.lose(open.Match); err != nil {
			return fmt.Errorf("match %d: %w", open.Match, err)
		}
		if err := v.await("a kill", func() bool { return v.e.ledger.lives() > min(played+1, v.e.want) }); err != nil {
			return err
		}
	}
	return nil
}

func (v *evening) ended(id storage.MatchID) bool {
	rec, ok, err := v.e.now.record(id)
	return err == nil && ok && !rec.EndedAt.IsZero()
}

// lose plays a turn of each player in a match; then the first one resigns.
func (v *evening) lose(id storage.MatchID) error {
	rec, _, err := v.e.now.record(id)
	if err != nil {
		return err
	}
	game, _ := v.e.games.Lookup(rec.Game)
	t := &table{e: v.e, channel: v.channel, game: game, r: rand.New(rand.NewPCG(uint64(id), 0))}
	if err := t.begin(rec); err != nil {
		return err
	}
	posted := func(seq int) error {
		return v.await(fmt.Sprintf("the board after entry %d", seq), func() bool {
			b, ok := v.e.ledger.boardOf(v.e.ledger.last(id))
			return ok && b.seq == seq
		})
	}
	for turn := range 2 { // of one action each
		if err := posted(turn); err != nil {
			return err
		}
		m, _, err := t.replay(v.e.now)
		if err != nil {
			return err
		}
		text, who := bottest.Written(bottest.RandomTurn(t.r, m.Position())), v.e.chat.As(t.order[m.Seat()-1])
		if err := v.do("playing "+text, func() bool { _, log, err := v.e.now.match(id); return err == nil && len(log) > turn },
			func() (sandbox.Interaction, error) { return t.move(who, text) }); err != nil {
			return err
		}
	}
	if err := posted(2); err != nil {
		return err
	}
	first := v.e.chat.As(t.order[0])
	return v.do("resigning", func() bool { return v.ended(id) },
		v.command(first, "resign", sandbox.Opt("match", int(id))), v.press(first, fmt.Sprintf("match/%d/", id), "/resign"))
}

// pending describes a message that the bot has yet to post, edit or collapse; it returns
// "" if there is none.
func (v *evening) pending() string {
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
			if b.State == storage.BoardDue || b.State == storage.BoardSuperseded || b.State == storage.BoardSkipped {
				return fmt.Sprintf("match %d: board %d is %s", g.Match, b.ID, b.State)
			}
		}
	}
	return ""
}

// checkOutcome checks that each pair has played one match, which the first player has
// lost, and that the database has no other match.
func (v *evening) checkOutcome() {
	e, played := v.e, map[storage.MatchID]bool{}
	for _, g := range v.now().Games {
		if g.Match == 0 || played[g.Match] || g.Outcome != string(tournament.SecondWon) {
			e.fail("round %d, game %d: match %d, %s", g.Round, g.Table, g.Match, g.Outcome)
		}
		played[g.Match] = true
	}
	if len(played) != 6 {
		e.fail("%d matches, want 6", len(played))
	}
	for id := range storage.MatchID(200) { // runs of updates that were rolled back use numbers up
		if _, ok, err := e.now.record(id); err != nil || ok != played[id] {
			e.fail("match %d is in the database: %t, %v", id, ok, err)
		}
	}
}

// checkChannel checks that one message shows the tournament and one each match, and that
// nobody was notified twice of the same turn.
func (v *evening) checkChannel() {
	e, t := v.e, v.now()
	var cards []string
	boards, notified := map[storage.MatchID]int{}, map[board]int{}
	for _, m := range v.people[0].Messages(v.channel) {
		if m.Flags&api.FlagEphemeral == 0 && strings.Contains(bottest.Text(m), "organised by") {
			cards = append(cards, m.ID)
		}
		if b, ok := shows(m); ok {
			boards[b.match]++
		}
	}
	for _, n := range e.chat.Notifications() {
		b, ok := e.ledger.boardOf(n.MessageID)
		if !ok {
			e.fail("%s was notified by message %s, which is no board", n.UserID, n.MessageID)
		}
		notified[b]++
	}
	if len(cards) != 1 || cards[0] != t.Message {
		e.fail("the messages %s show the tournament, want %s", cards, t.Message)
	}
	for _, g := range t.Games {
		if boards[g.Match] != 1 {
			e.fail("match %d: %d boards", g.Match, boards[g.Match])
		}
		for seq := range 3 { // the start and two turns
			if n := notified[board{g.Match, seq}]; n != 1 {
				e.fail("match %d: %d notifications after entry %d", g.Match, n, seq)
			}
		}
	}
}
