package bot

import (
	"strings"
	"testing"

	"castellan/bot/catalogue"
	"castellan/engine/towers"
)

func TestASetIsCompletedMemberByMember(t *testing.T) {
	g := towers.Game{}
	texts, err := catalogue.New(g)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Say: texts.Printer()}
	o, _ := g.Options().Lookup("rules")
	values := func(written string) string {
		var out []string
		for _, c := range setChoices(r, g, o, written) {
			out = append(out, c.Value.(string))
			if len(c.Name) > 0 && !strings.HasPrefix(c.Name, c.Value.(string)) {
				t.Errorf("%q is called %q", c.Value, c.Name)
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ written, want string }{
		{"", "none tower-out lock-after-move lock-split-tower import-first no-first-lock-master master-at-corner no-master-win"},
		{"no", "none no-first-lock-master no-master-win"},
		{"lock", "lock-after-move lock-split-tower"},
		{"tower-out", "tower-out tower-out+lock-after-move tower-out+lock-split-tower tower-out+import-first tower-out+no-first-lock-master tower-out+master-at-corner tower-out+no-master-win"},
		{"tower-out + lock", "tower-out+lock-after-move tower-out+lock-split-tower"},
		{"nonsense+lock", ""},
	} {
		if got := values(c.written); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.written, got, c.want)
		}
	}
	if _, err := o.Canonical(values("tower-out+lock-s")); err != nil {
		t.Errorf("a suggestion is no value: %v", err)
	}
}
