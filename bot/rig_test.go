package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/imaging"
	trailspainter "castellan/imaging/trails"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// Secrets, which may stand in requests and nowhere else.
const (
	secretToken       = "bot-secret-MTA5"
	secretInteraction = "interaction-secret-aW50"
)

var (
	anna  = storage.Person{ID: "11", Name: "Anna"}
	ben   = storage.Person{ID: "22", Name: "Ben"}
	chloe = storage.Person{ID: "33", Name: "Chloe"}
	here  = storage.Place{Guild: "1", Channel: "2"}
)

// sent is a request that Discord got.
type sent struct {
	method, route string // the route without base address, query and tokens
	typ           int    // of a callback
	body          string // its JSON
	files         int
}

func (s sent) String() string { return fmt.Sprintf("%s %s %d", s.method, s.route, s.typ) }

// answer is what Discord says to a request. Status 0 hangs up.
type answer struct {
	status int
	body   string
}

var (
	hangsUp      = answer{}
	yes          = answer{200, `{"id":"9001","channel_id":"2"}`}
	noContent    = answer{204, ``}
	badGateway   = answer{502, `bad gateway`}
	answeredTwo  = answer{400, `{"code":40060,"message":"Interaction has already been acknowledged."}`}
	deadOne      = answer{404, `{"code":10062,"message":"Unknown interaction"}`}
	noPermission = answer{403, `{"code":50013,"message":"Missing Permissions"}`}
)

// rig is a bot with a Discord that answers within the process.
type rig struct {
	t     testing.TB
	bot   *Bot
	host  *host.Host
	store storage.Store
	book  *logbook
	late  chan time.Time // receives when an answer is to be put off
	seen  chan sent      // every request, as it arrives

	mu           sync.Mutex
	clock        time.Time
	got          []sent
	plan         []answer // the next answers; then all is well
	timers       int
	interactions int
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return newRigWith(t, true)
}

// newRigWith is a rig whose timer is the test's, or the true one.
func newRigWith(t testing.TB, manual bool) *rig {
	t.Helper()
	store, err := sqlite.Open(context.Background(), sqlite.Memory)
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	games, err := engine.NewRegistry(trails.Game{}, sample.Game{})
	must(t, err)
	texts, err := catalogue.New(games.Games()...)
	must(t, err)
	renderer, err := imaging.New(trailspainter.Painter())
	must(t, err)
	pictures := SamplePictures{renderer}
	api, err := url.Parse("http://discord.test")
	must(t, err)
	r := &rig{t: t, store: store, book: &logbook{t: t, lines: &lines{}}, late: make(chan time.Time), seen: make(chan sent, 1000)}
	log := slog.New(r.book)
	r.clock = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r.host = host.New(host.Config{
		Store: store, Games: games, Now: r.now, Seed: func() uint64 { return 1 }, Logger: log,
		Brains: []search.Brain{search.Generic(trails.Game{}), search.Generic(sample.Game{})},
	})
	c := Config{Token: secretToken, API: api, Host: r.host, Games: games, Pictures: pictures, Catalogue: texts, Logger: log, Flood: Flood{Burst: -1}, NoThreads: true}
	if manual {
		c.Timer = func(time.Duration) (<-chan time.Time, func()) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.timers++
			return r.late, func() {}
		}
	}
	r.bot, err = New(c)
	must(t, err)
	r.bot.session.Client.Transport = &discord.Transport{Base: api, Next: r}
	return r
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock
}

// pass lets time go by.
func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock = r.clock.Add(d)
}

// RoundTrip is Discord.
func (r *rig) RoundTrip(q *http.Request) (*http.Response, error) {
	if err := q.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	s := r.read(q)
	r.mu.Lock()
	r.got = append(r.got, s)
	a := yes
	if len(r.plan) > 0 {
		a, r.plan = r.plan[0], r.plan[1:]
	}
	r.mu.Unlock()
	r.seen <- s
	if a.status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
	return w.Result(), nil
}

// read takes a request apart.
func (r *rig) read(q *http.Request) (s sent) {
	route := strings.ReplaceAll(strings.TrimPrefix(q.URL.Path, "/api/v10"), secretInteraction, "…")
	s = sent{method: q.Method, route: route}
	if q.Header.Get("Authorization") != "Bot "+secretToken {
		r.t.Errorf("%s %s is not authorised", q.Method, route)
	}
	var data []byte
	if q.Body != nil {
		var err error
		data, err = io.ReadAll(q.Body)
		must(r.t, err)
	}
	if kind, params, _ := mime.ParseMediaType(q.Header.Get("Content-Type")); kind == "multipart/form-data" {
		form, err := multipart.NewReader(bytes.NewReader(data), params["boundary"]).ReadForm(1 << 25)
		must(r.t, err)
		data, s.files = []byte(form.Value["payload_json"][0]), len(form.File)
	}
	var body any
	if q.Method != http.MethodGet {
		must(r.t, json.Unmarshal(data, &body))
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text) // without the escapes of < and >
	e.SetEscapeHTML(false)
	must(r.t, e.Encode(body))
	s.body = strings.TrimSpace(text.String())
	if object, ok := body.(map[string]any); ok {
		number, _ := object["type"].(float64)
		s.typ = int(number)
	}
	return s
}

// answers is what Discord says next.
func (r *rig) answers(a ...answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plan = a
}

// take is what has been sent since it was last called.
func (r *rig) take() []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	for range got {
		<-r.seen
	}
	return got
}

// routes is requests in short: "POST callback 4, PATCH original".
func inShort(all []sent) string {
	var words []string
	for _, s := range all {
		w := s.method + " " + s.route
		switch {
		case strings.HasSuffix(s.route, "/callback"):
			w = fmt.Sprintf("callback %d", s.typ)
		case strings.HasSuffix(s.route, "/@original"):
			w = s.method + " original"
		case strings.HasPrefix(s.route, "/webhooks"):
			w = s.method + " webhook"
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

// text is what a person reads of a message: its text displays.
func (s sent) text() string {
	var words []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["type"] == 10.0 {
				words = append(words, v["content"].(string))
			}
			walk(v["data"])
			walk(v["components"])
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var body any
	_ = json.Unmarshal([]byte(s.body), &body)
	walk(body)
	return strings.Join(words, "\n")
}

// private reports whether only one person sees the message.
func (s sent) private() bool {
	var body struct {
		Flags int
		Data  struct{ Flags int }
	}
	_ = json.Unmarshal([]byte(s.body), &body)
	return (body.Flags|body.Data.Flags)&discord.FlagEphemeral != 0
}

// click is a click of a person on a button.
func (r *rig) click(p storage.Person, message, customID string) *discordgo.Interaction {
	i := r.interaction(p, discordgo.InteractionMessageComponent)
	i.Data = discordgo.MessageComponentInteractionData{CustomID: customID, ComponentType: discordgo.ButtonComponent}
	i.Message = &discordgo.Message{ID: message}
	return i
}

// command is a slash command with string options, given as name and value.
func (r *rig) command(p storage.Person, name string, options ...string) *discordgo.Interaction {
	i := r.interaction(p, discordgo.InteractionApplicationCommand)
	i.Data = discordgo.ApplicationCommandInteractionData{Name: name, Options: dataOptions(options)}
	return i
}

// suggest is a question for suggestions for the last of the options.
func (r *rig) suggest(p storage.Person, name string, options ...string) *discordgo.Interaction {
	i := r.interaction(p, discordgo.InteractionApplicationCommandAutocomplete)
	all := dataOptions(options)
	all[len(all)-1].Focused = true
	i.Data = discordgo.ApplicationCommandInteractionData{Name: name, Options: all}
	return i
}

func dataOptions(pairs []string) (out []*discordgo.ApplicationCommandInteractionDataOption) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, &discordgo.ApplicationCommandInteractionDataOption{
			Name: pairs[i], Type: discordgo.ApplicationCommandOptionString, Value: pairs[i+1],
		})
	}
	return out
}

func (r *rig) interaction(p storage.Person, t discordgo.InteractionType) *discordgo.Interaction {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interactions++
	return &discordgo.Interaction{
		ID: fmt.Sprintf("%d", 7000+r.interactions), AppID: "9", Type: t, Token: secretInteraction,
		GuildID: here.Guild, ChannelID: here.Channel, Locale: discordgo.EnglishUS,
		Member: &discordgo.Member{User: &discordgo.User{ID: p.ID, Username: p.Name}},
	}
}

// serve carries an interaction out and gives what was sent, of which all texts
// must be whole.
func (r *rig) serve(i *discordgo.Interaction) []sent {
	r.t.Helper()
	r.bot.serve(context.Background(), i)
	all := r.take()
	for _, s := range all {
		for _, odd := range []string{"⟨", "⟩", "<no value>", "{{"} {
			if strings.Contains(s.body, odd) {
				r.t.Errorf("%s has %s: %s", s, odd, s.body)
			}
		}
	}
	return all
}

// route adds a handler to an otherwise empty router.
func (r *rig) route(k kind, pattern string, h handler) {
	r.t.Helper()
	r.bot.router = &router{}
	must(r.t, r.bot.router.handle(k, pattern, h))
}

// request is a request of a person, for what reads only who, where and how to
// speak.
func (r *rig) request(p storage.Person) *Request {
	return &Request{Person: p, Place: here, Say: r.bot.texts.Printer("en"), options: map[string]any{}}
}

// start is a match of Anna, who moves first, and Ben.
func (r *rig) start(game string, options map[string]string) *host.View {
	r.t.Helper()
	ch := r.offer(game, options)
	_, v, err := r.host.Accept(context.Background(), r.cause(ben), ch.ID)
	must(r.t, err)
	return v
}

func (r *rig) offer(game string, options map[string]string) storage.Challenge {
	r.t.Helper()
	ch, err := r.host.Challenge(context.Background(), r.cause(anna),
		host.Offer{Place: here, Opponents: []storage.Person{ben}, Game: game, First: host.FirstMe, Options: options})
	must(r.t, err)
	return ch
}

func (r *rig) act(v *host.View, text string) *host.View {
	r.t.Helper()
	p, _ := v.ToMove()
	after, err := r.host.Act(context.Background(), r.cause(p), v.Record.ID, host.Anywhere, text)
	must(r.t, err)
	return after
}

func (r *rig) cause(p storage.Person) host.Cause {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interactions++
	return host.Cause{Person: p, Interaction: fmt.Sprintf("c%d", r.interactions)}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logbook is a log that is read by the test, and in which no secret may stand.
type logbook struct {
	t     testing.TB
	with  []slog.Attr
	lines *lines
}

type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	add := func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value.Any())
		full := fmt.Sprintf("%v %+v", a.Value.Any(), a.Value.Any())
		for err, _ := a.Value.Any().(error); err != nil; err = errors.Unwrap(err) {
			full += err.Error()
		}
		for _, secret := range []string{secretToken, secretInteraction} {
			if strings.Contains(full, secret) {
				l.t.Errorf("a token is in the log: %s", line)
			}
		}
		return true
	}
	for _, a := range l.with {
		add(a)
	}
	r.Attrs(add)
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	l.lines.all = append(l.lines.all, strings.ReplaceAll(line, "\n", `\n`))
	return nil
}

func (l *logbook) WithAttrs(a []slog.Attr) slog.Handler {
	return &logbook{l.t, append(l.with[:len(l.with):len(l.with)], a...), l.lines}
}

func (l *logbook) WithGroup(string) slog.Handler { return l }

// take is the entries since it was last called, a line each, the level first.
func (l *logbook) take() string {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	defer func() { l.lines.all = nil }()
	return strings.Join(l.lines.all, "\n")
}
