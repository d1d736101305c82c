package bot

import (
	"context"
	"errors"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// batch is how many boards and challenges one look brings up to date.
const batch = 100

// forgetEvery is after how many looks old notes are removed.
const forgetEvery = 720

// reconcile brings channels up to date at the start and at every tick, until
// the context is done.
func (b *Bot) reconcile(ctx context.Context) {
	ticks := b.config.Ticks
	if ticks == nil {
		t := time.NewTicker(ReconcileEvery)
		defer t.Stop()
		ticks = t.C
	}
	for look := 0; ; look++ {
		b.look(ctx)
		if look%forgetEvery == 0 {
			if _, err := b.host.Forget(ctx); err != nil && ctx.Err() == nil {
				b.log.Error("removing old notes", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
	}
}

// look does once what is behind. It is idempotent.
func (b *Bot) look(ctx context.Context) {
	b.announce(ctx)
	work, err := b.host.Work(ctx, batch)
	if err != nil {
		if ctx.Err() == nil {
			b.log.Error("looking for what is behind", "error", err)
		}
		return
	}
	for _, ch := range work.Challenges {
		if ctx.Err() != nil {
			return
		}
		b.lookAtChallenge(ctx, ch.ID)
	}
	seen := map[storage.MatchID]bool{}
	for _, board := range work.Boards {
		if ctx.Err() != nil {
			return
		}
		if seen[board.Match] {
			continue
		}
		seen[board.Match] = true
		b.lookAtBoard(ctx, board)
	}
}

// Each piece of work has its own time: a long wait that Discord asks for may
// not hold up the others.

func (b *Bot) lookAtChallenge(ctx context.Context, id storage.ChallengeID) {
	ctx, cancel := context.WithTimeout(ctx, workWithin)
	defer cancel()
	// Failures are counted and logged where they happen.
	_, _ = b.poster.showChallenge(ctx, id)
}

func (b *Bot) lookAtBoard(ctx context.Context, board storage.Board) {
	ctx, cancel := context.WithTimeout(ctx, workWithin)
	defer cancel()
	_, err := b.poster.show(ctx, board.Match, pace{now: b.host.Now()})
	if errors.Is(err, host.ErrCannotReplay) {
		// It would come up again at every look, before all others.
		_, _ = b.host.BoardFailed(ctx, board)
		b.log.Error("a match cannot be shown", "match", board.Match, "error", err)
	}
}
