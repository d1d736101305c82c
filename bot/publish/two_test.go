package publish_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot"
	"castellan/bot/discord"
	"castellan/bot/discord/gateway"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/interaction"
	"castellan/bot/publish"
	"castellan/bot/sandbox"
	"castellan/storage"
	"castellan/storage/postgres"
	"castellan/storage/postgres/pgtest"
)

// town is where two bots are.
type town struct {
	chat  *sandbox.Sandbox
	place storage.Place
	users []storage.Person

	interactions chan *discordgo.Interaction // that Discord sends, after listen

	mu     sync.Mutex
	timers []func() // of the sandbox: interactions fail
}

// process is one of two bots on one database and one Discord.
type process struct {
	*town
	*hosttest.World
	*publish.Publisher
	bot  *bot.Bot
	acts int
	name string

	mu      sync.Mutex
	method  string        // of the request that is held; "" if none is
	part    string        // of its path
	late    bool          // it is held before Discord gets it, otherwise before its answer comes
	arrived chan struct{} // closed when it is held
	release chan struct{} // closed when it goes on
	cut     func()        // called during the next claim of a match or challenge, or nil
}

func twoProcesses(t *testing.T) (a, b *process) {
	t.Helper()
	return twoProcessesOn(t, pgtest.Migrated(t))
}

func twoProcessesOn(t *testing.T, url string) (a, b *process) {
	t.Helper()
	clock, all := &hosttest.Clock{}, sandbox.DefaultWorld()
	server := httptest.NewUnstartedServer(nil)
	there := &town{interactions: make(chan *discordgo.Interaction), place: storage.Place{Guild: all.Channels[0].GuildID, Channel: all.Channels[0].ID}}
	for _, u := range all.Users[:2] {
		there.users = append(there.users, storage.Person{ID: u.ID, Name: "P" + u.ID})
	}
	var err error
	there.chat, err = sandbox.New(sandbox.Options{Base: "http://" + server.Listener.Addr().String(), World: all, Now: clock.Now, AfterFunc: there.afterFunc})
	hosttest.Must(t, err)
	server.Config.Handler = there.chat
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { hosttest.Must(t, there.chat.Close()) })
	start := func(name string) *process {
		p := &process{town: there, name: name}
		store, err := postgres.Open(t.Context(), url, postgres.Connections(2))
		hosttest.Must(t, err)
		t.Cleanup(func() { hosttest.Must(t, store.Close()) })
		p.World = hosttest.New(t, hosttest.Options{Clock: clock, Wrap: func(storage.Store) storage.Store { return shared{store, p} }})
		p.bot, err = bot.New(bot.Config{
			Token: there.chat.Token(), API: discordURL, Transport: p, Host: p.Host, Games: p.Games, Renderer: hosttest.Renderer{}, Catalogue: p.Texts,
			Logger: slog.New(slog.DiscardHandler), NoThreads: true, Flood: interaction.Flood{Burst: -1}, BoardSettles: -1, Peers: store,
			Timer:   func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }, // nothing is deferred
			Gateway: discord.Clock{Now: clock.Now},
		})
		hosttest.Must(t, err)
		p.Publisher = p.bot.Publisher
		return p
	}
	return start("a"), start("b")
}

var discordURL = &url.URL{Scheme: "http", Host: "discord.test"}

func (n *town) afterFunc(_ time.Duration, f func()) (stop func() bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.timers = append(n.timers, f)
	return func() bool { return true }
}

// failInteractions lets the time pass in which Discord waits for answers.
func (n *town) failInteractions() {
	n.mu.Lock()
	timers := n.timers
	n.timers = nil
	n.mu.Unlock()
	for _, f := range timers {
		f()
	}
}

func (n *town) client(t *testing.T) *discord.Client {
	t.Helper()
	base, err := url.Parse(n.chat.Base())
	hosttest.Must(t, err)
	return discord.NewClient(n.chat.Token(), base, nil)
}

// listen registers the commands that people use here, and receives interactions.
func (n *town) listen(t *testing.T) {
	t.Helper()
	client := n.client(t)
	_, err := client.BulkOverwriteCommands(t.Context(), n.chat.ApplicationID(), "", []discord.Command{
		{Name: "move", Description: "Play.", Options: []discord.Option{{Type: discord.OptionString, Name: "turn", Description: "The turn."}}},
		{Name: "undo", Description: "Take back."}, {Name: "board", Description: "Show the board."},
	})
	hosttest.Must(t, err)
	g := gateway.New(gateway.Config{
		Token: n.chat.Token(), GetGateway: client.GetGateway, Logger: slog.New(slog.DiscardHandler),
		Handle: func(event any) {
			if e, ok := event.(*discordgo.InteractionCreate); ok {
				n.interactions <- e.Interaction
			}
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		hosttest.Must(t, <-ended)
	})
}

// asks has a person do something and returns what Discord sends.
func (n *town) asks(t *testing.T, by storage.Person, do func(*sandbox.Person) (sandbox.Interaction, error)) *discordgo.Interaction {
	t.Helper()
	_, err := do(n.chat.As(by.ID))
	hosttest.Must(t, err)
	return <-n.interactions
}

// command has a person use a command, which this process answers.
func (p *process) command(t *testing.T, by storage.Person, name string, options ...sandbox.CommandOption) {
	t.Helper()
	p.bot.Serve(t.Context(), p.asks(t, by, func(who *sandbox.Person) (sandbox.Interaction, error) {
		return who.Command(p.place.Channel, name, options...)
	}))
}

// hold makes the next request wait that has a method, and part of a path.
func (p *process) hold(method, part string, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.method, p.part, p.late, p.arrived, p.release = method, part, late, make(chan struct{}), make(chan struct{})
}

// RoundTrip sends a request to the sandbox.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	hold := p.method == r.Method && strings.Contains(r.URL.Path, p.part)
	if hold {
		p.method = ""
	}
	p.mu.Unlock()
	pause := func() { close(p.arrived); <-p.release }
	if hold && p.late {
		pause()
	}
	r = r.Clone(context.WithoutCancel(r.Context()))
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	p.chat.ServeHTTP(w, r)
	if hold && !p.late {
		pause()
	}
	return w.Result(), nil
}

func (p *process) actor(by storage.Person) host.Actor {
	p.acts++
	return host.Actor{Person: by, Interaction: fmt.Sprint(p.name, p.acts)}
}

// start begins a match of two people and shows its challenge, but no board.
func (p *process) start(t *testing.T) *host.View {
	t.Helper()
	ch, err := p.Host.CreateChallenge(t.Context(), p.actor(p.users[0]),
		host.Proposal{Place: p.place, Opponents: p.users[1:], Game: "trails", First: host.FirstMe})
	hosttest.Must(t, err)
	_, v, err := p.Host.Accept(t.Context(), p.actor(p.users[1]), ch.ID)
	hosttest.Must(t, err)
	_, err = p.ShowChallenge(t.Context(), ch.ID)
	hosttest.Must(t, err)
	return v
}

func (p *process) turn(t *testing.T, id storage.MatchID) *host.View {
	t.Helper()
	v := p.Match(id)
	by, _ := v.ToMove()
	for before := v.Match.PublicSeq(); v.Match.PublicSeq() == before; {
		after, err := p.Host.Act(t.Context(), p.actor(by), id, host.AnySeq, v.Match.Position().Legal()[0].String())
		hosttest.Must(t, err)
		v = after
	}
	return v
}

func (p *process) show(t *testing.T, v *host.View) {
	t.Helper()
	if _, err := p.Show(t.Context(), v); err != nil {
		t.Errorf("process %s: %v", p.name, err)
	}
}

// expire ends the lease of a match.
func (p *process) expire(t *testing.T, id storage.MatchID) {
	t.Helper()
	_, err := p.Store.ClaimDelivery(t.Context(), storage.DeliveryLease{Match: id}, 0, true)
	hosttest.Must(t, err)
}

// takeOver goes on with a match when the lease of the other process has run out.
func (p *process) takeOver(t *testing.T, id storage.MatchID) {
	t.Helper()
	p.Advance(61 * time.Second)
	p.failInteractions()
	p.expire(t, id)
	p.Reconcile(t.Context())
}

// TestTwoProcesses stops one process in the middle of its work, while another one
// takes over and goes on. Then the first goes on as if nothing had happened.
func TestTwoProcesses(t *testing.T) {
	shown := func(t *testing.T, a *process) *host.View {
		v := a.start(t)
		a.show(t, v)
		return a.Match(v.Record.ID)
	}
	played := func(t *testing.T, a *process) (storage.MatchID, func()) {
		v := a.turn(t, shown(t, a).Record.ID)
		return v.Record.ID, func() { a.show(t, v) }
	}
	works := map[string]struct {
		method string
		// prepare returns the work of the first process, during which it is stopped.
		prepare func(t *testing.T, a *process) (storage.MatchID, func())
	}{
		"post": {http.MethodPost, func(t *testing.T, a *process) (storage.MatchID, func()) {
			v := a.start(t)
			return v.Record.ID, func() { a.show(t, v) }
		}},
		"post of a turn": {http.MethodPost, played},
		"collapse":       {http.MethodPatch, played},
		"collapse by the reconciler": {http.MethodPatch, func(t *testing.T, a *process) (storage.MatchID, func()) {
			id, _ := played(t, a)
			a.expire(t, id)
			return id, func() { a.Reconcile(t.Context()) }
		}},
		"redraw": {http.MethodPatch, func(t *testing.T, a *process) (storage.MatchID, func()) {
			v := shown(t, a)
			_, err := a.Host.MarkForEdit(t.Context(), v, v.Board)
			hosttest.Must(t, err)
			return v.Record.ID, func() { a.Reconcile(t.Context()) }
		}},
		"correction": {http.MethodPatch, func(t *testing.T, a *process) (storage.MatchID, func()) {
			v := shown(t, a)
			by, _ := v.ToMove()
			a.show(t, a.turn(t, v.Record.ID))
			v, err := a.Host.Undo(t.Context(), a.actor(by), v.Record.ID, host.AnySeq)
			hosttest.Must(t, err)
			return v.Record.ID, func() { a.show(t, v) }
		}},
	}
	meanwhile := map[string]func(t *testing.T, b *process, id storage.MatchID){
		"nothing": func(*testing.T, *process, storage.MatchID) {},
		"its lease runs out": func(t *testing.T, b *process, id storage.MatchID) {
			b.Advance(61 * time.Second)
			b.expire(t, id)
		},
		"another does the same": func(t *testing.T, b *process, id storage.MatchID) { b.takeOver(t, id) },
		"another does the same and the next turn": func(t *testing.T, b *process, id storage.MatchID) {
			b.takeOver(t, id)
			b.show(t, b.turn(t, id))
		},
		"the next turn": func(t *testing.T, b *process, id storage.MatchID) { b.show(t, b.turn(t, id)) },
		"two turns": func(t *testing.T, b *process, id storage.MatchID) {
			b.show(t, b.turn(t, id))
			b.show(t, b.turn(t, id))
		},
	}
	for work, w := range works {
		for _, late := range []bool{true, false} {
			for what, other := range meanwhile {
				// Without the variable, only what once left a second board.
				if os.Getenv("CASTELLAN_FULL") == "" && (!late || !strings.HasSuffix(what, "and the next turn") || work != "correction" && work != "redraw" && work != "post of a turn") {
					continue
				}
				t.Run(fmt.Sprintf("%s/late=%v/%s", work, late, what), func(t *testing.T) {
					a, b := twoProcesses(t)
					id, do := w.prepare(t, a)
					a.during(w.method, late, do, func() { other(t, b, id) })
					settle(t, id, a, b)
				})
			}
		}
	}
}

// TestTwoProcessesAnswer has a person press a button of the board, for which one
// process collapses the board in its answer and posts the next one. It is stopped on
// the way, while another process answers what people do in the same match, and may be
// stopped, too, until the first has finished.
func TestTwoProcessesAnswer(t *testing.T) {
	meanwhile := map[string]func(t *testing.T, b *process, id storage.MatchID){
		"the next turn": func(t *testing.T, b *process, id storage.MatchID) { b.move(t, id) },
		"two turns": func(t *testing.T, b *process, id storage.MatchID) {
			b.move(t, id)
			b.move(t, id)
		},
		"undo": func(t *testing.T, b *process, _ storage.MatchID) { b.command(t, b.users[0], "undo") },
		"undo and another turn": func(t *testing.T, b *process, id storage.MatchID) {
			b.command(t, b.users[0], "undo")
			b.move(t, id)
		},
		"the same interaction":       nil,
		"the board again":            func(t *testing.T, b *process, _ storage.MatchID) { b.command(t, b.users[1], "board") },
		"another process takes over": func(t *testing.T, b *process, id storage.MatchID) { b.takeOver(t, id) },
		"another process takes over and undo": func(t *testing.T, b *process, id storage.MatchID) {
			b.takeOver(t, id)
			b.command(t, b.users[0], "undo")
		},
	}
	for _, stopped := range []string{"/callback", "/messages"} { // the request at which the first process is
		for _, late := range []bool{true, false} {
			for what, other := range meanwhile {
				for _, order := range []string{"goes on first", "is stopped before it posts or answers", "is stopped after it has posted or answered"} {
					often := stopped == "/callback" && order == "goes on first" && (what == "the next turn" || late && what == "undo") || stopped == "/messages" && late && what == "the same interaction" && order != "goes on first"
					if os.Getenv("CASTELLAN_FULL") == "" && !often {
						continue
					}
					t.Run(fmt.Sprintf("%s/late=%v/%s/the other %s", stopped, late, what, order), func(t *testing.T) {
						t.Parallel()
						a, b := twoProcesses(t)
						a.listen(t)
						v := a.start(t)
						a.show(t, v)
						v = a.Match(v.Record.ID)
						id, mover := v.Record.ID, a.users[0]
						press := a.asks(t, mover, func(who *sandbox.Person) (i sandbox.Interaction, err error) {
							return who.Click(a.place.Channel, v.Board.Message, fmt.Sprintf("match/%d/0/act/right", id))
						})
						a.hold(http.MethodPost, stopped, late)
						ended, otherEnded := make(chan struct{}), make(chan struct{})
						go func() { defer close(ended); a.bot.Serve(t.Context(), press) }()
						<-a.arrived
						if order != "goes on first" {
							b.hold(http.MethodPost, "", strings.Contains(order, "before"))
						}
						go func() {
							defer close(otherEnded)
							if other == nil {
								b.bot.Serve(t.Context(), press)
							} else {
								other(t, b, id)
							}
						}()
						select {
						case <-b.arrived: // nil, so never, if it is not to be stopped
							close(a.release)
							<-ended
							close(b.release)
							<-otherEnded
						case <-otherEnded:
							close(a.release)
							<-ended
						}
						settle(t, id, a, b)
					})
				}
			}
		}
	}
}

// move has the player to move play by a command.
func (p *process) move(t *testing.T, id storage.MatchID) {
	t.Helper()
	v := p.Match(id)
	by, _ := v.ToMove()
	p.command(t, by, "move", sandbox.Opt("turn", v.Match.Position().Legal()[0].String()))
	if after := p.Match(id); after.Match.Seq() == v.Match.Seq() {
		t.Errorf("process %s has not played: %+v", p.name, p.chat.Interactions())
	}
}

// TestStopReleasesClaims stops a process that has claimed the boards of two matches and
// posts the first. Another process need not wait for the second.
func TestStopReleasesClaims(t *testing.T) {
	a, b := twoProcesses(t)
	a.start(t)
	a.start(t)
	ctx, stop := context.WithCancel(t.Context())
	a.hold(http.MethodPost, "/messages", true)
	var working sync.WaitGroup
	working.Go(func() { a.Reconcile(ctx) })
	<-a.arrived
	if c, err := b.Host.ClaimWork(t.Context(), 9); err != nil || len(c.Boards) != 0 {
		t.Errorf("claimed %+v, which another process has (%v)", c.Boards, err)
	}
	stop()
	close(a.release)
	working.Wait()
	if c, err := b.Host.ClaimWork(t.Context(), 9); err != nil || len(c.Boards) != 1 {
		t.Errorf("claimed %+v after the other process has stopped (%v)", c.Boards, err)
	}
}

// settle has both processes finish, and checks what people see: one board, the
// current one, and one notification of each turn.
func settle(t *testing.T, id storage.MatchID, all ...*process) {
	t.Helper()
	p := all[0]
	settleBoards(t, id, all...)
	notified := map[string]int{}
	for _, n := range p.chat.Notifications() {
		notified[n.MessageID]++
	}
	var boards []storage.Board
	hosttest.Must(t, p.Store.View(t.Context(), func(r storage.Reader) (err error) { boards, err = r.Boards(id); return err }))
	told := map[int]int{}
	for _, b := range boards {
		if b.Notify {
			told[b.Seq] += notified[b.Message]
			delete(notified, b.Message)
		}
	}
	for seq, n := range told {
		if n != 1 {
			t.Errorf("the turn after entry %d notified %d times: %+v", seq, n, boards)
		}
	}
}

// settleBoards has all processes finish, and checks that the current board alone is shown.
func settleBoards(t *testing.T, id storage.MatchID, all ...*process) {
	t.Helper()
	p := all[0]
	for range 4 {
		for _, p := range all {
			p.Advance(10 * time.Second)
			p.expire(t, id)
			p.Reconcile(t.Context())
		}
	}
	if work, err := p.Host.PendingWork(t.Context(), 10); err != nil || len(work.Boards)+len(work.Challenges) > 0 {
		t.Errorf("there is work left: %+v (%v)", work, err)
	}
	var shown []string
	last := ""
	for _, m := range p.chat.As(p.users[0].ID).Messages(p.place.Channel) {
		text, err := json.Marshal(m)
		hosttest.Must(t, err)
		if strings.Contains(string(text), "/board-") {
			shown, last = append(shown, m.ID), string(text)
		}
	}
	v := p.Match(id)
	if len(shown) != 1 || v.Board.State != storage.BoardPosted || shown[0] != v.Board.Message || !strings.Contains(last, fmt.Sprintf("/board-%d-%d", id, v.Board.Seq)) {
		t.Errorf("the boards %v are shown, and the current one is %+v", shown, v.Board)
	}
	if waiting := p.chat.Interactions(sandbox.StateWaiting, sandbox.StateDeferred); len(waiting) > 0 {
		t.Errorf("interactions without an answer: %+v", waiting)
	}
}
