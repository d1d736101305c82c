// Package bot assembles Castellan on Discord: the connection, the routes, the
// commands, and a file of handlers for each family of commands.
//
// An interaction arrives at the gateway and is served by package interaction.
// A handler here calls a use case of package host, account or browse, builds the
// response with package message, and has package publish bring the channel up to
// date. A use case returns the committed match; response, picture and post take
// it and read nothing again.
//
// The package names no game: commands, buttons and suggestions come from the
// games' own options and actions.
package bot
