package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox"
)

// callbackRoute is the route of first responses.
const callbackRoute = "/interactions/{interaction_id}/{interaction_token}/callback"

// lobbyWorld is a world with five people.
type lobbyWorld struct {
	*world
	ids    []string
	people []*sandbox.Person
	told   []int // expected number of notifications of each person so far
}

// The indices of the people, in the sandbox's order.
const (
	anna = iota
	ben
	chloe
	dmitri
	eve
)

func newLobbyWorld(t *testing.T) *lobbyWorld {
	t.Helper()
	p := &lobbyWorld{world: withSample(t), told: make([]int, 5)}
	for _, u := range sandbox.DefaultWorld().Users {
		p.ids = append(p.ids, u.ID)
		p.people = append(p.people, p.chat.As(u.ID))
	}
	return p
}

// expectNotified fails unless exactly these people have been notified since the
// last call, once each.
func (p *lobbyWorld) expectNotified(why string, people ...int) {
	p.t.Helper()
	for _, i := range people {
		p.told[i]++
	}
	for i, who := range p.people {
		if got := who.Mentions(p.channel); got != p.told[i] {
			p.t.Fatalf("%s: %d notifications of person %d, not %d\n%s", why, got, i, p.told[i], p.transcript(who))
		}
	}
}

// open has Anna open a lobby.
func (p *lobbyWorld) open(options ...sandbox.CommandOption) {
	p.t.Helper()
	p.answered(p.anna.Command(p.channel, "challenge", sandbox.Sub("sample", options...)))
}

// lobby returns the message of the open lobby.
func (p *lobbyWorld) lobby() sandbox.Message {
	p.t.Helper()
	all := p.anna.Messages(p.channel)
	for i := len(all) - 1; i >= 0; i-- {
		if _, ok := buttons(all[i])["Join"]; ok {
			return all[i]
		}
	}
	p.t.Fatalf("there is no table\n%s", p.transcript(p.anna))
	return sandbox.Message{}
}

// click has a person press a button of the lobby.
func (p *lobbyWorld) click(who int, label string) {
	p.t.Helper()
	m := p.lobby()
	p.answered(p.people[who].Click(p.channel, m.ID, p.press(m, label)))
}

// expectText fails unless the lobby's message contains all lines.
func (p *lobbyWorld) expectText(lines ...string) {
	p.t.Helper()
	got := text(p.lobby())
	for _, l := range lines {
		if !strings.Contains(got, l) {
			p.t.Fatalf("the table does not say %q:\n%s", l, got)
		}
	}
}

// order returns the person in each seat of the running match.
func (p *lobbyWorld) order() (seats []int) {
	p.t.Helper()
	views, err := p.host.RunningIn(p.t.Context(), p.channel)
	must(p.t, err)
	for _, s := range views[0].Seats {
		seats = append(seats, slices.Index(p.ids, s.ID))
	}
	return seats
}

// awaitStatus waits until a request was answered with a status.
func (p *lobbyWorld) awaitStatus(route string, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !slices.ContainsFunc(p.sent, func(x sandbox.Exchange) bool { return x.Route == route && x.Status == status }) {
		p.sends.Wait()
	}
}

func TestLobbyOfFour(t *testing.T) {
	t.Parallel()
	p := newLobbyWorld(t)
	p.open(sandbox.Opt("players", 4), sandbox.Opt("opponent", p.benID))
	p.expectNotified("the table", ben)
	first := p.lobby()
	p.expectText("1 of 4 seats taken", "● <@"+p.annaID+">", "◆ reserved for <@"+p.benID+">", "▲ *free*", "■ *free*")
	if got := buttons(first); len(got) != 4 || got["Start"] != "" {
		t.Errorf("buttons %v", got)
	}
	p.click(chloe, "Join")
	p.click(dmitri, "Join")
	p.expectText("3 of 4 seats taken", "◆ <@"+p.chloeID+">", "■ reserved for <@"+p.benID+">")
	p.click(eve, "Join")
	p.wantPrivate(p.people[eve], "All seats are taken")
	p.click(dmitri, "Leave")
	p.expectText("2 of 4 seats taken", "▲ reserved for", "■ *free*")
	p.click(chloe, "Start")
	p.wantPrivate(p.chloe, "Only Anna can start")
	p.click(dmitri, "Join")
	if p.lobby().ID != first.ID {
		t.Error("the table is another message")
	}
	p.expectNotified("joining and leaving")

	p.click(ben, "Join") // the last seat
	p.expectNotified("the start", p.order()[0])
	if got := p.transcript(p.anna); !strings.Contains(got, "Anna, Chloé, Dmitri and Ben play Counters: match 1") || strings.Contains(got, "seats taken") {
		t.Errorf("the table afterwards:\n%s", got)
	}
	board := text(p.board())
	if !strings.Contains(board, "The match begins. Order of play: ● <@") {
		t.Errorf("the first board: %s", board)
	}

	// Each turn notifies only the next player.
	seats := p.order()
	p.move(p.people[seats[0]], "a1 end")
	p.expectNotified("turn 1", seats[1])
	if got := text(p.board()); strings.Contains(got, "begins") {
		t.Errorf("the second board: %s", got)
	}
	// A player who leaves out of turn changes nothing for the others. When a player
	// leaves in their turn, the next one is notified.
	p.resigns(p.people[seats[3]], "Leave")
	p.expectNotified("retired out of turn")
	wantText(t, p.board(), "■ ", " left the match", "◆ <@"+p.ids[seats[1]]+"> to move")
	p.resigns(p.people[seats[1]], "Leave")
	p.expectNotified("retired in turn", seats[2])
	p.move(p.people[seats[2]], "a1 end")
	p.expectNotified("turn 2", seats[0])
	if got := text(p.board()); strings.Count(got, "left the match") != 2 {
		t.Errorf("two have left: %s", got)
	}
	p.answered(p.people[seats[1]].Command(p.channel, "move", sandbox.Opt("turn", "a1")))
	p.wantPrivate(p.people[seats[1]], "left this match")
	p.resigns(p.people[seats[0]], "Resign")
	p.expectNotified("the end", seats[1], seats[2], seats[3])
	end := text(p.board())
	places := fmt.Sprintf("Places: 1 ▲ <@%s> · 2 ● <@%s> · 3 ◆ <@%s> · 4 ■ <@%s>", p.ids[seats[2]], p.ids[seats[0]], p.ids[seats[1]], p.ids[seats[3]])
	if !strings.Contains(end, places) || !strings.Contains(end, "resigned") {
		t.Errorf("the end: %s\nwant %s", end, places)
	}
	if got := p.transcript(p.anna); strings.Count(got, " left the match") != 2 {
		t.Errorf("the channel reads:\n%s", got)
	}
}

func TestLobbyStartsEarly(t *testing.T) {
	t.Parallel()
	p := newLobbyWorld(t)
	p.open()
	p.expectNotified("nobody is named")
	p.expectText("1 of 6 seats taken", "▼ *free*")
	p.click(ben, "Join")
	p.click(eve, "Join")
	p.click(ben, "Join")
	p.wantPrivate(p.ben, "already have a seat")
	// The answer is refused, so that the table keeps its buttons for a while.
	m := p.lobby()
	p.chat.FailNext("POST", callbackRoute, 404, 10062, "Unknown interaction")
	p.begin(p.anna.Click(p.channel, m.ID, p.press(m, "Start")))
	p.wait("the board", func() bool { return len(p.boards(p.anna)) == 1 })
	p.expectNotified("the start", p.order()[0])
	if got := p.order(); len(got) != 3 {
		t.Errorf("%d sit", len(got))
	}
	p.click(chloe, "Join")
	p.wantPrivate(p.chloe, "already begun")
	p.pass(time.Second)
	p.wait("the table to close", func() bool {
		return strings.Contains(p.transcript(p.ben), "Anna, Ben and Eve \\*of the\\* Keep play Counters")
	})
	p.board()
}

func TestLobbyCancelled(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"Cancel", "Leave"} {
		p := newLobbyWorld(t)
		p.open(sandbox.Opt("opponent", p.benID), sandbox.Opt("opponent2", p.chloeID))
		p.expectNotified("the table", ben, chloe)
		p.click(ben, "Cancel")
		p.wantPrivate(p.ben, "Only Anna")
		p.click(dmitri, "Decline")
		p.wantPrivate(p.people[dmitri], "No seat is reserved for you")
		p.click(chloe, "Decline")
		p.expectText("◆ reserved for <@"+p.benID+">", "▲ *free*")
		p.click(anna, label)
		if got := p.transcript(p.ben); !strings.Contains(got, "Anna closed the table (Counters)") {
			t.Errorf("%s:\n%s", label, got)
		}
		p.expectNotified("closed")
	}
}

func TestLobbyLastSeat(t *testing.T) {
	t.Parallel()
	p := newLobbyWorld(t)
	p.open(sandbox.Opt("players", 3))
	p.click(ben, "Join")
	m := p.lobby()
	join := p.press(m, "Join")
	one := p.begin(p.people[chloe].Click(p.channel, m.ID, join))
	two := p.begin(p.people[dmitri].Click(p.channel, m.ID, join))
	p.wait("both answers", func() bool {
		a, _ := p.chat.Interaction(one)
		b, _ := p.chat.Interaction(two)
		return a.State == sandbox.StateAnswered && b.State == sandbox.StateAnswered
	})
	loser := dmitri
	if !slices.Contains(p.order(), chloe) {
		loser = chloe
	}
	p.wantPrivate(p.people[loser], "All seats are taken")
	p.expectNotified("the start", p.order()[0])
	p.board()
}

func TestLobbyRepeatedDeliveries(t *testing.T) {
	t.Parallel()
	p := newLobbyWorld(t)
	p.mayRefuse(40060)
	p.open(sandbox.Opt("players", 3))
	press := func(who int, label string) string {
		t.Helper()
		m := p.lobby()
		i, err := p.people[who].Click(p.channel, m.ID, p.press(m, label))
		p.answered(i, err)
		return i.ID
	}
	var all []string
	again := func() {
		t.Helper()
		for _, id := range all {
			must(t, p.chat.Redeliver(id))
		}
	}
	all = append(all, press(ben, "Join"))
	again()
	all = append(all, press(ben, "Leave"))
	again()
	all = append(all, press(chloe, "Join"))
	again()
	all = append(all, press(dmitri, "Join"))
	again()
	again()
	p.stopBot() // every delivery has been served
	p.startBot()
	p.pass(time.Hour)
	p.expectNotified("the start", p.order()[0])
	if got := p.transcript(p.ben); strings.Count(got, "play Counters: match 1") != 1 || strings.Contains(got, "seats taken") {
		t.Errorf("the channel reads:\n%s", got)
	}
	p.board()
	if got := p.order(); len(got) != 3 || slices.Contains(got, ben) {
		t.Errorf("seats %v", got)
	}
}

// TestLobbyRestart stops the bot before Discord confirms a change of the lobby,
// and before it confirms the first board. The next start repairs both.
func TestLobbyRestart(t *testing.T) {
	t.Parallel()
	p := newLobbyWorld(t)
	restart := func() {
		t.Helper()
		p.stopBot()
		p.mu.Lock()
		p.clock = p.clock.Add(host.Backoff(2)) // the first process may have made one more attempt
		p.mu.Unlock()
		p.startBot()
	}
	broken := sandbox.Fault{Kind: sandbox.FaultError, Method: "POST", Route: postRoute, Status: 500, Message: internal, Count: -1}
	// The table is never posted by the first process.
	fault := p.chat.MustPlan(broken)
	p.open(sandbox.Opt("players", 3), sandbox.Opt("opponent", p.benID))
	p.wantPrivate(p.anna, "Your challenge stands")
	p.expectNotified("nothing posted")
	p.stopBot()
	fault.Remove()
	restart()
	p.wait("the table", func() bool { return p.ben.Mentions(p.channel) == 1 })
	p.expectNotified("the table", ben)

	// A click whose answer is refused.
	m := p.lobby()
	p.chat.FailNext("POST", callbackRoute, 404, 10062, "Unknown interaction")
	p.begin(p.chloe.Click(p.channel, m.ID, p.press(m, "Join")))
	p.awaitStatus(callbackRoute, 404)
	restart()
	p.wait("the change", func() bool { return strings.Contains(text(p.lobby()), "2 of 3 seats taken") })
	if p.lobby().ID != m.ID {
		t.Error("the table was posted again")
	}

	// Ben takes the last seat, and the first board is refused.
	fault = p.chat.MustPlan(broken)
	p.click(ben, "Join")
	p.expectNotified("no board")
	p.stopBot()
	fault.Remove()
	restart()
	p.wait("the board", func() bool { return len(p.boards(p.anna)) == 1 })
	p.expectNotified("the start", p.order()[0])
	restart()
	p.pass(time.Hour)
	p.expectNotified("another restart")
	p.board()
}
