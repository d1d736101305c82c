package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/storage"
)

type forgetCommand struct {
	DB     string `name:"db" required:"" help:"Database; if it is a file, stop the bot first, unless with --dry-run." placeholder:"FILE|URL"`
	DryRun bool   `name:"dry-run" help:"Only say what is stored: change nothing."`
	Person string `arg:"" name:"person-id" help:"Discord ID of the person, a number."`
}

// personID matches the identifiers of people on Discord.
var personID = regexp.MustCompile(`^[0-9]{1,20}$`)

// Run deletes the data of a person as /privacy does, and says what was stored.
func (c forgetCommand) Run(ctx context.Context, s cli.Streams) error {
	if !personID.MatchString(c.Person) {
		return cli.Usage(fmt.Errorf("%q is not the ID of a person on Discord, which is a number", c.Person))
	}
	known, err := games.Registry()
	if err != nil {
		return err
	}
	var k account.Summary
	forget := func(store storage.Store) error {
		a := account.New(newHost(store, known, s))
		if k, err = a.Summary(ctx, c.Person); err != nil || c.DryRun {
			return err
		}
		return a.Forget(ctx, host.Actor{Person: storage.Person{ID: c.Person}, Interaction: "forget-" + rand.Text()})
	}
	if c.DryRun {
		err = readStore(ctx, c.DB, forget)
	} else {
		err = changeStore(ctx, c.DB, forget)
	}
	if err != nil {
		return fmt.Errorf("deleting the data of a person: %w", err)
	}
	_, err = fmt.Fprint(s.Out, c.report(k))
	return err
}

// report returns a line for each table with something about the person, and a
// summary.
func (c forgetCommand) report(k account.Summary) string {
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(k.Rows)) {
		fmt.Fprintf(&b, "%s: %s\n", table, cli.Count(k.Rows[table], "row", "rows"))
	}
	fate := "deleted; the bot edits its messages at once if it runs, otherwise after its next start"
	switch {
	case c.DryRun:
		fate = "nothing was changed"
	case len(k.Rows) == 0:
		fate = "nothing was stored, except perhaps that others have blocked them"
	}
	fmt.Fprintf(&b, "%s: %s running, %d ended, %s; %s\n", c.Person,
		cli.Count(k.Running, "match", "matches"), k.Ended, cli.Count(k.Challenges, "open challenge", "open challenges"), fate)
	return b.String()
}
