// Package fonts embeds the fonts of the pictures, each under the licence in the
// file LICENSE with its name:
//
//   - Alegreya Sans ExtraBold (99 KiB) for Latin, Greek and Cyrillic letters and
//     for figures;
//   - DejaVu Sans Condensed Bold (652 KiB), unchanged, for Hebrew, Arabic and
//     symbols;
//   - the hangul of NanumGothic Bold (467 KiB, compressed);
//   - the kana, kanji and hanzi of Droid Sans Fallback (2 MiB, compressed).
package fonts

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

var (
	//go:embed AlegreyaSans-ExtraBold.ttf
	alegreya []byte
	//go:embed DejaVuSansCondensed-Bold.ttf
	dejaVu []byte
	//go:embed Hangul-Bold.ttf.gz
	hangul []byte
	//go:embed DroidSansFallback-Han.ttf.gz
	han []byte
)

// Files returns functions that return TrueType files. A character is written in
// the first that has it, so that large ones are unpacked only when needed.
func Files() []func() ([]byte, error) {
	plain := func(file []byte) func() ([]byte, error) { return func() ([]byte, error) { return file, nil } }
	return []func() ([]byte, error){plain(alegreya), plain(dejaVu), unpack(hangul), unpack(han)}
}

func unpack(file []byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		r, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
}
