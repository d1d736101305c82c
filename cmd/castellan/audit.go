package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"castellan/cmd/internal/cli"
	"castellan/storage"
)

type auditCommand struct {
	DB    string    `name:"db" required:"" help:"Database; it is not changed and may be in use." placeholder:"FILE|URL"`
	Guild string    `name:"server" help:"What the organisers of this server did, instead of the operators." placeholder:"ID"`
	Since time.Time `format:"2006-01-02" help:"Only what was done from this day on, in UTC." placeholder:"YYYY-MM-DD"`
	JSON  bool      `name:"json" help:"Print a JSON object for each line."`
}

// auditLine is an act of an operator or an organiser. Programs read its JSON form: fields may be added,
// never removed.
type auditLine struct {
	At       time.Time `json:"at"`
	Operator string    `json:"operator"`
	Kind     string    `json:"kind"`
	Target   string    `json:"target,omitempty"`
	Note     string    `json:"note,omitempty"`
}

// String returns the act as a line of text.
func (l auditLine) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s  %s  %s  %s  %s", l.At.Format(time.RFC3339), l.Operator, l.Kind, l.Target, l.Note)) + "\n"
}

// Run prints the audit log, oldest first.
func (c auditCommand) Run(ctx context.Context, s cli.Streams) error {
	since := c.Since
	if since.IsZero() {
		since = time.Unix(0, 0)
	}
	var acts []storage.Act
	err := readStore(ctx, c.DB, func(store storage.Store) error {
		return store.Report(ctx, func(r storage.Reader) (err error) {
			acts, err = r.Acts(c.Guild, since)
			return err
		})
	})
	if err != nil {
		return err
	}
	for _, a := range acts {
		if err := s.Print(c.JSON, auditLine{a.At, a.Operator, string(a.Kind), a.Target, a.Note}); err != nil {
			return err
		}
	}
	return nil
}
