package main

import (
	"errors"

	"castellan/cmd/castellan/internal/plan"
)

type planCommand struct {
	Guilds    []int   `default:"100,2500,10000,50000,150000" help:"Numbers of servers." placeholder:"N,N"`
	Active    float64 `default:"0.15" help:"Share of the servers in which people play."`
	Matches   float64 `default:"4" help:"Running matches in such a server."`
	Turns     float64 `default:"12" help:"Turns of people in a match and day."`
	Computers float64 `default:"0.3" help:"Share of the matches against a computer."`
	Strongest float64 `default:"0.1" help:"Share of these against the strongest level, which thinks a hundred times as long as the others."`
	Peak      float64 `default:"2.5" help:"Turns in the busiest moment of the day, relative to the mean."`
	Limit     int     `default:"50" help:"Requests a second that Discord allows the bot."`
	Price     float64 `default:"12" help:"Dollars a month for a core with 2 GB of memory."`
	Seed      uint64  `default:"1" help:"Seed of the random arrivals."`
}

// Run prints what bots of some sizes need.
func (c planCommand) Run(s streams) error {
	a := plan.Assumptions{
		Active: c.Active, Matches: c.Matches, Turns: c.Turns, Computers: c.Computers, Strongest: c.Strongest, Peak: c.Peak, Limit: c.Limit, Price: c.Price, Seed: c.Seed,
	}
	if err := a.Check(); err != nil {
		return &usageError{err}
	}
	for _, g := range c.Guilds {
		if g < 1 || g > 10_000_000 {
			return &usageError{errors.New("--guilds has a number that is not from 1 to 10,000,000")}
		}
	}
	return a.Print(s.out, c.Guilds)
}
