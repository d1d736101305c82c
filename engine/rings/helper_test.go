package rings_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

func start(t enginetest.T, side, seats int) *rings.Position {
	t.Helper()
	return enginetest.Start[*rings.Position](t, rings.Game{}, fmt.Sprintf("side=%d", side), seats)
}

// play plays tokens that must be legal.
func play(t enginetest.T, p *rings.Position, tokens string) *rings.Position {
	t.Helper()
	return enginetest.Play(t, p, tokens)
}

// retire retires a seat that can leave.
func retire(t enginetest.T, p *rings.Position, seat engine.Seat) *rings.Position {
	t.Helper()
	next, err := p.Retire(seat)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return next.(*rings.Position)
}

// choose returns a random legal action; conversions are frequent, ends and
// passes rare, so that boards fill and rings close.
func choose(p *rings.Position, random *enginetest.Random) rings.Action {
	legal := p.Legal()
	n := len(legal)
	if last := legal[n-1].(rings.Action); n > 1 && (last.Kind == rings.Pass || random.IntN(8) > 0) && random.IntN(64) > 0 {
		n--
	}
	return legal[random.IntN(n)].(rings.Action)
}

var colours = []string{"blue", "red", "gold", "green", "violet", "wedge"}

const letters = "brgnvw" // of the colours, in Position.Text too

// draw returns a position in one line:
//
//	side=4 seats=3 move=blue convert passed=red retired=gold b=E6,F5 r=F7
//
// The side is left out where it is 3. "convert" says that the placement or pass
// is done. The stones of each seat follow.
func draw(p *rings.Position) string {
	var out []string
	if p.Side() != 3 {
		out = append(out, fmt.Sprint("side=", p.Side()))
	}
	out = append(out, fmt.Sprint("seats=", p.Seats()))
	if p.Seat() != engine.Nobody {
		out = append(out, "move="+colours[p.Seat()-1])
	}
	if p.Converting() {
		out = append(out, "convert")
	}
	var passed, retired []string
	for i := range p.Seats() {
		if p.Passed(engine.Seat(i + 1)) {
			passed = append(passed, colours[i])
		}
	}
	for _, seat := range p.RetiredInOrder() {
		retired = append(retired, colours[seat-1])
	}
	if passed != nil {
		out = append(out, "passed="+strings.Join(passed, "+"))
	}
	if retired != nil {
		out = append(out, "retired="+strings.Join(retired, "+"))
	}
	var stones [7][]string
	for _, at := range p.Points() {
		stones[p.Owner(at)] = append(stones[p.Owner(at)], at.String())
	}
	for i := range p.Seats() {
		if s := stones[i+1]; s != nil {
			out = append(out, letters[i:i+1]+"="+strings.Join(s, ","))
		}
	}
	return strings.Join(out, " ")
}

// read returns the position that draw writes as line.
func read(t enginetest.T, line string) *rings.Position {
	t.Helper()
	b := rings.Board{Side: 3, Mover: 1, Stones: map[rings.Point]engine.Seat{}}
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		var seats []engine.Seat
		for name := range strings.SplitSeq(value, "+") {
			seats = append(seats, engine.Seat(1+slices.Index(colours, name)))
		}
		switch key {
		case "side":
			b.Side, _ = strconv.Atoi(value)
		case "seats":
			b.Seats, _ = strconv.Atoi(value)
		case "move":
			b.Mover = seats[0]
		case "convert":
			b.Converting = true
		case "passed":
			b.Passed = seats
		case "retired":
			b.Retired = seats
		default:
			for at := range strings.SplitSeq(value, ",") {
				row, _ := strconv.Atoi(at[1:])
				b.Stones[rings.Point{Column: int(at[0] - 'A'), Row: row}] = engine.Seat(1 + strings.Index(letters, key))
			}
		}
	}
	p, err := rings.Build(b)
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return p
}
