package bot

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"castellan/bot/host"
	"castellan/storage"
)

// batch is how many boards and challenges one look brings up to date.
const batch = 100

// atOnce is to how many channels one look posts at the same time. A channel
// that is slow, or full, holds up no other.
const atOnce = 4

// lookWithin is for how long a look begins new work. What is left is still the
// longest waiting at the next.
const lookWithin = 30 * time.Second

// forgetEvery is after how many looks old notes are removed.
const forgetEvery = 720

// reconcile brings channels up to date at the start, at every tick and when
// something has become due, until the context is done.
func (b *Bot) reconcile(ctx context.Context) {
	ticks := b.config.Ticks
	if ticks == nil {
		t := time.NewTicker(ReconcileEvery)
		defer t.Stop()
		ticks = t.C
	}
	b.beat()
	for look := 0; ; look++ {
		for place := range b.heard.take() {
			b.reachable(ctx, place)
		}
		b.look(ctx)
		if look%forgetEvery == 0 {
			if _, err := b.host.Forget(ctx); err != nil && ctx.Err() == nil {
				b.log.Error("removing old notes", "error", err)
			}
		}
		b.beat()
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		case <-b.wake:
		}
	}
}

// Lag is how long the oldest work that is due has been due: posts and edits
// that channels lack. It is some seconds where all is well.
func (b *Bot) Lag(ctx context.Context) (time.Duration, error) { return b.host.Lag(ctx) }

// piece is the work of a look on one match or one challenge.
type piece struct {
	channel string
	do      func(context.Context)
}

// look does once what is behind. It is idempotent. Work in different channels
// is done at the same time, that of one channel in order, the longest waiting
// first.
func (b *Bot) look(ctx context.Context) {
	if !b.poster.disk.over(b.host.Now()) {
		return
	}
	b.announce(ctx)
	b.thinking.nudge()
	work, err := b.host.Work(ctx, batch)
	if err != nil {
		if ctx.Err() == nil {
			b.log.Error("looking for what is behind", "error", err)
		}
		return
	}
	begins, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var all errgroup.Group
	all.SetLimit(atOnce)
	for _, channel := range byChannel(b.pieces(work)) {
		all.Go(func() error {
			for _, p := range channel {
				if begins.Err() != nil || !b.poster.disk.over(b.host.Now()) {
					return nil
				}
				b.doPiece(ctx, p)
			}
			return nil
		})
	}
	_ = all.Wait() // failures are counted and logged where they happen
}

// doPiece does a piece of work in a time of its own: a long wait that Discord
// asks for may not hold up the others.
func (b *Bot) doPiece(ctx context.Context, p piece) {
	ctx, cancel := context.WithTimeout(ctx, workWithin)
	defer cancel()
	p.do(ctx)
}

// pieces is the work, once for each match and challenge.
func (b *Bot) pieces(work storage.PendingPosts) (all []piece) {
	for _, ch := range work.Challenges {
		all = append(all, piece{ch.Place.Channel, func(ctx context.Context) { b.lookAtChallenge(ctx, ch) }})
	}
	seen := map[storage.MatchID]bool{}
	for _, board := range work.Boards {
		if !seen[board.Match] {
			seen[board.Match] = true
			all = append(all, piece{board.Place.Channel, func(ctx context.Context) { b.lookAtBoard(ctx, board) }})
		}
	}
	return all
}

// byChannel divides work by channel and keeps its order.
func byChannel(all []piece) (channels [][]piece) {
	place := map[string]int{}
	for _, p := range all {
		i, ok := place[p.channel]
		if !ok {
			i = len(channels)
			place[p.channel] = i
			channels = append(channels, nil)
		}
		channels[i] = append(channels[i], p)
	}
	return channels
}

func (b *Bot) lookAtChallenge(ctx context.Context, ch storage.Challenge) {
	defer b.survive("challenge", int64(ch.ID), func() error {
		_, err := b.host.ChallengeFailed(record(ctx), ch, host.Failure{Blocked: true})
		return err
	})
	_, _ = b.poster.showChallenge(ctx, ch.ID)
}

func (b *Bot) lookAtBoard(ctx context.Context, board storage.Board) {
	putBack := func() error {
		_, err := b.host.BoardFailed(record(ctx), board, host.Failure{Blocked: true})
		return err
	}
	defer b.survive("match", int64(board.Match), putBack)
	_, err := b.poster.show(ctx, board.Match, pace{now: b.host.Now()})
	if errors.Is(err, host.ErrCannotReplay) {
		// It would come up again at every look, before all others.
		b.log.Error("a match cannot be shown", "match", board.Match, "error", err, "counted", putBack())
	}
}

// survive is deferred around work on one record: a panic there is logged and
// counted as a failure, and ends neither the others nor the bot.
func (b *Bot) survive(what string, id int64, count func() error) {
	if p := recover(); p != nil {
		b.log.Error("panic in the reconciler", what, id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()), "counted", count())
	}
}
