// Package bot assembles Castellan on Discord, connects and stops it, and registers
// its commands.
//
// An interaction arrives at the gateway and is served by package interaction.
// A handler of package handlers calls a use case of package host, account or browse,
// builds the response with package message, and has package publish bring the channel
// up to date. A use case returns the committed match; response, picture and post take
// it and read nothing again.
//
// A turn passes these stations. The handler reads the match that the custom ID names.
// host commits the turn in one transaction: it appends the entries to the log, with
// prepared turns that follow, and inserts a due board. If the board before it is still
// due, it is posted first and the transaction runs again. The interaction is answered,
// which collapses the old board to a line. publish takes the lease of the match, draws
// the board, posts it with a nonce and records its message. Whatever fails after the
// commit is left due, and the reconciler of any process does it again: the nonce keeps
// it single.
//
// The package names no game: commands, buttons and suggestions come from the
// games' own options and actions.
package bot
