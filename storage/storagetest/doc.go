// Package storagetest is the suite that every driver of the store passes: each
// sentence of the contract in castellan/storage, as a test. A driver calls
// [Run] from a test of its own.
//
// Only tests import it.
package storagetest
