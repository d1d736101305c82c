package sandbox

import (
	"errors"
	"fmt"
)

// CommandOnUser uses a command of a user's context menu. It fails, and the bot
// is told nothing, when there is no such command or user.
func (p *Person) CommandOnUser(channelID, name, targetID string) (Interaction, error) {
	return p.menuCommand(channelID, name, CommandUser, func(i *interaction, e *entities) error {
		if !p.s.addUser(e, targetID) {
			return fmt.Errorf("there is no user %q", targetID)
		}
		i.targetID = targetID
		return nil
	})
}

// CommandOnMessage uses a command of a message's context menu. It fails, and
// the bot is told nothing, when there is no such command or message.
func (p *Person) CommandOnMessage(channelID, name, messageID string) (Interaction, error) {
	return p.menuCommand(channelID, name, CommandMessage, func(i *interaction, e *entities) error {
		target := p.s.findMessage(channelID, messageID)
		if target == nil || !target.visibleTo(p.id) {
			return errors.New("this message is gone")
		}
		if target.viewer != "" {
			return errors.New("private messages have no commands")
		}
		e.messages, i.target, i.targetID = append(e.messages, target), target, messageID
		return nil
	})
}

func (p *Person) menuCommand(channelID, name string, kind int, aim func(*interaction, *entities) error) (Interaction, error) {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.exists(); err != nil {
		return Interaction{}, err
	}
	at, def, err := s.commandInChannel(p.id, channelID, name, kind)
	if err != nil {
		return Interaction{}, err
	}
	i := &interaction{
		interactionType: interactionCommand, commandType: kind, channel: at, owners: owners(at, p.id, s.commandInstalls(def, at, p.id)),
		Interaction: Interaction{Kind: KindCommand, UserID: p.id, ChannelID: channelID, Name: name},
	}
	var named entities
	if err := aim(i, &named); err != nil {
		return Interaction{}, err
	}
	data := map[string]any{"id": def.ID, "name": def.Name, "type": def.Type, "target_id": i.targetID, "resolved": s.resolve(at, p.id, named)}
	if def.GuildID != "" {
		data["guild_id"] = def.GuildID
	}
	s.startInteraction(i, data)
	return i.snapshot(), nil
}
