package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/bottest"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/handlers"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/apispec"
	"castellan/bot/sandbox/faults"
	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/imaging"
	ringspainter "castellan/imaging/rings"
	stonetowerspainter "castellan/imaging/stonetowers"
	towerspainter "castellan/imaging/towers"
	trailspainter "castellan/imaging/trails"
	"castellan/storage"
	"castellan/storage/dbtest"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// patience bounds every wait; only failing tests reach it.
const patience = 15 * time.Second

// world is a sandbox with the real bot in it: real websockets, real HTTP, a
// database on disk. The test controls the clock, the ticks of the reconciler,
// and the timers of deferred replies, of unanswered interactions and of hung
// connections.
type world struct {
	t         testing.TB
	chat      *sandbox.Sandbox
	db        string
	checker   *apispec.Checker
	ticks     chan time.Time
	deferrals chan time.Time                   // receives when a reply is to be deferred
	stages    map[time.Duration]chan time.Time // receives when a stage of stopping has taken that long
	channel   string
	anna      *sandbox.Person
	ben       *sandbox.Person
	chloe     *sandbox.Person
	annaID    string
	benID     string
	chloeID   string

	mu    sync.Mutex
	clock time.Time
	seeds uint64
	held  map[string]chan struct{} // by method and route
	sent  []api.Exchange
	sends *sync.Cond // on mu: an exchange was added to sent

	work work // transactions and statements

	interactionTimers manualTimers // the three seconds of each interaction
	gatewayTimers     manualTimers // of the connection to the gateway

	stop           func()
	store          storage.Store
	watch          func(api.Exchange) // if set, receives exchanges instead of sent
	host           *host.Host
	bot            *bot.Bot
	operators      handlers.Operators
	guilds         []string          // in which the commands are registered; all if empty
	flood          interaction.Flood // unlimited unless changed
	limits         host.Limits       // the bot's own if zero
	threads        bool              // whether matches are played in threads by default
	extraGames     []hostedGame      // games besides the bot's own
	refused        []string          // requests that Discord has refused, except for planned faults and provoked codes
	mayBeRefused   []int             // codes of the refusals that the test provokes
	slots          int               // of the computers; the bot's default if 0
	computerPlayer search.Player     // plays for every computer; randomly if nil
	settles        time.Duration     // how long boards ignore presses; they do not if 0
	quickTurn      time.Duration     // how long boards wait for a computer's turn; they do not if 0
	warns          bool              // whether people are told what the next seat can do
	http           bool              // interactions come by HTTP, and there is no gateway connection
	interactions   string            // where they come to
}

// byHTTP is the name of the tests whose worlds have no gateway connection. With the
// environment variable CASTELLAN_HTTP, no world has one.
const byHTTP = "by_HTTP"

// needsGateway skips a test of gateway events, of faults of them, or of requests
// that a bot with a gateway connection makes, if no world has one.
func needsGateway(t *testing.T) {
	if os.Getenv("CASTELLAN_HTTP") != "" {
		t.Skip("needs a gateway connection")
	}
}

// hostedGame is a game with its painter.
type hostedGame struct {
	game    engine.Game
	painter imaging.Painter
}

func allGames() []hostedGame {
	return []hostedGame{
		{stonetowers.Game{}, stonetowerspainter.Painter()},
		{towers.Game{}, towerspainter.Painter()},
		{rings.Game{}, ringspainter.Painter()},
		{enginetest.AllStandard(trails.Game{}), trailspainter.Painter()},
	}
}

// newWorld returns a world with the bot running.
func newWorld(t testing.TB, change ...func(*sandbox.World)) *world {
	t.Helper()
	return newLimitedWorld(t, sandbox.Limits{}, change...)
}

// newLimitedWorld returns a world with lower limits than Discord's. It has no rate
// limits, because the clock stands still; TestRateLimits checks them.
func newLimitedWorld(t testing.TB, limits sandbox.Limits, change ...func(*sandbox.World)) *world {
	t.Helper()
	limits.PerSecond, limits.PerRoute = 1e6, 1e6
	w := &world{
		t: t, db: dbtest.Name(t, filepath.Join(t.TempDir(), "castellan.db")), ticks: make(chan time.Time), deferrals: make(chan time.Time),
		clock: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), held: map[string]chan struct{}{}, flood: interaction.Flood{Burst: -1},
	}
	w.http = os.Getenv("CASTELLAN_HTTP") != "" || strings.Contains(t.Name(), "/"+byHTTP)
	w.sends = sync.NewCond(&w.mu)
	w.checker = apispec.NewChecker()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	all := sandbox.DefaultWorld()
	for i := range all.Users { // sentences are compared in English, except where a test changes this
		all.Users[i].Locale = ""
	}
	for _, c := range change {
		c(&all)
	}
	w.chat, err = sandbox.New(sandbox.Options{
		Base: "http://" + listener.Addr().String(), Observe: w.observe, World: all, Now: w.now, AfterFunc: w.interactionTimers.after,
		Strict: true, Limits: limits,
	})
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- w.chat.Serve(listener) }()
	t.Cleanup(func() {
		w.stopBot()
		if len(w.refused) > 0 {
			t.Errorf("Discord refused %d requests: %s", len(w.refused), w.refused[0])
		}
		must(t, w.chat.Close())
		if err := <-served; err != http.ErrServerClosed {
			t.Errorf("serving: %v", err)
		}
	})
	w.channel = all.Channels[0].ID
	w.annaID, w.benID, w.chloeID = all.Users[0].ID, all.Users[1].ID, all.Users[2].ID
	w.anna, w.ben, w.chloe = w.chat.As(w.annaID), w.chat.As(w.benID), w.chat.As(w.chloeID)
	w.startBot()
	return w
}

// playable holds games with their texts and pictures.
type playable struct {
	rules    []engine.Game
	texts    *catalogue.Catalogue
	renderer *imaging.Renderer
}

func newPlayable(games []hostedGame) (p playable, err error) {
	var painters []imaging.Painter
	for _, g := range games {
		p.rules, painters = append(p.rules, g.game), append(painters, g.painter)
	}
	if p.texts, err = catalogue.New(p.rules...); err == nil {
		p.renderer, err = imaging.New(painters...)
	}
	return p, err
}

// standardGames reads the texts of all games, and prepares their pictures, once.
var standardGames = sync.OnceValues(func() (playable, error) { return newPlayable(allGames()) })

// startBot starts the bot on the world's database.
func (w *world) startBot() {
	w.t.Helper()
	if err := w.tryStart(); err != nil {
		w.t.Fatalf("the bot did not start: %v", err)
	}
}

// tryStart starts the bot. If the bot stops before it is ready, tryStart returns
// its error.
func (w *world) tryStart() error {
	w.t.Helper()
	store, err := dbtest.Open(w.db, sqlite.Trace(w.work.trace))
	must(w.t, err)
	all, err := standardGames()
	if len(w.extraGames) > 0 {
		all, err = newPlayable(append(allGames(), w.extraGames...))
	}
	must(w.t, err)
	games, err := engine.NewRegistry(all.rules...)
	must(w.t, err)
	api, err := url.Parse(w.chat.Base())
	must(w.t, err)
	log := slog.New(slog.NewTextHandler(testLog(w.t, w.annaID, w.benID, w.chloeID, "Anna", "Chloé"), &slog.HandlerOptions{Level: slog.LevelDebug}))
	kept := storage.Store(store)
	if os.Getenv("CASTELLAN_RERUN") != "" {
		kept = &storagetest.Rerun{Store: store}
	}
	w.host = host.New(host.Config{Store: kept, Games: games, Now: w.now, Seed: w.seed, Logger: log, Limits: w.limits, Engines: w.engines(all.rules)})
	var interactions net.Listener
	if w.http {
		interactions, err = net.Listen("tcp", "127.0.0.1:0")
		must(w.t, err)
		w.interactions = interactions.Addr().String()
		w.mayRefuse(10015) // an edit can overtake the response that deferred it
	}
	key, err := discord.ParsePublicKey(w.chat.PublicKey())
	must(w.t, err)
	peers, _ := store.(storage.Peers)
	texts := all.texts.Reporting(func(key string, err error) { w.t.Errorf("the text %q: %v", key, err) })
	b, err := bot.New(bot.Config{
		Peers: peers, Interactions: interactions, PublicKey: key, NoGateway: w.http,
		Token: w.chat.Token(), API: api, Host: w.host, Games: games, Renderer: all.renderer, Catalogue: texts, Logger: log, Flood: w.flood, BoardSettles: cmp.Or(w.settles, -1), QuickTurn: cmp.Or(w.quickTurn, -1), NoThreads: !w.threads,
		Guilds: w.guilds, Operators: w.operators, Slots: w.slots, Ticks: w.ticks, Timer: w.timer,
		Gateway: discord.Clock{Now: w.now, Timer: w.gatewayTimer},
	})
	must(w.t, err)
	w.bot, w.store = b, store
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(ctx) }()
	select {
	case <-b.Ready():
	case err := <-stopped:
		cancel()
		must(w.t, store.Close())
		return err
	}
	if w.http {
		must(w.t, w.chat.SetInteractionsEndpoint(context.Background(), "http://"+w.interactions+discord.EndpointPath))
	}
	w.stop = func() {
		cancel()
		if err := <-stopped; err != nil {
			w.t.Errorf("the bot stopped with: %v", err)
		}
		must(w.t, store.Close())
	}
	return nil
}

// timer returns the channel on which the test tells that a duration has passed.
func (w *world) timer(d time.Duration) (<-chan time.Time, func()) {
	if stage, ok := w.stages[d]; ok {
		return stage, func() {}
	}
	return w.deferrals, func() {}
}

func (w *world) stopBot() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// awaitReconciler waits until the reconciler has done what is due.
func (w *world) awaitReconciler() {
	w.t.Helper()
	select {
	case <-w.bot.Publisher.Idle():
	case <-time.After(patience):
		w.t.Fatal("the reconciler does not come to rest")
	}
}

// rest waits until the reconciler has done what is due, unless the bot is stopped
// or the test holds a request, for which a run may be waiting.
func (w *world) rest() {
	w.t.Helper()
	w.mu.Lock()
	holds := len(w.held) > 0
	w.mu.Unlock()
	if w.stop != nil && !holds {
		w.awaitReconciler()
	}
}

// pass advances the clock and makes the reconciler run, between two rests: a run
// that is going on plans its next attempts by the time at which it began.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	w.advanceClock(d)
	select {
	case w.ticks <- w.now():
	case <-time.After(patience):
		w.t.Fatal("the reconciler does not take its tick")
	}
	w.rest()
}

// seed counts up, so that seats are drawn the same way in every run.
func (w *world) seed() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seeds++
	return w.seeds
}

// gate holds the responses of a route until open is called.
func (w *world) gate(method, route string) (open func()) {
	c := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[method+" "+route] = c
	return func() {
		w.mu.Lock()
		delete(w.held, method+" "+route)
		w.mu.Unlock()
		close(c)
	}
}

func (w *world) observe(x api.Exchange) {
	if strings.HasSuffix(x.Route, "/callback") {
		w.work.acknowledged()
	}
	w.mu.Lock()
	if w.watch == nil {
		w.sent = append(w.sent, x)
	} else {
		w.watch(x)
	}
	w.sends.Broadcast()
	held := w.held[x.Method+" "+x.Route]
	w.mu.Unlock()
	if x.Fault == faults.Cut || x.Fault == faults.Proxy { // there is no answer of Discord's to check
		x.Status, x.ResponseBody = http.StatusBadGateway, nil
	}
	// If the bot gave up a request, only a part of it may have arrived.
	w.checkRefusal(x)
	whole := len(x.RequestBody) > 0 || x.RequestHeader.Get("Content-Type") == ""
	if whole && w.checker != nil {
		for _, err := range w.checker.Check(x) {
			w.t.Error(err)
		}
	}
	if held != nil {
		<-held
	}
}

// checkRefusal records a refusal of Discord's that the test has not provoked.
func (w *world) checkRefusal(x api.Exchange) {
	if x.Status/100 != 4 || x.Fault != "" {
		return
	}
	var body struct{ Code int }
	_ = json.Unmarshal(x.ResponseBody, &body)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.mayBeRefused, body.Code) {
		w.refused = append(w.refused, fmt.Sprintf("%s %s: %d %s", x.Method, x.Route, x.Status, x.ResponseBody))
	}
}

// mayRefuse names the codes of the refusals that the test itself provokes. Any
// other refusal that no fault has caused fails the test.
func (w *world) mayRefuse(codes ...int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mayBeRefused = append(w.mayBeRefused, codes...)
}

// wait waits for a condition of the chat.
func (w *world) wait(what string, cond func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.chat.Wait(ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v\n%s", what, err, w.transcript(w.anna))
	}
}

// settled waits until an interaction is answered and the bot is idle, and
// returns the interaction's state.
func (w *world) settled(i sandbox.Interaction, err error) string {
	w.t.Helper()
	must(w.t, err)
	state := ""
	w.wait("an answer", func() bool {
		now, _ := w.chat.Interaction(i.ID)
		state = string(now.State)
		return state == "answered" || state == "failed"
	})
	w.awaitIdle() // the work after the answer is done, too
	return state
}

// awaitIdle waits until no interaction is in progress.
func (w *world) awaitIdle() {
	w.t.Helper()
	select {
	case <-w.bot.Interactions.Idle():
	case <-time.After(patience):
		w.t.Fatal("the bot does not come to rest")
	}
}

// answered fails unless the interaction is answered.
func (w *world) answered(i sandbox.Interaction, err error) {
	w.t.Helper()
	if state := w.settled(i, err); state != "answered" {
		w.t.Fatalf("the interaction is %s\n%s", state, w.transcript(w.anna))
	}
}

// buttons returns the custom IDs of the enabled buttons of a message, by label.
func buttons(m api.Message) map[string]string {
	out := map[string]string{}
	bottest.Each(m, func(c api.Component) {
		if c.Type == api.ComponentButton && !c.Disabled {
			out[c.Label] = c.CustomID
		}
	})
	return out
}

// isBoard reports whether a message is a public board: it has a picture of a
// match.
func isBoard(m api.Message) bool {
	is := false
	bottest.Each(m, func(c api.Component) {
		for _, item := range c.Items {
			is = is || strings.Contains(item.Media.URL, "/board-")
		}
	})
	return is && m.Flags&api.FlagEphemeral == 0
}

// challenge starts a match of Trails on a small board, in which Anna moves
// first against Ben.
func (w *world) challenge(options ...sandbox.CommandOption) {
	w.t.Helper()
	w.answered(w.ben.Click(w.channel, w.offer(options...).ID, w.press(w.offerMessage(), "challenge.accept")))
}

// offer has Anna challenge Ben, and returns the public message.
func (w *world) offer(options ...sandbox.CommandOption) api.Message {
	w.t.Helper()
	if len(options) == 0 {
		options = []sandbox.CommandOption{sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me")}
	}
	return w.offerOf("trails", options...)
}

// offerOf has Anna challenge Ben to a game.
func (w *world) offerOf(game string, options ...sandbox.CommandOption) api.Message {
	w.t.Helper()
	options = append([]sandbox.CommandOption{sandbox.Opt("opponent", w.benID)}, options...)
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub(game, options...)))
	return w.offerMessage()
}

// offerMessage returns the newest challenge that can be accepted.
func (w *world) offerMessage() api.Message {
	w.t.Helper()
	return w.newest(w.ben, "challenge.accept")
}

// english returns the English text of a key of the catalogue, with "…" for each argument,
// and any other text as it is.
func english(text string) string {
	if all, err := standardGames(); err == nil && all.texts.Has(text) {
		return all.texts.Printer("en").T(text)
	}
	return text
}

// fragment returns the longest part of the English text of a key that no argument
// changes, and any other text as it is.
func fragment(text string) string {
	if s := english(text); s != text {
		return slices.MaxFunc(strings.Split(s, "…"), func(a, b string) int { return len(a) - len(b) })
	}
	return text
}

// press returns the custom ID of the enabled button with a label, which is a key or a
// text.
func (w *world) press(m api.Message, label string) string {
	w.t.Helper()
	if id := buttons(m)[english(label)]; id != "" {
		return id
	}
	w.t.Fatalf("no button %q can be pressed: %v", label, buttons(m))
	return ""
}

// click presses a button of the current board.
func (w *world) click(p *sandbox.Person, label string) {
	w.t.Helper()
	m := w.board()
	w.answered(p.Click(w.channel, m.ID, w.press(m, label)))
}

// move plays by command.
func (w *world) move(p *sandbox.Person, turn string) {
	w.t.Helper()
	w.answered(p.Command(w.channel, "move", sandbox.Opt("turn", turn)))
}

// private returns the newest message that only this person sees.
func (w *world) private(p *sandbox.Person) api.Message {
	w.t.Helper()
	all := p.Messages(w.channel)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Flags&api.FlagEphemeral != 0 {
			return all[i]
		}
	}
	w.t.Fatal("there is no private message")
	return api.Message{}
}

func (w *world) boards(p *sandbox.Person) []api.Message {
	var out []api.Message
	for _, m := range p.Messages(w.channel) {
		if isBoard(m) {
			out = append(out, m)
		}
	}
	return out
}

func (w *world) board() api.Message {
	w.t.Helper()
	all := w.boards(w.anna)
	if len(all) != 1 {
		w.t.Fatalf("there are %d boards, not 1\n%s", len(all), w.transcript(w.anna))
	}
	return all[0]
}

func (w *world) transcript(p *sandbox.Person) string {
	var b strings.Builder
	for _, m := range p.Messages(w.channel) {
		fmt.Fprintf(&b, "  %s: %s\n", m.ID, strings.ReplaceAll(bottest.Text(m), "\n", " ⏎ "))
	}
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logLines is how much of a log a failed test shows.
const logLines = 300

// testLog returns a writer whose last lines are logged if the test fails. A line
// that names one of the people fails it.
func testLog(t testing.TB, people ...string) io.Writer {
	l := &logWriter{people: people}
	t.Cleanup(func() {
		for _, line := range l.naming {
			t.Errorf("the log names a person: %s", line)
		}
		if !t.Failed() {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		t.Logf("the end of the bot's log:\n%s", strings.Join(l.lines[max(0, len(l.lines)-logLines):], ""))
	})
	return l
}

type logWriter struct {
	people []string // identifiers and names, which are not logged
	mu     sync.Mutex
	lines  []string
	naming []string // lines that name people
}

func (l *logWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.people, func(word string) bool { return bytes.Contains(p, []byte(word)) }) {
		l.naming = append(l.naming, string(p))
	}
	if len(l.lines) == 2*logLines {
		l.lines = append(l.lines[:0], l.lines[logLines:]...)
	}
	l.lines = append(l.lines, string(p))
	return len(p), nil
}
