package discordtest

import (
	"strconv"
	"sync/atomic"

	"github.com/bwmarrin/discordgo"

	"castellan/storage"
)

// The place in which interactions happen.
const (
	Guild   = "1"
	Channel = "2"
)

// ApplicationID is the application that interactions are for.
const ApplicationID = "9"

// Interactions makes interactions, each with an ID of its own. The zero value
// is ready.
type Interactions struct{ last atomic.Int64 }

// Of returns an interaction of a type without data.
func (n *Interactions) Of(p storage.Person, t discordgo.InteractionType) *discordgo.Interaction {
	return &discordgo.Interaction{
		ID: strconv.FormatInt(7000+n.last.Add(1), 10), AppID: ApplicationID, Type: t, Token: InteractionToken,
		GuildID: Guild, ChannelID: Channel, Locale: discordgo.EnglishUS,
		Member: &discordgo.Member{User: &discordgo.User{ID: p.ID, Username: p.Name}},
	}
}

// Click returns a click on a button of a message.
func (n *Interactions) Click(p storage.Person, message, customID string) *discordgo.Interaction {
	return n.Pick(p, message, customID)
}

// Pick returns a choice of values in a menu of a message.
func (n *Interactions) Pick(p storage.Person, message, customID string, values ...string) *discordgo.Interaction {
	i := n.Of(p, discordgo.InteractionMessageComponent)
	i.Data = discordgo.MessageComponentInteractionData{CustomID: customID, Values: values}
	i.Message = &discordgo.Message{ID: message}
	return i
}

// Command returns a command with options of type string, given as names and
// values.
func (n *Interactions) Command(p storage.Person, name string, options ...string) *discordgo.Interaction {
	i := n.Of(p, discordgo.InteractionApplicationCommand)
	i.Data = discordgo.ApplicationCommandInteractionData{Name: name, Options: stringOptions(options)}
	return i
}

// Subcommand returns a command with a subcommand and its options. The users are
// those that the options name.
func (n *Interactions) Subcommand(p storage.Person, name, sub string, options map[string]any, users ...*discordgo.User) *discordgo.Interaction {
	i := n.Of(p, discordgo.InteractionApplicationCommand)
	o := &discordgo.ApplicationCommandInteractionDataOption{Name: sub, Type: discordgo.ApplicationCommandOptionSubCommand}
	for name, v := range options {
		o.Options = append(o.Options, &discordgo.ApplicationCommandInteractionDataOption{Name: name, Value: v})
	}
	resolved, members := map[string]*discordgo.User{}, map[string]*discordgo.Member{}
	for _, u := range users {
		resolved[u.ID], members[u.ID] = u, &discordgo.Member{}
	}
	i.Data = discordgo.ApplicationCommandInteractionData{
		Name: name, Options: []*discordgo.ApplicationCommandInteractionDataOption{o},
		Resolved: &discordgo.ApplicationCommandInteractionDataResolved{Users: resolved, Members: members},
	}
	return i
}

// Suggest returns an autocomplete request for the last of the options.
func (n *Interactions) Suggest(p storage.Person, name string, options ...string) *discordgo.Interaction {
	i := n.Of(p, discordgo.InteractionApplicationCommandAutocomplete)
	all := stringOptions(options)
	all[len(all)-1].Focused = true
	i.Data = discordgo.ApplicationCommandInteractionData{Name: name, Options: all}
	return i
}

func stringOptions(pairs []string) (out []*discordgo.ApplicationCommandInteractionDataOption) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, &discordgo.ApplicationCommandInteractionDataOption{
			Name: pairs[i], Type: discordgo.ApplicationCommandOptionString, Value: pairs[i+1],
		})
	}
	return out
}
