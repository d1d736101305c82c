// Package enginetest is what the tests of all games share: the conformance
// suite that every game passes ([Run]), a golden playthrough that people can
// read ([Playthrough]), and the way to the corpus of recorded games
// ([OpenCorpus]).
//
// Only tests import it.
package enginetest
