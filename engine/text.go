package engine

import (
	"fmt"
	"strings"
	"text/template"
)

// Text is a sentence or label in English, a template in the syntax of
// text/template whose arguments are the fields of Phrase.Args: "{{.Count}}
// towers". One is used where the argument Count is 1, Other everywhere else.
type Text struct {
	One   string
	Other string
}

// Texts is a set of texts by their key in the catalogue.
type Texts map[string]Text

// Args is the arguments of a phrase by name. The name Count decides the
// plural form.
type Args map[string]any

// Phrase is something to be read by a person: a key of the catalogue, its
// arguments, and the English text that stands for it where there is no
// translation. The zero value is empty.
type Phrase struct {
	ID   string
	Args Args
	Text Text
}

// Phrase is the text of that key with arguments given as name and value in
// turn. It panics on a key that the set does not have or on an odd number of
// arguments: both are mistakes of the program.
func (t Texts) Phrase(id string, args ...any) Phrase {
	text, ok := t[id]
	if !ok {
		panic("engine: no text " + id)
	}
	if len(args)%2 != 0 {
		panic("engine: odd number of arguments for " + id)
	}
	p := Phrase{ID: id, Text: text}
	if len(args) > 0 {
		p.Args = make(Args, len(args)/2)
		for i := 0; i < len(args); i += 2 {
			p.Args[args[i].(string)] = args[i+1]
		}
	}
	return p
}

// Page is a page of the rules whose title is the text of that key and whose
// text that of the same key with ".text" behind it. It panics as Phrase does.
func (t Texts) Page(id string) Page {
	return Page{Title: t.Phrase(id), Text: t.Phrase(id + ".text")}
}

// Verbatim is a phrase that reads the same in every language, such as a line
// of a text board.
func Verbatim(s string) Phrase {
	return Phrase{Text: Text{Other: strings.ReplaceAll(s, "{{", `{{"{{"}}`)}}
}

// IsZero reports whether the phrase says nothing.
func (p Phrase) IsZero() bool { return p.ID == "" && p.Text == Text{} }

// String is the phrase in English. Arguments that are phrases themselves are
// put into English too.
func (p Phrase) String() string {
	text := p.Text.Other
	if one, ok := p.Args["Count"].(int); ok && one == 1 && p.Text.One != "" {
		text = p.Text.One
	}
	if !strings.Contains(text, "{{") {
		return text
	}
	t, err := template.New(p.ID).Option("missingkey=error").Parse(text)
	if err != nil {
		return fmt.Sprintf("%s: %v", p.ID, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]any(p.Args)); err != nil {
		return fmt.Sprintf("%s: %v", p.ID, err)
	}
	return b.String()
}
