package sandbox_test

import (
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

func TestWorldIsChecked(t *testing.T) {
	mutate := func(f func(*sandbox.World)) sandbox.World {
		w := sandbox.DefaultWorld()
		f(&w)
		return w
	}
	for want, w := range map[string]sandbox.World{
		"not an id":     mutate(func(w *sandbox.World) { w.Channels[0].ID = "yard" }),
		"used twice":    mutate(func(w *sandbox.World) { w.Users[1].ID = w.Users[0].ID }),
		"needs a guild": mutate(func(w *sandbox.World) { w.Users = nil }),
	} {
		if _, err := sandbox.New(sandbox.Options{World: w}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestIDsOfTheWorldStayTheSame(t *testing.T) {
	a, b := sandbox.DefaultWorld(), sandbox.DefaultWorld()
	if a.Guild.ID != b.Guild.ID || a.Users[0].ID != anna || a.Channels[0].ID != yard {
		t.Error("the default world changed")
	}
	one, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if one.ApplicationID() != two.ApplicationID() || one.Token() == two.Token() {
		t.Error("the application stays, its token does not")
	}
}
