package killtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"castellan/bot"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/imaging"
	ringspainter "castellan/imaging/rings"
	stonetowerspainter "castellan/imaging/stonetowers"
	towerspainter "castellan/imaging/towers"
	trailspainter "castellan/imaging/trails"
	"castellan/storage"
	"castellan/storage/sqlite"
)

// beTheBot is the environment variable that makes the test binary run the bot:
// a spec as JSON.
const beTheBot = "CASTELLAN_KILLTEST_BOT"

// spec is the configuration of a bot.
type spec struct {
	Database string
	API      string
	Token    string
	Clock    time.Time // the bot's time at its start
	Quiet    bool      // the bot was running, and in contact with Discord, up to then
}

func TestMain(m *testing.M) {
	if text := os.Getenv(beTheBot); text != "" {
		if err := run(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// games returns the games that the bot hosts.
func games() (*engine.Registry, error) {
	return engine.NewRegistry(stonetowers.Game{}, towers.Game{}, rings.Game{}, trails.Game{})
}

// text returns the specification as JSON.
func (s spec) text() string {
	text, _ := json.Marshal(s) // it can
	return string(text)
}

// run runs the bot until SIGTERM. It prints "ready".
func run(text string) error {
	var s spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	store, err := sqlite.Open(ctx, s.Database)
	if err != nil {
		return err
	}
	if s.Quiet {
		if err := store.Update(ctx, func(tx storage.Tx) error { return tx.RecordContact(s.Clock) }); err != nil {
			return err
		}
	}
	all, err := games()
	if err != nil {
		return err
	}
	texts, err := catalogue.New(all.Games()...)
	if err != nil {
		return err
	}
	pictures, err := imaging.New(stonetowerspainter.Painter(), towerspainter.Painter(), ringspainter.Painter(), trailspainter.Painter())
	if err != nil {
		return err
	}
	api, err := url.Parse(s.API)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	began := time.Now()
	// The reconciler runs often, so that the test need not wait for it.
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	b, err := bot.New(bot.Config{
		Token: s.Token, API: api, Games: all, Renderer: pictures, Catalogue: texts, Logger: log, Ticks: ticks.C, Timer: timer,
		// The test acts faster than people.
		Flood: interaction.Flood{Burst: -1}, BoardSettles: -1, NoThreads: true,
		Host: host.New(host.Config{
			Store: store, Games: all, Seed: rand.Uint64, Logger: log,
			Limits: host.Limits{MadeByPerson: -1, MadeInGuild: -1, OpenByPerson: -1, OpenInGuild: -1, Running: -1},
			Now:    func() time.Time { return s.Clock.Add(time.Since(began)) },
		}),
	})
	if err != nil {
		return err
	}
	go func() {
		<-b.Ready()
		fmt.Println("ready")
	}()
	if err := b.Run(ctx); err != nil {
		return err
	}
	return store.Close()
}

// timer does the same as time.NewTimer, but a short timer, which defers a reply,
// sometimes fires at once, so that some kills hit deferred replies.
func timer(after time.Duration) (<-chan time.Time, func()) {
	if after <= 2*time.Second && rand.IntN(6) == 0 {
		after = 0
	}
	t := time.NewTimer(after)
	return t.C, func() { t.Stop() }
}
