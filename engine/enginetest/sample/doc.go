// Package sample is a small complete game for the tests of packages that serve
// every game. It has what Trails and Towers lacks: more than two seats, turns of
// several actions, options that do not go together, retirement, and rules that
// have changed.
//
// Two to six seats take counters from piles named a, b, c and d. A turn is one
// or two takings, "a2" for two counters of pile a (short: "a" for "a1"), then
// "end", which is the only legal action after the second taking or when nothing
// is left. Once all piles are empty only "pass" is legal, and the game ends
// when everybody still playing has passed in one unbroken sequence. A counter
// is a point; the highest score wins, and seats with equal scores share the win.
//
// Seats can retire. They rank below those who played on, and above those who
// retired before them; the last one to stay wins.
//
// That is version 2 of the rules. In version 1 a turn is a single taking, and
// the option "most" is called "limit".
package sample
