package enginetest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

// quick is a small suite that finds every fault below.
var quick = enginetest.Suite{Games: 2, Options: []string{"piles=2 counters=3 most=2"}}

func TestSoundGamePasses(t *testing.T) {
	r := enginetest.Record(func(r enginetest.T) { quick.Run(r, sample.Game{}) })
	if r.Failed {
		t.Fatal(r.Said())
	}
	if !strings.Contains(r.Said(), "retirements") {
		t.Errorf("the suite does not log what it did: %q", r.Said())
	}
	// A wrapper without faults passes too.
	r = enginetest.Record(func(r enginetest.T) { quick.Run(r, wrapped{Game: sample.Game{}}) })
	if r.Failed {
		t.Fatal(r.Said())
	}
}

// The suite reports each broken promise.
func TestSuiteCatches(t *testing.T) {
	type fault struct {
		name string
		game engine.Game
		said string
	}
	position := func(name, said string, f faults) fault {
		return fault{name, wrapped{Game: sample.Game{}, faults: f}, said}
	}
	game := func(name, said string, g wrapped) fault {
		g.Game = sample.Game{}
		return fault{name, g, said}
	}
	page := func(name, said, key, text string) fault {
		return game(name, said, wrapped{texts: with(key, text), pages: reads(key, text)})
	}
	calls := 0 // for games that depend on earlier calls
	shared := sample.Game{}.Texts()
	for _, f := range []fault{
		position("a position changes when an action is applied", "has changed", faults{
			apply: func(w *wrappedPosition, a engine.Action) (engine.Position, error) {
				next, err := w.Position.Apply(a)
				if err == nil {
					w.Position = next
				}
				return next, err
			},
		}),
		position("an action has two effects", "applied twice", faults{
			apply: func(w *wrappedPosition, a engine.Action) (engine.Position, error) {
				if calls++; calls%2 == 0 && len(w.Position.Legal()) > 2 {
					if _, err := w.Position.Apply(a); err == nil {
						a = w.Position.Legal()[0]
					}
				}
				return w.Position.Apply(a)
			},
		}),
		position("a legal action is refused", "is refused", faults{
			apply: func(w *wrappedPosition, a engine.Action) (engine.Position, error) {
				if a.String() == engine.End {
					a = sample.Action{Pile: 9}
				}
				return w.Position.Apply(a)
			},
		}),
		position("an action is legal twice", "twice", faults{
			legal: func(p engine.Position) []engine.Action {
				l := p.Legal()
				return append(l, l[:min(1, len(l))]...)
			},
		}),
		position("the order of legal actions is not stable", "legal actions", faults{
			legal: func(p engine.Position) []engine.Action {
				l := p.Legal()
				if calls++; calls%2 == 0 {
					slices.Reverse(l)
				}
				return l
			},
		}),
		position("the slice of legal actions is the position's own", "changes the position", func() faults {
			kept := map[string][]engine.Action{}
			return faults{legal: func(p engine.Position) []engine.Action {
				key := fmt.Sprint(p)
				if kept[key] == nil {
					kept[key] = p.Legal()
				}
				return kept[key]
			}}
		}()),
		position("no action is legal before the end", "legal actions", faults{
			legal: func(p engine.Position) []engine.Action {
				return slices.DeleteFunc(p.Legal(), func(a engine.Action) bool { return a.String() == engine.End || a.String() == engine.Pass })
			},
		}),
		position("an action is legal after the end", "legal actions", faults{
			legal: func(p engine.Position) []engine.Action {
				if l := p.Legal(); len(l) > 0 {
					return l
				}
				return []engine.Action{sample.Action{Word: engine.Pass}}
			},
		}),
		position("Parse is case-sensitive", "does not parse", reading(func(s string) string {
			if s != strings.ToLower(s) {
				return "?"
			}
			return s
		})),
		position("Parse does not trim white space", "does not parse", reading(func(s string) string {
			if strings.TrimSpace(s) != s {
				return "?"
			}
			return s
		})),
		position("a token parses as another action", "parses as", reading(func(s string) string { return strings.ReplaceAll(s, "a2", "a1") })),
		position("the error on nonsense has another token", "has the token", reading(strings.TrimSpace)),
		position("the error on nonsense has another type", "NotationError", faults{parse: func(p engine.Position, s string) (engine.Action, error) {
			a, err := p.Parse(s)
			return a, retyped(err)
		}}),
		position("the error on an illegal action has another type", "not an *engine.IllegalError", faults{
			apply: func(w *wrappedPosition, a engine.Action) (engine.Position, error) {
				next, err := w.Position.Apply(a)
				return next, retyped(err)
			},
		}),
		position("a refusal is not a sentence", "not a whole sentence", faults{why: engine.Phrase{ID: "sample.name", Text: engine.Text{Other: "Counters"}}}),
		position("a refusal is not in the catalogue", "not in Texts", faults{why: engine.Phrase{ID: "sample.no", Text: engine.Text{Other: "No."}}}),
		position("a refusal differs from the catalogue", "differs from Texts", faults{why: engine.Phrase{ID: "sample.name", Text: engine.Text{Other: "No."}}}),
		position("a refusal has no key", "no key", faults{why: engine.Verbatim("No.")}),
		position("a refusal changes the position", "after refusals", faults{
			apply: func(w *wrappedPosition, a engine.Action) (engine.Position, error) {
				next, err := w.Position.Apply(a)
				if err != nil && len(w.Position.Legal()) > 0 {
					w.Position, _ = w.Position.Apply(w.Position.Legal()[0])
				}
				return next, err
			},
		}),
		position("two actions have the same steps", "same steps", faults{
			steps: func(a engine.Action) []string { return a.Steps()[:1] },
		}),
		position("steps are the beginning of others", "beginning", faults{
			steps: func(a engine.Action) []string {
				if s := a.Steps(); len(s) < 2 || s[1] != "1" {
					return s
				}
				return a.Steps()[:1]
			},
		}),
		position("an action has no steps", "no steps", faults{steps: func(engine.Action) []string { return nil }}),
		position("there is a result before the end", "being over", faults{
			result: func(p engine.Position) (engine.Result, bool) {
				r, _ := p.Result()
				return r, true
			},
		}),
		position("there is no result at the end", "being over", faults{
			result: func(p engine.Position) (engine.Result, bool) { return engine.Result{}, false },
		}),
		position("a winner is not first", "rank 1 have", faults{result: after(func(r *engine.Result) { r.Winners = []engine.Seat{1, 2} })}),
		position("a draw has somebody alone at the top", "alone", faults{result: after(func(r *engine.Result) { r.Winners = nil })}),
		position("a seat has no rank", "ranks", faults{result: after(func(r *engine.Result) { r.Ranks = r.Ranks[1:] })}),
		position("no seat has rank 1", "no seat has rank 1", faults{result: after(func(r *engine.Result) { r.Ranks = slices.Repeat([]int{2}, len(r.Ranks)) })}),
		position("a rank is out of bounds", "has rank", faults{result: after(func(r *engine.Result) { r.Ranks[0] *= 9 })}),
		position("a score is missing", "scores", faults{result: after(func(r *engine.Result) { r.Scores = r.Scores[1:] })}),
		position("fewer points rank first", "do not go with ranks", faults{result: after(func(r *engine.Result) {
			for i := range r.Scores {
				r.Scores[i] = -r.Scores[i]
			}
		})}),
		position("only some results have scores", "others have none", faults{result: after(func(r *engine.Result) {
			if r.Scores[0]%2 == 0 {
				r.Scores = nil
			}
		})}),
		position("the reason has no text", "no text", faults{result: after(func(r *engine.Result) { r.Reason = "boredom" })}),
		position("the hash is always the same", "hash", faults{hash: func(engine.Position) uint64 { return 7 }}),
		position("the hash is never the same", "hash", faults{hash: func(engine.Position) uint64 { calls++; return uint64(calls) }}),
		position("the hash leaves out the piles", "hash", faults{hash: func(p engine.Position) uint64 {
			return uint64(p.Seat())<<32 + uint64(p.Turns())<<8 + uint64(len(p.Legal()))%3
		}}),
		position("turns are counted twice", "number of turns", faults{turns: func(p engine.Position) int { return 2 * p.Turns() }}),
		position("turns are not counted", "does not count", faults{turns: func(engine.Position) int { return 0 }}),
		position("turns do not start at 0", "starts after", faults{turns: func(p engine.Position) int { return p.Turns() + 1 }}),
		position("a seat that does not exist is to act", "no seat", faults{seat: func(p engine.Position) engine.Seat {
			if p.Seat() == engine.Nobody {
				return engine.Nobody
			}
			return p.Seat() + 10
		}}),
		position("the summary is too long", "characters", faults{summary: func(engine.Position) engine.Phrase { return engine.Verbatim(strings.Repeat("a", 1001)) }}),
		position("the summary is empty", "is empty", faults{summary: func(engine.Position) engine.Phrase { return engine.Phrase{} }}),
		position("the summary has markup", "markup", faults{summary: func(engine.Position) engine.Phrase { return engine.Verbatim("**2** left") }}),
		position("the summary is several lines", "one line", faults{summary: func(engine.Position) engine.Phrase { return engine.Verbatim("a\nb") }}),
		position("a phrase lacks an argument", "summary", faults{summary: func(engine.Position) engine.Phrase {
			return engine.Phrase{ID: "sample.summary", Text: sample.Game{}.Texts()["sample.summary"]}
		}}),
		position("a phrase within a phrase is not in the catalogue", "argument", faults{summary: func(engine.Position) engine.Phrase {
			return sample.Game{}.Texts().Phrase("sample.summary", "Left", engine.Phrase{ID: "nothing"}, "Scores", "1")
		}}),
		position("a description is a sentence", "full stop", faults{remark: engine.Verbatim("takes one.")}),
		position("the game panics", "panic", faults{summary: func(engine.Position) engine.Phrase { panic("no words") }}),

		game("two seats have the same colour", "two of 2 seats", wrapped{colours: func(n int) []engine.Colour { return slices.Repeat([]engine.Colour{engine.Red}, n) }}),
		game("a seat has no colour", "colours", wrapped{colours: func(n int) []engine.Colour { return []engine.Colour{engine.Red} }}),
		game("the key is malformed", "key", wrapped{key: "Sample Game"}),
		game("the tagline is missing", "no text sample.tagline", wrapped{texts: without("sample.tagline")}),
		game("the line of options is missing", "no text sample.terms", wrapped{texts: without("sample.terms")}),
		game("an option has no label", "no text sample.option.piles", wrapped{texts: without("sample.option.piles")}),
		game("a reason has no text", "the reason", wrapped{texts: without("sample.reason.passes")}),
		game("the status has no text", "not in Texts", wrapped{texts: without("sample.status")}),
		game("a text is not a template", "not a template", wrapped{texts: with("sample.odd", "{{.Count")}),
		game("a text is empty", "is empty", wrapped{texts: with("sample.odd", " ")}),
		game("a label is long", "more than 100", wrapped{texts: with("sample.tagline", strings.Repeat("long ", 21))}),
		game("the texts can be changed", "reaches into", wrapped{texts: func(engine.Texts) engine.Texts { return shared }}),
		game("a text belongs to another game", "start with the key", wrapped{texts: with("trails.odd", "Up")}),
		game("any number of seats is accepted", "SeatsError", wrapped{
			start: func(o engine.Options, _ int) (engine.Position, error) { return sample.Game{}.New(o, 2) },
		}),
		game("two starts differ", "replayed", wrapped{
			start: func(o engine.Options, seats int) (engine.Position, error) {
				if calls++; calls%2 == 0 {
					o, _ = sample.Game{}.Options().Parse("counters=4")
				}
				return sample.Game{}.New(o, seats)
			},
		}),
		game("the error on options has another type", "OptionError", wrapped{
			start: func(o engine.Options, seats int) (engine.Position, error) {
				if err := engine.CheckSeats(sample.Game{}, seats); err != nil {
					return nil, err
				}
				return nil, errors.New("no")
			},
		}),
		game("Direct lacks an action", "not in Direct", wrapped{direct: []engine.Action{sample.Action{N: 1}}}),
		game("Direct has too many actions", "Direct", wrapped{direct: make([]engine.Action, 6)}),
		game("Direct has an action twice", "twice", wrapped{direct: []engine.Action{sample.Action{N: 1}, sample.Action{N: 1}}}),
		game("a turn of a game with Direct is several actions", "does not end the turn", wrapped{direct: []engine.Action{
			sample.Action{N: 1}, sample.Action{N: 2}, sample.Action{Pile: 1, N: 1}, sample.Action{Pile: 1, N: 2}, sample.Action{Word: engine.End},
		}}),
		game("the default is not canonical", "default", wrapped{schema: engine.Schema{{Key: "piles", Kind: engine.Int, Default: "02", Min: 1, Max: 4}}}),
		game("the default is not valid", "default", wrapped{schema: engine.Schema{{Key: "piles", Kind: engine.Int, Default: "9", Min: 1, Max: 4}}}),
		game("two options have the same key", "two options", wrapped{schema: append(sample.Game{}.Options(), sample.Game{}.Options()[0])}),

		game("the rulebook has two pages", "fewer than", wrapped{pages: func(p []engine.Page) []engine.Page { return p[:2] }}),
		game("the rulebook does not begin with the idea", "sample.rules.idea", wrapped{pages: func(p []engine.Page) []engine.Page { slices.Reverse(p); return p }}),
		game("two pages of the rulebook have the same title", "have the same title", wrapped{pages: func(p []engine.Page) []engine.Page { return append(p, p[1]) }}),
		game("the turns of a page are not legal", "cannot be shown", wrapped{pages: onPage(func(p *engine.Page) { p.Turns = "a2 a2 a2" })}),
		game("the options of a page are not valid", "cannot be shown", wrapped{pages: onPage(func(p *engine.Page) { p.Options = "piles=7" })}),
		game("a page is for too many seats", "cannot be shown", wrapped{pages: onPage(func(p *engine.Page) { p.Seats = 7 })}),
		game("a page picks what is not there", "cannot be shown", wrapped{pages: onPage(func(p *engine.Page) { p.Picked = "d" })}),
		game("a page shows what is legal after the end", "the game is over", wrapped{pages: func(p []engine.Page) []engine.Page { p[2].Legal = true; return p }}),
		game("a page has another key", "its texts are", wrapped{pages: onPage(func(p *engine.Page) { p.Title, p.Text = p.Text, p.Title })}),
		game("a page has a text that is not in Texts", "differs from Texts", wrapped{pages: onPage(func(p *engine.Page) { p.Text.Text.Other = "Other words." })}),
		game("a page has no text", "not in Texts", wrapped{texts: without("sample.rules.turn.text")}),
		page("a page is too long", "characters", "sample.rules.turn.text", strings.Repeat("word ", 300)+"end."),
		page("a title has markup", "markup", "sample.rules.turn", "A **turn**"),
		page("a title is too long", "characters", "sample.rules.turn", strings.Repeat("a", 81)),
		page("a page leaves a mark open", "no partner", "sample.rules.turn.text", "Take **two."),
		page("a page mentions everybody", "@everyone", "sample.rules.turn.text", "Hello, @everyone."),
		page("a page ends with white space", "white space", "sample.rules.turn.text", "Take two.\n"),

		{"a version is missing", versioned{sample.Game{}, nil}, "version 2 of its rules where version 1"},
		{"an earlier version has another key", versioned{sample.Game{}, trails.Game{}}, "has the key trails"},
		{"an earlier version is broken", versioned{sample.Game{}, wrapped{Game: sample.Game{}, colours: func(n int) []engine.Colour { return nil }}}, "sample version 1: 2 seats have 0 colours"},
		{"an earlier version has a text of its own", versioned{sample.Game{}, wrapped{Game: sample.Game{}, texts: with("sample.odd", "Odd.")}}, "sample.odd"},
		{"a text changes between versions", versioned{sample.Game{}, wrapped{Game: sample.Game{}, texts: with("sample.name", "Piles")}}, "sample.name"},

		{"Direct has an action that is never legal", wrapped{Game: trails.Game{}, direct: append(trails.Game{}.Direct(), trails.Direction(7))}, "never legal"},
		{"a retirement changes nothing", retiring{Game: sample.Game{}, noop: true}, "not change the hash"},
		{"a seat retires twice", retiring{Game: sample.Game{}, twice: true}, "has retired already"},
		{"a retired seat wins", retiring{Game: sample.Game{}, winner: true}, "retired"},
		{"no seat can retire", retiring{Game: sample.Game{}, never: true}, "it cannot"},
	} {
		t.Run(f.name, func(t *testing.T) {
			calls = 0
			suite := quick
			suite.MaxActions = 200
			if f.game.Key() == trails.Key || len(f.game.Options()) != 3 {
				suite.Options = nil
			}
			r := enginetest.Record(func(r enginetest.T) { suite.Run(r, f.game) })
			if !r.Failed {
				t.Fatalf("the suite passes: %s", r.Said())
			}
			if !strings.Contains(r.Said(), f.said) {
				t.Errorf("the failure does not say %q:\n%s", f.said, r.Said())
			}
		})
	}
}

// versioned is a game with another earlier version, or none.
type versioned struct {
	engine.Game
	earlier engine.Game
}

func (v versioned) Earlier() []engine.Game {
	if v.earlier == nil {
		return nil
	}
	return []engine.Game{v.earlier}
}

func TestRunThatIsTooSmallFails(t *testing.T) {
	short := quick
	short.MaxActions = 3
	r := enginetest.Record(func(r enginetest.T) { short.Run(r, sample.Game{}) })
	if !r.Failed || !strings.Contains(r.Said(), "reached its end") {
		t.Errorf("games of three actions: %q", r.Said())
	}
}

// reading returns a fault that reads another token.
func reading(other func(string) string) faults {
	return faults{parse: func(p engine.Position, s string) (engine.Action, error) { return p.Parse(other(s)) }}
}

// retyped returns an error of another type with the same text.
func retyped(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}

// after returns a fault that changes the result of a game that is over.
func after(change func(*engine.Result)) func(engine.Position) (engine.Result, bool) {
	return func(p engine.Position) (engine.Result, bool) {
		r, over := p.Result()
		if over {
			change(&r)
		}
		return r, over
	}
}

// reads gives another text to the phrases of a rulebook with that key.
func reads(key, text string) func([]engine.Page) []engine.Page {
	return func(pages []engine.Page) []engine.Page {
		for i := range pages {
			for _, p := range []*engine.Phrase{&pages[i].Title, &pages[i].Text} {
				if p.ID == key {
					p.Text = engine.Text{Other: text}
				}
			}
		}
		return pages
	}
}

// onPage returns a fault that changes the second page of a rulebook.
func onPage(change func(*engine.Page)) func([]engine.Page) []engine.Page {
	return func(p []engine.Page) []engine.Page {
		change(&p[1])
		return p
	}
}

func without(key string) func(engine.Texts) engine.Texts {
	return func(t engine.Texts) engine.Texts {
		delete(t, key)
		return t
	}
}

func with(key, text string) func(engine.Texts) engine.Texts {
	return func(t engine.Texts) engine.Texts {
		t[key] = engine.Text{Other: text}
		return t
	}
}
