package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"castellan/bot/discord"
	"castellan/cmd/internal/cli"
	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/transfer"
)

type doctorCommand struct {
	Config string `short:"c" env:"CASTELLAN_CONFIG" help:"Configuration file of the bot (castellan.toml here or in /etc/castellan if it exists)." placeholder:"FILE"`
}

// verdict says how a check ended.
type verdict string

const (
	good    verdict = "ok"
	warning verdict = "warn" // works, but something should be done
	wrong   verdict = "FAIL"
)

// checkup prints the results of checks.
type checkup struct {
	cli.Streams
	failed int
}

// say reports a check: what was looked at, what was found, and what to do about it.
func (d *checkup) say(v verdict, what, found, remedy string) {
	if v == wrong {
		d.failed++
	}
	fmt.Fprintf(d.Out, "%-4s  %-13s  %s\n", v, what, strings.ReplaceAll(found, "\n", "\n"+strings.Repeat(" ", 21)))
	if remedy != "" {
		fmt.Fprintf(d.Out, "%21s→ %s\n", "", remedy)
	}
}

// Run checks what castellan run needs and says what to do. It changes nothing, also while
// the bot runs.
func (c doctorCommand) Run(ctx context.Context, s cli.Streams) error {
	d := &checkup{Streams: s}
	build := cli.ThisBuild()
	d.say(good, "version", build.Version+" "+build.GoVersion, "")
	c.Config = foundConfig(c.Config)
	conf, err := loadConfig(c.Config)
	if err != nil {
		d.say(wrong, "configuration", err.Error(), "correct these lines; config.example.toml explains every key")
		return d.result()
	}
	d.say(good, "configuration", cmp.Or(c.Config, "none: the defaults"), "")
	d.discord(ctx, conf)
	d.database(ctx, conf.database())
	if limit := descriptorLimit(); limit < minDescriptors {
		d.say(warning, "files", fmt.Sprintf("a process may have %d files and connections open, fewer than the %d it can need", limit, minDescriptors), "raise the limit (ulimit -n, LimitNOFILE in systemd)")
	}
	d.health(ctx, conf, c.Config)
	return d.result()
}

func (d *checkup) result() error {
	if d.failed > 0 {
		return fmt.Errorf("%s failed", cli.Count(d.failed, "check", "checks"))
	}
	return nil
}

// discord checks the token, the application, the clock and the permissions in servers.
func (d *checkup) discord(ctx context.Context, conf config) {
	token, err := conf.token()
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), " To get one")
		d.say(wrong, "token", first, "castellan setup leads through it")
		return
	}
	if conf.tokenOpen() {
		d.say(warning, "token", "everybody on this machine can read "+conf.tokenFile()+", and whoever has the token is the bot", "chmod o-r "+conf.tokenFile())
	}
	if ahead, err := discordClock(ctx, conf.API); err == nil && ahead.Abs() > 5*time.Second {
		d.say(warning, "clock", fmt.Sprintf("this machine's clock differs from Discord's by %v", ahead), "synchronize it (systemd-timesyncd, chrony): clocks of matches follow it")
	}
	client, err := newClient(conf.API, token)
	if err != nil {
		d.say(wrong, "Discord", err.Error(), "correct api under [discord]")
		return
	}
	app, name, err := identify(ctx, client)
	if err != nil {
		remedy := "is this machine connected, and does a firewall let it reach " + conf.API + "?"
		if wrongToken(err) != err {
			remedy = "reset the token in the developer portal, on the page Bot, and put the new one in its place"
		}
		d.say(wrong, "Discord", err.Error(), remedy)
		return
	}
	d.say(good, "Discord", fmt.Sprintf("%s, application %s", name, app.ID), "")
	if app.Endpoint != "" && conf.Interactions == "" {
		d.say(wrong, "application", "commands and clicks go to "+app.Endpoint+", which this configuration does not serve", "clear the Interactions Endpoint URL under General Information in the developer portal, or set up [interactions]")
	}
	gateway, err := client.GetGateway(ctx)
	switch {
	case err != nil:
		d.say(wrong, "gateway", err.Error(), "try again later: https://discordstatus.com")
	case gateway.SessionStartLimit.Remaining == 0:
		d.say(wrong, "gateway", "the bot has connected too often today", fmt.Sprintf("wait %v", gateway.SessionStartLimit.ResetAfter.Round(time.Minute)))
	default:
		d.say(good, "gateway", fmt.Sprintf("%s, %d of %d connections left today", cli.Count(gateway.Shards, "shard", "shards"), gateway.SessionStartLimit.Remaining, gateway.SessionStartLimit.Total), "")
	}
	base, _ := url.Parse(conf.API) // was checked
	d.servers(ctx, client, discord.Invite(base, app.ID))
}

// servers checks the bot's permissions in its servers.
func (d *checkup) servers(ctx context.Context, client *discord.Client, invite string) {
	guilds, err := client.GetGuilds(ctx)
	switch {
	case err != nil:
		d.say(wrong, "servers", err.Error(), "")
		return
	case len(guilds) == 0:
		d.say(warning, "servers", "the bot is in no server", "add it: "+invite)
		return
	}
	lacking := 0
	for _, g := range guilds {
		if names := g.Lacks(); names != "" {
			lacking++
			d.say(warning, "server", fmt.Sprintf("%s (%s) denies the bot: %s", g.Name, g.ID, names), "give its role these permissions under Server Settings, Roles; channels can deny them, too")
		}
	}
	d.say(good, "servers", fmt.Sprintf("%d, %d of them with all permissions", len(guilds), len(guilds)-lacking), "")
}

// minFree is the free space on a disk below which the bot should not run, in bytes.
const minFree = 256 << 20

// database checks a database, without changing it, and the disk of a file.
func (d *checkup) database(ctx context.Context, name string) {
	shown := transfer.Redacted(name)
	if !transfer.IsURL(name) {
		if free, err := freeSpace(filepath.Dir(name)); err == nil && free < minFree {
			d.say(wrong, "disk", fmt.Sprintf("%d MiB are free beside %s", free>>20, shown), "free some space: on a full disk no turn can be played")
		}
	}
	matches, damage := 0, []string{}
	err := readStore(ctx, name, func(store storage.Store) (err error) {
		if file, ok := store.(*sqlite.Store); ok {
			if damage, err = file.Check(ctx); err != nil {
				return err
			}
		}
		return store.View(ctx, func(r storage.Reader) error {
			counts, err := r.Counts(time.Now())
			for _, n := range counts.Matches {
				matches += n
			}
			return err
		})
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say(good, "database", shown+" does not exist yet; castellan run creates it", "")
	case err != nil:
		d.say(wrong, "database", err.Error(), "")
	case len(damage) > 0:
		d.say(wrong, "database", shown+" is damaged: "+damage[0], "stop the bot and restore a backup; castellan verify lists what is left")
	default:
		d.say(good, "database", fmt.Sprintf("%s with %s", shown, cli.Count(matches, "match", "matches")), "")
	}
}

// health says whether the bot runs, if the configuration has an address to ask.
func (d *checkup) health(ctx context.Context, conf config, name string) {
	if conf.Listen == "" {
		d.say(warning, "health", "nothing can ask the bot for its health", `write listen = "127.0.0.1:9464" under [http]`)
		return
	}
	var said strings.Builder
	err := healthCommand{Config: name}.Run(ctx, cli.Streams{Out: &said, Errs: d.Errs})
	if err != nil {
		d.say(warning, "health", err.Error(), "start it, or look at its log")
		return
	}
	d.say(good, "health", "the bot runs", "")
}

// database returns the name of the database: a file, or the URL of one on PostgreSQL.
func (c config) database() string {
	return cmp.Or(os.Getenv(databaseVariable), c.URL, c.Database)
}
