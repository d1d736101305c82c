package bot

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/host/hosttest"
	"castellan/bot/publish"
)

// Whatever a process remembers is looked at again when it has lost the database: another
// server may have taken its place.
func TestCachesHearSignals(t *testing.T) {
	w := hosttest.New(t, hosttest.Options{})
	b, err := New(Config{
		Token: "a.b.c", Host: w.Host, Games: w.Games, Renderer: hosttest.Renderer{}, Catalogue: w.Texts, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(b.listeners, listener(w.Host)) {
		t.Error("the host does not hear signals")
	}
}

// Unexpected events of the gateway neither block nor panic.
func TestHandleEvent(t *testing.T) {
	b := &Bot{firstReady: make(chan *discordgo.Ready, 1), Publisher: &publish.Publisher{}}
	for range 3 {
		b.handleEvent(&discordgo.Ready{})
	}
	b.handleEvent(&discordgo.GuildDelete{})
	b.handleEvent(nil)
	if len(b.firstReady) != 1 {
		t.Error("the first READY is lost")
	}
}
