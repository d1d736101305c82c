package bot

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every test that the page on errors names is there.
func TestThePageOnErrorsNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../docs/discord-errors.md")
	must(t, err)
	there := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "discord/*_test.go"} {
		files, err := filepath.Glob(pattern)
		must(t, err)
		for _, name := range files {
			source, err := os.ReadFile(name)
			must(t, err)
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
				there[m[1]] = true
			}
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 20 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, m := range named {
		if !there[m[1]] {
			t.Errorf("there is no %s", m[1])
		}
	}
}
