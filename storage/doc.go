// Package storage defines the contract between the bot and its database: the
// records, the [Store] interface and the guarantees of a driver. A driver passes
// the tests in castellan/storage/storagetest.
//
// The store knows neither games nor Discord: log entries are text; people,
// guilds, channels and messages are opaque identifiers. The log of a match is
// append-only. An append names the sequence number that it follows, so of two
// concurrent writers one wins and the other gets [ErrConflict].
//
// A transaction has six parts, each beside its records: matches, board messages,
// challenges, people, ratings and the processes of the bot. A function takes the
// parts that it uses, so that its signature says what it may do.
package storage
