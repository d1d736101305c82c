// Package publish brings Discord's channels up to date with the store: it posts
// the boards that are due, collapses those that they supersede, shows
// challenges, and creates threads. It also has package host process deadlines,
// which reminds players and ends matches whose clock has run out.
//
// All work follows from what is stored and can be repeated. A post carries a
// nonce, for which Discord creates only one message. If the confirmation of a
// post was lost long ago, the channel is searched for the message. The
// reconciler finds and does missing work, at the start and every few seconds.
package publish
