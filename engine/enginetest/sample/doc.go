// Package sample is a tiny complete game for the tests of packages that serve
// every game. Trails and Towers has two seats and one action a turn; this one
// has what it lacks.
//
// Two to six seats take counters from piles named a, b, c and d. A turn is one
// or two takings, "a2" for two counters of pile a (short: "a" for "a1"), then
// "end", which is the one legal action after the second taking or when nothing
// is left. Once all piles are empty only "pass" is legal, and the game ends
// when everybody still playing has passed in one unbroken sequence. A counter
// is a point; the highest score wins, and level seats share the win.
//
// Seats can retire. They rank below those who played on, and above those who
// retired before them; the last one to stay wins.
package sample
