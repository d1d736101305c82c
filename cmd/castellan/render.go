package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"time"

	"golang.org/x/image/draw"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/record"
	"castellan/imaging"
)

type renderCommand struct {
	Game    string            `required:"" xor:"source" help:"Key of the game: ${games}."`
	Record  string            `required:"" xor:"source" help:"A record of a match instead, as castellan/engine/record describes it." placeholder:"FILE"`
	Turn    *int              `help:"Draw the record after this turn instead of the last." placeholder:"N"`
	Turns   string            `help:"Actions from the start, separated by spaces." placeholder:"\"right left right\""`
	Options map[string]string `name:"option" short:"o" help:"An option of the game, such as size=9; may be repeated." mapsep:"none"`
	Rules   int               `help:"Version of the game's rules; the newest if left out." placeholder:"N"`
	Seats   int               `help:"Number of players; the fewest if left out."`
	Names   []string          `help:"Names of the players, separated by commas."`
	Theme   string            `default:"dark" enum:"${themes}" help:"One of ${themes}."`
	Legal   bool              `default:"true" negatable:"" help:"Mark the legal actions."`
	Picked  []string          `help:"Picked steps of an action, separated by commas." placeholder:"STEPS"`
	Zoom    int               `help:"Enlarge a quarter of a large board, 1 to 4, or its middle, 5, in games with such pictures." placeholder:"1-5"`
	Width   int               `help:"Scale the picture to this width; phones show about 400 pixels." placeholder:"PIXELS"`
	Out     string            `required:"" short:"f" help:"The PNG file to write." placeholder:"FILE"`
}

// Run plays the turns and writes the picture. It leaves the file alone if the
// picture cannot be drawn.
func (c *renderCommand) Run(ctx context.Context, s cli.Streams) error {
	scene, err := c.scene()
	if err != nil {
		return cli.Usage(err)
	}
	renderer, err := games.Renderer()
	if err != nil {
		return err
	}
	png, err := renderer.Board(ctx, scene, c.Theme)
	if err != nil {
		return err
	}
	if c.Width != 0 {
		if png, err = scale(png, c.Width); err != nil {
			return err
		}
	}
	if err := os.WriteFile(c.Out, png, 0o644); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	_, err = fmt.Fprintf(s.Out, "%s: %s\n", c.Out, scene.Position.Status())
	return err
}

// scene returns the scene after the turns.
func (c *renderCommand) scene() (imaging.Scene, error) {
	known, err := games.Registry()
	if err != nil {
		return imaging.Scene{}, err
	}
	var m *match.Match
	if c.Record != "" {
		m, err = c.recorded(known)
	} else {
		m, err = c.played(known)
	}
	if err != nil {
		return imaging.Scene{}, err
	}
	out, over := m.Over()
	scene := imaging.Scene{Game: m.Game(), Position: m.Position(), Names: c.Names, Legal: c.Legal && !over, Picked: c.Picked, Zoom: c.Zoom}
	if over && out.Ending != match.ByRules {
		scene.Outcome = &imaging.Outcome{Winners: out.Result.Winners, Void: len(out.Result.Ranks) == 0}
	}
	if over {
		scene.Footer = footer(m, out, c.Names)
		for _, t := range m.Turns() {
			scene.History = append(scene.History, t.Before)
		}
	}
	if open := m.Open(); len(open.Actions) > 0 {
		scene.Turn = marked(open)
		scene.Turn.Open = true
	} else if since := m.Since(m.Seat()); m.Seat() != engine.Nobody && len(since) > 0 {
		for _, t := range since {
			scene.Earlier = append(scene.Earlier, marked(t))
		}
		last := len(since) - 1
		scene.Earlier, scene.Turn = scene.Earlier[:last:last], scene.Earlier[last]
	} else if last, ok := m.Last(); ok {
		scene.Turn = marked(last)
	}
	return scene, nil
}

// footer returns what the picture of a match that is over says of it: the game and, if
// it ended by the rules, the reason. A player without a name is called by their mark.
func footer(m *match.Match, out match.Outcome, names []string) imaging.Footer {
	game, seats := m.Game(), m.Settings().Seats
	f := imaging.Footer{Title: game.Texts().Phrase(game.Key() + ".name").String()}
	if out.Ending != match.ByRules {
		return f
	}
	var args []any
	if won := out.Result.Winners; seats == 2 && len(won) == 1 {
		called := []string{game.Colours(2)[0].Mark(), game.Colours(2)[1].Mark()}
		copy(called, names)
		args = []any{"Winner", called[won[0]-1], "Loser", called[2-won[0]]}
	}
	f.Reason = game.Texts().Phrase(game.Key()+".reason."+out.Result.Reason, args...).String()
	return f
}

func marked(t match.Turn) imaging.Turn {
	return imaging.Turn{Number: t.Number, Seat: t.Seat, Before: t.Before, Actions: t.Actions}
}

// played returns a match after the turns of the command line.
func (c *renderCommand) played(known *engine.Registry) (*match.Match, error) {
	if c.Turn != nil {
		return nil, errors.New("--turn goes with --record; with --game, use --turns")
	}
	game, ok := known.Lookup(c.Game)
	if !ok {
		return nil, fmt.Errorf("there is no game %q; there is %s", c.Game, strings.Join(games.Keys(), ", "))
	}
	if c.Rules != 0 {
		var err error
		if game, err = engine.AtVersion(game, c.Rules); err != nil {
			return nil, err
		}
	}
	options, err := game.Options().Options(c.Options)
	if err != nil {
		return nil, err
	}
	seats := c.Seats
	if seats == 0 {
		seats, _ = game.Seats()
	}
	m, err := match.Start(game, match.Settings{Game: game.Key(), Version: game.Version(), Options: options, Seats: seats})
	if err != nil {
		return nil, sentence(err)
	}
	return play(m, c.Turns)
}

// sentence returns the cause alone if an error of starting a match is about the
// options or seats given.
func sentence(err error) error {
	var option *engine.OptionError
	var seats *engine.SeatsError
	switch {
	case errors.As(err, &option):
		return option
	case errors.As(err, &seats):
		return seats
	}
	return err
}

// play plays actions one after another for whichever seat is to move. Forced
// passes and ends of turns may be left out.
func play(m *match.Match, turns string) (*match.Match, error) {
	now := match.Cause{
		At:       time.Unix(0, 0).UTC(),
		Confirms: func(engine.Seat) bool { return true },
	}
	act := func(token string) error {
		entries, err := m.Act(m.Seat(), token, now)
		if err == nil {
			m, err = m.With(entries...)
		}
		return err
	}
	for i, token := range strings.Fields(turns) {
		if f, ok := engine.ForcedAction(m.Position()); ok && !strings.EqualFold(token, f.String()) {
			if err := act(f.String()); err != nil {
				return nil, err
			}
		}
		err, hint := act(token), ""
		var wrong *match.TokenError
		if errors.As(err, &wrong) {
			if err = wrong.Err; len(wrong.Nearest) > 0 {
				hint = " Did you mean " + strings.Join(wrong.Nearest, ", ") + "?"
			}
		}
		if err != nil {
			return nil, fmt.Errorf("action %d, %s: %w%s", i+1, token, err, hint)
		}
	}
	return m, nil
}

// recorded returns the match of a record after the turn of the command line, and
// takes the names from the record unless others are given.
func (c *renderCommand) recorded(known *engine.Registry) (*match.Match, error) {
	if c.Turns != "" || len(c.Options) > 0 || c.Seats != 0 || c.Rules != 0 {
		return nil, errors.New("--turns, --option, --seats and --rules go with --game: a record has its own")
	}
	file, err := os.Open(c.Record)
	if err != nil {
		return nil, fmt.Errorf("opening the record: %w", err)
	}
	defer file.Close()
	r, err := record.Read(file, known)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Record, err)
	}
	if len(c.Names) == 0 {
		c.Names = r.Names
	}
	if c.Turn == nil {
		return r.Match, nil
	}
	return afterTurn(r.Match, *c.Turn)
}

// afterTurn returns a match as it was after a turn, 0 for the start.
func afterTurn(m *match.Match, turn int) (*match.Match, error) {
	if turns := len(m.Turns()); turn < 0 || turn > turns {
		return nil, fmt.Errorf("the record has turns 1 to %d, and 0 is the start: there is no turn %d", turns, turn)
	}
	now, err := match.Start(m.Game(), m.Settings())
	for _, e := range m.Log() {
		if err != nil || len(now.Turns()) == turn {
			break
		}
		now, err = now.With(e)
	}
	return now, err
}

// maxWidth is the largest width of a scaled picture in pixels.
const maxWidth = 4096

// scale returns a PNG file scaled to a width in pixels, with its proportions.
func scale(file []byte, width int) ([]byte, error) {
	if width < 1 || width > maxWidth {
		return nil, cli.Usage(fmt.Errorf("a picture is from 1 to %d pixels wide, not %d", maxWidth, width))
	}
	from, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("scale a picture: %w", err)
	}
	size := from.Bounds().Size()
	to := image.NewRGBA(image.Rect(0, 0, width, max(1, (size.Y*width+size.X/2)/size.X)))
	draw.CatmullRom.Scale(to, to.Rect, from, from.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, to); err != nil {
		return nil, fmt.Errorf("scale a picture: %w", err)
	}
	return b.Bytes(), nil
}
