package oracle

import (
	"os"
	"testing"
)

// Optional is Load for tests that show something else too: without the
// description it returns nil, except where the environment variable CI is set.
func Optional(tb testing.TB) *Oracle {
	tb.Helper()
	if !Present() && os.Getenv("CI") == "" {
		return nil
	}
	return Load(tb)
}
