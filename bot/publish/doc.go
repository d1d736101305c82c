// Package publish brings Discord's channels up to date with the store: it posts
// the boards that are due, collapses those that they supersede, shows
// challenges, creates threads, and announces deadlines.
//
// All work follows from what is stored and can be repeated. A post carries a
// nonce, for which Discord creates only one message. If the confirmation of a
// post was lost long ago, the channel is searched for the message. The
// reconciler finds and does missing work, at the start and every few seconds.
package publish
