// Package catalogue holds everything that a person reads, by key and language.
//
// Castellan's own sentences stand in en.toml, in the message format of
// go-i18n; those of a game come with the game, as engine.Texts. A translation
// is one more file <language>.toml, such as de.toml, with the same keys.
package catalogue
