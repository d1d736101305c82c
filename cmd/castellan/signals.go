package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilStopped calls a function with a context that the first SIGTERM or
// interrupt ends: what is under way is then finished, within ten seconds. From
// then on signals have their usual effect, so that a second one ends the
// process at once.
func untilStopped(do func(context.Context) int) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			// In this order: whoever sees that the program is stopping may
			// rely on the effect of a second signal.
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return do(ctx)
}
