// Package message builds Discord messages from data: boards, challenges, the
// panel, lists, rules. Its functions are pure: they read no database and send
// nothing. Texts come from the catalogue, pictures from a [Renderer].
package message
