package bot

import (
	"context"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
)

// The panel is the private message in which a person plays a turn of several
// choices: the picture with what is picked and where it can go, the choices,
// and what has been played in this turn. It is made anew at each click from
// what is stored, so it is never lost.

// Limits of what a panel offers at once.
const (
	buttonsInRow = 5
	maxButtons   = 10 // choices as buttons; more become a menu
)

// onTurn is the button Your turn: the panel for who is to act, a larger look
// for anybody else.
func (b *Bot) onTurn(ctx context.Context, r *Request) (Response, error) {
	id, _, err := r.match()
	if err != nil {
		return Response{}, err
	}
	v, err := b.host.Match(ctx, id)
	if err != nil {
		return Response{}, err
	}
	if p, ok := v.ToMove(); ok && p.ID == r.Person.ID {
		m, err := b.panel(ctx, r, v, "", "")
		return Private(m), err
	}
	seen, err := visible(v, r.Person.ID)
	if err != nil {
		return Response{}, err
	}
	m, err := b.aside(ctx, r, v, seen, 0)
	return Private(m), err
}

// panel is the private message of who is to act, as far as they have picked.
// The remark stands above everything else.
func (b *Bot) panel(ctx context.Context, r *Request, v *host.View, at, remark string) (discord.Message, error) {
	scene := sceneOf(v, v.Match)
	scene.Picked = pickedSteps(at)
	picture, err := b.poster.draw(ctx, r.Say, v, v.Match, scene)
	if err != nil {
		return discord.Message{}, err
	}
	c := discord.Container{AccentColor: accent(v, v.Match), Components: []discord.Component{
		discord.MediaGallery{File: picture.Name, Description: picture.Description},
		discord.TextDisplay{Content: panelText(r, v, at)},
	}}
	c.Components = append(c.Components, b.pickerRows(r, v, at)...)
	if row := controls(r, v, at); len(row.Buttons) > 0 {
		c.Components = append(c.Components, row)
	}
	m := discord.Message{Files: []discord.File{picture}}
	if remark != "" {
		m.Components = append(m.Components, discord.TextDisplay{Content: remark})
	}
	m.Components = append(m.Components, c)
	return m, nil
}

// panelText is what has been played in the open turn, what is picked, and what
// is left.
func panelText(r *Request, v *host.View, at string) string {
	lines := []string{r.Say.T("panel.turn", "Match", int64(v.Record.ID))}
	if open := v.Match.Open(); len(open.Actions) > 0 {
		lines = append(lines, r.Say.T("panel.played", "Turn", escape(cut(open.String(), longestTurn))))
	}
	if at != "" {
		words := strings.Join(strings.Split(strings.TrimSuffix(at, stepEnd), stepEnd), " ")
		lines = append(lines, r.Say.T("panel.picked", "Picked", escape(words)))
	}
	return strings.Join(append(lines, "-# "+r.Say.Say(v.Match.Position().Status())), "\n")
}

// pickerRows is the choices: buttons while they are few, a menu otherwise.
func (b *Bot) pickerRows(r *Request, v *host.View, at string) []discord.Component {
	position := v.Match.Position()
	choices := picks(position.Legal(), at, maxChoices)
	if len(choices) == 0 {
		return nil
	}
	if len(choices) <= maxButtons {
		var rows []discord.Component
		for len(choices) > 0 {
			n := min(len(choices), buttonsInRow)
			var row discord.ActionRow
			for _, c := range choices[:n] {
				style := discord.Secondary
				if c.action != nil {
					style = discord.Primary
				}
				row.Buttons = append(row.Buttons, discord.Button{
					Style: style, Label: pickLabel(r, v.Game, c), CustomID: pickID(r, v, c.path),
				})
			}
			rows = append(rows, row)
			choices = choices[n:]
		}
		return rows
	}
	menu := discord.StringSelect{CustomID: pickID(r, v, menuPath), Placeholder: r.Say.T("panel.choose")}
	for _, c := range choices[:min(len(choices), maxChoices)] {
		one := discord.SelectOption{Label: pickLabel(r, v.Game, c), Value: c.path}
		if m, ok := c.action.(engine.Mover); ok {
			one.Description = r.Say.Say(m.In(position))
		}
		menu.Options = append(menu.Options, one)
	}
	return []discord.Component{menu}
}

func pickLabel(r *Request, g engine.Game, c pick) string {
	if strings.HasSuffix(c.path, stepEnd) {
		return stepLabel(r.Say, g, c.step)
	}
	return c.step + "…"
}

// controls is the buttons that every game has alike.
func controls(r *Request, v *host.View, at string) discord.ActionRow {
	var row discord.ActionRow
	add := func(style discord.ButtonStyle, key, id string) {
		row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: r.Say.T(key), CustomID: id})
	}
	if at != "" {
		add(discord.Secondary, "panel.back", pickID(r, v, noPath))
	}
	for _, a := range v.Match.Position().Legal() {
		switch a.String() {
		case engine.End:
			add(discord.Success, "panel.end", pickID(r, v, path(a)))
		case engine.Pass:
			add(discord.Secondary, "panel.pass", pickID(r, v, path(a)))
		}
	}
	if v.Match.CanUndo(v.SeatOf(r.Person.ID)) {
		add(discord.Secondary, "panel.undo", salted(r, v, "undo", ""))
	}
	return row
}

// Paths in custom ids that are none: of a menu, whose choice names the path,
// and of the way back to the beginning. No step begins with a dot.
const (
	menuPath = ".menu"
	noPath   = ".none"
)

func pickID(r *Request, v *host.View, path string) string { return salted(r, v, "pick", "/"+path) }

// salted is a custom id that is another at every redraw: Discord sends nothing
// when the same choice of the same menu is picked twice.
func salted(r *Request, v *host.View, verb, rest string) string {
	salt := r.Interaction.ID
	if len(salt) > 6 {
		salt = salt[len(salt)-6:]
	}
	return matchID(v.Record.ID, v.Match.Seq(), verb) + "/" + salt + rest
}

// onPick is a choice in a panel. One that completes an action plays it.
func (b *Bot) onPick(ctx context.Context, r *Request) (Response, error) {
	at := r.values["path"]
	switch at {
	case menuPath:
		if len(r.picks) != 1 {
			return Response{}, errBadPath
		}
		at = r.picks[0]
	case noPath:
		at = ""
	}
	return b.inPanel(ctx, r, func(v *host.View) (*host.View, string, error) {
		legal := v.Match.Position().Legal()
		a, whole := picked(legal, at)
		if !whole {
			if at != "" && len(picks(legal, at, maxChoices)) == 0 {
				return nil, "", errBadPath
			}
			return v, at, nil
		}
		after, err := b.host.Act(ctx, r.Cause(), v.Record.ID, v.Match.Seq(), a.String())
		return after, "", err
	})
}

// onUndo is the button Undo of a panel.
func (b *Bot) onUndo(ctx context.Context, r *Request) (Response, error) {
	return b.inPanel(ctx, r, func(v *host.View) (*host.View, string, error) {
		after, err := b.host.Undo(ctx, r.Cause(), v.Record.ID, v.Match.Seq())
		return after, "", err
	})
}

// inPanel does something for the person whose panel was clicked and shows the
// panel as it is then. A panel that is out of date is brought up to date and
// says so; nothing is done.
func (b *Bot) inPanel(ctx context.Context, r *Request, do func(*host.View) (after *host.View, at string, err error)) (Response, error) {
	id, seq, err := r.moment()
	if err != nil {
		return Response{}, err
	}
	v, err := b.host.Match(ctx, id)
	if err != nil {
		return Response{}, err
	}
	if v.SeatOf(r.Person.ID) == engine.Nobody {
		return Response{}, &host.Refusal{Err: host.ErrNotSeated, View: v}
	}
	if seq != v.Match.Seq() {
		return b.refresh(ctx, r, v)
	}
	b.settle(ctx, id)
	after, at, err := do(v)
	if err != nil {
		return Response{}, err
	}
	return b.afterAction(ctx, r, v, after, at)
}

// refresh answers a panel that is out of date: with the present one where it
// is still the person's turn, with the way to the board elsewhere.
func (b *Bot) refresh(ctx context.Context, r *Request, v *host.View) (Response, error) {
	if p, ok := v.ToMove(); ok && p.ID == r.Person.ID {
		m, err := b.panel(ctx, r, v, "", r.Say.T("panel.stale"))
		return Update(m), err
	}
	return Update(textMessage(r.Say.T("error.stale") + withBoard(r, v))), nil
}

// afterAction answers a click in a panel: with the panel while the turn goes
// on, with what was played when it has ended.
func (b *Bot) afterAction(ctx context.Context, r *Request, before, after *host.View, at string) (Response, error) {
	if p, ok := after.ToMove(); ok && p.ID == r.Person.ID && after.Match.PublicSeq() == before.Match.PublicSeq() {
		m, err := b.panel(ctx, r, after, at, "")
		return Update(m), err
	}
	shown, err := b.poster.show(ctx, after.Record.ID, pace{})
	if err != nil {
		return Update(textMessage(b.notShown(r, after.Record.Place, err, "move.kept"))), nil
	}
	return Update(textMessage(b.played(r, shown))), nil
}
