// Package enginetest holds what the tests of all games share: the conformance
// suite that every game passes ([Run]), a golden playthrough that people can
// read ([Playthrough]), the corpus of recorded games ([Corpus]) and a
// benchmark of random games ([Playouts]).
//
// Only tests import it.
package enginetest
