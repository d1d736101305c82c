//go:build next

package migrations

import "embed"

// files also has a migration that a later version could have. A program is built with
// the tag next to test the update to such a version.
//
//go:embed *.sql
var files embed.FS
