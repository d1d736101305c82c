package bot

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/imaging"
	"castellan/storage"
)

// poster brings channels up to date with what is stored. Everything it does
// can be done again: a post carries a nonce, by which Discord creates it once.
type poster struct {
	host     *host.Host
	client   *discord.Client
	pictures Pictures
	texts    *catalogue.Catalogue
	log      *slog.Logger

	// locks keep two goroutines from doing the same work twice; that it is
	// harmless if another process does, is the nonce's part.
	matches, challenges locks
	// blocked is the channels of which the log has said what is missing.
	blocked said
	// self is who the bot is.
	self identity
	// disk is until when nothing is posted that could not be recorded.
	disk rest
}

// theme is how pictures look.
const theme = imaging.Dark

// pace says what of the work is to be tried.
type pace struct {
	// now leaves out what is to be tried later; the zero value tries all.
	now time.Time
	// except is a message that the caller collapses itself.
	except string
	// posted is a channel that has just taken a post: what was given up for a
	// while there can be tried again.
	posted string
}

func (p pace) wants(next time.Time) bool { return p.now.IsZero() || !next.After(p.now) }

func (p pace) wantsAt(b storage.Board) bool { return p.wants(b.Next) || b.Place.Channel == p.posted }

// show posts the board of a match that is due and collapses those that it
// supersedes. The view is the match as it stands afterwards.
func (p *poster) show(ctx context.Context, id storage.MatchID, pace pace) (*host.View, error) {
	unlock, err := p.matches.lock(ctx, int64(id))
	if err != nil {
		return nil, fmt.Errorf("showing match %d: %w", id, err)
	}
	defer unlock()
	v, boards, err := p.host.Boards(ctx, id)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, b := range boards {
		if b.State == storage.BoardDue && pace.wants(b.Next) {
			if failed = p.postHoused(ctx, &v, boards, &b); failed == nil {
				pace.posted = b.Place.Channel
				v, err = p.host.Match(ctx, id)
			} else {
				p.boardFailed(ctx, "posting a board", b, failed)
			}
		}
	}
	if err != nil {
		return v, err
	}
	p.seekSkipped(ctx, v, boards, pace)
	for _, b := range boards {
		if failed == nil && b.State == storage.BoardPosted && b.ID != v.Board.ID {
			b.State = storage.BoardStale
		}
		if b.State == storage.BoardStale && b.Message != pace.except && pace.wantsAt(b) {
			p.collapse(ctx, v, b)
		}
	}
	return v, failed
}

// post posts a board that is due, unless an earlier try has done so. The
// boards are those of the match that stand in a channel or may.
func (p *poster) post(ctx context.Context, v *host.View, boards []storage.Board, b storage.Board) error {
	if forgotten(p.host.Now(), b.Tries, b.Next) {
		message, err := p.find(ctx, b.Place.Channel, pictureName(b.Match, b.Seq, ""), messagesOf(boards))
		if err != nil {
			return fmt.Errorf("looking for what an earlier try has posted: %w", err)
		}
		if message != "" {
			p.log.Info("found what an earlier try had posted", "match", b.Match, "message", message)
			return p.host.BoardPosted(record(ctx), b.ID, message)
		}
	}
	say := p.texts.Printer()
	then, err := v.Match.At(b.Seq)
	if err != nil {
		return fmt.Errorf("board %d: %w", b.ID, err)
	}
	picture, err := p.picture(ctx, say, v, then)
	if err != nil {
		return err
	}
	var posted discord.CreatedMessage
	message := boardMessage(say, v, then, picture, b.Notify)
	err = p.awake(ctx, b.Place.Channel, func() (err error) {
		posted, err = p.client.CreateMessage(ctx, b.Place.Channel, nonce("b", int64(b.ID), v.Record.CreatedAt), message)
		return err
	})
	if err != nil {
		return err
	}
	p.blocked.clear(b.Place.Channel)
	return p.host.BoardPosted(record(ctx), b.ID, posted.ID)
}

// picture draws a match. The file's name is another for every position, for
// clients show the picture that they have under a name.
func (p *poster) picture(ctx context.Context, say *catalogue.Printer, v *host.View, m *match.Match) (discord.File, error) {
	return p.draw(ctx, say, v, m, sceneOf(v, m))
}

// draw draws a scene of a match.
func (p *poster) draw(ctx context.Context, say *catalogue.Printer, v *host.View, m *match.Match, s imaging.Scene) (discord.File, error) {
	data, err := p.pictures.Board(ctx, s, theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("drawing match %d: %w", v.Record.ID, err)
	}
	return discord.File{
		Name:        pictureName(v.Record.ID, m.Seq(), pickedName(s)),
		ContentType: "image/png", Description: altText(say, v, m), Data: data,
	}, nil
}

// pictureName is the file name of a picture of a match.
func pictureName(match storage.MatchID, seq int, picked string) string {
	return fmt.Sprintf("board-%d-%d%s.png", match, seq, picked)
}

// pickedName is what is picked, and the quarter, as part of a file's name:
// letters, digits and hyphens alone, for Discord changes others.
func pickedName(scene imaging.Scene) string {
	var b strings.Builder
	if scene.Zoom != 0 {
		fmt.Fprintf(&b, "-zoom%d", scene.Zoom)
	}
	for _, s := range scene.Picked {
		b.WriteByte('-')
		for _, c := range []byte(s) {
			if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "x%02x", c)
			}
		}
	}
	return b.String()
}

// collapse makes a superseded board one line.
func (p *poster) collapse(ctx context.Context, v *host.View, b storage.Board) {
	line := collapsed(p.texts.Printer(), v, b.Seq)
	err := p.awake(ctx, b.Place.Channel, func() error { return p.client.EditMessage(ctx, b.Place.Channel, b.Message, line) })
	if err != nil && !discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel) {
		p.boardFailed(ctx, "collapsing a board", b, err)
		return
	}
	if err := p.host.BoardCollapsed(record(ctx), b.ID); err != nil {
		p.log.Error("recording a collapsed board", "match", v.Record.ID, "error", err)
		p.disk.note(err, p.host.Now())
	}
}

// showChallenge posts a challenge, or brings its message up to date. The
// challenge is as it stands afterwards.
func (p *poster) showChallenge(ctx context.Context, id storage.ChallengeID) (storage.Challenge, error) {
	unlock, err := p.challenges.lock(ctx, int64(id))
	if err != nil {
		return storage.Challenge{}, fmt.Errorf("showing challenge %d: %w", id, err)
	}
	defer unlock()
	ch, err := p.host.FindChallenge(ctx, id)
	if err != nil || ch.Shown == ch.Revision {
		return ch, err
	}
	posted, err := p.putChallenge(ctx, ch)
	if err != nil {
		p.challengeFailed(ctx, ch, err)
		return ch, err
	}
	if err := p.host.ChallengeShown(record(ctx), ch.ID, posted, ch.Revision); err != nil {
		p.disk.note(err, p.host.Now())
		return ch, err
	}
	return p.host.FindChallenge(ctx, id)
}

// putChallenge posts a challenge or edits its message, and returns the message.
func (p *poster) putChallenge(ctx context.Context, ch storage.Challenge) (message string, err error) {
	m, err := p.challengeMessage(ctx, ch)
	if err != nil {
		return "", err
	}
	if ch.Message == "" && forgotten(p.host.Now(), ch.Tries, askedSince(ch)) {
		if ch.Message, err = p.find(ctx, ch.Place.Channel, challengePicture(ch.ID), nil); err != nil {
			return "", fmt.Errorf("looking for what an earlier try has posted: %w", err)
		}
		if ch.Message != "" && ch.Revision == 0 {
			return ch.Message, nil
		}
	}
	if ch.Message == "" {
		posted, err := p.client.CreateMessage(ctx, ch.Place.Channel, nonce("c", int64(ch.ID), ch.CreatedAt), m)
		if err != nil {
			return "", err
		}
		p.blocked.clear(ch.Place.Channel)
		if ch.Revision == 0 || ch.Revision == 1 && host.BegunAtOnce(ch) {
			return posted.ID, nil
		}
		// It has changed since its post was first tried: the nonce may have
		// brought back the post of then.
		ch.Message = posted.ID
	}
	err = p.client.EditMessage(ctx, ch.Place.Channel, ch.Message, m)
	if discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel) {
		err = nil
	}
	return ch.Message, err
}

// record is the context for recording what Discord has done: it is done, even
// where nobody waits for it any more.
func record(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

// nonce names a post: the same for the same record of the same database, at
// most 25 characters. For some minutes Discord creates one message for it.
func nonce(kind string, id int64, created time.Time) string {
	return kind + strconv.FormatInt(id, 36) + "-" + strconv.FormatInt(created.Unix(), 36)
}
