package bot

import (
	"context"
	"errors"
	"fmt"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// onChallengeUser is Challenge in somebody's context menu: which game is asked
// next, and that is all.
func (b *Bot) onChallengeUser(_ context.Context, r *Request) (Response, error) {
	if err := postable(r); err != nil && !r.direct {
		return Response{}, err
	}
	p, err := r.opponent(r.target)
	switch {
	case errors.Is(err, errOwnOpponent):
		p = b.computer(host.DefaultLevel)
	case errors.Is(err, errBotOpponent):
		return Response{}, err
	case r.direct:
		return Response{}, errOutside
	case err != nil:
		return Response{}, fmt.Errorf("the target of a context menu: %w", err)
	case p.ID == r.Person.ID:
		return Response{}, &host.Refusal{Err: host.ErrOneself}
	}
	rows := b.gameButtons(r.Say, discord.Primary, func(g engine.Game) string { return duelID(g.Key(), p) })
	text := discord.TextDisplay{Content: r.Say.T("duel.which", "Who", escape(p.Name))}
	return Private(discord.Message{Components: append([]discord.Component{text}, rows...)}), nil
}

// onDuel is the game that was chosen.
func (b *Bot) onDuel(ctx context.Context, r *Request) (Response, error) {
	opponent := storage.Person{ID: r.values["person"], Name: bounded(r.values["name"])}
	if level, ok := levelOf(opponent.ID); ok {
		opponent = b.computer(level)
	}
	thread, note := b.wantsThread(r)
	ch, err := b.host.Challenge(ctx, r.Cause(), host.Offer{
		Place: r.Place, Game: r.values["game"], Thread: thread,
		Opponents: []storage.Person{opponent},
	})
	if err != nil {
		return Response{}, err
	}
	return Update(textMessage(b.offered(ctx, r, ch) + note)), nil
}

// duelID carries whom the challenge is for, with as much of the name as there
// is room for: a click does not tell who somebody is. When they accept, the
// name is theirs.
func duelID(game string, p storage.Person) string {
	id := fmt.Sprintf("duel/%s/%s/", game, p.ID)
	name := p.Name
	for i := range p.Name {
		if len(id)+i <= maxPath {
			name = p.Name[:i]
		}
	}
	if len(id)+len(p.Name) <= maxPath {
		name = p.Name
	}
	return id + name
}
