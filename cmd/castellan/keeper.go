package main

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"castellan/bot"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/metrics"
	"castellan/storage"
)

// keeper is the bot with everything it needs but a Discord.
type keeper struct {
	host *host.Host
	bot  *bot.Bot
}

type keeperConfig struct {
	token string
	api   string // base address of Discord's API; empty means Discord's own
	// servers is where the commands are registered; everywhere where empty.
	servers   []string
	limits    host.Limits // the defaults where zero
	flood     bot.Flood   // the same
	store     storage.Store
	logger    *slog.Logger
	noThreads bool             // matches are played in the channel of their challenge
	metrics   *metrics.Metrics // nil where nobody asks for figures
}

// newKeeper wires the parts together. Nothing runs yet.
func newKeeper(c keeperConfig) (*keeper, error) {
	known, err := registry()
	if err != nil {
		return nil, err
	}
	renderer, err := pictures()
	if err != nil {
		return nil, err
	}
	texts, err := catalogue.New(known.Games()...)
	if err != nil {
		return nil, fmt.Errorf("reading the texts: %w", err)
	}
	var api *url.URL
	if c.api != "" {
		if api, err = url.Parse(c.api); err != nil {
			return nil, fmt.Errorf("the address of the API: %w", err)
		}
	}
	store, observer := c.store, bot.Observer{}
	if c.metrics != nil {
		store, observer = c.metrics.WrapStore(store), c.metrics.Observer()
	}
	h := host.New(host.Config{
		Store: store, Games: known, Logger: c.logger, Seed: rand.Uint64, Limits: c.limits,
		Now: now, Brains: slices.Collect(maps.Values(brains())),
	})
	b, err := bot.New(bot.Config{
		Token: c.token, API: api, Host: h, Games: known, Pictures: renderer, Catalogue: texts, Logger: c.logger,
		Servers: c.servers, Flood: c.flood, NoThreads: c.noThreads,
		Gateway: bot.Clock{Seed: rand.Uint64()}, Observer: observer,
	})
	if err != nil {
		return nil, err
	}
	return &keeper{host: h, bot: b}, nil
}

// now is the time that goes into records.
func now() time.Time { return time.Now().UTC() }
