// Package host contains the use cases of Castellan, without Discord: challenge
// somebody, accept, play, resign, claim, ask for a rematch. Each use case is
// one method and one transaction, and returns the view that was committed.
//
// Pending work is derived from the store. A change that everybody must see
// inserts a due board in the same transaction, and [Host.PendingWork] lists
// what Discord has not confirmed yet.
package host
