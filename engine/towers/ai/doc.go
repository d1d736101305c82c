// Package ai plays Towers.
//
// A turn is many actions, so the search looks ahead turn by turn. turns.go
// generates the positions that a turn can end in, each once, by a beam search;
// negamax.go is alpha-beta over them, with the last turn in lastturn.go and turns
// to try before generating any in known.go; player.go chooses a turn. Much of the
// strength comes from strike.go, which finds without searching whether a master
// can be taken within a turn, wherever a turn ends.
//
// state.go wraps the state of the rules for the search; evaluate.go has the
// evaluation and engine.go the levels.
package ai
