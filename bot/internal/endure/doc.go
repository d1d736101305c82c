// Package endure holds the test that Castellan loses nothing when it dies: the
// bot runs as a process of its own on a database on disk, and is killed again
// and again while people play by the sandbox.
package endure
