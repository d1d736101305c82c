// Package fonts holds the one typeface of the pictures: DejaVu Sans Condensed
// Bold (652 KiB), unchanged, under the licence in the file LICENSE beside it.
// It has Latin, Greek, Cyrillic, Hebrew, Arabic and many signs, and capitals
// 0.729 em high.
package fonts

import _ "embed"

// CondensedBold is the TrueType file.
//
//go:embed DejaVuSansCondensed-Bold.ttf
var CondensedBold []byte
