package arena

import (
	"encoding/json"
	"fmt"
	"io"
)

// ReportVersion is the version of the JSON form of a report, which rises when
// who reads the one before would go wrong.
const ReportVersion = 1

// Terms is what decides the games: the same terms give the same ones.
type Terms struct {
	Game    string   `json:"game"`
	Rules   int      `json:"rules"`
	Options string   `json:"options"` // all of them
	Seats   int      `json:"seats"`
	Players []string `json:"players"`
	Seed    uint64   `json:"seed"`
	// Openings is how many random turns a game begins with.
	OpeningTurns int `json:"opening_turns"`
	// Nodes bounds the levels, Time in milliseconds everybody; 0 for neither.
	Nodes      int64 `json:"nodes"`
	MoveTimeMS int64 `json:"movetime_ms"`
}

// Report is a tournament as a file keeps it.
type Report struct {
	Version int `json:"version"`
	// Program is what played, with its version.
	Program string `json:"program"`
	Terms   Terms  `json:"terms"`
	// Games is how many games each contest was to have.
	GamesWanted int `json:"games_wanted"`
	// Complete says that all of them were played, or the test has decided.
	Complete bool    `json:"complete"`
	Summary  Summary `json:"summary"`
	Games    []Game  `json:"games"`
}

// Write writes a report as JSON, a line a game.
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

// ReadReport reads a report.
func ReadReport(r io.Reader) (Report, error) {
	var report Report
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return Report{}, fmt.Errorf("it is no report of an arena: %w", err)
	}
	if report.Version != ReportVersion {
		return Report{}, fmt.Errorf("it is a report of version %d, not %d", report.Version, ReportVersion)
	}
	return report, nil
}
