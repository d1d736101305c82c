package e2e_test

import (
	"context"
	"strings"
	"testing"

	"castellan/storage"
)

// The bot stops while people wait for a slow disk. They are told at once, and the
// bot ends as soon as the disk has done what it has begun.
func TestStopWhilePeopleWaitForTheDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.challenge()
	before := w.view(1).Match.Seq()
	// The disk is busy with the change of somebody else.
	begun, gate, held := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		held <- w.store.Update(context.Background(), func(storage.Tx) error {
			close(begun)
			<-gate
			return nil
		})
	}()
	<-begun
	var ids []string
	for range 5 {
		ids = append(ids, w.begin(w.anna.Command(w.channel, "board")), w.begin(w.ben.Command(w.channel, "board")))
	}
	w.wait("all to arrive", func() bool { return w.bot.InProgress() == len(ids) })
	stopped := make(chan struct{})
	stop := w.stop
	go func() {
		defer close(stopped)
		stop()
	}()
	for _, id := range ids {
		w.wait("an answer", func() bool {
			i, _ := w.chat.Interaction(id)
			return i.State == "answered"
		})
	}
	select {
	case <-stopped:
		t.Error("the bot has stopped before the disk was done")
	default:
	}
	restarting := 0
	for _, p := range []string{w.annaID, w.benID} {
		for _, m := range w.chat.As(p).Messages(w.channel) {
			if strings.Contains(text(m), "I am being restarted") {
				restarting++
			}
		}
	}
	if restarting != len(ids) {
		t.Errorf("%d of %d were told that the bot is being restarted", restarting, len(ids))
	}
	close(gate)
	must(t, <-held)
	<-stopped
	w.stop = nil
	w.startBot()
	if n := w.view(1).Match.Seq(); n != before {
		t.Errorf("%d entries were added", n-before)
	}
}
