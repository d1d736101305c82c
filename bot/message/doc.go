// Package message builds what people read on Discord from data: boards, challenges,
// the panel, lists, rules, the commands and the suggestions while they are typed. Its functions are pure: they read no database and send
// nothing. Texts come from the catalogue, pictures from a [Renderer].
package message
