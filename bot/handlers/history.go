package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine/match"
	"castellan/engine/record"
)

func (h *Handlers) historyRoutes() []route {
	return []route{
		{component, "match/{match}/{seq}/look/{button}/{turn}", h.about(h.namedMatch, h.lookButton), reading, anyone},
		{command, "replay", h.about(h.matchToRead, h.replay), reading, checked},
		{component, "match/{match}/{seq}/replay", h.about(h.namedMatch, h.replayButton), reading, anyone},
		{component, "match/{match}/{seq}/replay/post", h.about(h.namedMatch, h.postReplayButton), reading, anyone},
		{command, "record", h.record, reading, checked},
		{component, "record/{button}/{turn}", h.recordTurn, reading, anyone},
	}
}

// turnsError reports a turn that a match does not have.
type turnsError struct{ turns int } // number of completed turns

func (e *turnsError) Error() string { return fmt.Sprintf("the match has %d turns", e.turns) }

// boardAfter handles /board with the option turn. It shows the board after an
// earlier turn, or its description, or a quarter of it.
func (h *Handlers) boardAfter(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	turn, err := strconv.Atoi(r.Option("turn"))
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	quarter, _ := strconv.Atoi(r.Option("zoom"))
	if r.Option("text") != "true" {
		m, err := h.lookBack(ctx, r, v, turn, quarter)
		return headed(r, v, interaction.Private(m)), err
	}
	m, err := pastMatch(v, turn)
	if err != nil {
		return interaction.Response{}, err
	}
	words, text := message.Describe(r.Say, v, message.PastScene(v, m, turn).Position)
	return headed(r, v, interaction.PrivateText("```\n"+text+"\n```\n"+words)), nil
}

// lookButton handles the buttons that show the board after an earlier turn. A
// button on a board or a panel opens a message of its own; others turn the page.
func (h *Handlers) lookButton(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	turn := r.Number("turn")
	// Turns that were taken back since are gone.
	turn = min(turn, len(v.Match.Turns()))
	respond := interaction.Update
	if r.Values["button"] == message.OpenLook {
		respond = interaction.Private
	}
	m, err := h.lookBack(ctx, r, v, turn, 0)
	return headed(r, v, respond(m)), err
}

// pastMatch returns a match without its open turn. It fails with a *turnsError
// if it has no such turn.
func pastMatch(v *host.View, turn int) (*match.Match, error) {
	m, err := v.Match.PublicAt(v.Match.PublicSeq())
	if err == nil && (turn < 0 || turn > len(m.Turns())) {
		return nil, &host.Refusal{Err: &turnsError{len(m.Turns())}, View: v}
	}
	return m, err
}

// lookBack returns a private look at a match after some of its turns, or at a
// quarter of its board.
func (h *Handlers) lookBack(ctx context.Context, r *interaction.Request, v *host.View, turn, quarter int) (discord.Message, error) {
	m, err := pastMatch(v, turn)
	if err != nil {
		return discord.Message{}, err
	}
	return h.drawPast(ctx, r, v, m, turn, quarter, func(button string, turn int) string { return message.LookID(v, button, turn) })
}

// drawPast draws the board of a match after some of its turns, with buttons to
// the others.
func (h *Handlers) drawPast(ctx context.Context, r *interaction.Request, v *host.View, m *match.Match, turn, quarter int,
	id func(button string, turn int) string,
) (discord.Message, error) {
	scene := message.PastScene(v, m, turn)
	scene.Zoom = quarter
	renderer, err := h.rendererFor(ctx, r.Person.ID, v)
	if err != nil {
		return discord.Message{}, err
	}
	picture, err := message.DrawPast(ctx, renderer, r.Say, v, m, turn, scene)
	if err != nil {
		return discord.Message{}, err
	}
	return message.LookBack(r.Say, v, m, turn, picture, id), nil
}

// record handles /record. It gives the record of a match as a file, or shows the
// match of a record that the person has uploaded.
func (h *Handlers) record(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if f, ok := r.File("file"); ok {
		if f.Size > record.MaxBytes {
			return interaction.Response{}, discord.ErrFileTooLarge
		}
		m, err := h.openRecord(ctx, r, f.URL, lastTurn)
		return interaction.Private(m), err
	}
	v, err := h.matchOf(ctx, r, h.matchToRead)
	if err != nil {
		return interaction.Response{}, err
	}
	rec := &record.Record{Match: v.Match, Date: v.Record.CreatedAt}
	for _, p := range v.Record.Seats {
		rec.Names = append(rec.Names, p.Name)
	}
	if _, over := v.Match.Over(); over { // while the match goes on, the seed could reveal random events
		rec.Seed = &v.Record.Seed
	}
	var text bytes.Buffer
	if err := record.Write(&text, rec); err != nil {
		return interaction.Response{}, err
	}
	return headed(r, v, interaction.Private(message.Record(r.Say, v, text.Bytes()))), nil
}

// recordTurn handles the buttons under an opened record. It reads the record from
// the message, so nothing is stored.
func (h *Handlers) recordTurn(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	turn, err := strconv.Atoi(r.Values["turn"])
	if err != nil || turn < 0 || r.ShownFile == "" {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	m, err := h.openRecord(ctx, r, r.ShownFile, turn)
	return interaction.Update(m), err
}

// lastTurn stands for the last turn of a record.
const lastTurn = -1

// openRecord returns a private look at the match of a record after a turn. The
// message carries the record.
func (h *Handlers) openRecord(ctx context.Context, r *interaction.Request, address string, turn int) (discord.Message, error) {
	data, err := h.Client.Download(ctx, address, record.MaxBytes)
	if err != nil {
		return discord.Message{}, err
	}
	rec, err := record.Read(bytes.NewReader(data), h.Games)
	if err != nil {
		return discord.Message{}, err
	}
	v := message.RecordView(r.Say, rec)
	if turns := len(rec.Match.Turns()); turn < 0 || turn > turns {
		turn = turns
	}
	m, err := h.drawPast(ctx, r, v, rec.Match, turn, 0, func(button string, turn int) string { return fmt.Sprintf("record/%s/%d", button, turn) })
	if err != nil {
		return discord.Message{}, err
	}
	if !rec.Verified {
		m.Components = append(m.Components, discord.TextDisplay{Content: r.Say.T("record.unverified")})
	}
	return message.WithFile(m, discord.File{Name: "castellan-record.txt", ContentType: "text/plain; charset=utf-8", Data: data}), nil
}

var errNothingPlayed = errors.New("the match has no turns")

func (h *Handlers) replay(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	return h.postReplay(ctx, r, v, interaction.Private)
}

// replayButton handles Replay on a final board. It shows the replay to the person
// in private, with a button to post it.
func (h *Handlers) replayButton(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	renderer, err := h.rendererFor(ctx, r.Person.ID, v)
	if err != nil {
		return interaction.Response{}, err
	}
	m, picture, err := h.drawReplay(ctx, renderer, r.Say, v)
	if err != nil {
		return interaction.Response{}, err
	}
	return headed(r, v, interaction.Private(message.Replay(r.Say, v, m, picture, checkPostable(r) == nil))), nil
}

func (h *Handlers) postReplayButton(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	return h.postReplay(ctx, r, v, interaction.Update)
}

func (h *Handlers) drawReplay(ctx context.Context, renderer message.Themed, say *catalogue.Printer, v *host.View) (m *match.Match, picture discord.File, err error) {
	if m, err = pastMatch(v, 0); err != nil {
		return nil, picture, err
	}
	if len(m.Turns()) == 0 {
		return m, picture, &host.Refusal{Err: errNothingPlayed, View: v}
	}
	picture, err = message.DrawReplay(ctx, renderer, say, v, m)
	return m, picture, err
}

// replayPause is the shortest time between two replays in a channel.
const replayPause = time.Minute

// maxCooldowns is the number of channels at which a cooldown forgets all.
const maxCooldowns = 10_000

// cooldown remembers which interaction last did something in each channel. The zero
// value is ready.
type cooldown struct {
	mu   sync.Mutex
	last map[string]done
}

type done struct {
	by string
	at time.Time
}

// begin records that an interaction does something in a channel now, unless another one
// did less than a pause ago. Then it returns when the pause ends.
func (c *cooldown) begin(channel, by string, now time.Time, pause time.Duration) (again time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.last[channel]
	if ends := last.at.Add(pause); last.by != by && now.Before(ends) {
		return ends
	}
	if c.last == nil || len(c.last) >= maxCooldowns {
		c.last = map[string]done{}
	}
	c.last[channel] = done{by, now}
	return time.Time{}
}

// postReplay posts a replay in the channel of a request. If the bot cannot post
// there, or the guild plays elsewhere, it shows the replay in private. A repeated delivery posts nothing, because
// its nonce is the same. A replay is not work that must be done later, so package
// publish has no part in it.
func (h *Handlers) postReplay(ctx context.Context, r *interaction.Request, v *host.View, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	posts := checkPostable(r) == nil
	if posts {
		_, err := h.guildDefaults(ctx, r)
		_, elsewhere := errors.AsType[*channelError](err)
		if err != nil && !elsewhere {
			return interaction.Response{}, err
		}
		posts = !elsewhere
	}
	if posts {
		if again := h.replays.begin(r.Place.Channel, r.Interaction.ID, h.Host.Now(), replayPause); !again.IsZero() {
			return interaction.Response{}, &interaction.FloodError{Channel: true, Again: again}
		}
	}
	theme, err := h.Account.PublicTheme(ctx, r.Place, v)
	if err != nil {
		return interaction.Response{}, err
	}
	m, picture, err := h.drawReplay(ctx, message.Themed{Renderer: h.Renderer, Theme: theme}, r.Public, v)
	if err != nil {
		return interaction.Response{}, err
	}
	if posts {
		posted, err := h.Client.CreateMessage(ctx, r.Place.Channel, "r"+r.Interaction.ID, message.Replay(r.Public, v, m, picture, false))
		switch {
		case err == nil:
			link := discord.MessageLink(r.Say.T("replay.link"), r.Place.Guild, r.Place.Channel, posted.ID)
			return respond(discord.TextMessage(r.Say.T("replay.posted", "Link", link))), nil
		case !discord.Blocked(err):
			return interaction.Response{}, err
		}
	}
	return respond(message.Replay(r.Say, v, m, picture, false)), nil
}
