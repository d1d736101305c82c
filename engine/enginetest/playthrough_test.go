package enginetest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
)

func TestPlaythrough(t *testing.T) {
	p := enginetest.Playthrough{File: filepath.Join(t.TempDir(), "testdata", "p.txt"), Seats: 3, Seed: 2}
	run := func(p enginetest.Playthrough) *enginetest.Recorder {
		return enginetest.Record(func(r enginetest.T) { p.Run(r, sample.Game{}) })
	}
	if r := run(p); !r.Failed || !strings.Contains(r.Said(), "-update") {
		t.Errorf("a missing file: %q", r.Said())
	}
	write := p
	write.Update = true
	if r := run(write); r.Failed {
		t.Fatalf("writing: %q", r.Said())
	}
	if r := run(p); r.Failed {
		t.Errorf("reading what was written: %q", r.Said())
	}
	text, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"options piles=2 counters=5 most=3", "seat 3 ▲ gold", "legal: a1 (takes 1 counter)", "action: ", "# result\nwinners "} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the record lacks %q", part)
		}
	}
	changed := strings.Replace(string(text), "counters left", "stones left", 1)
	if err := os.WriteFile(p.File, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := run(p); !r.Failed || !strings.Contains(r.Said(), "stones left") || !strings.Contains(r.Said(), "line ") {
		t.Errorf("a changed file: %q", r.Said())
	}
	p.Options = "piles=nine"
	if r := run(p); !r.Failed {
		t.Error("options that are not valid are accepted")
	}
}
