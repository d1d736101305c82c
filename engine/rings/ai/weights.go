package ai

import (
	_ "embed"
	"fmt"
	"strings"
)

// The tables for two seats and for more count who held each circle at the end
// of 8,000 games of two seats and 4,000 of three to six, on boards of all sizes
// after a random opening. Every seat took the turn with the best evaluation, in
// three quarters of the games with occasional errors. This is the third
// iteration, each made with the tables of the one before. The program that counted is
// not kept; TwoSeatTable trains such a table from nothing.
var twoSeatTable, multiSeatTable = readTable(twoSeatData), readTable(multiSeatData)

//go:embed two.weights
var twoSeatData string

//go:embed multi.weights
var multiSeatData string

// readTable reads a table. Its file explains its lines.
func readTable(file string) (t table) {
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		in := strings.NewReader(line)
		var own, empty, most int
		_, err := fmt.Fscanf(in, "%d %d %d :", &own, &empty, &most)
		for i := 0; i < (ringsMost+1)*(ringsMost+1) && err == nil; i++ {
			e := &t[own][empty][most][i/(ringsMost+1)][i%(ringsMost+1)]
			_, err = fmt.Fscan(in, &e[0], &e[1])
		}
		if err != nil {
			panic("rings/ai: a table: " + err.Error())
		}
	}
	return t
}
