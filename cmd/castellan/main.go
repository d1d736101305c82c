// Command castellan is a Discord bot that hosts strategy games. It shows boards
// as pictures, keeps every match in a database, and can be tried in a sandbox
// without Discord.
package main

import (
	"errors"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/imaging/draw"
	"castellan/storage/transfer"
)

// commands describes the command line.
type commands struct {
	Sandbox     sandboxCommand     `cmd:"" help:"Play in a browser, without Discord: starts the bot against a stand-in for Discord on this machine."`
	Run         runCommand         `cmd:"" help:"Start the bot on Discord."`
	Setup       setupCommand       `cmd:"" help:"Take a bot token, check it and write the configuration: the first step to a bot of your own."`
	Doctor      doctorCommand      `cmd:"" help:"Check configuration, token, servers, database, disk and clock, and say what to do."`
	Invite      inviteCommand      `cmd:"" help:"Print the address that adds the bot to a server."`
	CheckConfig checkConfigCommand `cmd:"" help:"Check a configuration file, and list every mistake in it."`
	Health      healthCommand      `cmd:"" help:"Ask a running bot for its health; for supervisors."`
	Shards      shardsCommand      `cmd:"" help:"Show the shards of a running bot: their connections to Discord."`
	Processes   processesCommand   `cmd:"" help:"List the processes of a bot on PostgreSQL: their roles, versions, and when they were last heard of."`
	Backup      backupCommand      `cmd:"" help:"Copy a database to a file, also while the bot is running."`
	Migrate     migrateCommand     `cmd:"" help:"Copy a database from a file to PostgreSQL, or back."`
	Verify      verifyCommand      `cmd:"" help:"Replay every match of a database, such as a backup, and report faults."`
	Schema      schemaCommand      `cmd:"" help:"Create or update the tables of a database, so that castellan run need not have the right to."`
	Ratings     ratingsCommand     `cmd:"" help:"Manage the stored ratings."`
	Jobs        jobsCommand        `cmd:"" help:"Show the jobs of a bot on PostgreSQL, or start one."`
	Forget      forgetCommand      `cmd:"" help:"Delete the data of a person, as they can with /privacy."`
	Audit       auditCommand       `cmd:"" help:"Print what operators did with the bot as a whole, or organisers in their server."`
	Render      renderCommand      `cmd:"" help:"Draw the board of a game after some turns as a PNG file."`
	Version     cli.VersionCommand `cmd:"" help:"Print the version."`

	Completion cli.CompletionCommand `cmd:"" help:"Print a script that completes commands in bash, zsh, fish or PowerShell."`
	Complete   cli.CompleteCommand   `cmd:"" hidden:""`
	Man        cli.ManCommand        `cmd:"" hidden:"" help:"Print the manual page."`
}

// BeforeApply refuses a password in the URL of a database: every program of the machine can
// read the command line.
func (*commands) BeforeApply(c *kong.Context) error {
	for _, arg := range c.Args {
		if _, value, named := strings.Cut(arg, "="); named && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if u, err := url.Parse(arg); err == nil && transfer.IsURL(arg) && hasPassword(u) {
			return errors.New("a password must not be on the command line, which every program of the machine can read: put it in PGPASSWORD, or in a password file (https://www.postgresql.org/docs/current/libpq-pgpass.html)")
		}
	}
	return nil
}

const description = `Castellan hosts strategy games in Discord.

Try it without Discord:

  castellan sandbox

prints an address; open it in a browser, type /challenge, and play both sides.
On Discord itself it runs with a bot token in CASTELLAN_TOKEN:

  castellan run

Draw any position:

  castellan render --game trails --turns "right left right up down left" --out board.png`

func main() { os.Exit(cli.Main(program())) }

func program() cli.Program {
	return cli.Program{
		Name: "castellan", Description: description, Commands: &commands{},
		Vars: kong.Vars{"games": strings.Join(games.Keys(), ", "), "themes": strings.Join(draw.Themes(), ",")},
	}
}
