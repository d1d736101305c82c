//go:build !next

package migrations

import "embed"

//go:embed 0*.sql
var files embed.FS
