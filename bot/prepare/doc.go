// Package prepare is the private message in which people prepare turns, see
// engine/prepared: its handlers, and the message as a pure function of data.
package prepare
