package e2e_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
	towersai "castellan/engine/towers/ai"
	"castellan/storage"
)

// engines returns computers that all play like w.computerPlayer.
func (w *world) engines(games []engine.Game) (all []search.Engine) {
	player := w.computerPlayer
	if player == nil {
		player = search.Random{}
	}
	for _, g := range games {
		b := search.Engine{Game: g}
		if w.warns && g.Key() == towers.Key {
			b.CanWin = towersai.Engine().CanWin
		}
		for i, key := range search.LevelKeys {
			b.Levels = append(b.Levels, search.Level{Key: key, Player: player, Limits: search.Limits{Nodes: 1}, MoveTime: time.Minute, Rating: levelRating(i)})
		}
		all = append(all, b)
	}
	return all
}

// levelRating returns the rating of a level, counted from 0 for the weakest.
func levelRating(i int) float64 { return 1000 + 100*float64(i) }

// blockingPlayer computes until the test lets it go on.
type blockingPlayer struct {
	begun chan struct{} // receives when a computation begins
	open  chan struct{} // ends one computation

	mu      sync.Mutex
	now     int // running computations
	most    int
	thought []uint64 // hashes of the computed positions, in the order of their beginning
}

func newBlockingPlayer() *blockingPlayer {
	return &blockingPlayer{begun: make(chan struct{}, 100), open: make(chan struct{}, 100)}
}

func (h *blockingPlayer) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	h.thought = append(h.thought, p.Hash())
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.now--
	}()
	h.begun <- struct{}{}
	select {
	case <-h.open:
	case <-ctx.Done():
	}
	return search.Random{}.Think(ctx, p, l)
}

// awaitThinking waits until a computation has begun.
func (w *world) awaitThinking(h *blockingPlayer) {
	w.t.Helper()
	select {
	case <-h.begun:
	case <-time.After(patience):
		w.t.Fatalf("no thought begins\n%s", w.transcript(w.anna))
	}
}

// withPlayer returns a world whose computers play like p.
func withPlayer(t *testing.T, p search.Player, places int) *world {
	t.Helper()
	w := newWorld(t)
	w.stopBot()
	w.computerPlayer, w.slots = p, places
	w.startBot()
	return w
}

// challengeComputer has Anna challenge the bot.
func (w *world) challengeComputer(game string, options ...sandbox.CommandOption) {
	w.t.Helper()
	options = append([]sandbox.CommandOption{sandbox.Opt("opponent", w.chat.ApplicationID())}, options...)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(game, options...)))
}

// anyTurn returns a legal turn of a match as people write it.
func anyTurn(v *host.View) string {
	p := v.Match.Position()
	var tokens []string
	for turns := p.Turns(); p.Seat() != engine.Nobody && p.Turns() == turns; {
		a := p.Legal()[len(p.Legal())/2]
		next, err := p.Apply(a)
		if err != nil {
			panic(err)
		}
		p, tokens = next, append(tokens, a.String())
	}
	return strings.Join(tokens, " ")
}

// awaitPerson waits until a person is to move in a match, or it is over, and
// the board is posted.
func (w *world) awaitPerson(id storage.MatchID) *host.View {
	w.t.Helper()
	var v *host.View
	w.wait("a person's turn", func() bool {
		v = w.view(id)
		_, thinks := v.ComputerToMove()
		return !thinks && v.Board.State == storage.BoardPosted && len(v.Boards) == 1 // the other boards are collapsed
	})
	return v
}

// A computer that answers quickly and the person's turn before get one board. The line
// of the earlier board tells both turns.
func TestOneBoardForAQuickAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stopBot()
	w.quickTurn = patience
	w.startBot()
	w.challengeComputer("trails", sandbox.Opt("first", "me"))
	for turn, do := range []func(v *host.View){
		func(v *host.View) { w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", anyTurn(v)))) },
		func(v *host.View) {
			board := w.board()
			w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "trails.step."+anyTurn(v))))
		},
	} {
		v := w.awaitPerson(1)
		board, last := w.board(), w.last(w.anna, w.channel).ID
		do(v)
		v = w.awaitPerson(1)
		var public []string
		for _, m := range w.anna.Messages(w.channel) {
			if m.ID > last && m.Flags&api.FlagEphemeral == 0 {
				public = append(public, bottest.Text(m))
			}
		}
		if n := len(v.Match.Turns()); n != 2*turn+2 || len(public) != 1 {
			t.Errorf("%d turns, new boards %q", n, public)
		}
		line := bottest.Text(w.message(w.anna, board.ID))
		for _, want := range v.Match.Turns()[2*turn:] {
			if !strings.Contains(line, "**"+want.String()+"**") {
				t.Errorf("the board before has become %q, without %s", line, want)
			}
		}
	}
}

// A board does not wait longer for a computer's turn than it has to.
func TestSlowAnswerGetsABoardOfItsOwn(t *testing.T) {
	t.Parallel()
	player := newBlockingPlayer()
	w := newWorld(t)
	w.stopBot()
	w.computerPlayer, w.quickTurn = player, time.Nanosecond
	w.startBot()
	w.challengeComputer("trails", sandbox.Opt("first", "me"))
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	wantText(t, w.board(), "is thinking")
	player.open <- struct{}{}
	w.awaitPerson(1)
}

// TestComputerMatch plays against the computer to the end, by commands alone.
func TestComputerMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wantText(t, w.command(w.anna, "challenge", sandbox.Sub("trails", sandbox.Opt("level", "casual"), sandbox.Opt("size", 7), sandbox.Opt("first", "them"), sandbox.Opt("rated", true))), "computer.begun")
	turns := 0
	for v := w.awaitPerson(1); v.Match.Seat() != engine.Nobody; v = w.awaitPerson(1) {
		if turns++; turns > 100 {
			t.Fatal("it does not end")
		}
		w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", anyTurn(v))))
	}
	if wantText(t, w.board(), "rating.computer"); strings.Contains(bottest.Text(w.board()), "<@level") {
		t.Errorf("the last board: %s", bottest.Text(w.board()))
	}
	for _, n := range w.chat.Notifications() {
		if n.UserID != w.annaID {
			t.Errorf("%s was told something", n.UserID)
		}
	}
	wantText(t, w.command(w.anna, "leaderboard", sandbox.Opt("game", "trails"), sandbox.Opt("list", "computer")), "Computer \\(")
	// From the bot's context menu, only the game is asked.
	w.answered(w.anna.CommandOnUser(w.channel, "Challenge", w.chat.ApplicationID()))
	ask := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "trails.name")))
	if v := w.view(2); v.Record.Seats[0].Level+v.Record.Seats[1].Level != "regular" { // the nearest to her rating, which has risen
		t.Errorf("%+v", v.Record)
	}
}

// TestComputerThinking checks the board while the computer computes, and that
// its turn notifies the person.
func TestComputerThinking(t *testing.T) {
	t.Parallel()
	h := newBlockingPlayer()
	w := withPlayer(t, h, 1)
	w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))
	w.wantMentions(w.anna, 0, 1)
	w.click(w.anna, "trails.step.right") // the acknowledgement does not wait for the computation
	w.awaitThinking(h)
	m := w.board()
	if wantText(t, m, "board.thinking"); len(buttons(m)) != 2 {
		t.Errorf("the board has %v", buttons(m))
	}
	w.press(m, "takeback.button")
	w.press(m, "prepare.button")
	wantText(t, w.command(w.anna, "claim"), "error.thinking")
	w.wantMentions(w.anna, 0, 1)
	h.open <- struct{}{}
	w.awaitPerson(1)
	w.wait("one board", func() bool { return len(w.boards(w.anna)) == 1 })
	wantText(t, w.board(), "<@"+w.annaID+"> to move")
	w.wantMentions(w.anna, 0, 2)
	wantText(t, w.command(w.anna, "claim"), "error.own.computer")
}

// TestComputerInDirectMessages plays in the bot's direct messages, where only
// the computer can be challenged. Every message there notifies, except the board while
// the computer is to move and the last board after the person's own turn.
func TestComputerInDirectMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.answered(w.anna.Command(direct, "challenge", sandbox.Sub("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))))
	v := w.awaitPerson(1)
	if v.Record.Place != (storage.Place{Channel: direct}) || v.Record.Seats[1].Level != "beginner" {
		t.Fatalf("%+v", v.Record)
	}
	for heard := len(w.chat.Notifications()); v.Match.Seat() != engine.Nobody; v = w.awaitPerson(1) {
		w.answered(w.anna.Command(direct, "move", sandbox.Opt("turn", anyTurn(v))))
		m := w.awaitPerson(1).Match
		if last, _ := m.Last(); m.Seat() != engine.Nobody || last.Seat == 2 {
			heard++
		}
		if got := len(w.chat.Notifications()); got != heard {
			t.Fatalf("after %d turns there were %d notifications, not %d", len(m.Turns()), got, heard)
		}
	}
	var board api.Message
	for _, m := range w.anna.Messages(direct) {
		if isBoard(m) {
			board = m
		}
	}
	w.answered(w.anna.Click(direct, board.ID, w.press(board, "rematch.button")))
	if v := w.view(2); v.Record.Place.Channel != direct || v.Record.Seats[0].Level != "beginner" {
		t.Errorf("%+v", v.Record)
	}
}
