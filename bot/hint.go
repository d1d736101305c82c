package bot

import (
	"context"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// onHint is /hint: how a strong computer would go on, on a picture that the
// person alone sees.
func (b *Bot) onHint(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToMove(ctx, r)
	if err != nil {
		return Response{}, err
	}
	if err := b.host.MayHint(v, r.Person.ID); err != nil {
		return Response{}, &host.Refusal{Err: err, View: v}
	}
	turn, err := b.hint(ctx, r, v)
	if err != nil {
		return Response{}, err
	}
	after, words, err := b.tried(r, v, turn)
	if err != nil {
		return Response{}, err
	}
	picture, err := b.poster.picture(ctx, r.Say, v, after)
	if err != nil {
		return Response{}, err
	}
	text := r.Say.T("hint.turn", "Turn", escape(cut(turn, longestTurn)))
	if words != "" {
		text += "\n-# " + escape(cut(words, longestTurn))
	}
	c := discord.Container{AccentColor: accent(v, v.Match), Components: []discord.Component{
		discord.MediaGallery{File: picture.Name, Description: picture.Description},
		discord.TextDisplay{Content: text},
	}}
	if id := confirmID(v, turn); len(id) <= maxPath {
		c.Components = append(c.Components, discord.ActionRow{Buttons: []discord.Button{
			{Style: discord.Success, Label: r.Say.T("confirm.yes"), CustomID: id},
		}})
	}
	return Private(discord.Message{Components: []discord.Component{c}, Files: []discord.File{picture}}), nil
}

// hint is the turn that is suggested, when there is a place to think about it.
func (b *Bot) hint(ctx context.Context, r *Request, v *host.View) (string, error) {
	leave, err := b.thinking.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	began := b.clock()
	turn, err := b.host.Hint(ctx, v, r.Person.ID)
	b.thought(Thought{Hint: true, Took: b.clock().Sub(began), Failed: err != nil})
	return turn, err
}

// tried is a match after a turn that is not played, and what its actions do in
// words.
func (b *Bot) tried(r *Request, v *host.View, turn string) (after *match.Match, words string, err error) {
	seat := v.SeatOf(r.Person.ID)
	entries, err := v.Match.Act(seat, turn, match.Moment{At: b.host.Now(), Interaction: r.Interaction.ID})
	if err != nil {
		return nil, "", &host.Refusal{Err: err, View: v}
	}
	var all []string
	after = v.Match
	for _, e := range entries {
		if e.Seat == seat && e.Kind == match.KindAction {
			if w := whatItDoes(r, after.Position(), e.Text); w != "" {
				all = append(all, w)
			}
		}
		if after, err = after.With(e); err != nil {
			return nil, "", err
		}
	}
	return after, strings.Join(all, "; "), nil
}

// whatItDoes is what an action does, as far as the game can say.
func whatItDoes(r *Request, p engine.Position, token string) string {
	for _, a := range p.Legal() {
		if m, ok := a.(engine.Mover); ok && a.String() == token {
			return r.Say.Say(m.In(p))
		}
	}
	return ""
}
