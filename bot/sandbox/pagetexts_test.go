package sandbox

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPageTexts checks that every text of the page is in every language, with the same
// values, and that none is left over.
func TestPageTexts(t *testing.T) {
	read := func(name string) string {
		raw, err := fs.ReadFile(assets, name)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	scripts, err := fs.Glob(assets, "assets/js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	all := read("assets/index.html")
	for _, name := range scripts {
		all += read(name)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(?:t|parts)\((?:[^"()]*\? )?"([^"]+)"(?: : "([^"]+)")?|data-t(?:-label)?="([^"]+)"`).FindAllStringSubmatch(all, -1) {
		for _, text := range m[1:] {
			if text != "" {
				used[text] = true
			}
		}
	}
	files, err := fs.Glob(assets, "assets/texts/*.json")
	if err != nil || len(files) != 5 {
		t.Fatalf("%v, %v", files, err)
	}
	values := regexp.MustCompile(`\{\w+\}`)
	for _, name := range files {
		texts := map[string]string{}
		if err := json.Unmarshal([]byte(read(name)), &texts); err != nil {
			t.Fatal(err)
		}
		for text := range used {
			if texts[text] == "" {
				t.Errorf("%s lacks %q", path.Base(name), text)
			}
		}
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			if !strings.Contains(all, `"`+text+`"`) {
				t.Errorf("%s has %q, which the page does not", path.Base(name), text)
			}
			want, got := values.FindAllString(text, -1), values.FindAllString(texts[text], -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %q has the values %v, want %v", path.Base(name), text, got, want)
			}
		}
	}
}
