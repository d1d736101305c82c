package apispec

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write spec.json")

// TestSpecIsCurrent checks spec.json against Discord's API description, which
// is not part of this module. With CI set it must be there.
func TestSpecIsCurrent(t *testing.T) {
	file := filepath.Join("..", "..", "..", "..", "shared", "discord", "openapi.json")
	raw, err := os.ReadFile(file)
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("Discord's API description is not at %s", filepath.ToSlash(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := distill(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("spec.json", got, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, specJSON) {
		t.Error("spec.json is not what the description gives: run go generate")
	}
}

func TestDistillInvalid(t *testing.T) {
	for _, text := range []string{``, `[]`, `{}`, `{"paths": {}}`, `{"paths": {"/a": 1}}`, `{"paths": {"/a": {"get": 1}}}`, `{"paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/x"}}}}}}`} {
		if _, err := distill(strings.NewReader(text)); err == nil {
			t.Errorf("distill(%q): no error", text)
		}
	}
}
