// Package storage is the contract of the store: what is kept, and what a
// driver must do. A driver passes the suite in castellan/storage/storagetest.
//
// The store knows no game and no Discord: entries are text, people and places
// are opaque identifiers. The log of a match is append-only; an append names
// the sequence number it follows, so that of two writers one wins.
package storage
