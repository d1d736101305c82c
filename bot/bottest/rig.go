package bottest

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host/hosttest"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

// Options configures a Rig. All fields are optional.
type Options struct {
	Wrap     func(storage.Store) storage.Store
	Renderer message.Renderer
	Ticks    <-chan time.Time
	Config   func(*bot.Config) // changes the rest of the configuration
}

// Rig is a bot on a store in memory. Threads and flood limits are off, and no
// response is deferred unless the test sends on Late.
type Rig struct {
	*hosttest.World
	*discordtest.API
	discordtest.Interactions
	Bot  *bot.Bot
	Log  *discordtest.Log
	Late chan time.Time // defers a response
}

// New returns a rig.
func New(t testing.TB, o Options) *Rig {
	t.Helper()
	r := &Rig{API: discordtest.NewAPI(t), Log: discordtest.NewLog(t), Late: make(chan time.Time)}
	logger := slog.New(r.Log)
	r.World = hosttest.New(t, hosttest.Options{Logger: logger, Wrap: o.Wrap})
	if o.Renderer == nil {
		o.Renderer = hosttest.Renderer{}
	}
	c := bot.Config{
		Token: discordtest.Token, API: discordtest.Base(), Transport: http.RoundTripper(r.API), Host: r.Host, Games: r.Games,
		Renderer: o.Renderer, Catalogue: r.Texts, Logger: logger, NoThreads: true, Flood: interaction.Flood{Burst: -1},
		Timer: func(time.Duration) (<-chan time.Time, func()) { return r.Late, func() {} },
		Ticks: o.Ticks, BoardSettles: -1, Peers: r.Peers,
	}
	if o.Config != nil {
		o.Config(&c)
	}
	var err error
	r.Bot, err = bot.New(c)
	hosttest.Must(t, err)
	return r
}

// SetTB makes failures those of another test, such as a fuzz target's.
func (r *Rig) SetTB(t testing.TB) {
	r.T = t
	r.API.SetTB(t)
	r.Log.SetTB(t)
}

// Serve answers an interaction and returns what was sent. Texts with an unknown
// key or an argument that is missing fail the test.
func (r *Rig) Serve(i *discordgo.Interaction) []discordtest.Request {
	r.T.Helper()
	r.Bot.Serve(context.Background(), i)
	all := r.Take()
	for _, s := range all {
		for _, odd := range []string{"⟨", "⟩", "<no value>", "{{"} {
			if strings.Contains(s.Body, odd) {
				r.T.Errorf("%s has %s: %s", s, odd, s.Body)
			}
		}
	}
	return all
}

// ServeLast answers an interaction and returns the last request.
func (r *Rig) ServeLast(i *discordgo.Interaction) discordtest.Request {
	r.T.Helper()
	all := r.Serve(i)
	if len(all) == 0 {
		r.T.Fatal("nothing was sent")
	}
	return all[len(all)-1]
}

// User returns a person as Discord describes users.
func User(p storage.Person) *discordgo.User { return &discordgo.User{ID: p.ID, Username: p.Name} }
