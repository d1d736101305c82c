package sandbox

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/bot/sandbox/apispec"
)

var update = flag.Bool("operations", false, "write docs/build/sandbox-operations.md")

// TestOperations checks that every route is an operation of Discord's, and the
// list of operations in the documentation.
func TestOperations(t *testing.T) {
	all, built := apispec.Discord().Routes, map[string]bool{}
	for _, rt := range routes {
		name := rt.method + " " + rt.template
		if all[name] == nil {
			t.Errorf("%s is not in Discord's description", name)
		}
		built[name] = true
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		x, y := strings.Fields(a), strings.Fields(b)
		return cmp.Or(strings.Compare(x[1], y[1]), strings.Compare(x[0], y[0]))
	})
	var b strings.Builder
	fmt.Fprintf(&b, `# Discord's operations in the sandbox

Discord's API description has %d operations. The sandbox has these %d, which Castellan and the bots of
[other libraries](sandbox-clients.md) use. It answers the others with status 400, code 999001 and the message
"Not built here" with the name of the operation, in the shape of Discord's errors, and writes a line with the operation,
the route and the caller's User-Agent to standard error. If your bot needs one of them, open an issue that names the
operation and says what the bot does with it. A test writes and checks this list: `+"`make operations`"+`.

| operation | route |
|---|---|
`, len(all), len(built))
	for _, name := range names {
		if built[name] {
			fmt.Fprintf(&b, "| %s | `%s` |\n", all[name].ID, name)
		}
	}
	file := filepath.Join("..", "..", "docs", "build", "sandbox-operations.md")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != b.String() {
		t.Errorf("docs/build/sandbox-operations.md is not current: run make operations (%v)", err)
	}
}
