package message

import (
	"context"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/storage"
)

// Renderer draws PNG files, and replays as GIF; *imaging.Renderer does.
type Renderer interface {
	Board(ctx context.Context, s imaging.Scene, theme string) ([]byte, error)
	// Zooms reports whether parts of the board of a scene can be enlarged.
	Zooms(s imaging.Scene) bool
	Plot(ctx context.Context, p imaging.Plot, theme string) ([]byte, error)
	Table(ctx context.Context, t imaging.Table, theme string) ([]byte, error)
	Replay(ctx context.Context, p imaging.Replay, theme string) ([]byte, error)
}

// Themed draws in a theme; the empty one is the default.
type Themed struct {
	Renderer
	Theme string
}

// Scene returns what the picture of a match as it stood in m shows to everybody:
// it marks what has happened since the last turn of the player to move.
func Scene(v *host.View, m *match.Match) imaging.Scene { return sceneFor(v, m, m.Seat()) }

// Look says what a private picture shows.
type Look struct {
	Reader engine.Seat // whose last turn the marked ones follow
	Side   engine.Seat // see imaging.Scene, as the rest
	Zoom   int
	Picked []string
}

// DrawPrivate draws a match as it stood in m for one person.
func DrawPrivate(ctx context.Context, r Themed, say *catalogue.Printer, v *host.View, m *match.Match, l Look) (discord.File, error) {
	s := sceneFor(v, m, l.Reader)
	s.Side, s.Zoom, s.Picked = l.Side, l.Zoom, l.Picked
	f, err := DrawBoard(ctx, r, say, v, m, s)
	if r.Theme != "" {
		f.Name = strings.TrimSuffix(f.Name, ".png") + "-" + r.Theme + ".png"
	}
	return f, err
}

// Zooms reports whether parts of the board of a match can be enlarged.
func Zooms(r Renderer, v *host.View) bool { return r.Zooms(Scene(v, v.Match)) }

// sceneFor returns what a picture of a match as it stood in m shows to the
// player in a seat: it marks what has happened since their last turn.
func sceneFor(v *host.View, m *match.Match, reader engine.Seat) imaging.Scene {
	s := imaging.Scene{Game: v.Game, Position: m.Position()}
	out, over := m.Over()
	s.Legal, s.TimeLeft = !over, shortBank(v, m)
	if over {
		s.Outcome = &imaging.Outcome{Winners: out.Result.Winners, Void: out.Ending == match.ByAbort}
		for _, t := range m.Turns() {
			s.History = append(s.History, t.Before)
		}
	}
	for _, p := range v.Record.Seats {
		s.Names = append(s.Names, p.Name)
	}
	if open := m.Open(); len(open.Actions) > 0 {
		s.Turn = markedTurn(open)
		s.Turn.Open = true
	} else if last, ok := m.Last(); ok {
		s.Turn = markedTurn(last)
		if since := m.Since(reader); m.Playing(reader) && len(since) > 1 {
			for _, t := range since[:len(since)-1] {
				s.Earlier = append(s.Earlier, markedTurn(t))
			}
		}
	}
	return s
}

// translateNames writes the names of former players in the language of a picture. It
// leaves the level out of the name of a match's only computer.
func translateNames(say *catalogue.Printer, v *host.View, names []string) {
	for i, p := range v.Record.Seats {
		names[i] = rawName(say, p)
	}
	if i := slices.IndexFunc(v.Record.Seats, host.IsComputer); i >= 0 && !slices.ContainsFunc(v.Record.Seats[i+1:], host.IsComputer) {
		names[i] = say.T("computer.picture")
	}
}

// footer returns what a picture of a match that is over says of it, for those who see
// the picture without its message. The card above names who has won by the rules.
func footer(say *catalogue.Printer, v *host.View, m *match.Match) imaging.Footer {
	out, over := m.Over()
	if !over || out.Ending == match.ByAbort {
		return imaging.Footer{}
	}
	f := imaging.Footer{Title: gameName(say, v.Game)}
	at := out.At
	if v.Record.ID == 0 {
		at = v.Record.CreatedAt // a record has the day alone
	}
	if !at.IsZero() {
		f.Date = at.UTC().Format(say.T("date.layout"))
	}
	if out.Ending == match.ByRules {
		f.Reason = reasonText(say, v, out, PlainName)
	} else {
		f.Reason = strings.ReplaceAll(outcome(say, v, out, PlainName), "**", "")
	}
	return f
}

func markedTurn(t match.Turn) imaging.Turn {
	return imaging.Turn{Number: t.Number, Seat: t.Seat, Before: t.Before, Actions: t.Actions}
}

// DrawBoard draws a scene of a match. The file name differs for every position,
// because clients cache a picture by its name.
func DrawBoard(ctx context.Context, r Themed, say *catalogue.Printer, v *host.View, m *match.Match, s imaging.Scene) (discord.File, error) {
	translateNames(say, v, s.Names)
	s.Footer = footer(say, v, m)
	return r.draw(ctx, say, s, boardFileName(v.Record.ID, m.Seq(), sceneSuffix(s)), boardAltText(say, v, m))
}

// draw draws a scene as a file with a text for people who cannot see it.
func (r Themed) draw(ctx context.Context, say *catalogue.Printer, s imaging.Scene, name, altText string) (discord.File, error) {
	s.Say = say.Text
	data, err := r.Board(ctx, s, r.Theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("drawing %s: %w", name, err)
	}
	return pngFile(name, altText, data), nil
}

func pngFile(name, altText string, data []byte) discord.File {
	return discord.File{Name: name, ContentType: "image/png", Description: discord.Truncate(altText, discord.MaxAltText), Data: data}
}

// PostedFileName returns the file name of the picture of a posted board. A post
// that is missing from the records is recognised by it. Several boards can show
// the match after the same entry: one of them may remind a player of their turn.
func PostedFileName(b storage.Board) string {
	return boardFileName(b.Match, b.Seq, fmt.Sprintf("-n%d", b.ID))
}

// boardFileName returns the file name of a picture of a match after an entry.
func boardFileName(match storage.MatchID, seq int, suffix string) string {
	return fmt.Sprintf("board-%d-%d%s.png", match, seq, suffix)
}

// sceneSuffix returns the side, the zoom and the picked steps of a scene as part of a
// file name. It consists of letters, digits and hyphens, because Discord
// changes other characters.
func sceneSuffix(scene imaging.Scene) string {
	var b strings.Builder
	if scene.Side != engine.Nobody {
		fmt.Fprintf(&b, "-side%d", scene.Side)
	}
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

// mostAltText is the most characters of the text of a board: Discord takes
// [discord.MaxAltText], of which a replay and a look back need some for themselves.
const mostAltText = 1000

// boardAltText describes the picture of a match to people who cannot see it: whose turn
// it is or how the match ended, the last turn, the game and the players, and as much of
// the position as there is room for.
func boardAltText(say *catalogue.Printer, v *host.View, m *match.Match) string {
	colours := v.Game.Colours(len(v.Record.Seats))
	var people []string
	for i, p := range v.Record.Seats {
		people = append(people, say.T("board.seat", "Who", PlainName(say, p), "Colour", say.T("colour."+colours[i].String())))
	}
	names := seatNames(say, v, PlainName)
	sentences := sentencesOf(say, m.Position(), names)
	// The position does not know of an end by other means than the rules.
	if out, over := m.Over(); over && out.Ending != match.ByRules {
		sentences[0] = strings.ReplaceAll(outcome(say, v, out, PlainName), "**", "")
		if i := slices.Index(sentences, say.Text(m.Position().Status().Named(names))); i > 0 {
			sentences[i] = say.Text(status(m).Named(names))
		}
	}
	first := []string{sentences[0]}
	if turns := m.Turns(); len(turns) > 0 {
		last := turns[len(turns)-1]
		first = append(first, say.T("board.alt.last", "Number", last.Number, "Who", PlainName(say, v.Person(last.Seat)), "Turn", plainTurn(say, last)))
	}
	first = append(first, say.T("board.alt", "Game", gameName(say, v.Game), "People", say.List(people...)))
	return withinAltText(say, first, sentences[1:])
}

// sentencesOf returns a position in words, whose turn it is first, without the text
// board and its legend.
func sentencesOf(say *catalogue.Printer, p engine.Position, names []string) (all []string) {
	for _, line := range p.Describe() {
		if line.ID == "" {
			break
		}
		all = append(all, say.Text(line.Named(names)))
	}
	return all
}

// withinAltText joins the first sentences and as many of the rest as fit into mostAltText.
// If some do not fit, the last sentence says where to read the whole position.
func withinAltText(say *catalogue.Printer, first, rest []string) string {
	whole := say.Join(append(slices.Clip(first), rest...)...)
	for n := len(rest) - 1; n >= 0 && utf8.RuneCountInString(whole) > mostAltText; n-- {
		whole = say.Join(append(append(slices.Clip(first), rest[:n]...), say.T("board.alt.more"))...)
	}
	return whole
}

// The accent colour of a message is that of the dark theme, which suits both of
// Discord's backgrounds.

func seatColor(c engine.Colour) int { return rgb(darkTheme().Seat(c)) }

func neutralColor() int { return rgb(darkTheme().Neutral) }

func darkTheme() draw.Theme {
	t, err := draw.ThemeByName(draw.Dark)
	if err != nil {
		panic(err) // the theme always exists
	}
	return t
}

func rgb(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
