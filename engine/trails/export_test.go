package trails

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/engine/enginetest"
)

// Colours names the seats in drawn positions.
var Colours = []string{"blue", "red"}

// Read returns a drawn position, which need not be reachable: see draw. Towers,
// distance and move default to 1, 0 and blue. A tower whose square is occupied is
// taken.
func Read(line string) (*Position, error) {
	fields := map[string]string{"towers": "1", "distance": "0"}
	var ranks [][]string
	for word := range strings.FieldsSeq(line) {
		if key, value, ok := strings.Cut(word, "="); ok {
			fields[key] = value
		} else {
			ranks = enginetest.BoardCells(word)
		}
	}
	size := len(ranks)
	towers, _ := strconv.Atoi(fields["towers"])
	distance, err := strconv.Atoi(fields["distance"])
	if err != nil || !fits(size, towers, distance) {
		return nil, fmt.Errorf("%d towers do not fit", towers)
	}
	p := start(size, towers, distance)
	p.own = [2]board{}
	for i, cells := range ranks {
		for x, symbol := range cells {
			c := p.geo.cell(Square{X: x, Y: size - 1 - i})
			k := strings.Index("bBrR", symbol)
			if k < 0 {
				if (symbol == "T") != p.field.tower(c) || symbol != "T" && symbol != "." {
					return nil, fmt.Errorf("a square %q", symbol)
				}
				continue
			}
			side := &p.sides[k/2]
			if p.field.tower(c) {
				side.taken++
			}
			p.field.occupy(c)
			p.own[k/2].set(c)
			if k%2 == 1 {
				side.head, side.straight = c, straightMove{c, freeBit}
			}
		}
	}
	for i, name := range Colours {
		side := &p.sides[i]
		if word, number, ok := strings.Cut(fields[name], ":"); ok {
			d, err := parse(word)
			boost, bad := strconv.Atoi(number)
			if err != nil || bad != nil {
				return nil, fmt.Errorf("a last move %q", fields[name])
			}
			side.bit, side.boost = bitOf[d], uint8(boost)
			side.straight = p.geo.straightAfter(d, side.head, side.boost)
		}
	}
	p.mover = uint8(max(0, slices.Index(Colours, fields["move"])))
	p.moves = p.movesFor(&p.sides[p.mover])
	return p, nil
}
