// Package endure holds the kill test: the bot runs as a separate process with a
// database on disk, and is killed again and again while people play in the
// sandbox. Nothing that was acknowledged may be lost.
package endure
