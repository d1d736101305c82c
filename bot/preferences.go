package bot

import (
	"context"

	"castellan/bot/discord"
	"castellan/storage"
)

// onPreferences is /preferences.
func (b *Bot) onPreferences(ctx context.Context, r *Request) (Response, error) {
	p, err := b.host.Preferences(ctx, r.Person.ID)
	if err != nil {
		return Response{}, err
	}
	return Private(preferencesMessage(r, p)), nil
}

// onPreference is a choice in that message.
func (b *Bot) onPreference(ctx context.Context, r *Request) (Response, error) {
	p, err := b.host.Preferences(ctx, r.Person.ID)
	if err != nil {
		return Response{}, err
	}
	choice := r.values["choice"] == "on"
	if !choice && r.values["choice"] != "off" {
		return Response{}, errBadPath
	}
	switch r.values["which"] {
	case "ends":
		p.Ends = choice
	case "confirms":
		p.Confirms = choice
	default:
		return Response{}, errBadPath
	}
	if err := b.host.SetPreferences(ctx, p); err != nil {
		return Response{}, err
	}
	return Update(preferencesMessage(r, p)), nil
}

// preferencesMessage shows each preference with a button for either choice.
func preferencesMessage(r *Request, p storage.Preferences) discord.Message {
	row := func(which string, on bool) discord.ActionRow {
		button := func(choice string, chosen bool) discord.Button {
			style := discord.Secondary
			if chosen {
				style = discord.Success
			}
			return discord.Button{
				Style: style, Label: r.Say.T("preferences." + choice), Disabled: chosen,
				CustomID: "preferences/" + which + "/" + choice,
			}
		}
		return discord.ActionRow{Buttons: []discord.Button{button("on", on), button("off", !on)}}
	}
	return discord.Message{Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: []discord.Component{
		discord.TextDisplay{Content: r.Say.T("preferences.title")},
		discord.TextDisplay{Content: r.Say.T("preferences.ends")},
		row("ends", p.Ends),
		discord.TextDisplay{Content: r.Say.T("preferences.confirms")},
		row("confirms", p.Confirms),
	}}}}
}
