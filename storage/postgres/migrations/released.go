//go:build !next

package migrations

import "io/fs"

// all are the migrations of this program.
var all fs.FS = files
