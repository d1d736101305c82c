package publish

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/discord/discordtest"
	"castellan/bot/host"
	"castellan/bot/host/hosttest"
	"castellan/bot/message"
	"castellan/storage"
)

const (
	postHere = "POST /channels/2/messages"
	editHere = "PATCH /channels/2/messages/9001"
)

// kit is a publisher with a Discord that answers within the process.
type kit struct {
	*hosttest.World
	*discordtest.API
	*Publisher
	log   *discordtest.Log
	ticks chan time.Time
}

type kitOptions struct {
	hosttest.Options
	renderer message.Renderer
	client   *discord.Client
}

func newKit(t *testing.T, o kitOptions) *kit {
	t.Helper()
	k := &kit{API: discordtest.NewAPI(t), log: discordtest.NewLog(t), ticks: make(chan time.Time)}
	o.Logger = slog.New(k.log)
	k.World = hosttest.New(t, o.Options)
	if o.renderer == nil {
		o.renderer = hosttest.Renderer{}
	}
	if o.client == nil {
		o.client = k.Client()
	}
	o.client.SetClock(k.Now)
	k.Publisher = New(Config{
		Host: k.Host, Account: k.Account, Browse: k.Browse, Client: o.client, Renderer: o.renderer, Logger: o.Logger, Ticks: k.ticks,
		Say:         func(context.Context, string, string) *catalogue.Printer { return k.Texts.Printer() },
		OnReconcile: func() {}, ComputerWait: func() time.Duration { return 0 }, Connected: func(context.Context) bool { return true },
	})
	return k
}

// showMatch shows a match as a person's command does.
func (k *kit) showMatch(v *host.View) (*host.View, error) {
	return k.ShowMatch(context.Background(), v.Record.ID)
}

// sent runs a step and returns what was sent in short.
func (k *kit) sent(step func()) string {
	step()
	return discordtest.Summary(k.Take())
}

// isHere has a person use the bot, so that it need not look whether they have left.
func (k *kit) isHere(p storage.Person) {
	k.NotePresence(hosttest.Here.Guild, p.ID)
}

// reconciled runs the reconciler once and returns what was sent in short.
func (k *kit) reconciled() string { return k.sent(func() { k.Reconcile(context.Background()) }) }

// nextAttempt returns the time until a board's next attempt, and the number of
// its failed attempts.
func (k *kit) nextAttempt(id storage.BoardID) (d time.Duration, attempts int) {
	k.T.Helper()
	hosttest.Must(k.T, k.Store.View(context.Background(), func(tx storage.Reader) error {
		b, err := tx.Board(id)
		d, attempts = b.NextAttempt.Sub(k.Now()), b.Attempts
		return err
	}))
	return d, attempts
}

// run runs the publisher until stop is called.
func (k *kit) run(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); k.Run(ctx) }()
	return func() { cancel(); <-done }
}
