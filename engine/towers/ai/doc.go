// Package ai plays Towers.
//
// A turn is many actions, so looking ahead goes turn by turn: turns.go lists
// the positions that a turn can end in, each once, widely or only along what
// looks best; look.go is alpha-beta over them; player.go chooses a turn.
// What makes it play well is in strike.go: whether a master can be taken within
// a turn is found without searching, and asked wherever a turn ends.
//
// state.go is the board that all of it walks, action by action, moves.go its
// legal actions, evaluate.go who stands better, and brain.go the levels.
package ai
