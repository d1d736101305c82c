// Package publish brings Discord's channels up to date with the store: it posts
// the boards that are due, collapses those that they supersede, shows
// challenges, creates threads, and announces deadlines.
//
// All work follows from what is stored and can be repeated. A post carries a
// nonce, by which Discord creates a message once; a post whose confirmation was
// lost long ago is searched for in the channel. The reconciler does whatever is
// behind, at the start and every few seconds.
package publish
