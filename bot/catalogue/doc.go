// Package catalogue holds the texts that people read, by key and language.
//
// Castellan's own texts are in en.toml, in the message format of go-i18n. Those
// of a game come with the game, as engine.Texts. A translation is another file
// <language>.toml, such as de.toml, with the same keys; those of a game are files
// texts.<language>.toml, which the game hands over as engine.Translated.
package catalogue
