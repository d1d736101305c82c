package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine/match"
	"castellan/engine/record"
)

// turnsError reports a turn that a match does not have.
type turnsError struct{ turns int } // number of completed turns

func (e *turnsError) Error() string { return fmt.Sprintf("the match has %d turns", e.turns) }

// boardAfter handles /board with the option turn. It shows the board after an
// earlier turn, or its description, or a quarter of it.
func (h *handlers) boardAfter(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	turn, err := strconv.Atoi(r.Option("turn"))
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	quarter, _ := strconv.Atoi(r.Option("zoom"))
	if r.Option("text") != "true" {
		m, err := h.lookBack(ctx, r, v, turn, quarter)
		return interaction.Private(m), err
	}
	m, err := pastMatch(v, turn)
	if err != nil {
		return interaction.Response{}, err
	}
	words, text := message.Describe(r.Say, v, message.PastScene(v, m, turn).Position)
	return interaction.PrivateText("```\n" + text + "\n```\n" + words), nil
}

// lookButton handles the buttons that show the board after an earlier turn. A
// button on a board or a panel opens a message of its own; others turn the page.
func (h *handlers) lookButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	turn, err := strconv.Atoi(r.Values["turn"])
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	// Turns that were taken back since are gone.
	turn = min(turn, len(v.Match.Turns()))
	respond := interaction.Update
	if r.Values["button"] == message.OpenLook {
		respond = interaction.Private
	}
	m, err := h.lookBack(ctx, r, v, turn, 0)
	return respond(m), err
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
func (h *handlers) lookBack(ctx context.Context, r *interaction.Request, v *host.View, turn, quarter int) (discord.Message, error) {
	m, err := pastMatch(v, turn)
	if err != nil {
		return discord.Message{}, err
	}
	return h.drawPast(ctx, r, v, m, turn, quarter, func(button string, turn int) string { return message.LookID(v, button, turn) })
}

// drawPast draws the board of a match after some of its turns, with buttons to
// the others.
func (h *handlers) drawPast(ctx context.Context, r *interaction.Request, v *host.View, m *match.Match, turn, quarter int,
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
func (h *handlers) record(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if f, ok := r.File("file"); ok {
		if f.Size > record.MaxBytes {
			return interaction.Response{}, discord.ErrFileTooLarge
		}
		m, err := h.openRecord(ctx, r, f.URL, lastTurn)
		return interaction.Private(m), err
	}
	v, err := h.matchToRead(ctx, r)
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
	return interaction.Private(message.Record(r.Say, v, text.Bytes())), nil
}

// recordTurn handles the buttons under an opened record. It reads the record from
// the message, so nothing is stored.
func (h *handlers) recordTurn(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
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
func (h *handlers) openRecord(ctx context.Context, r *interaction.Request, address string, turn int) (discord.Message, error) {
	data, err := h.client.Download(ctx, address, record.MaxBytes)
	if err != nil {
		return discord.Message{}, err
	}
	rec, err := record.Read(bytes.NewReader(data), h.games)
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

// errNothingPlayed reports a match without turns, of which there is no replay.
var errNothingPlayed = errors.New("the match has no turns")

// replay handles /replay.
func (h *handlers) replay(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.matchToRead(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return h.postReplay(ctx, r, v, interaction.Private)
}

// replayButton handles Replay on a final board. It shows the replay to the person
// in private, with a button to post it.
func (h *handlers) replayButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	renderer, err := h.rendererFor(ctx, r.Person.ID, v)
	if err != nil {
		return interaction.Response{}, err
	}
	m, picture, err := h.drawReplay(ctx, renderer, r.Say, v)
	if err != nil {
		return interaction.Response{}, err
	}
	return interaction.Private(message.Replay(r.Say, v, m, picture, checkPostable(r) == nil)), nil
}

// postReplayButton posts the replay that is shown privately.
func (h *handlers) postReplayButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return h.postReplay(ctx, r, v, interaction.Update)
}

func (h *handlers) drawReplay(ctx context.Context, renderer message.Themed, say *catalogue.Printer, v *host.View) (m *match.Match, picture discord.File, err error) {
	if m, err = pastMatch(v, 0); err != nil {
		return nil, picture, err
	}
	if len(m.Turns()) == 0 {
		return m, picture, &host.Refusal{Err: errNothingPlayed, View: v}
	}
	picture, err = message.DrawReplay(ctx, renderer, say, v, m)
	return m, picture, err
}

// postReplay posts a replay in the channel of a request. If the bot cannot post
// there, it shows the replay in private. A repeated delivery posts nothing, because
// its nonce is the same.
func (h *handlers) postReplay(ctx context.Context, r *interaction.Request, v *host.View, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	theme, err := h.account.PublicTheme(ctx, r.Place, v)
	if err != nil {
		return interaction.Response{}, err
	}
	m, picture, err := h.drawReplay(ctx, message.Themed{Renderer: h.renderer, Theme: theme}, r.Public, v)
	if err != nil {
		return interaction.Response{}, err
	}
	if checkPostable(r) == nil {
		posted, err := h.client.CreateMessage(ctx, r.Place.Channel, "r"+r.Interaction.ID, message.Replay(r.Public, v, m, picture, false))
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
