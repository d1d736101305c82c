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
			got := points[f[0]]
			if f == "--" {
				results = append(results, Result{Round: i + 1, First: p, Second: -1, Unplayed: true})
			} else if f[1:] == "BYE" {
				results = append(results, Result{Round: i + 1, First: p, Second: -1, FirstPoints: got, Unplayed: true})
			} else if f[1] == 'W' || f[:2] == "+F" {
				opponent, err := strconv.Atoi(f[2:])
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, Result{Round: i + 1, First: p, Second: opponent - 1, FirstPoints: got, SecondPoints: 2 - got, Unplayed: f[1] == 'F'})
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

// The Swiss of 16 players in five rounds with every kind of round without a game, from the
// exercises with solutions of FIDE's arbiters' commission (M. Held, Exercises in
// tie-breaking, 2024, section 2.1). +F14 is a game to which player 14 did not come, -F11 one
// to which the player did not come; -- is a round missed without points.
const exercises = `3.5 +W9 =B13 =W2 +B15 =W4
4.0 +B10 +W7 =B1 +W16 =B3
3.5 =W11 +B6 +W8 =B4 =W2
3.5 +B12 =BYE +W13 =W3 =B1
2.5 -W13 -B15 +W11 =B7 +W10
3.0 -B14 -W3 +BYE +W10 +B8
1.5 +W15 -B2 -B16 =W5 -B11
2.5 =B16 +W14 -B3 +W13 -W6
1.5 -B1 -W10 =BYE -F11 +BYE
1.0 -W2 +B9 -W15 -B6 -B5
2.5 =B3 -W16 -B5 +F9 +W7
2.0 -W4 +BYE +F14 -- --
1.5 +B5 =W1 -B4 -B8 -W14
2.0 +W6 -B8 -F12 -- +B13
2.0 -B7 +W5 +B10 -W1 -B16
3.5 =W8 +B11 +W7 -B2 +W15`

// The solutions, as far as the rules of March 2026 have left them: since then a player
// without a game has met nobody with more than half a point a round (players 4 and 6), or
// more than the opponent who did not come (11).
func TestExercises(t *testing.T) {
	results, scores := read(t, exercises)
	n := len(scores)
	if got := Scores(n, results); !slices.Equal(got, scores) {
		t.Errorf("the scores are %v, published are %v", got, scores)
	}
	want := []float64{12.5, 13, 15.5, 14, 8.5, 11.5, 14.5, 13.5, 9, 13, 12.5, 11.5, 14, 11, 12, 12.5}
	if got := Buchholz(n, results, 0); !slices.Equal(got, want) {
		t.Errorf("Buchholz is %v, want %v", got, want)
	}
	got := Buchholz(n, results, 1)
	for player, want := range map[int]float64{1: 11, 2: 12, 3: 13, 4: 11.5, 5: 7.5, 7: 12.5, 8: 12, 9: 7.5, 10: 11.5, 11: 11, 12: 9.5, 13: 12, 14: 9, 15: 11, 16: 11} {
		if got := got[player-1]; got != want {
			t.Errorf("Buchholz of player %d without the weakest opponent is %v, want %v", player, got, want)
		}
	}
	if got, want := Wins(n, results), []int{2, 3, 2, 2, 2, 2, 1, 2, 0, 1, 1, 0, 1, 2, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("wins are %v, want %v", got, want)
	}
	if got, want := SecondsPlayed(n, results), []int{2, 3, 2, 2, 2, 2, 3, 2, 1, 3, 2, 0, 3, 2, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("games as the second are %v, want %v", got, want)
	}
	// Sonneborn-Berger of those who have played every round, and not with player 12, who
	// left: for others a round robin has other rules.
	sums := SonnebornBerger(n, results)
	for player, want := range map[int]float64{1: 8, 2: 9.5, 3: 10.5, 5: 4.25, 7: 3.25, 8: 5.25, 10: 1.5, 13: 4.25, 15: 3.5, 16: 7.25} {
		if got := sums[player-1]; got != want {
			t.Errorf("Sonneborn-Berger of player %d is %v, want %v", player, got, want)
		}
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

// A game that is not over is no missed round of its players, and of others nothing changes.
func TestOpenGames(t *testing.T) {
	results := []Result{
		{Round: 1, First: 0, Second: 1, FirstPoints: 2},
		{Round: 1, First: 2, Second: 3, FirstPoints: 2},
		{Round: 2, First: 0, Second: 2, FirstPoints: 2},
		{Round: 2, First: 1, Second: 3, Open: true},
	}
	for cut, want := range [][]float64{{1, 2, 2, 1}, {1, 0, 2, 0}} {
		if got := Buchholz(4, results, cut); !slices.Equal(got, want) {
			t.Errorf("cut %d: %v, want %v", cut, got, want)
		}
	}
	if got := SecondsPlayed(4, results); !slices.Equal(got, []int{0, 1, 1, 1}) {
		t.Errorf("games as the second: %v", got)
	}
	if _, met := DirectEncounter(4, results, []int{1, 3}); met {
		t.Error("players whose game is not over count as having met")
	}
}

// Who does not come to the last game has lost it for their opponents too; only rounds missed
// with notice count as draws (C.07, articles 16.2.4 and 16.3).
func TestBuchholzOfLostGames(t *testing.T) {
	results := []Result{
		{Round: 1, First: 0, Second: 1, FirstPoints: 2},
		{Round: 1, First: 2, Second: 3, FirstPoints: 1, SecondPoints: 1},
		{Round: 2, First: 0, Second: 2, FirstPoints: 2},
		{Round: 2, First: 3, Second: 1, FirstPoints: 2, Unplayed: true},
	}
	if got, want := Buchholz(4, results, 0), []float64{0.5, 2, 3.5, 0.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
