//go:build next

package migrations

import (
	"embed"
	"io/fs"
)

//go:embed testdata/next/*.sql
var next embed.FS

// all are the migrations of this program and one that a later version could have. The
// program is built with the tag next to test the update to such a version.
var all fs.FS = func() fs.FS {
	later, err := fs.Sub(next, "testdata/next")
	if err != nil {
		panic(err) // the name is valid
	}
	return overlay{files, later}
}()
