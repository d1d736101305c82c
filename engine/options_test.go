package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"castellan/engine"
)

var schema = engine.Schema{
	{Key: "size", Kind: engine.Int, Default: "11", Min: 5, Max: 21, Step: 2},
	{Key: "towers", Kind: engine.Int, Default: "3", Min: 1, Max: 9},
	{Key: "quick", Kind: engine.Bool, Default: "false"},
	{Key: "length", Kind: engine.Choice, Default: "standard", Choices: []string{"short", "standard", "long"}},
	{Key: "rules", Kind: engine.Set, Default: engine.None, Choices: []string{"import-first", "tower-out"}},
}

func TestOptionCanonical(t *testing.T) {
	for _, c := range []struct{ key, value, want, why string }{
		{"size", "11", "11", ""},
		{"size", " 011 ", "11", ""},
		{"size", "+5", "5", ""},
		{"size", "12", "", "size must be one of 5, 7, 9, 11, 13, 15, 17, 19, 21, not “12”."},
		{"size", "23", "", "size must be one of"},
		{"size", "3", "", "size must be one of"},
		{"towers", "9", "9", ""},
		{"towers", "0", "", "towers must be a whole number from 1 to 9, not “0”."},
		{"towers", "three", "", "towers must be a whole number"},
		{"towers", "", "", "towers must be a whole number"},
		{"quick", "TRUE", "true", ""},
		{"quick", "0", "false", ""},
		{"quick", "perhaps", "", "quick must be true or false, not “perhaps”."},
		{"length", " Long", "long", ""},
		{"length", "endless", "", "length must be one of short, standard, long, not “endless”."},
		{"rules", "", "none", ""},
		{"rules", "None", "none", ""},
		{"rules", "tower-out", "tower-out", ""},
		{"rules", "tower-out+import-first", "import-first+tower-out", ""},
		{"rules", "tower-out+tower-out", "tower-out", ""},
		{"rules", "tower-out+no", "", "rules must be one of import-first, tower-out, not “no”."},
	} {
		o, ok := schema.Lookup(c.key)
		if !ok {
			t.Fatal(c.key)
		}
		got, err := o.Canonical(c.value)
		if got != c.want {
			t.Errorf("%s=%q: %q, want %q", c.key, c.value, got, c.want)
		}
		if c.why == "" {
			if err != nil {
				t.Errorf("%s=%q: %v", c.key, c.value, err)
			}
			continue
		}
		var refused *engine.OptionError
		if !errors.As(err, &refused) || refused.Option != c.key || !strings.HasPrefix(err.Error(), c.why) {
			t.Errorf("%s=%q: error %v, want %q", c.key, c.value, err, c.why)
		}
	}
}

// mustPanic fails the test unless do panics.
func mustPanic(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	do()
}

func TestOptionWithoutKind(t *testing.T) {
	if _, err := (engine.Option{Key: "odd"}).Canonical("1"); err == nil {
		t.Error("an option without a kind accepts a value")
	}
}

func TestSchemaDefaults(t *testing.T) {
	const want = "size=11 towers=3 quick=false length=standard rules=none"
	if got := schema.Defaults().String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (engine.Schema{}).Defaults().String(); got != "" {
		t.Errorf("a game without options has %q", got)
	}
	mustPanic(t, "an invalid default", func() { engine.Schema{{Key: "size", Kind: engine.Int, Default: "no"}}.Defaults() })
}

func TestOptionsValues(t *testing.T) {
	o, err := schema.Parse(" rules=tower-out+import-first  size=7 quick=true ")
	if err != nil {
		t.Fatal(err)
	}
	if got := o.String(); got != "size=7 towers=3 quick=true length=standard rules=import-first+tower-out" {
		t.Errorf("%q", got)
	}
	if o.Int("size") != 7 || o.Int("towers") != 3 || !o.Bool("quick") || o.Text("length") != "standard" {
		t.Errorf("values of %s", o)
	}
	if got := o.Set("rules"); !slices.Equal(got, []string{"import-first", "tower-out"}) {
		t.Errorf("set %q", got)
	}
	if got := schema.Defaults().Set("rules"); len(got) != 0 {
		t.Errorf("no rules are %q", got)
	}
	mustPanic(t, "an unknown key", func() { o.Text("height") })
	mustPanic(t, "a word as a number", func() { o.Int("length") })
}

func TestOptionsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"size":             `options are written key=value, not "size"`,
		"height=5":         "There’s no option “height”; there is size, towers, quick, length, rules.",
		"size=8":           "size must be one of",
		"towers=2 size=":   "size must be one of",
		"size=5 towers=10": "towers must be a whole number",
	} {
		if _, err := schema.Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzOptions checks that any text gives an error or options that print and parse
// back.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"", "size=11 towers=3", "rules=tower-out+import-first", "size==5 \x00=\xff", "quick=T length=LONG", "size=+011 size=5", "rules=none rules=",
		"rules=+tower-out+", "towers=99999999999999999999", "towers=-1", "size=٥", "length=long\u00a0quick=1", "=", "= =", "size=5\nquick=true",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := schema.Parse(text)
		if err != nil {
			return
		}
		again, err := schema.Parse(o.String())
		if err != nil || again.String() != o.String() {
			t.Fatalf("%q parses as %q, %v", o, again, err)
		}
	})
}

func TestOptionInts(t *testing.T) {
	for _, c := range []struct {
		option engine.Option
		want   []int
	}{
		{engine.Option{Min: 1, Max: 4}, []int{1, 2, 3, 4}},
		{engine.Option{Min: 5, Max: 10, Step: 2}, []int{5, 7, 9}},
		{engine.Option{Min: 3, Max: 3, Step: 7}, []int{3}},
		{engine.Option{Min: 4, Max: 3}, nil},
	} {
		if got := c.option.Ints(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.option, got, c.want)
		}
	}
}

func TestStandard(t *testing.T) {
	schema := engine.Schema{
		{Key: "size", Kind: engine.Int, Default: "8", Min: 4, Max: 16, Standard: []string{"8", "10"}},
		{Key: "turns", Kind: engine.Int, Default: "3", Min: 1, Max: 9},
	}
	for text, want := range map[string]bool{"": true, "size=10 turns=9": true, "size=9": false, "size=4 turns=1": false} {
		o, err := schema.Parse(text)
		if err != nil || o.Standard() != want {
			t.Errorf("%q: %t, %v, want %t", text, o.Standard(), err, want)
		}
	}
}
