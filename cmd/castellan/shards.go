package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"castellan/bot/cluster"
	"castellan/bot/metrics"
)

// printShards writes a table of the shards, and how many sessions may be started.
func printShards(out io.Writer, s metrics.ShardReport) error {
	if len(s.Shards) == 0 {
		_, err := fmt.Fprintln(out, "The bot has no shards: it is starting, or does without the gateway.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	process := func(metrics.Shard) string { return "" }
	if several := func(s metrics.Shard) bool { return s.Process != "" }; slices.ContainsFunc(s.Shards, several) {
		fmt.Fprint(w, "PROCESS\tHEARD OF\t")
		process = func(s metrics.Shard) string {
			switch {
			case s.Process == "":
				return "-\t-\t"
			case s.HeardSeconds == nil:
				return s.Process + "\tit answers\t"
			}
			return s.Process + "\t" + heard(time.Duration(*s.HeardSeconds*float64(time.Second))) + "\t"
		}
	}
	fmt.Fprintln(w, "SHARD\tSTATE\tFOR\tSERVERS\tLATENCY\tSESSION\tLAST EVENT\tCONNECTIONS\tFAILURES\tLAST LOSS")
	for _, one := range s.Shards {
		fmt.Fprint(w, process(one))
		printShard(w, one, "connected")
	}
	for _, one := range s.Next {
		fmt.Fprint(w, process(one))
		printShard(w, one, "taking over")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	i := s.Identifies
	if s.Recommended == 0 {
		_, err := fmt.Fprintln(out, "This process has not asked Discord how many shards it recommends.")
		return err
	}
	until := ""
	if i.ResetSeconds > 0 {
		until = fmt.Sprintf(", for %v", time.Duration(i.ResetSeconds)*time.Second)
	}
	_, err := fmt.Fprintf(out, "Discord recommends %d. Sessions left: %d of %d%s; %d at a time.\n", s.Recommended, i.Remaining, i.Total, until, i.Concurrency)
	return err
}

// printProcesses writes a table of the processes of a bot.
func printProcesses(out io.Writer, all []cluster.Process) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, "No process of the bot uses this database.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROCESS\tROLES\tVERSION\tHEARD OF")
	for _, p := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Name, p.Roles, p.Version, heard(p.Heard))
	}
	return w.Flush()
}

// heard says how long ago a process was heard of.
func heard(d time.Duration) string {
	text := d.Round(time.Second).String() + " ago"
	if cluster.Overdue(d) {
		text += ", overdue"
	}
	return text
}

func printShard(w io.Writer, s metrics.Shard, connected string) {
	if !s.Connected {
		connected = "not connected"
	}
	guilds := strconv.Itoa(s.Guilds)
	if s.Guilds == 0 && s.SessionSeconds == nil { // of another process, or taken over from one
		guilds = "-"
	}
	fmt.Fprintf(w, "%d of %d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", s.ID, s.Shards, connected, duration(s.StateSeconds, time.Second), guilds,
		duration(s.LatencySeconds, time.Millisecond), duration(s.SessionSeconds, time.Second), duration(s.EventSeconds, time.Second), s.Connections, s.Failures, cmp.Or(s.Reason, "-"))
}

func duration(seconds *float64, unit time.Duration) string {
	if seconds == nil {
		return "-"
	}
	return time.Duration(*seconds * float64(time.Second)).Round(unit).String()
}
