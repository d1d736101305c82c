package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"castellan/bot/sandbox/api"
)

// Field is what a person enters for an input of a modal: the text, or the
// chosen values or ids.
type Field struct {
	CustomID string   `json:"custom_id"`
	Values   []string `json:"values"`
}

// Fill fills in an input of a modal.
func Fill(customID string, values ...string) Field {
	return Field{CustomID: customID, Values: api.OrEmpty(values)}
}

// Submit submits the modal that answered an interaction of the person, and
// closes it. Inputs that are not filled in keep what the bot has set. A checkbox
// is "true" if it is checked, and a file is the id that Upload returns. It fails
// without sending anything if a field does not exist, is missing or out of
// range.
func (p *Person) Submit(interactionID string, fields ...Field) (Interaction, error) {
	return p.start(func() (*storedInteraction, map[string]any, error) {
		return p.s.prepareModal(p.id, interactionID, fields)
	})
}

func (s *Sandbox) prepareModal(userID, interactionID string, fields []Field) (*storedInteraction, map[string]any, error) {
	opener := s.interactions[interactionID]
	if opener == nil || opener.UserID != userID || opener.Modal == nil {
		return nil, nil, errors.New("this dialog is not open")
	}
	if s.closedTo(opener.Channel, userID) {
		return nil, nil, errLocked
	}
	f := modalSubmission{s: s, opener: opener, fields: fields}
	components := []any{}
	for _, c := range opener.Modal.Components {
		// "Modal Submit Data Structure".
		sent := map[string]any{"type": c.Type, "id": c.ID}
		var err error
		switch c.Type {
		case api.ComponentLabel:
			sent["component"], err = f.input(*c.Component, c.Label)
		case api.ComponentActionRow:
			var input map[string]any
			input, err = f.input(c.Components[0], c.Components[0].Label)
			sent["components"] = []any{input}
		}
		if err != nil {
			return nil, nil, err
		}
		components = append(components, sent)
	}
	if i := slices.IndexFunc(fields, func(x Field) bool { return !slices.Contains(f.used, x.CustomID) }); i >= 0 {
		return nil, nil, fmt.Errorf("the dialog has no field %q", fields[i].CustomID)
	}
	data := map[string]any{"custom_id": opener.Modal.CustomID, "components": components}
	if r := s.resolve(opener.Channel, userID, f.named); len(r) > 0 {
		data["resolved"] = r
	}
	i := newInteraction(KindModal, api.InteractionModal, opener.Channel, opener.Modal.CustomID, opener.owners)
	i.Source, i.opener = opener.Source, opener
	opener.Modal = nil
	return i, data, nil
}

type modalSubmission struct {
	s      *Sandbox
	opener *storedInteraction
	fields []Field
	used   []string
	named  entities
}

func (f *modalSubmission) input(c api.Component, label string) (map[string]any, error) {
	f.used = append(f.used, c.CustomID)
	out := map[string]any{"type": c.Type, "id": c.ID, "custom_id": c.CustomID}
	i := slices.IndexFunc(f.fields, func(x Field) bool { return x.CustomID == c.CustomID })
	if c.Type != api.ComponentTextInput {
		values := c.Initial()
		if i >= 0 {
			values = f.fields[i].Values
		}
		switch c.Type {
		case api.ComponentCheckbox:
			out["value"] = slices.Contains(values, "true")
			return out, nil
		case api.ComponentRadioGroup:
			out["value"] = nil
			if len(values) > 0 {
				out["value"] = values[0]
			}
		default:
			out["values"] = api.OrEmpty(values)
		}
		if len(values) == 0 && !c.Required {
			return out, nil
		}
		if err := f.s.checkSelection(&f.named, f.opener.Channel, c, values); err != nil {
			return nil, fmt.Errorf("%s: %w", label, err)
		}
		return out, nil
	}
	text := c.Value
	if i >= 0 {
		if len(f.fields[i].Values) != 1 {
			return nil, fmt.Errorf("%s takes one text", label)
		}
		text = f.fields[i].Values[0]
	}
	out["value"] = text
	return out, checkTextInput(c, label, text)
}

func checkTextInput(c api.Component, label, text string) error {
	n := utf8.RuneCountInString(text)
	if n == 0 && !c.Required {
		return nil
	}
	least, most := valueOr(c.MinLength, 0), valueOr(c.MaxLength, api.MaxTextInput)
	if c.Required {
		least = max(least, 1)
	}
	if n < least || n > most {
		return fmt.Errorf("%s must have %d to %d characters", label, least, most)
	}
	return nil
}
