package interaction

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord/discordtest"
	"castellan/engine/enginetest/sample"
	"castellan/storage"
)

var anna = storage.Person{ID: "11", Name: "Anna"}

var (
	errRefused = errors.New("refused")
	errNoRoom  = errors.New("no room")
)

// kit is a server with a Discord that answers within the process. Its routes
// are "test/{x}" for each kind.
type kit struct {
	*Server
	*discordtest.API
	discordtest.Interactions
	log    *discordtest.Log
	served []Served     // what was observed
	after  atomic.Int64 // calls of Config.After
}

func newKit(t *testing.T, h Handler) *kit {
	return newKitWith(t, func(c *Config) {
		var routes []Route
		for _, k := range []Kind{Command, Component, Autocomplete} {
			routes = append(routes, Route{Kind: k, Pattern: "test/{x}", Handler: h})
		}
		var err error
		c.Router, err = NewRouter(routes...)
		must(t, err)
	})
}

func newKitWith(t *testing.T, configure func(*Config)) *kit {
	t.Helper()
	k := &kit{API: discordtest.NewAPI(t), log: discordtest.NewLog(t)}
	texts, err := catalogue.New(sample.Game{})
	must(t, err)
	c := Config{
		Client: k.Client(), Catalogue: texts, Flood: Flood{Burst: -1}, Logger: slog.New(k.log), Now: time.Now,
		Explain: func(_ *Request, err error) (string, bool) {
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				return "That took too long.", true
			case errors.Is(err, errRefused), errors.Is(err, errNoRoom), errors.Is(err, ErrBadCustomID):
				return "No.", true
			}
			var flood *FloodError
			return "Slower.", errors.As(err, &flood)
		},
		Router:   &Router{},
		CheckBan: func(context.Context, *Request) error { return nil },
		Localize: func(context.Context, *Request) {}, IsMember: func(string) bool { return true },
		Unsaved: func(err error) bool { return errors.Is(err, errNoRoom) },
		After:   func(context.Context, *Request) { k.after.Add(1) },
		Observe: func(s Served) { k.served = append(k.served, s) },
	}
	configure(&c)
	k.Server = NewServer(c)
	return k
}

// counted returns a response that counts how often it was sent and confirmed.
func counted(r Response, sent, confirmed *int) Response {
	return r.Continue(func(_ context.Context, arrived bool) string {
		if *sent++; arrived {
			*confirmed++
		}
		return ""
	})
}

func respond(r Response, err error) Handler {
	return func(context.Context, *Request) (Response, error) { return r, err }
}

// of returns an interaction of a kind with the path test/y.
func (k *kit) of(kind Kind) *discordgo.Interaction {
	switch kind {
	case Component:
		return k.Click(anna, "8000", "test/y")
	case Autocomplete:
		return k.Suggest(anna, "test", "y", "")
	}
	return k.Subcommand(anna, "test", "y", nil)
}

func (k *kit) request(kind Kind) *Request {
	r, _ := k.read(k.of(kind))
	return r
}

// serve answers an interaction and returns what was sent.
func (k *kit) serve(i *discordgo.Interaction) []discordtest.Request {
	k.Serve(context.Background(), i)
	return k.Take()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
