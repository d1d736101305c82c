// Package host is the use cases of Castellan, free of Discord: challenge,
// accept, act, resign, and what of it has been shown. One method is one use
// case and one transaction.
//
// What must be done follows from what is stored, not from what was
// remembered: a change that everybody must see makes a board due in the same
// transaction, and [Host.Work] lists what has not been confirmed as shown.
package host
