package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine/match"
	"castellan/storage"
)

// organiseWorld returns a world in which Ben organises matches by his role.
func organiseWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.command(w.anna, "settings") // she may manage the server
	w.pick(w.anna, "settings/organiser/menu", sandbox.DefaultWorld().Guild.Roles[0].ID)
	return w
}

// organise has Ben press a button of his newest private message, by its path.
func (w *world) organise(path string, args ...any) api.Message {
	w.t.Helper()
	m := w.private(w.ben)
	w.answered(w.ben.Click(w.channel, m.ID, "organise/"+fmt.Sprintf(path, args...)))
	return w.message(w.ben, m.ID)
}

// startFor has Ben start a match of Trails for Anna and Chloé, with the third clock.
func (w *world) startFor() *host.View {
	w.t.Helper()
	w.command(w.ben, "organise")
	w.organise("new")
	w.pick(w.ben, "organise/game/0", "trails")
	w.pick(w.ben, "organise/clock/trails", fmt.Sprint(slices.Index(host.ClockChoices(), "1d")))
	w.pick(w.ben, fmt.Sprintf("organise/players/trails/%d", slices.Index(host.ClockChoices(), "1d")), w.annaID, w.chloeID)
	return w.view(1)
}

// An organiser starts a match for others, decides it, takes that back and ends it, also
// after a restart; each time the channel says who did it.
func TestOrganise(t *testing.T) {
	t.Parallel()
	w := organiseWorld(t)
	wantText(t, w.command(w.chloe, "organise"), "error.organiser")
	before := w.chloe.Mentions(w.channel) + w.anna.Mentions(w.channel)
	v := w.startFor()
	if v.Record.Clock != "1d" || v.SeatOf(w.benID) != 0 || len(v.Record.Seats) != 2 {
		t.Fatalf("the match is %+v", v.Record)
	}
	w.wait("a mention of both", func() bool { return w.chloe.Mentions(w.channel)+w.anna.Mentions(w.channel) == before+2 })
	says := func(text string) {
		t.Helper()
		w.wait("the text "+text, func() bool {
			return slices.ContainsFunc(w.anna.Messages(w.channel), func(m api.Message) bool {
				return m.Flags&api.FlagEphemeral == 0 && strings.Contains(bottest.Text(m), text)
			})
		})
	}
	says("Ben started a match for")
	w.moveIn(1, "right")

	w.organise("decide/1/1")
	says("decided the match")
	if out, _ := w.view(1).Match.Over(); out.Ending != match.ByAdjudication {
		t.Fatalf("it ended as %+v", out)
	}
	w.stopBot()
	w.startBot()
	w.pass(5 * time.Minute)
	w.organise("revert/1/%d", w.view(1).Match.Seq())
	says("took back the decision about match 1")
	if after := w.view(1); after.Match.Seat() != 2 || after.Record.Ending != "" {
		t.Fatalf("it goes on as %+v", after.Record)
	}
	w.moveIn(1, "left")
	says("Ben")
	if m := w.command(w.ben, "organise", sandbox.Opt("match", 1)); len(buttons(m)) != 5 {
		t.Errorf("the buttons are %v", buttons(m))
	}
	w.organise("decide/1/none")
	says("ended the match of")
	w.pass(host.RevertWithin + time.Minute)
	w.organise("revert/1/%d", w.view(1).Match.Seq())
	w.wantPrivate(w.ben, "error.organise.late")

	w.command(w.ben, "organise")
	wantText(t, w.organise("acts"), "started match 1", "took back", "ended match 1")
}

// An organiser takes a result out of the ratings and puts it in again.
func TestVoid(t *testing.T) {
	t.Parallel()
	w := organiseWorld(t)
	w.beat(storage.Person{ID: w.annaID, Name: "Anna"}, storage.Person{ID: w.chloeID, Name: "Chloé"})
	w.command(w.ben, "organise", sandbox.Opt("match", 1))
	rated := func() int { return len(w.view(1).RatingChanges) }
	if rated() != 2 {
		t.Fatalf("%d rating changes", rated())
	}
	wantText(t, w.organise("void/1"), "out of the ratings")
	if rated() != 0 {
		t.Errorf("%d rating changes", rated())
	}
	w.organise("revert/1/%d", w.view(1).Match.Seq())
	if rated() != 2 {
		t.Errorf("%d rating changes", rated())
	}
	// Not about one's own match.
	w.beat(storage.Person{ID: w.annaID, Name: "Anna"}, storage.Person{ID: w.benID, Name: "Ben"})
	w.command(w.ben, "organise", sandbox.Opt("match", 2))
	w.organise("void/2")
	w.wantPrivate(w.ben, "error.organise.own")
}

// Clocks stand still for some hours, also after a restart, and go on when they are
// started again. A challenge of others is withdrawn.
func TestFreezeAndWithdraw(t *testing.T) {
	t.Parallel()
	w := organiseWorld(t)
	at := w.startFor().TimeoutAt()
	w.command(w.ben, "organise")
	w.pick(w.ben, "organise/freeze", "4")
	w.wait("the board to say so", func() bool { return strings.Contains(bottest.Text(w.board()), "stopped all clocks") })
	if now := w.view(1).TimeoutAt(); now.Sub(at) != 4*time.Hour {
		t.Errorf("the deadline goes from %s to %s", at, now)
	}
	w.stopBot()
	w.startBot()
	w.command(w.ben, "organise")
	w.pass(time.Hour)
	w.organise("thaw")
	w.wait("the board to say so", func() bool { return strings.Contains(bottest.Text(w.board()), "started the clocks again") })
	if got := w.view(1).TimeoutAt().Sub(at); got < time.Hour || got > time.Hour+2*time.Minute {
		t.Errorf("the clocks stood still for %s", got)
	}
	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.chloeID))))
	offered := w.newest(w.chloe, "challenge.accept")
	w.command(w.ben, "organise")
	w.pick(w.ben, "organise/pick", "challenge 2")
	w.organise("withdraw/2")
	w.wait("the challenge to say so", func() bool {
		text := bottest.Text(w.message(w.anna, offered.ID))
		return strings.Contains(text, w.benID) && strings.Contains(text, "withdrew the challenge by Anna")
	})
}
