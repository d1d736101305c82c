package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/storage"
)

// postHoused posts a board that is due; the first one of a match, in the
// thread in which it is to live, if there can be one. The view and the board
// are then as they stand where it was posted.
func (p *poster) postHoused(ctx context.Context, v **host.View, boards []storage.Board, b *storage.Board) error {
	first := (*v).Record.Shown < 0 && (*v).Record.Challenge != 0
	if !first {
		return p.post(ctx, *v, boards, *b)
	}
	state, err := p.house(ctx, *v)
	if err == nil {
		if *v, err = p.host.Match(ctx, b.Match); err == nil {
			*b = (*v).Board
		}
	}
	if err != nil {
		return fmt.Errorf("making a thread: %w", err)
	}
	err = p.post(ctx, *v, boards, *b)
	if state != storage.ThreadMade || !discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess) {
		return err
	}
	// The bot may make threads and not write in them.
	p.log.Warn("the match is played in the channel", "match", b.Match, "error", err)
	if err := p.host.Unhoused(record(ctx), b.Match, storage.ThreadRefused); err != nil {
		return err
	}
	if *v, err = p.host.Match(ctx, b.Match); err != nil {
		return err
	}
	*b = (*v).Board
	return p.post(ctx, *v, boards, *b)
}

// house makes the thread for a match on the message of its challenge, where
// one is wanted, and says what has become of it. It fails where that is to be
// tried again.
func (p *poster) house(ctx context.Context, v *host.View) (storage.ThreadState, error) {
	id := v.Record.ID
	ch, state, err := p.host.Housing(ctx, v.Record.Challenge)
	if err != nil || state != storage.ThreadWanted {
		return state, err
	}
	if ch.Message == "" {
		return state, errors.New("its challenge has not been posted yet")
	}
	_, err = p.client.StartThread(ctx, ch.Place.Channel, ch.Message, threadName(p.texts.Printer(), v))
	var refused *discord.Error
	switch {
	case err == nil, discord.HasCode(err, discord.CodeThreadExists): // by an earlier try
		return storage.ThreadMade, p.host.Housed(record(ctx), id)
	case discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		state = storage.ThreadRefused
	case errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 && refused.Status != 429:
		state = storage.ThreadNone // in a thread already, say, or the challenge was deleted
	default:
		return state, err
	}
	p.log.Info("a match has no thread", "match", id, "error", err)
	return state, p.host.Unhoused(record(ctx), id, state)
}

// threadName is the game and those who play, without markup: Discord shows
// names of threads as they are written.
func threadName(say *catalogue.Printer, v *host.View) string {
	var people []string
	for _, s := range v.Record.Seats {
		people = append(people, plain(s.Name))
	}
	return cut(say.T("thread.name", "Game", gameName(say, v.Game), "People", strings.Join(people, " – ")), 100)
}

// awake does something in a channel, and once more where that was an archived
// thread, which it takes out of the archive. A locked one stays where it is.
func (p *poster) awake(ctx context.Context, channel string, do func() error) error {
	err := do()
	if !discord.HasCode(err, discord.CodeArchivedThread) {
		return err
	}
	if opening := p.client.UnarchiveThread(ctx, channel); opening != nil {
		p.log.Debug("opening a thread", "thread", channel, "error", opening)
		if discord.HasCode(opening, discord.CodeLockedThread) {
			return opening
		}
		return err
	}
	return do()
}

// challengeMessage is the public message of a challenge, with where its match
// is played, and how it ended, where that is in a thread.
func (p *poster) challengeMessage(ctx context.Context, ch storage.Challenge) (discord.Message, error) {
	m, err := p.offerMessage(ctx, ch)
	if err != nil || ch.State != storage.ChallengeAccepted {
		return m, err
	}
	_, state, err := p.host.Housing(ctx, ch.ID)
	if err != nil {
		return m, err
	}
	say := p.texts.Printer()
	switch state {
	case storage.ThreadRefused:
		m.Components = append(m.Components, discord.TextDisplay{Content: "-# " + say.T("thread.refused", "Channel", "<#"+ch.Place.Channel+">")})
	case storage.ThreadMade:
		v, err := p.host.Match(ctx, ch.Match)
		if err != nil {
			return m, err
		}
		text := say.T("thread.here", "Thread", "<#"+ch.Message+">")
		if out, over := v.Match.Over(); over {
			text = outcome(say, v, out) + places(say, v, out) + "\n-# " + text
		} else {
			text = "-# " + text
		}
		m.Components = append(m.Components, discord.TextDisplay{Content: text})
	case storage.ThreadNone, storage.ThreadWanted:
	}
	return m, nil
}

// wantsThread reports whether a match that a person asks for is to live in a
// thread: as they say, else as the bot is set up. Where leave is missing it is
// not, and the note says so, behind what else they are told.
func (b *Bot) wantsThread(r *Request) (wants bool, note string) {
	if r.Place.Guild == "" {
		return false, "" // there are threads in servers alone
	}
	switch r.text("thread") {
	case "false":
		return false, ""
	case "true":
	default:
		if b.config.NoThreads {
			return false, ""
		}
	}
	if missing := r.noThread(); missing != "" {
		return false, " " + r.Say.T("thread.missing", "Permissions", missing, "Channel", "<#"+r.Place.Channel+">")
	}
	return true, ""
}

// noThread is what the bot lacks to make a thread for a match in the channel
// of a request and to write in it, as Discord's clients call it; empty where it
// lacks nothing, or nothing is known.
func (r *Request) noThread() string {
	var missing []string
	for _, need := range []struct {
		bit  int64
		name string
	}{
		{discordgo.PermissionCreatePublicThreads, r.Say.T("permission.threads")},
		{discordgo.PermissionSendMessagesInThreads, r.Say.T("permission.inthreads")},
	} {
		if r.may != 0 && r.may&(need.bit|discordgo.PermissionAdministrator) == 0 {
			missing = append(missing, need.name)
		}
	}
	return strings.Join(missing, ", ")
}
