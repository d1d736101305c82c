package interaction

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

func none(context.Context, *Request) (Response, error) { return Response{}, nil }

func TestOverlappingRoutes(t *testing.T) {
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
		{"a/{rest...}", "a/b/c", true},
		{"move", "board", false},
		{"match/{m}/{s}/act/{t}", "match/{m}/{s}/resign", false},
		{"match/{m}/accept", "match/{m}/decline", false},
		{"a/{b}/c", "{d}/b/x", false},
		{"a/{rest...}", "b/{rest...}", false},
	} {
		_, err := NewRouter(Route{Kind: Component, Pattern: c.one}, Route{Kind: Component, Pattern: c.other})
		if (err != nil) != c.overlap {
			t.Errorf("%s and %s: %v", c.one, c.other, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.one) || !strings.Contains(err.Error(), c.other)) {
			t.Errorf("the error does not name both: %v", err)
		}
		// Routes of different kinds never overlap.
		if _, err := NewRouter(Route{Kind: Component, Pattern: c.one}, Route{Kind: Command, Pattern: c.other}); err != nil {
			t.Errorf("%s as a command: %v", c.other, err)
		}
	}
}

func TestFind(t *testing.T) {
	var routes []Route
	for _, p := range []string{"move", "challenge/{challenge}/accept", "match/{match}/{seq}/act/{token}", "a/{b}", "duel/{game}/{name...}"} {
		routes = append(routes, Route{Kind: Component, Pattern: p, Handler: none})
	}
	r, err := NewRouter(routes...)
	must(t, err)
	for _, c := range []struct {
		path   string
		values map[string]string // nil if there is no route
	}{
		{"move", map[string]string{}},
		{"challenge/7/accept", map[string]string{"challenge": "7"}},
		{"match/7/12/act/up", map[string]string{"match": "7", "seq": "12", "token": "up"}},
		{"match/7/12/act/\xff\x00{token}", map[string]string{"match": "7", "seq": "12", "token": "\xff\x00{token}"}},
		{"match/9223372036854775807/0/act/up", map[string]string{"match": "9223372036854775807", "seq": "0", "token": "up"}},
		{"match/9223372036854775808/0/act/up", nil},
		{"match/x/0/act/up", nil},
		{"match/7/-1/act/up", nil},
		{"match/+7/1/act/up", nil},
		{"match/٣/1/act/up", nil},
		{"a/{b}", map[string]string{"b": "{b}"}},
		{"a/1", map[string]string{"b": "1"}},
		{"duel/trails/Ben", map[string]string{"game": "trails", "name": "Ben"}},
		{"duel/trails/Ben / *B*", map[string]string{"game": "trails", "name": "Ben / *B*"}},
		{"duel/trails/", nil},
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
		route, values, ok := r.Find(Component, c.path)
		if ok != (c.values != nil) || ok != (route.Handler != nil) || ok && !reflect.DeepEqual(values, c.values) {
			t.Errorf("%q: %v %v", c.path, values, ok)
		}
		if _, _, ok := r.Find(Autocomplete, c.path); ok {
			t.Errorf("%q is found as another kind", c.path)
		}
	}
	_, one, _ := r.Find(Component, "a/1")
	_, two, _ := r.Find(Component, "a/2")
	if one["b"] != "1" || two["b"] != "2" {
		t.Errorf("values are shared: %v and %v", one, two)
	}
}
