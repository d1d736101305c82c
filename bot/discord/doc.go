// Package discord is the JSON that Castellan sends to Discord, as types of its
// own, and the calls that send it.
//
// Receiving is discordgo's part: its events are what handlers read. Sending is
// not, because several of its bodies are not Discord's (fields that Discord's
// description does not know, answers whose message is dropped): the bodies
// here have exactly the fields that API version 10 documents, keep to rate
// limits that a context ends, and come back as typed errors.
//
// Source of every shape: Discord's developer documentation and its OpenAPI
// description, version 10.
package discord
