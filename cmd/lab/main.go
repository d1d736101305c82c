// Command lab is for research on the computer players and on the bot's performance:
// matches between players, their strength, training, load.
package main

import (
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/games"
	"castellan/engine/search"
)

type commands struct {
	Engine      engineCommand      `cmd:"" help:"Play a game for other programs, on standard input and output; docs/reference/engine-protocol.md describes the protocol."`
	Arena       arenaCommand       `cmd:"" help:"Match computer players and say who is stronger, and how sure that is; docs/reference/arena.md describes the report."`
	Ladder      ladderCommand      `cmd:"" help:"Measure all levels of a game for docs/reference/strength/levels.md, in hours. Started again, it skips what its reports have."`
	Train       trainCommand       `cmd:"" help:"Fit the learned evaluations of a game to games that it plays against itself. New weights replace those in use only if a match shows that they are not weaker. Started again, it goes on where it stopped."`
	Load        loadCommand        `cmd:"" help:"Measure response times when many people play at once, in a sandbox on this machine."`
	Plan        planCommand        `cmd:"" help:"Estimate what a bot of some size needs: requests, cores, disk and money; docs/host/scaling.md explains it."`
	Acknowledge acknowledgeCommand `cmd:"" hidden:"" help:"Run the bot that lab load compares with."`
	Version     cli.VersionCommand `cmd:"" help:"Print the version."`
}

const description = `Lab measures Castellan: its computer players and its performance. To play, use
the program castellan.`

func main() { os.Exit(cli.Main(program())) }

func program() cli.Program {
	return cli.Program{
		Name: "lab", Description: description, Commands: &commands{},
		Vars: kong.Vars{
			"games": strings.Join(games.Keys(), ", "), "levels": strings.Join(search.LevelKeys, ", "),
			"learned": strings.Join(learnedGames(), " or "),
		},
	}
}
