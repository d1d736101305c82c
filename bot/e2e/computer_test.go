package e2e_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/sandbox"
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

// A turn can be taken back while the computer thinks about its reply, which is
// then dropped.
func TestTakebackWhileComputerThinks(t *testing.T) {
	t.Parallel()
	h := newBlockingPlayer()
	w := withPlayer(t, h, 1)
	w.challengeComputer("trails", sandbox.Opt("first", "me"))
	w.click(w.anna, "Down")
	w.awaitThinking(h)
	w.click(w.anna, "Take back")
	w.wantPrivate(w.anna, "Your turn has been taken back")
	h.open <- struct{}{}
	w.click(w.anna, "Right")
	w.awaitThinking(h)
	h.open <- struct{}{}
	v := w.awaitPerson(1)
	if turns := v.Match.Turns(); len(turns) != 2 || turns[0].String() != "right" {
		t.Errorf("the turns are %v", turns)
	}
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

// TestComputerMatch plays against the computer to the end, by commands alone.
func TestComputerMatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "them"), sandbox.Opt("rated", true))
	w.wantPrivate(w.anna, "The match has begun.")
	turns := 0
	for v := w.awaitPerson(1); v.Match.Seat() != engine.Nobody; v = w.awaitPerson(1) {
		if turns++; turns > 100 {
			t.Fatal("it does not end")
		}
		w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", anyTurn(v))))
	}
	board := text(w.board())
	if !strings.Contains(board, "computer") || strings.Contains(board, "<@level") || !strings.Contains(board, "Ratings against the computer") {
		t.Errorf("the last board: %s", board)
	}
	for _, n := range w.chat.Notifications() {
		if n.UserID != w.annaID {
			t.Errorf("%s was told something", n.UserID)
		}
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
	w.click(w.anna, "Right") // the acknowledgement does not wait for the computation
	w.awaitThinking(h)
	if m := w.board(); !strings.Contains(text(m), "◆ Computer \\(Casual\\) is thinking") || len(buttons(m)) != 2 || buttons(m)["Take back"] == "" || buttons(m)["Prepare"] == "" {
		t.Errorf("the board says %s, and has %v", text(m), buttons(m))
	}
	w.answered(w.anna.Command(w.channel, "claim"))
	w.wantPrivate(w.anna, "cannot be claimed")
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "right")))
	w.wantPrivate(w.anna, "It is Computer \\(Casual\\)’s turn.")
	w.wantMentions(w.anna, 0, 1)
	h.open <- struct{}{}
	w.awaitPerson(1)
	w.wait("one board", func() bool { return len(w.boards(w.anna)) == 1 })
	if m := w.board(); !strings.Contains(text(m), "<@"+w.annaID+"> to move") {
		t.Errorf("the board says %s", text(m))
	}
	w.wantMentions(w.anna, 0, 2)
	w.answered(w.anna.Command(w.channel, "claim"))
	w.wantPrivate(w.anna, "Computers claim nothing")
}

// TestRestartDuringComputerTurn restarts the bot during a computation: the next
// start computes again.
func TestRestartDuringComputerTurn(t *testing.T) {
	t.Parallel()
	h := newBlockingPlayer()
	w := withPlayer(t, h, 1)
	w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))
	w.move(w.anna, "right")
	w.awaitThinking(h)
	w.restart()
	w.awaitThinking(h)
	h.open <- struct{}{}
	if v := w.awaitPerson(1); v.Match.Seq() != 2 {
		t.Errorf("%d entries", v.Match.Seq())
	}
	if h.thought[0] != h.thought[1] {
		t.Error("another position was thought about")
	}
	w.wait("one board", func() bool { return len(w.boards(w.anna)) == 1 })
}

// TestComputerTurnOfEndedMatch ends a match during a computation, whose result
// is dropped.
func TestComputerTurnOfEndedMatch(t *testing.T) {
	t.Parallel()
	h := newBlockingPlayer()
	w := withPlayer(t, h, 1)
	w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))
	w.move(w.anna, "right")
	w.awaitThinking(h)
	w.resigns(w.anna, "Call it off")
	board := w.board()
	w.answered(w.anna.Click(w.channel, board.ID, w.press(board, "Rematch")))
	w.wantPrivate(w.anna, "The rematch has begun.")
	h.open <- struct{}{}
	w.awaitThinking(h) // with one slot, the first computation must have ended
	if v := w.view(1); v.Match.Seq() != 2 {
		t.Errorf("%d entries", v.Match.Seq())
	}
	if v := w.view(2); v.Record.Seats[1].ID != w.annaID {
		t.Errorf("seats %+v", v.Record.Seats)
	}
}

// TestComputerTurnOrder checks that the match that has waited longest is next,
// with one computation per match and no more at a time than there are slots.
func TestComputerTurnOrder(t *testing.T) {
	t.Parallel()
	h := newBlockingPlayer()
	w := withPlayer(t, h, 2)
	const matches = 5
	for i := range matches {
		w.challengeComputer("trails", sandbox.Opt("size", 7+2*(i%3)), sandbox.Opt("towers", 1+i/3), sandbox.Opt("first", "them"))
		w.advanceClock(time.Second)
	}
	var order []uint64
	for i := range matches {
		order = append(order, w.view(storage.MatchID(i+1)).Match.Position().Hash())
	}
	w.awaitThinking(h)
	w.awaitThinking(h)
	for range matches - 2 {
		h.open <- struct{}{}
		w.awaitThinking(h)
	}
	h.open <- struct{}{}
	h.open <- struct{}{}
	for i := range matches {
		w.awaitPerson(storage.MatchID(i + 1))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.most != 2 || len(h.thought) != matches {
		t.Errorf("%d thoughts at once, %d in all", h.most, len(h.thought))
	}
	// The first two computations begin together, in any order.
	if h.thought[0] == order[1] {
		h.thought[0], h.thought[1] = h.thought[1], h.thought[0]
	}
	for i, want := range order {
		if h.thought[i] != want {
			t.Errorf("thought %d is not about match %d", i+1, i+1)
		}
	}
}

// TestComputerChallenge challenges the computer in every way that is accepted, and
// in one that is refused.
func TestComputerChallenge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	says := func(want string, options ...sandbox.CommandOption) {
		t.Helper()
		w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", options...)))
		w.wantPrivate(w.anna, want)
	}
	says("Pick Castellan as `opponent`", sandbox.Opt("opponent", w.benID), sandbox.Opt("level", "casual"))
	says("The match has begun.", sandbox.Opt("level", "expert"), sandbox.Opt("first", "me"), sandbox.Opt("rated", false))
	v := w.view(1)
	if v.Record.Seats[1].Level != "expert" || !v.Record.Unrated {
		t.Errorf("%+v", v.Record)
	}
	// From the bot's context menu, only the game is asked.
	w.answered(w.anna.CommandOnUser(w.channel, "Challenge", w.chat.ApplicationID()))
	ask := w.private(w.anna)
	w.answered(w.anna.Click(w.channel, ask.ID, w.press(ask, "Trails")))
	if v := w.view(2); v.Record.Seats[0].Level+v.Record.Seats[1].Level != "casual" {
		t.Errorf("%+v", v.Record)
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challengeComputer("trails", sandbox.Opt("size", 11), sandbox.Opt("first", "me"), sandbox.Opt("rated", true))
	w.answered(w.anna.Command(w.channel, "hint", sandbox.Opt("match", 1)))
	w.wantPrivate(w.anna, "There are no hints in rated matches. Play an unrated one")
	w.challengeComputer("stone-towers", sandbox.Opt("first", "me"))
	w.answered(w.ben.Command(w.channel, "hint", sandbox.Opt("match", 2)))
	w.wantPrivate(w.ben, "You are not playing in this match")
	before := len(w.boards(w.ben))
	w.answered(w.anna.Command(w.channel, "hint", sandbox.Opt("match", 2)))
	w.wantPrivate(w.anna, "I would play **")
	if got := len(w.boards(w.ben)); got != before {
		t.Errorf("%d boards in the channel, %d before", got, before)
	}
	if v := w.view(2); v.Match.Seq() != 0 {
		t.Error("the hint was played")
	}
	hint := w.private(w.anna)
	if id := buttons(hint)["Play it"]; id != "" {
		w.answered(w.anna.Click(w.channel, hint.ID, id))
		if v := w.awaitPerson(2); v.Match.Seq() == 0 {
			t.Error("it was not played")
		}
	}
}

// TestLobbyWithComputers has the challenger give seats of a lobby to computers.
func TestLobbyWithComputers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("rings", sandbox.Opt("players", 4), sandbox.Opt("side", 4))))
	table := func() sandbox.Message { return w.newest(w.anna, "Join") }
	menu := func() (id string, values []string) {
		each(table(), func(c sandbox.Component) {
			if c.Type == sandbox.ComponentStringSelect {
				id = c.CustomID
				for _, o := range c.Options {
					values = append(values, o.Value)
				}
			}
		})
		return id, values
	}
	picks := func(p *sandbox.Person, value string) {
		t.Helper()
		id, _ := menu()
		w.answered(p.Select(w.channel, table().ID, id, value))
	}
	want := host.EvenLevel + " " + strings.Join(search.LevelKeys, " ")
	if _, values := menu(); strings.Join(values, " ") != want {
		t.Errorf("the menu has %v", values)
	}
	picks(w.ben, "casual")
	w.wantPrivate(w.ben, "Only Anna can add and remove computers")
	picks(w.anna, "casual")
	picks(w.anna, "casual") // the same again
	if got := text(table()); !strings.Contains(got, "3 of 4 seats taken") || strings.Count(got, "Computer \\(Casual\\)") != 2 || !strings.Contains(got, "unrated, because two computers") {
		t.Errorf("the table: %s", got)
	}
	picks(w.anna, "none")
	picks(w.anna, "master")
	if got := text(table()); strings.Contains(got, "unrated") {
		t.Errorf("the table: %s", got)
	}
	w.answered(w.ben.Click(w.channel, table().ID, w.press(table(), "Join")))
	for range 3 { // afterwards everybody has moved
		v := w.awaitPerson(1)
		p, _ := v.ToMove()
		w.answered(w.chat.As(p.ID).Command(w.channel, "move", sandbox.Opt("turn", anyTurn(v))))
	}
	// When both people have left, the computers do not play on.
	for _, p := range []*sandbox.Person{w.ben, w.anna} {
		w.awaitPerson(1)
		w.answered(p.Command(w.channel, "resign"))
		ask := w.private(p)
		w.answered(p.Click(w.channel, ask.ID, buttonTo(t, ask, "/resign")))
	}
	v := w.awaitPerson(1)
	if _, over := v.Match.Over(); !over || len(v.RatingChanges) != 4 || v.RatingChanges[0].List != storage.ComputerList {
		t.Errorf("over %t, changes %+v", over, v.RatingChanges)
	}
	w.answered(w.anna.Command(w.channel, "leaderboard", sandbox.Opt("game", "rings"), sandbox.Opt("list", "computer")))
	w.wantPrivate(w.anna, "Computer \\(Casual\\)")
	w.answered(w.anna.Command(w.channel, "profile"))
	w.wantPrivate(w.anna, "against the computer** · **")
}

// TestComputerInDirectMessages plays in the bot's direct messages, where only
// the computer can be challenged.
func TestComputerInDirectMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	w.answered(w.anna.Command(direct, "challenge", sandbox.Sub("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"))))
	v := w.awaitPerson(1)
	heard := len(w.chat.Notifications())
	if v.Record.Place != (storage.Place{Channel: direct}) || v.Record.Seats[1].Level != host.DefaultLevel {
		t.Fatalf("%+v", v.Record)
	}
	for turns := 0; ; turns++ {
		if v = w.awaitPerson(1); v.Match.Seat() == engine.Nobody {
			break
		}
		if turns > 100 {
			t.Fatal("it does not end")
		}
		w.answered(w.anna.Command(direct, "move", sandbox.Opt("turn", anyTurn(v))))
		// Every message in direct messages notifies, except the board while the
		// computer is to move and the last board after the person's own turn.
		m := w.awaitPerson(1).Match
		if last, _ := m.Last(); m.Seat() != engine.Nobody || last.Seat == 2 {
			heard++
		}
		if got := len(w.chat.Notifications()); got != heard {
			t.Errorf("after turn %d there were %d notifications, not %d", turns, got, heard)
			heard = got
		}
	}
	board := sandbox.Message{}
	for _, m := range w.anna.Messages(direct) {
		if isBoard(m) {
			board = m
		}
	}
	w.answered(w.anna.Click(direct, board.ID, w.press(board, "Rematch")))
	if v := w.view(2); v.Record.Place.Channel != direct || v.Record.Seats[0].Level != host.DefaultLevel {
		t.Errorf("%+v", v.Record)
	}
	w.answered(w.anna.Command(direct, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))))
	said := ""
	for _, m := range w.anna.Messages(direct) {
		said += text(m)
	}
	if !strings.Contains(said, "Use `/challenge` on a server") {
		t.Errorf("against a person: %s", said)
	}
}

// TestComputerInThread plays against the computer in a thread.
func TestComputerInThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"), sandbox.Opt("thread", true))
	v := w.awaitPerson(1)
	if v.Record.Place.Channel == w.channel {
		t.Error("it is played in the channel")
	}
	wantText(t, w.last(w.ben, w.channel), "**Anna** plays **Trails and Towers** against Computer \\(Casual\\)", "played in <#")
}

// buttonTo returns the custom ID of an enabled button that contains part.
func buttonTo(t *testing.T, m sandbox.Message, part string) string {
	t.Helper()
	id := button(m, part)
	if id == "" {
		t.Fatalf("no button %q: %v", part, buttons(m))
	}
	return id
}

// After a match against the computer, a rematch can be played against the next
// level. All other choices stay, such as the channel.
func TestRematchAtAnotherLevel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stopBot()
	w.threads = true
	w.startBot()
	w.challengeComputer("trails", sandbox.Opt("size", 7), sandbox.Opt("first", "me"), sandbox.Opt("level", "newcomer-plus"), sandbox.Opt("thread", false))
	w.resigns(w.anna, "Call it off")
	for i, want := range []struct{ button, level string }{{"Weaker", "newcomer"}, {"Stronger", "newcomer-plus"}} {
		final := w.boardOf(storage.MatchID(i + 1))
		w.answered(w.anna.Click(w.channel, final.ID, w.press(final, want.button)))
		w.wantPrivate(w.anna, "The rematch has begun.")
		v := w.awaitPerson(storage.MatchID(i + 2))
		seats := v.Record.Seats
		if level := seats[2-v.SeatOf(w.annaID)].Level; level != want.level || v.Record.Options != "size=7 towers=3 distance=1" || v.Record.Place.Channel != w.channel || !v.Record.Unrated {
			t.Errorf("%s: level %s, %+v", want.button, level, v.Record)
		}
		if i == 0 && v.SeatOf(w.annaID) != 2 {
			t.Errorf("the seats are not swapped: %+v", seats)
		}
		w.answered(w.anna.Command(w.channel, "resign", sandbox.Opt("match", i+2)))
		ask := w.private(w.anna)
		w.answered(w.anna.Click(w.channel, ask.ID, buttonTo(t, ask, "/resign")))
		final = w.boardOf(storage.MatchID(i + 2))
		if _, weakest := buttons(final)["Weaker"]; weakest == (want.level == "newcomer") {
			t.Errorf("after %s: %v", want.level, buttons(final))
		}
	}
}

// A computer that is to be as strong as the person plays at a beginner's level
// before they have a rating, and at the level nearest to their rating afterwards.
// The board and the rating list name that level.
func TestEvenWithMe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challengeComputer("trails", sandbox.Opt("first", "them"), sandbox.Opt("level", "even"), sandbox.Opt("rated", true))
	plays := func(id storage.MatchID, level, name string) {
		t.Helper()
		v, computer := w.awaitPerson(id), host.ComputerPlayer(level, name)
		if board := text(w.boardOf(id)); !slices.Contains(v.Record.Seats, computer) || !strings.Contains(board, discord.Escape(name)) {
			t.Fatalf("match %d: want %s, not %+v: %s", id, name, v.Record.Seats, board)
		}
	}
	plays(1, "beginner", "Computer (Beginner, even)")
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", anyTurn(w.view(1)))))
	w.awaitPerson(1)
	w.resigns(w.anna, "Resign")
	mean := w.view(1).RatingChanges[1].After.Mean
	level := slices.MinFunc(host.AllLevels(), func(a, b string) int {
		off := func(level string) float64 { return math.Abs(levelRating(slices.Index(host.AllLevels(), level)) - mean) }
		return cmp.Compare(off(a), off(b))
	})
	if level == "beginner" {
		t.Fatalf("a rating of %.0f shows nothing", mean)
	}
	final := w.boardOf(1)
	w.answered(w.anna.Click(w.channel, final.ID, w.press(final, "Rematch")))
	plays(2, level, "Computer ("+strings.ToUpper(level[:1])+strings.ReplaceAll(level[1:], "-plus", " +")+", even)")
	w.answered(w.anna.Command(w.channel, "leaderboard", sandbox.Opt("game", "trails"), sandbox.Opt("list", "computer")))
	w.wantPrivate(w.anna, discord.Escape("Computer (Beginner)"))
}

// In an unrated match a computer's answer is taken back with the turn: by the
// button of the board, and by that of the private message after a turn.
func TestTakebackAfterComputerAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challengeComputer("trails", sandbox.Opt("size", 11), sandbox.Opt("first", "me"))
	if strings.Contains(text(w.board()), "Take back") {
		t.Error("there is something to take back before the first turn")
	}
	w.click(w.anna, "Right")
	w.awaitPerson(1)
	w.awaitTurn(2, nil)
	board := w.board()
	w.click(w.anna, "Take back")
	w.wantPrivate(w.anna, "Your turn has been taken back")
	if v := w.view(1); v.Match.Seat() != 1 || len(v.Match.Turns()) != 0 || w.board().ID != board.ID || !strings.Contains(text(w.board()), "took their turn back") {
		t.Errorf("%d turns, the board is %s, not %s: %s", len(v.Match.Turns()), w.board().ID, board.ID, text(w.board()))
	}
	w.challengeComputer("stone-towers", sandbox.Opt("first", "me"))
	w.answered(w.anna.Command(w.channel, "move", sandbox.Opt("turn", "d4"), sandbox.Opt("match", 2)))
	receipt := w.private(w.anna)
	if v := w.awaitPerson(2); len(v.Match.Turns()) != 2 {
		t.Fatalf("%d turns", len(v.Match.Turns()))
	}
	w.answered(w.anna.Click(w.channel, receipt.ID, w.press(receipt, "Take back")))
	if v := w.view(2); v.Match.Seat() != 1 || len(v.Match.Turns()) != 0 {
		t.Errorf("after the receipt's button %d turns", len(v.Match.Turns()))
	}
}
