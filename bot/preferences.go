package bot

import (
	"context"

	"castellan/bot/wire"
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
func preferencesMessage(r *Request, p storage.Preferences) wire.Message {
	row := func(which string, on bool) wire.Row {
		button := func(choice string, chosen bool) wire.Button {
			style := wire.Secondary
			if chosen {
				style = wire.Success
			}
			return wire.Button{
				Style: style, Label: r.Say.T("preferences." + choice), Disabled: chosen,
				CustomID: "preferences/" + which + "/" + choice,
			}
		}
		return wire.Row{Buttons: []wire.Button{button("on", on), button("off", !on)}}
	}
	return wire.Message{Components: []wire.Component{wire.Container{Accent: neutral(), Components: []wire.Component{
		wire.Text{Content: r.Say.T("preferences.title")},
		wire.Text{Content: r.Say.T("preferences.ends")},
		row("ends", p.Ends),
		wire.Text{Content: r.Say.T("preferences.confirms")},
		row("confirms", p.Confirms),
	}}}}
}
