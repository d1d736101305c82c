// Package pgtest starts PostgreSQL for tests: a cluster in a temporary folder,
// which accepts connections through a socket in that folder and has no password.
//
// The server's programs are looked for on PATH and where Debian installs them. A
// test is skipped if they are missing, and fails if the environment variable CI
// is set. Root cannot run PostgreSQL, so root's tests run it as the user
// postgres or nobody.
package pgtest
