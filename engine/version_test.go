package engine_test

import (
	"errors"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

func TestVersions(t *testing.T) {
	all := engine.Versions(sample.Game{})
	if len(all) != 2 || all[0] != sample.V1 || all[1] != (sample.Game{}) || len(engine.Versions(trails.Game{})) != 1 {
		t.Errorf("sample has the versions %v", all)
	}
	for version, want := range map[int]engine.Game{0: nil, 1: sample.V1, 2: sample.Game{}, 3: nil} {
		g, err := engine.AtVersion(sample.Game{}, version)
		var missing *engine.VersionError
		if g != want || (want == nil) != errors.As(err, &missing) {
			t.Errorf("version %d is %v, %v", version, g, err)
		}
	}
	_, err := engine.AtVersion(trails.Game{}, 2)
	if err == nil || err.Error() != "there is no version 2 of the rules of trails; the newest is version 1" {
		t.Error(err)
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
