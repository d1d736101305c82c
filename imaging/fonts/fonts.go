// Package fonts embeds the font of the pictures: DejaVu Sans Condensed Bold
// (652 KiB), unchanged, under the licence in the file LICENSE. It has Latin,
// Greek, Cyrillic, Hebrew, Arabic and many symbols; capitals are 0.729 em high.
package fonts

import _ "embed"

// CondensedBold holds the TrueType file.
//
//go:embed DejaVuSansCondensed-Bold.ttf
var CondensedBold []byte
