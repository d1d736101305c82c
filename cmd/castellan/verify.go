package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"castellan/bot/host"
	"castellan/storage"
	"castellan/storage/sqlite"
)

type verifyCommand struct {
	DB   string `name:"db" required:"" help:"The database, such as a backup; nothing of it is changed, and it may be in use." placeholder:"FILE"`
	JSON bool   `name:"json" help:"Print one JSON object instead of lines."`
}

// findings is what there is to say of a database; its JSON form is for
// programs, and only ever gets further fields.
type findings struct {
	Database string `json:"database"`
	// OK says that there is neither damage nor a fault.
	OK      bool `json:"ok"`
	Matches int  `json:"matches"`
	Ended   int  `json:"ended"`
	Entries int  `json:"entries"`
	// Damage is what is wrong with the file, a line each.
	Damage []string `json:"damage"`
	Faults []fault  `json:"faults"`
	// Complete says that every match could be read.
	Complete bool `json:"complete"`
}

// fault is a match that does not rebuild.
type fault struct {
	Match   storage.MatchID `json:"match"`
	Game    string          `json:"game"`
	Reasons []string        `json:"reasons"`
}

// Run reports on a database, and fails where it is not in order.
func (c verifyCommand) Run(ctx context.Context, s streams) error {
	known, err := registry()
	if err != nil {
		return err
	}
	var f findings
	err = sqlite.Read(ctx, c.DB, func(store *sqlite.Store) error {
		damage, err := store.Check(ctx)
		if err != nil {
			return err
		}
		v, err := host.Verify(ctx, store, known)
		unread := errors.Is(err, storage.ErrCorrupt)
		if err != nil && !unread {
			return err
		}
		f = found(c.DB, damage, v, !unread)
		return nil
	})
	if err != nil {
		return err
	}
	report := f.lines
	if c.JSON {
		report = f.json
	}
	if err := report(s.out); err != nil {
		return err
	}
	return f.err()
}

func found(database string, damage []string, v host.Verification, complete bool) findings {
	f := findings{
		Database: database, Matches: v.Matches, Ended: v.Ended, Entries: v.Entries,
		Damage: append([]string{}, damage...), Faults: []fault{}, Complete: complete,
	}
	for _, x := range v.Faults {
		f.Faults = append(f.Faults, fault{x.Match, x.Game, x.Reasons})
	}
	f.OK = complete && len(f.Damage) == 0 && len(f.Faults) == 0
	return f
}

func (f findings) json(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// lines writes a line for everything that is wrong, and a last one that sums
// up.
func (f findings) lines(out io.Writer) error {
	var b strings.Builder
	for _, d := range f.Damage {
		fmt.Fprintf(&b, "damage: %s\n", d)
	}
	for _, x := range f.Faults {
		fmt.Fprintf(&b, "match %d (%s): %s\n", x.Match, x.Game, strings.Join(x.Reasons, "; "))
	}
	if f.Complete {
		rebuild := "all rebuild"
		if n := len(f.Faults); n > 0 {
			rebuild = fmt.Sprintf("%d not in order", n)
		}
		fmt.Fprintf(&b, "%s: %s, %d ended, with %s; %s\n", f.Database,
			count(f.Matches, "match", "matches"), f.Ended, count(f.Entries, "entry", "entries"), rebuild)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// err says what of a database is not in order, or nothing.
func (f findings) err() error {
	switch {
	case !f.Complete:
		return fmt.Errorf("%s is damaged, and not every match in it can be read; put a backup in its place", f.Database)
	case len(f.Damage) > 0:
		return fmt.Errorf("%s is damaged; put a backup in its place", f.Database)
	case len(f.Faults) > 0:
		return fmt.Errorf("%s holds %s that cannot be rebuilt as recorded", f.Database, count(len(f.Faults), "match", "matches"))
	}
	return nil
}
