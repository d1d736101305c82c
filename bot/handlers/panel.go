package handlers

import (
	"context"
	"fmt"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/match"
)

func (h *Handlers) panelRoutes() []route {
	return []route{
		{component, "match/{match}/{seq}/turn", h.about(h.namedMatch, h.openPanel), ordinary, anyone},
		{component, "match/{match}/{seq}/from/{path...}", h.about(h.namedMatch, h.openPanel), ordinary, anyone},
		{component, "match/{match}/{seq}/pick/{salt}/{path...}", h.pick, ordinary, players},
		{component, "match/{match}/{seq}/undo/{salt}", h.undoButton, ordinary, players},
		{component, "match/{match}/{seq}/confirm/{line...}", h.confirmButton, ordinary, players},
	}
}

// openPanel handles Your turn and the buttons of first choices on a board. It
// shows the panel to the player to move, with the first choice picked, and a
// larger picture to anybody else.
func (h *Handlers) openPanel(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if p, ok := v.ToMove(); ok && p.ID == r.Person.ID {
		path := r.Values["path"]
		if !message.IsPath(v.Match.Position().Legal(), path) {
			path = "" // the turn has gone on since the board was posted
		}
		m, err := h.panel(ctx, r, v, path, "")
		response := naming(r, v, interaction.Private(m))
		if r.Ephemeral { // the question which match is meant
			response = response.InPlace()
		}
		return response, err
	}
	seen, err := visibleMatch(v, r.Person.ID)
	if err != nil {
		return interaction.Response{}, err
	}
	m, err := h.privateView(ctx, r, v, seen, 0)
	if why := notToMove(r, v); why != "" {
		m.Components = append([]discord.Component{discord.TextDisplay{Content: why}}, m.Components...)
	}
	return naming(r, v, interaction.Private(m)), err
}

// notToMove says why a person cannot move in a match that goes on, or returns "".
func notToMove(r *interaction.Request, v *host.View) string {
	p, going := v.ToMove()
	switch {
	case !going:
		return ""
	case v.SeatOf(r.Person.ID) == engine.Nobody:
		return r.Say.T("error.seat")
	}
	return r.Say.T("error.turn", "Who", message.Name(r.Say, p))
}

// replacing marks a response as the person's private message about a match: a panel,
// a question or a receipt, of which they keep only the newest.
func replacing(v *host.View, r interaction.Response) interaction.Response {
	return r.Replaces(fmt.Sprintf("match/%d", v.Record.ID))
}

// naming does the same as replacing, for a message that does not say which match it is
// about: it names the match and the opponents if the match is not the one in view.
func naming(r *interaction.Request, v *host.View, response interaction.Response) interaction.Response {
	return replacing(v, headed(r, v, response))
}

// headed names the match of a response if it is not the one in view.
func headed(r *interaction.Request, v *host.View, response interaction.Response) interaction.Response {
	if inView(r, v) {
		return response
	}
	return response.Headed("-# " + discord.Escape(message.MatchLine(r.Say, v, r.Person.ID)))
}

// inView reports whether a person sees the board of a match where they are, and that of
// no other match of theirs.
func inView(r *interaction.Request, v *host.View) bool {
	return v.Record.Place.Channel == r.Place.Channel && !r.Several
}

// panel draws and builds the panel of the player to move.
func (h *Handlers) panel(ctx context.Context, r *interaction.Request, v *host.View, path, note string) (discord.Message, error) {
	path, moved := pathParts(path)
	if turn, why := v.Unplayable(); turn != "" && len(v.Match.Open().Actions) == 0 {
		sentence, _ := explainTurn(r, v, why)
		note = strings.TrimSpace(r.Say.T("prepare.unplayable", "Turn", message.TurnText(turn), "Why", sentence) + "\n" + note)
	}
	picture, err := h.drawPrivate(ctx, r, v, v.Match, message.Look{Reader: v.Match.Seat(), Picked: message.PickedSteps(path)})
	if err != nil {
		return discord.Message{}, err
	}
	state := message.PanelState{
		View: v, Person: r.Person.ID, Path: path, Moved: moved, Note: note, Salt: r.Salt(), Rules: h.Games.Ref(v.Game),
		Zooms: message.Zooms(h.Renderer, v),
	}
	return message.Panel(r.Say, state, picture), nil
}

// pathParts returns what a panel's path contains: the picked choices, or the path
// on which the piece that has just been moved can move on.
func pathParts(path string) (picked, moved string) {
	if on, ok := strings.CutPrefix(path, message.MovedPath); ok {
		return "", on
	}
	return path, ""
}

func (h *Handlers) pick(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	path := r.Values["path"]
	switch path {
	case message.MenuPath:
		if len(r.Picks) != 1 {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		path = r.Picks[0]
	case message.StartPath:
		path = ""
	}
	return h.inPanel(ctx, r, func(v *host.View) (*host.View, string, *host.Draft, error) {
		legal := v.Match.Position().Legal()
		a, ok := message.PickedAction(legal, path)
		if !ok {
			if !message.IsPath(legal, path) {
				return nil, "", nil, interaction.ErrBadCustomID
			}
			return v, path, nil, nil
		}
		after, draft, err := h.playPicked(ctx, r.Actor(), v, a)
		if err == nil && draft == nil && turnGoesOn(r, v, after) {
			path = message.PathAfter(after.Match.Position().Legal(), a)
		}
		return after, path, draft, err
	})
}

// playPicked plays an action that a person has picked, unless it has to be
// confirmed.
func (h *Handlers) playPicked(ctx context.Context, actor host.Actor, v *host.View, a engine.Action) (*host.View, *host.Draft, error) {
	if draft := passDraft(v, a); draft != nil {
		return v, draft, nil
	}
	return h.Host.ActOrConfirm(ctx, actor, v.Record.ID, v.Match.Seq(), a.String())
}

// passDraft returns the turn of a person who presses Pass although they could
// play: the button is near others, and a computer's reply comes at once. It
// returns nil for any other action.
func passDraft(v *host.View, a engine.Action) *host.Draft {
	after, tokens, err := v.Match.Try(v.Match.Seat(), a.String(), match.Cause{})
	if n := len(v.Match.Turns()); err == nil && len(after.Turns()) > n && after.Turns()[n].Passed() && len(v.Match.Position().Legal()) > 1 {
		return &host.Draft{Turn: strings.Join(tokens, " "), Match: after, Risk: v.Risk(v.Match.Seat(), after)}
	}
	return nil
}

func (h *Handlers) undoButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.inPanel(ctx, r, func(v *host.View) (*host.View, string, *host.Draft, error) {
		after, err := h.Host.Undo(ctx, r.Actor(), v.Record.ID, v.Match.Seq())
		return after, "", nil, err
	})
}

func (h *Handlers) confirmButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.inPanel(ctx, r, func(v *host.View) (*host.View, string, *host.Draft, error) {
		after, err := h.Host.Act(ctx, r.Actor(), v.Record.ID, v.Match.Seq(), r.Values["line"])
		return after, "", nil, err
	})
}

// inPanel calls do for the person whose panel was clicked, and responds with the
// present panel. If the clicked panel is outdated, inPanel does not call do, and
// the response says so.
func (h *Handlers) inPanel(ctx context.Context, r *interaction.Request,
	do func(*host.View) (after *host.View, path string, draft *host.Draft, err error),
) (interaction.Response, error) {
	_, seq := r.MatchAndSeq()
	v := r.View
	if !v.Match.IsCurrent(seq) {
		return h.outdatedPanel(ctx, r, v)
	}
	after, path, draft, err := do(v)
	switch {
	case err != nil:
		return interaction.Response{}, err
	case draft != nil:
		return h.askToConfirm(ctx, r, after, draft, interaction.Update)
	}
	if turnGoesOn(r, v, after) {
		m, err := h.panel(ctx, r, after, path, "")
		return naming(r, v, interaction.Update(m)), err
	}
	r.Acknowledge() // the turn counts; the board is posted next
	return naming(r, after, interaction.Update(h.showPlayed(ctx, r, after))), nil
}

// outdatedPanel responds with the present panel if it is still the person's
// turn, or else with a link to the board.
func (h *Handlers) outdatedPanel(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if p, ok := v.ToMove(); ok && p.ID == r.Person.ID {
		m, err := h.panel(ctx, r, v, "", r.Say.T("panel.stale"))
		return naming(r, v, interaction.Update(m)), err
	}
	return naming(r, v, interaction.UpdateText(r.Say.Join(r.Say.T("error.stale"), message.BoardLink(r.Say, v)))), nil
}
