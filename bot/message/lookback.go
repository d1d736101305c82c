package message

import (
	"context"
	"fmt"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/record"
	"castellan/imaging"
	"castellan/storage"
)

// PastScene returns what the picture of a match after some of its completed
// turns shows: it marks the last of them. The last scene shows how the match
// ended.
func PastScene(v *host.View, m *match.Match, turn int) imaging.Scene {
	return pastScene(lastScene(v, m), m.Turns(), turn)
}

func lastScene(v *host.View, m *match.Match) imaging.Scene {
	s := sceneFor(v, m, engine.Nobody)
	s.Legal, s.TimeLeft = false, 0
	return s
}

// pastScene turns the last scene of a match into an earlier one.
func pastScene(s imaging.Scene, turns []match.Turn, turn int) imaging.Scene {
	if turn < len(turns) {
		s.Position, s.Turn, s.Outcome, s.History = turns[turn].Before, imaging.Turn{}, nil, nil
		if turn > 0 {
			s.Turn = markedTurn(turns[turn-1])
		}
	}
	return s
}

// maxReplayBytes is the size of a replay that every server takes, with room for
// the rest of the request.
const maxReplayBytes = 8_000_000

// ErrReplaysBusy reports that too many replays are waiting to be drawn.
var ErrReplaysBusy = imaging.ErrBusy

// DrawReplay draws a match as an animated picture with a frame for each turn.
func DrawReplay(ctx context.Context, r Themed, say *catalogue.Printer, v *host.View, m *match.Match) (discord.File, error) {
	turns, last := m.Turns(), lastScene(v, m)
	last.Say, last.Footer = say.Text, footer(say, v, m)
	translateNames(say, v, last.Names)
	p := imaging.Replay{MaxBytes: maxReplayBytes, Notes: map[int]engine.Phrase{}}
	for n := range len(turns) + 1 {
		caption := ""
		if n > 0 {
			caption = strings.TrimSuffix(turns[n-1].String(), " "+engine.End)
			if turns[n-1].Prepared {
				p.Notes[n] = say.Phrase("replay.prepared")
			}
		}
		p.Scenes, p.Captions = append(p.Scenes, pastScene(last, turns, n)), append(p.Captions, caption)
	}
	data, err := r.Replay(ctx, p, r.Theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("drawing a replay of match %d: %w", v.Record.ID, err)
	}
	alt := say.T("replay.alt", "Turns", len(turns), "Last", boardAltText(say, v, m))
	return discord.File{
		Name: fmt.Sprintf("replay-%d-%d.gif", v.Record.ID, m.Seq()), ContentType: "image/gif",
		Description: discord.Truncate(alt, discord.MaxAltText), Data: data,
	}, nil
}

// Replay returns a message with the replay of a match. The result is hidden until people
// ask for it. The message notifies nobody. A private one has a button to post it.
func Replay(say *catalogue.Printer, v *host.View, m *match.Match, picture discord.File, private bool) discord.Message {
	var rows []discord.Component
	if private {
		rows = append(rows, discord.ActionRow{Buttons: []discord.Button{
			{Style: discord.Secondary, Label: say.T("replay.post"), CustomID: matchID(v.Record.ID, m.PublicSeq(), "replay/post")},
		}})
	}
	text := say.T("replay.title", "Match", int64(v.Record.ID)) + "\n" + gameName(say, v.Game) + ": " + strings.Join(seatNames(say, v, Name), " – ")
	if out, over := m.Over(); over {
		result := outcome(say, v, out, Name)
		text += "\n||" + result + "||"
	}
	msg := pictureMessage(neutralColor(), picture, text, rows...)
	msg.Silent = true
	return msg
}

// DrawPast draws the scene of a match after some of its completed turns.
func DrawPast(ctx context.Context, r Themed, say *catalogue.Printer, v *host.View, m *match.Match, turn int, s imaging.Scene) (discord.File, error) {
	translateNames(say, v, s.Names)
	s.Footer = footer(say, v, m)
	alt := say.T("look.alt", "Turn", turn, "Summary", say.Text(s.Position.Summary().Named(seatNames(say, v, PlainName))))
	if turn == len(m.Turns()) {
		alt = boardAltText(say, v, m)
	}
	return r.draw(ctx, say, s, boardFileName(v.Record.ID, m.Seq(), fmt.Sprintf("-turn%d", turn)+sceneSuffix(s)), alt)
}

// LookBack returns a private look at a match after some of its completed turns,
// with buttons to the others. id returns the custom ID of the button to a turn.
func LookBack(say *catalogue.Printer, v *host.View, m *match.Match, turn int, picture discord.File, id func(button string, turn int) string) discord.Message {
	turns := m.Turns()
	title := say.T("board.match", "Match", int64(v.Record.ID))
	if v.Record.ID == 0 { // of a record
		title = gameName(say, v.Game) + ": " + strings.Join(seatNames(say, v, Name), " – ")
	}
	lines := []string{say.T("look.turn", "Turn", turn, "Turns", len(turns)) + " · " + title}
	score := status(m)
	if turn < len(turns) {
		score = turns[turn].Before.Status()
	} else if out, over := m.Over(); over {
		lines = append(lines, outcome(say, v, out, Name))
	}
	if turn > 0 {
		last := turns[turn-1]
		line := say.T("look.played", "Mark", mark(v, last.Seat), "Who", Name(say, v.Person(last.Seat)), "Turn", turnText(say, last))
		line = markPrepared(say, last, line)
		if news := turnNews(say, last); news != "" {
			line = say.T("turn.news", "Line", line, "News", news)
		}
		lines = append(lines, line)
	}
	lines = append(lines, "-# "+say.Text(Named(say, v, score)))
	var row discord.ActionRow
	for _, b := range []struct {
		name, key string
		to        int
	}{{"first", "look.first", 0}, {"back", "games.back", turn - 1}, {"next", "games.next", turn + 1}, {"last", "look.last", len(turns)}} {
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: say.T(b.key), CustomID: id(b.name, b.to), Disabled: b.to < 0 || b.to > len(turns) || b.to == turn,
		})
	}
	return pictureMessage(accent(v, m), picture, strings.Join(lines, "\n"), row)
}

// Record returns a message with the record of a match as a file.
func Record(say *catalogue.Printer, v *host.View, data []byte) discord.Message {
	text := say.T("record.given", "Game", gameName(say, v.Game), "Match", int64(v.Record.ID))
	return WithFile(discord.TextMessage(text), discord.File{
		Name: fmt.Sprintf("match-%d.txt", v.Record.ID), ContentType: "text/plain; charset=utf-8", Data: data,
	})
}

// WithFile returns a message with one more file, to be downloaded.
func WithFile(m discord.Message, f discord.File) discord.Message {
	m.Components = append(m.Components, discord.FileDisplay{File: f.Name})
	m.Files = append(m.Files, f)
	return m
}

// RecordView returns the match of a record as a view without a number. A player
// without a name has that of their colour.
func RecordView(say *catalogue.Printer, r *record.Record) *host.View {
	g := r.Match.Game()
	v := &host.View{Game: g, Match: r.Match, Record: storage.Match{Game: g.Key(), CreatedAt: r.Date}}
	for i, name := range r.Names {
		if discord.Plain(name) == "" {
			name = say.T("colour." + g.Colours(len(r.Names))[i].String())
		}
		v.Record.Seats = append(v.Record.Seats, storage.Person{Name: name})
	}
	return v
}

// LookID returns the custom ID of a button that shows a match after some of its
// completed turns, in a message of its own if the button is OpenLook.
func LookID(v *host.View, button string, turn int) string {
	return matchID(v.Record.ID, v.Match.PublicSeq(), fmt.Sprintf("look/%s/%d", button, turn))
}

// OpenLook is the button that opens a look back.
const OpenLook = "open"

// lookButton opens a look back at a match after some of its turns.
func lookButton(v *host.View, label string, turn int) discord.Button {
	return discord.Button{Style: discord.Secondary, Label: label, CustomID: LookID(v, OpenLook, turn)}
}
