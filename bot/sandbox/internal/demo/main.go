// Command demo runs the sandbox with its example bot, until it is
// interrupted:
//
//	go run ./bot/sandbox/internal/demo --listen 127.0.0.1:9090
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/internal/demobot"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9090", "loopback `address` to serve the page at")
	verbose := flag.Bool("v", false, "log what the sandbox refuses")
	flag.Parse()
	if err := run(*listen, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(listen string, verbose bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	options := sandbox.Options{World: sandbox.World{Application: sandbox.Application{ID: "1130000000000000021", Name: "Painter"}}}
	if verbose {
		options.Logger = log
	}
	box, err := sandbox.New(options)
	if err != nil {
		return err
	}
	l, err := sandbox.Listen(listen)
	if err != nil {
		return err
	}
	base := "http://" + l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- box.Serve(l) }()
	bot, err := demobot.Start(base, box.Token(), box.ApplicationID(), log)
	if err != nil {
		return errors.Join(err, box.Close())
	}
	fmt.Println(base)
	<-ctx.Done()
	err = errors.Join(bot.Close(), box.Close())
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
