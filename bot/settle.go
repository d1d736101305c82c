package bot

import (
	"context"
	"time"

	"castellan/storage"
)

// settleWithin bounds what somebody who acts waits for the board of before.
const settleWithin = 2 * time.Second

// settle posts, before a match changes, the board that is due. It may have been
// posted already, by a process that died before it put that on record or by a
// request whose answer was lost: the nonce then brings its message back. Were
// it superseded first, the message would stand in the channel as a second
// board, and what it told people would be told again.
//
// As a rule no board is due when somebody acts, and this is one look at the
// database. What goes wrong is counted and logged where it happens, and keeps
// nobody from acting.
func (b *Bot) settle(ctx context.Context, id storage.MatchID) {
	v, err := b.host.Match(ctx, id)
	if err != nil || v.Board.State != storage.BoardDue {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	_, _ = b.poster.show(ctx, id, pace{})
}
