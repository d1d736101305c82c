package tiebreak

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The championship of a chess club in Hamilton in 2018, a Swiss of six rounds: the score
// and the games of each player as published
// (https://hamiltonchess.net/2018/04/11/richard-on-tie-break/), without names. +W10 is a
// win as the first to move against player 10.
const hamilton = `5.5 +W10 +B17 +W12 =W2 +B4 +B3
5.5 +B27 +W16 +W9 =B1 +W8 +B10
4.0 =BYE +W11 +B6 =W4 +B5 -W1
4.0 +W22 +B15 =W8 =B3 -W1 +B13
4.0 -W16 +B14 +W22 +B15 -W3 +B8
4.0 -W21 +B27 -W3 +B23 +W16 +B14
4.0 -W9 -B23 +W27 +B19 +W15 +B12
3.5 +B25 +W21 =B4 +W13 -B2 -W5
3.5 +B7 +W13 -B2 =BYE +W18
3.5 -B1 +W25 +W26 =B12 +B17 -W2
3.5 =BYE -B3 -W14 +B25 +W20 +W17
3.0 +B20 +W18 -B1 =W10 =B14 -W7
3.0 +W23 -B9 +W19 -B8 +W21 -W4
3.0 =BYE -W5 +B11 +B22 =W12 -W6
3.0 +B26 -W4 +B21 -W5 -B7 +W24
3.0 +B5 -B2 -W17 +W24 -B6 +B22
2.5 +B24 -W1 +B16 =BYE -W10 -B11
2.5 +W19 -B12 +W23 =BYE -B9
2.5 -B18 +W20 -B13 -W7 =B25 +W21
2.5 -W12 -B19 =W25 +B27 -B11 +W26
2.0 +B6 -B8 -W15 +W26 -B13 -B19
2.0 -B4 +W24 -B5 -W14 +B26 -W16
2.0 -B13 +W7 -B18 -W6 -B24 +W27
2.0 -W17 -B22 +BYE -B16 +W23 -B15
2.0 -W8 -B10 =B20 -W11 =W19 +BYE
1.0 -W15 +BYE -B10 -B21 -W22 -B20
1.0 -W2 -W6 -B7 -W20 +BYE -B23`

// read returns the results and the published scores of an event, in half points.
func read(t *testing.T, text string) (results []Result, scores []int) {
	t.Helper()
	points := map[byte]int{'+': 2, '=': 1, '-': 0}
	for p, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		score, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, int(2*score))
		for i, f := range fields[1:] {
			if got := points[f[0]]; f[1:] == "BYE" {
				results = append(results, Result{Round: i + 1, First: p, Second: -1, FirstPoints: got, Unplayed: true})
			} else if f[1] == 'W' {
				opponent, err := strconv.Atoi(f[2:])
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, Result{Round: i + 1, First: p, Second: opponent - 1, FirstPoints: got, SecondPoints: 2 - got})
			}
		}
	}
	return results, scores
}

func TestPublishedSwiss(t *testing.T) {
	results, scores := read(t, hamilton)
	n := len(scores)
	if got := Scores(n, results); !slices.Equal(got, scores) {
		t.Errorf("the scores are %v, published are %v", got, scores)
	}
	// Published are these figures of the first two, who drew with each other.
	if got := Buchholz(n, results, 1)[:2]; !slices.Equal(got, []float64{20, 19.5}) {
		t.Errorf("Buchholz without the weakest opponent: %v", got)
	}
	if got := Buchholz(n, results, 0)[0]; got != 22.5 {
		t.Errorf("Buchholz of the winner: %v", got)
	}
	if got := SonnebornBerger(n, results)[:2]; !slices.Equal(got, []float64{19.75, 17.25}) {
		t.Errorf("Sonneborn-Berger: %v", got)
	}
	if points, met := DirectEncounter(n, results, []int{0, 1}); !slices.Equal(points, []int{1, 1}) || !met {
		t.Errorf("direct encounter: %v, %t", points, met)
	}
}

func TestWinsAndSeconds(t *testing.T) {
	results, scores := read(t, hamilton)
	if got := Wins(len(scores), results)[:3]; !slices.Equal(got, []int{5, 5, 3}) {
		t.Errorf("wins: %v", got)
	}
	if got := SecondsPlayed(len(scores), results)[:3]; !slices.Equal(got, []int{3, 3, 2}) {
		t.Errorf("games as the second: %v", got)
	}
	if _, met := DirectEncounter(len(scores), results, []int{2, 3, 6}); met {
		t.Error("players who have not met count as having met")
	}
}

// Whoever leaves counts as having drawn for those who have met them, and has missed rounds
// cut first.
func TestBuchholzOfMissedRounds(t *testing.T) {
	results := []Result{
		{Round: 1, First: 0, Second: 1, FirstPoints: 2},
		{Round: 1, First: 2, Second: 3, FirstPoints: 2},
		{Round: 2, First: 0, Second: 2, FirstPoints: 2},
		{Round: 2, First: 3, Second: -1, FirstPoints: 2, Unplayed: true},
	} // player 1 left after the first round
	want := [][]float64{{1.5, 2, 3, 2}, {1, 2, 2, 1}} // without cut, and with one
	for cut, want := range want {
		if got := fmt.Sprint(Buchholz(4, results, cut)); got != fmt.Sprint(want) {
			t.Errorf("cut %d: %s, want %v", cut, got, want)
		}
	}
}
