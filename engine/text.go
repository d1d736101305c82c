package engine

import (
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
)

// Text is a sentence or label in English: a text/template over Phrase.Args,
// such as "{{.Count}} towers". One is used if the argument Count is 1, and Other
// otherwise.
type Text struct {
	One   string
	Other string
}

// Texts holds texts by their key in the catalogue.
type Texts map[string]Text

// MustTexts reads texts written in TOML: key = "text" or, for a text with a
// singular form, key.one = "text" and key.other = "text". It panics if it cannot.
func MustTexts(file string) Texts {
	texts := Texts{}
	if _, err := toml.Decode(file, &texts); err != nil {
		panic("engine: " + err.Error())
	}
	return texts
}

func (t *Text) UnmarshalTOML(value any) error {
	forms, ok := value.(map[string]any)
	if !ok {
		forms = map[string]any{"other": value}
	}
	for form, text := range forms {
		to := map[string]*string{"one": &t.One, "other": &t.Other}[form]
		if to == nil {
			return fmt.Errorf("a text has no form %q", form)
		}
		if *to, ok = text.(string); !ok {
			return fmt.Errorf("a text cannot be %v", text)
		}
	}
	return nil
}

// Translated is a game with texts in other languages than English.
type Translated interface {
	Game

	// Translations returns files named texts.<language>.toml, such as
	// texts.de.toml or texts.pt-BR.toml. Each has the keys of Texts, in the
	// format of MustTexts but with the plural forms of its language: zero, one,
	// two, few, many and other. Texts that a file lacks are shown in English.
	Translations() fs.FS
}

// Args holds the arguments of a phrase by name. Count decides the plural form.
type Args map[string]any

// Phrase is a text for people: a key of the catalogue, its arguments, and the
// English text for languages without a translation. The zero value is empty.
type Phrase struct {
	ID   string
	Args Args
	Text Text
	// Seat is the seat whose player the phrase names, or Nobody; see Player.
	Seat Seat
}

// Player returns a phrase that names the player in a seat: the text with a key,
// such as the seat's colour, unless Named replaces it. It panics as Phrase does.
func (t Texts) Player(id string, seat Seat) Phrase {
	p := t.Phrase(id)
	p.Seat = seat
	return p
}

// Named returns the phrase with the names of players in place of their colours;
// element 0 is the name in seat 1.
func (p Phrase) Named(names []string) Phrase {
	if p.Seat >= 1 && int(p.Seat) <= len(names) {
		return Verbatim(names[p.Seat-1])
	}
	args := make(Args, len(p.Args))
	for name, arg := range p.Args {
		if phrase, ok := arg.(Phrase); ok {
			arg = phrase.Named(names)
		}
		args[name] = arg
	}
	p.Args = args
	return p
}

// Terms returns the options of a match in one line: the text “<game>.terms”, with every
// option as an argument, by its key with a capital letter.
func Terms(g Game, o Options) Phrase {
	var args []any
	for _, option := range g.Options() {
		args = append(args, strings.ToUpper(option.Key[:1])+option.Key[1:], o.Text(option.Key))
	}
	return g.Texts().Phrase(g.Key()+".terms", args...)
}

// Phrase returns the text with that key. Its arguments alternate between name
// and value. Phrase panics if there is no such text or an argument is missing.
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

// Page returns a page whose title is the text with that key, and whose text is
// the one with ".text" appended to the key. It panics as Phrase does.
func (t Texts) Page(id string) Page {
	return Page{Title: t.Phrase(id), Text: t.Phrase(id + ".text")}
}

// Verbatim returns a phrase that reads the same in every language, such as a
// line of a text board.
func Verbatim(s string) Phrase {
	return Phrase{Text: Text{Other: strings.ReplaceAll(s, "{{", `{{"{{"}}`)}}
}

// IsZero reports whether the phrase is empty.
func (p Phrase) IsZero() bool { return p.ID == "" && p.Text == Text{} && p.Seat == Nobody }

// String returns the phrase in English, including phrases among its arguments.
// It returns "…" if the template fails: no person reads an error.
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
		return "…"
	}
	var b strings.Builder
	if err := t.Execute(&b, map[string]any(p.Args)); err != nil {
		return "…"
	}
	return b.String()
}
