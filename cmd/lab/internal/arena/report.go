package arena

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// ReportVersion is the version of the JSON form. It rises with incompatible
// changes.
const ReportVersion = 1

// Terms determines the games: the same terms give the same games.
type Terms struct {
	Game    string   `json:"game"`
	Rules   int      `json:"rules"`
	Options string   `json:"options"` // in full
	Seats   int      `json:"seats"`
	Players []string `json:"players"`
	Seed    uint64   `json:"seed"`
	// OpeningTurns is the number of random turns at the start.
	OpeningTurns int `json:"opening_turns"`
	// Balanced tells whether the openings leave both seats about even chances.
	Balanced bool `json:"balanced,omitempty"`
	// Nodes is the node limit of levels, MoveTimeMS everybody's time limit
	// in milliseconds; 0 means none.
	Nodes      int64 `json:"nodes"`
	MoveTimeMS int64 `json:"movetime_ms"`
}

// Differences says how other terms differ: for example "seed 1 instead of 2".
func (t Terms) Differences(other Terms) (all []string) {
	a, b := reflect.ValueOf(t), reflect.ValueOf(other)
	for i := range a.NumField() {
		if is, was := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(is, was) {
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			all = append(all, fmt.Sprintf("%s %v instead of %v", strings.ReplaceAll(name, "_", " "), was, is))
		}
	}
	return all
}

// Report is the state of a tournament as stored in a file.
type Report struct {
	Version int `json:"version"`
	// Program names the program that played, with its version.
	Program string `json:"program"`
	Terms   Terms  `json:"terms"`
	// GamesWanted is the number of games per contest.
	GamesWanted int `json:"games_wanted"`
	// Complete is set when all games are played or the SPRT has decided.
	Complete bool    `json:"complete"`
	Summary  Summary `json:"summary"`
	Games    []Game  `json:"games"`
}

// Write writes the report as JSON with a line for each game.
func (r Report) Write(w io.Writer) error {
	games := r.Games
	r.Games = nil
	head, err := json.MarshalIndent(struct {
		Report
		Games *struct{} `json:"games,omitempty"`
	}{Report: r}, "", "  ")
	if err != nil {
		return err
	}
	head = head[:len(head)-len("\n}")]
	if _, err := fmt.Fprintf(w, "%s,\n  \"games\": [", head); err != nil {
		return err
	}
	for i, g := range games {
		line, err := json.Marshal(g)
		if err != nil {
			return err
		}
		comma := ","
		if i == 0 {
			comma = ""
		}
		if _, err := fmt.Fprintf(w, "%s\n    %s", comma, line); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n  ]\n}\n")
	return err
}

// ReadReport reads a report of the current version.
func ReadReport(r io.Reader) (Report, error) {
	var report Report
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return Report{}, fmt.Errorf("this is no report of an arena: %w", err)
	}
	if report.Version != ReportVersion {
		return Report{}, fmt.Errorf("this is a report of version %d, not %d", report.Version, ReportVersion)
	}
	return report, nil
}
