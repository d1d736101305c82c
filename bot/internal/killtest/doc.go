// Package killtest holds the kill test: the bot runs as a separate process with a
// database on disk, and is killed again and again while people play in the
// sandbox. Nothing that was acknowledged may be lost. The cluster test does the same
// with several processes and PostgreSQL, which go on while one of them is killed,
// stopped or cut off.
package killtest
