package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// Config is what a Publisher needs.
type Config struct {
	Host     *host.Host
	Account  *account.Service
	Browse   *browse.Service
	Client   *discord.Client
	Renderer message.Renderer
	Logger   *slog.Logger
	// Say returns the printer for messages in a guild, or without a guild for
	// those to a person.
	Say func(ctx context.Context, guild, person string) *catalogue.Printer
	// Ticks starts the reconciler at each value received, besides the run at the
	// start. If nil, it runs every ReconcileInterval.
	Ticks <-chan time.Time
	// OnReconcile is called at each run of the reconciler.
	OnReconcile func()
	// ComputerWait returns about how long a computer's turn takes.
	ComputerWait func() time.Duration
	// AwaitComputer waits for a quick computer's turn in a match; nil if nobody does.
	AwaitComputer func(context.Context, storage.MatchID)
	// Connected reports whether the bot is in contact with Discord.
	Connected func(context.Context) bool
}

// Publisher publishes boards and challenges. Use New. What Discord has done is
// recorded with context.WithoutCancel, even if nobody waits for it any more.
type Publisher struct {
	config Config
	host   *host.Host
	client *discord.Client
	log    *slog.Logger

	// The locks keep two goroutines from doing the same work. Between processes,
	// leases do; see host.BeginShow.
	matches, challenges, tournaments keyedMutex
	reported                         channelSet                // channels whose missing permission is in the log
	unread                           channelSet                // how often in a row a channel could not be read
	members                          members                   // when people were last known to be members of a guild
	lookFor                          pending[member]           // see LookForMembers
	present                          pending[member]           // see NotePresence
	self                             atomic.Pointer[string]    // the bot's user ID, once it is known
	pausedUntil                      atomic.Pointer[time.Time] // see PauseOnStoreError
	duplicates                       pending[discord.CreatedMessage]

	idle      chan struct{}          // see Idle
	wake      chan struct{}          // makes the reconciler run without waiting for its tick
	next      time.Time              // when the next match has to be checked; used by Run alone
	reachable pending[storage.Place] // where the gateway says that the bot can be used
	locked    pending[storage.Place] // threads that have been locked
	// Channels, threads and guilds that are gone, and guilds that Discord cannot reach.
	deleted, unavailable pending[storage.Place]
	lastRun              atomic.Pointer[time.Time]
	skews                atomic.Uint64 // see ClockSkews
	away                 atomic.Bool   // the database could not be used, and the log says so
}

// New returns a publisher, and has the host call postPending before a match with a
// due board changes.
func New(c Config) *Publisher {
	p := &Publisher{
		config: c, host: c.Host, client: c.Client, log: c.Logger,
		idle: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	c.Host.SetPostPending(p.postPending)
	return p
}

// sayAt returns the printer for messages in a place where people play. In direct
// messages it speaks the language of the person there.
func (p *Publisher) sayAt(ctx context.Context, place storage.Place, players []storage.Person) *catalogue.Printer {
	person := ""
	if i := slices.IndexFunc(players, func(p storage.Person) bool { return !host.IsComputer(p) }); i >= 0 {
		person = players[i].ID
	}
	return p.config.Say(ctx, place.Guild, person)
}

// pendingTimeout bounds how long an action waits for the post of the previous board.
const pendingTimeout = 2 * time.Second

// postPending posts the board that is due before its match changes; see
// host.Host.SetPostPending. show counts and logs failures.
func (p *Publisher) postPending(ctx context.Context, v *host.View) {
	ctx, cancel := context.WithTimeout(ctx, pendingTimeout)
	defer cancel()
	_, _ = p.Show(ctx, v)
}

// Show posts the board of a match that is due and collapses those that it
// supersedes. It returns the match as it is afterwards.
func (p *Publisher) Show(ctx context.Context, v *host.View) (*host.View, error) {
	return p.show(ctx, v, showOptions{})
}

// ShowTurn does the same as Show after a person's turn, whose board a response may have
// collapsed in a message already. If a computer answers quickly, one board shows both
// turns.
func (p *Publisher) ShowTurn(ctx context.Context, v *host.View, collapsed string) (*host.View, error) {
	return p.show(ctx, v, showOptions{collapsed: collapsed, awaits: true})
}

// ShowMatch reads a match and does the same as Show.
func (p *Publisher) ShowMatch(ctx context.Context, id storage.MatchID) (*host.View, error) {
	v, err := p.host.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	return p.Show(ctx, v)
}

// showOptions says for whom show works, which decides what it does. The zero value
// is for a person who waits: it does all the work, also what has failed and would be
// tried again only later.
type showOptions struct {
	// now is set by the reconciler, and leaves out work whose next attempt is later.
	// Only the reconciler searches channels for lost boards, which takes long.
	now time.Time
	// collapsed is the message of the button that was pressed, if the response has
	// already replaced the board in it: a press is acknowledged by collapsing the old
	// board, before the new one is posted. That board needs no edit, but its record
	// has yet to say so. If it has become the current board meanwhile, because
	// somebody took a turn back, it is drawn again instead.
	collapsed string
	// lease is that of a claim of the reconciler. Otherwise show takes one.
	lease storage.DeliveryLease
	// awaits is set after a person's turn, see ShowTurn.
	awaits bool
	// posted is set by show to the channel that has just accepted a post: other work
	// there that failed before is worth another attempt.
	posted string
}

func (o showOptions) selects(b storage.Board) bool {
	return o.now.IsZero() || storage.IsDue(b.NextAttempt, b.Attempts, o.now)
}

// leaseMargin is how long before the end of a lease the work in Discord ends.
const leaseMargin = 2 * time.Second

// underLease returns a context that is done before a lease ends.
func underLease(ctx context.Context, l storage.DeliveryLease) (context.Context, context.CancelFunc) {
	if l.Ends.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, l.Ends.Add(-leaseMargin))
}

func (p *Publisher) show(ctx context.Context, v *host.View, o showOptions) (shown *host.View, err error) {
	id := v.Record.ID
	recording := context.WithoutCancel(ctx)
	unlock, err := p.matches.lock(ctx, int64(id))
	if err != nil {
		p.host.EndShow(recording, v.Lease)
		p.host.EndShow(recording, o.lease)
		return v, fmt.Errorf("showing match %d: %w", id, err)
	}
	defer unlock()
	if v, err = p.host.BeginShow(ctx, v, o.lease); err != nil {
		return v, err
	}
	shown = v
	defer func() {
		p.host.EndShow(recording, shown.Lease)
		if errors.Is(err, storage.ErrFenced) { // another process shows the match
			err = nil
		}
	}()
	if b := v.Board; o.collapsed != "" && b.Message == o.collapsed { // too late: it is the current board again
		p.Wake()
		return p.host.MarkForEdit(recording, v, b)
	}
	if o.awaits && p.awaitComputer(ctx, v) {
		o.collapsed = "" // its line lacks the computer's turn
		if v, err = p.host.BeginShow(ctx, v, storage.DeliveryLease{}); err != nil {
			return v, err
		}
		shown = v
	}
	ctx, cancel := underLease(ctx, v.Lease)
	defer cancel()
	var failed error
	if b := v.Board; b.State == storage.BoardDue && o.selects(b) {
		posted, err := p.postWithThread(ctx, v, o.collapsed)
		if posted != nil {
			v = posted
		}
		if failed = err; failed == nil {
			o.posted = v.Board.Place.Channel
		} else {
			p.boardFailed(ctx, "posting a board", v, v.Board, failed)
		}
		if errors.Is(failed, storage.ErrFenced) {
			return v, failed
		}
	}
	v = p.findSkipped(ctx, v, o)
	return p.collapseStale(ctx, v, o), failed
}

// awaitComputer waits for the computer's turn if it is due and its board has neither
// been tried nor has anything to tell. It reports whether the turn has been played. The
// caller holds the match's lock, so nobody posts the board.
func (p *Publisher) awaitComputer(ctx context.Context, v *host.View) bool {
	b := v.Board
	_, computer := v.ComputerToMove()
	if !computer || p.config.AwaitComputer == nil || b.State != storage.BoardDue || b.Attempts > 0 || b.Notify || b.Offer != 0 {
		return false
	}
	resume := discord.Pause(ctx) // other interactions need not wait for this one
	p.config.AwaitComputer(ctx, v.Record.ID)
	resume()
	after, err := p.host.Match(ctx, v.Record.ID)
	return err == nil && after.Match.Seq() != v.Match.Seq()
}

// collapseStale collapses the superseded boards of a match, and edits the one that
// names a person whose data was deleted. It returns the match as it is afterwards.
func (p *Publisher) collapseStale(ctx context.Context, v *host.View, o showOptions) *host.View {
	var done []storage.BoardID
	for _, b := range v.Boards {
		switch {
		case b.NeedsRedraw && o.selects(b):
			if p.redraw(ctx, v, b) {
				done = append(done, b.ID)
			}
		case b.State != storage.BoardSuperseded:
		case b.Message == o.collapsed:
			done = append(done, b.ID)
		case o.selects(b) || b.Place.Channel == o.posted:
			if p.collapse(ctx, v, b) {
				done = append(done, b.ID)
			}
		}
	}
	if len(done) == 0 {
		return v
	}
	after, err := p.host.BoardsCollapsed(context.WithoutCancel(ctx), v, done...)
	if err != nil && !errors.Is(err, storage.ErrFenced) {
		p.log.Error("recording collapsed boards", "match", v.Record.ID, "error", err)
		p.PauseOnStoreError(err)
		return v
	}
	return after
}

// collapse replaces a superseded board by one line. It reports whether the
// board is collapsed or gone.
func (p *Publisher) collapse(ctx context.Context, v *host.View, b storage.Board) bool {
	if b.Message == "" {
		return true // its post was given up
	}
	line := message.Collapsed(p.sayAt(ctx, b.Place, v.Record.Seats), v, b.Seq)
	err := p.unarchiving(ctx, b.Place.Channel, func() error { return p.client.EditMessage(ctx, b.Place.Channel, b.Message, line) })
	if err != nil && !discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel) {
		p.boardFailed(ctx, "collapsing a board", v, b, err)
		return false
	}
	return true
}

// redraw edits the message of a board so that it shows the match as it is on
// record. It reports whether the message is edited or gone.
func (p *Publisher) redraw(ctx context.Context, v *host.View, b storage.Board) bool {
	board, err := p.draw(ctx, v, b)
	if err == nil {
		err = p.unarchiving(ctx, b.Place.Channel, func() error { return p.client.EditMessage(ctx, b.Place.Channel, b.Message, board) })
	}
	if err == nil && v.Record.Challenge != 0 {
		err = p.archiveAgain(ctx, v.Record.Challenge)
	}
	if err != nil && !discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel) {
		p.boardFailed(ctx, "editing a board", v, b, err)
		return false
	}
	return true
}

func (p *Publisher) draw(ctx context.Context, v *host.View, b storage.Board) (board discord.Message, err error) {
	m, err := v.Match.PublicAt(b.Seq)
	if err != nil {
		return board, fmt.Errorf("board %d: %w", b.ID, err)
	}
	say := p.sayAt(ctx, b.Place, v.Record.Seats)
	renderer, err := p.renderer(ctx, b.Place, v)
	if err != nil {
		return discord.Message{}, err
	}
	picture, err := message.DrawBoard(ctx, renderer, say, v, m, message.Scene(v, m))
	if err != nil {
		return board, err
	}
	picture.Name = message.PostedFileName(b)
	board = message.Board(say, v, m, picture, message.Notified(v, m, b))
	if b.ID == v.Record.Correction {
		message.AddLoss(say, &board)
	}
	message.AddWait(say, &board, v, p.config.ComputerWait())
	notice, err := p.config.Account.Notice(ctx)
	if notice != "" {
		message.AddNotice(say, &board, notice)
	}
	if err != nil {
		p.log.Error("reading the notice of the operators", "error", err)
	}
	return board, nil
}

// post posts the board that is due, unless an earlier attempt has posted it. It
// records the post, and that the board in the message collapsed has been
// collapsed. It returns the match as it is afterwards.
func (p *Publisher) post(ctx context.Context, v *host.View, collapsed string) (*host.View, error) {
	b := v.Board
	var done []storage.BoardID
	for _, old := range v.Boards {
		if collapsed != "" && old.State == storage.BoardSuperseded && old.Message == collapsed {
			done = append(done, old.ID)
		}
	}
	if err := p.client.CheckPost(b.Place.Channel); err != nil {
		return v, err // without drawing the board
	}
	if nonceExpired(p.host.Now(), b.Attempts, b.NextAttempt) {
		found, err := p.findEarlier(ctx, b.Place.Channel, message.PostedFileName(b), messageIDs(v.Boards))
		if err != nil {
			return v, err
		}
		if found != "" {
			p.log.Info("found an earlier post", "match", b.Match, "message", found)
			return p.host.BoardPosted(context.WithoutCancel(ctx), v, b.ID, found, done...)
		}
	}
	board, err := p.draw(ctx, v, b)
	if err != nil {
		return v, err
	}
	var created discord.CreatedMessage
	if corrected, err := p.correct(ctx, v, board); corrected != nil || err != nil {
		return corrected, err
	}
	err = p.unarchiving(ctx, b.Place.Channel, func() (err error) {
		created, err = p.create(ctx, b.Place.Channel, nonce("b", int64(b.ID), v.Record.CreatedAt.Add(time.Duration(v.Record.Correction)*time.Second)), board)
		return err
	})
	if err != nil {
		return v, err
	}
	p.reported.remove(b.Place.Channel)
	return p.host.BoardPosted(context.WithoutCancel(ctx), v, b.ID, created.ID, done...)
}

// renderer returns a renderer of public pictures in a place. v is the match that
// they show, or nil.
func (p *Publisher) renderer(ctx context.Context, in storage.Place, v *host.View) (message.Themed, error) {
	theme, err := p.config.Account.PublicTheme(ctx, in, v)
	return message.Themed{Renderer: p.config.Renderer, Theme: theme}, err
}

// maxNonces is how many nonces a post tries in a row.
const maxNonces = 3

// create posts a message. If a message with the nonce was posted before and has
// been deleted, Discord answers "Unknown Message"
// (https://github.com/discord/discord-api-docs/pull/6647). Then create uses
// another nonce, which is the same in every attempt.
func (p *Publisher) create(ctx context.Context, channel, nonce string, m discord.Message) (created discord.CreatedMessage, err error) {
	for n := range maxNonces {
		if n > 0 {
			nonce += "."
		}
		if created, err = p.client.CreateMessage(ctx, channel, nonce, m); !discord.HasCode(err, discord.CodeUnknownMessage) {
			break
		}
	}
	return created, err
}

// correct edits the board before the one that is due, so that it becomes that
// board. It returns nil if there is no board to edit, or if the board has to notify
// somebody.
func (p *Publisher) correct(ctx context.Context, v *host.View, board discord.Message) (*host.View, error) {
	stale := slices.DeleteFunc(slices.Clone(v.Boards), func(b storage.Board) bool {
		return b.State != storage.BoardSuperseded || b.Message == "" || b.Place != v.Board.Place
	})
	if len(stale) == 0 || !v.Board.Edit || len(board.Mentions.Users) > 0 {
		return nil, nil
	}
	wrong := stale[len(stale)-1]
	err := p.unarchiving(ctx, wrong.Place.Channel, func() error { return p.client.EditMessage(ctx, wrong.Place.Channel, wrong.Message, board) })
	switch {
	case discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeTooManyOldEdits):
		return nil, nil
	case err != nil:
		return v, err
	}
	return p.host.BoardPosted(context.WithoutCancel(ctx), v, v.Board.ID, wrong.Message, wrong.ID)
}

// nonce returns the nonce of a post, of at most 23 characters. It is always the
// same for a record of a database. For some minutes, Discord creates only one
// message for it.
func nonce(kind string, id int64, created time.Time) string {
	return kind + strconv.FormatInt(id, 36) + "-" + strconv.FormatInt(created.Unix(), 36)
}
