package engine_test

import (
	"errors"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

func TestVersions(t *testing.T) {
	if all := engine.Versions(trails.Game{}); len(all) != 1 || all[0].Version() != 1 {
		t.Errorf("trails has the versions %v", all)
	}
	all := engine.Versions(sample.Game{})
	if len(all) != 2 || all[0].Version() != 1 || all[1].Version() != 2 {
		t.Fatalf("sample has the versions %v", all)
	}
	all[0] = nil
	if engine.Versions(sample.Game{})[0] == nil {
		t.Error("a change of the slice reaches into the game")
	}
}

func TestAtVersion(t *testing.T) {
	for _, c := range []struct {
		game    engine.Game
		version int
		err     string // empty if there is that version
	}{
		{trails.Game{}, 1, ""},
		{trails.Game{}, 2, "there is no version 2 of the rules of trails; the newest is version 1"},
		{sample.Game{}, 1, ""},
		{sample.Game{}, 2, ""},
		{sample.Game{}, 0, "there is no version 0"},
		{sample.Game{}, 3, "there is no version 3"},
		{sample.V1, 2, "there is no version 2 of the rules of sample; the newest is version 1"},
	} {
		g, err := engine.AtVersion(c.game, c.version)
		if c.err == "" {
			if err != nil || g.Version() != c.version || g.Key() != c.game.Key() {
				t.Errorf("version %d of %s: %v, %v", c.version, c.game.Key(), g, err)
			}
			continue
		}
		var missing *engine.VersionError
		if !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("version %d of %s: %v, want %q", c.version, c.game.Key(), err, c.err)
		}
	}
}

func TestRegistryRef(t *testing.T) {
	r, err := engine.NewRegistry(trails.Game{}, sample.Game{})
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]engine.Game{"trails": trails.Game{}, "sample": sample.Game{}, "sample@1": sample.V1} {
		if got := r.Ref(want); got != ref {
			t.Errorf("Ref of version %d of %s is %q, want %q", want.Version(), want.Key(), got, ref)
		}
		if g, ok := r.ByRef(ref); !ok || g != want {
			t.Errorf("ByRef(%q) is %v, %t", ref, g, ok)
		}
	}
	for _, ref := range []string{"", "chess", "chess@1", "sample@", "sample@3", "sample@1@1", "sample@x"} {
		if g, ok := r.ByRef(ref); ok {
			t.Errorf("ByRef(%q) is %v", ref, g)
		}
	}
}

// A game under one key cannot forget a version: stored matches need it.
func TestRegistryRefusesMissingVersions(t *testing.T) {
	for _, g := range []engine.Game{forgetful{sample.Game{}}, renamed{sample.Game{}}} {
		if _, err := engine.NewRegistry(g); err == nil {
			t.Errorf("%T is accepted", g)
		}
	}
}

type forgetful struct{ sample.Game }

func (forgetful) Earlier() []engine.Game { return nil }

type renamed struct{ sample.Game }

func (renamed) Key() string { return "samples" }
