package bot

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func none(context.Context, *Request) (Response, error) { return Response{}, nil }

func TestRoutesThatOverlapAreRefused(t *testing.T) {
	for _, c := range []struct {
		one, other string
		overlap    bool
	}{
		{"move", "move", true},
		{"challenge/{game}", "challenge/{other}", true},
		{"challenge/{game}", "challenge/trails", true},
		{"{a}/{b}", "challenge/trails", true},
		{"{a}/x", "y/{b}", true},
		{"a/{b}/c", "{d}/b/{e}", true},
		{"move", "board", false},
		{"match/{m}/{s}/act/{t}", "match/{m}/{s}/resign", false},
		{"match/{m}/accept", "match/{m}/decline", false},
		{"a/{b}/c", "{d}/b/x", false},
	} {
		r := &router{}
		must(t, r.handle(onClick, c.one, none))
		err := r.handle(onClick, c.other, none)
		if (err != nil) != c.overlap {
			t.Errorf("%s and %s: %v", c.one, c.other, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.one) || !strings.Contains(err.Error(), c.other)) {
			t.Errorf("the error does not name both: %v", err)
		}
		// Another kind is another world.
		if err := r.handle(onCommand, c.other, none); err != nil {
			t.Errorf("%s as a command: %v", c.other, err)
		}
	}
}

func TestFind(t *testing.T) {
	r := &router{}
	for _, p := range []string{"move", "challenge/{challenge}/accept", "match/{match}/{seq}/act/{token}", "a/{b}"} {
		must(t, r.handle(onClick, p, none))
	}
	for _, c := range []struct {
		path   string
		values map[string]string // nil where there is no route
	}{
		{"move", map[string]string{}},
		{"challenge/7/accept", map[string]string{"challenge": "7"}},
		{"match/7/12/act/up", map[string]string{"match": "7", "seq": "12", "token": "up"}},
		{"match/ä/\xff\x00/act/{token}", map[string]string{"match": "ä", "seq": "\xff\x00", "token": "{token}"}},
		{"a/{b}", map[string]string{"b": "{b}"}},
		{"challenge//accept", nil},
		{"a/", nil},
		{"/b", nil},
		{"", nil},
		{"/", nil},
		{"move/", nil},
		{"/move", nil},
		{"Move", nil},
		{"challenge/7/accept/", nil},
		{"challenge/7/8/accept", nil},
		{"match/7/12/act/e1/f1", nil},
		{"match/7/12/act", nil},
	} {
		h, values, ok := r.find(onClick, c.path)
		if ok != (c.values != nil) || ok != (h != nil) || ok && !reflect.DeepEqual(values, c.values) {
			t.Errorf("%q: %v %v", c.path, values, ok)
		}
		if _, _, ok := r.find(onSuggest, c.path); ok {
			t.Errorf("%q is no question for suggestions", c.path)
		}
	}
}

// A path belongs to one route and gets its own values, however often.
func TestFindDoesNotShareValues(t *testing.T) {
	r := &router{}
	must(t, r.handle(onClick, "a/{b}", none))
	_, one, _ := r.find(onClick, "a/1")
	_, two, _ := r.find(onClick, "a/2")
	if one["b"] != "1" || two["b"] != "2" {
		t.Errorf("%v and %v", one, two)
	}
}

// The ids of the buttons that the bot makes are its own routes.
func TestOurButtonsFindTheirRoutes(t *testing.T) {
	r := newRig(t)
	v := r.start("trails", nil)
	for _, id := range []string{
		challengeID(1<<62, "accept"), challengeID(1, "decline"), challengeID(1, "cancel"),
		matchID(1<<62, 1<<31, "resign"), matchID(1, 0, "stay"),
		actID(1<<62, 1<<31, v.Match.Position().Legal()[0]),
	} {
		if _, _, ok := r.bot.router.find(onClick, id); !ok || len(id) > maxPath {
			t.Errorf("%s: found %v, %d characters", id, ok, len(id))
		}
	}
	for _, game := range r.bot.games.Games() {
		for _, a := range game.Direct() {
			if strings.Contains(a.String(), "/") {
				t.Errorf("the token %s of %s cannot stand in a custom id", a, game.Key())
			}
		}
	}
}
