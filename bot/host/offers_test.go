package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

func (w *world) make(p storage.Person, v *host.View, kind offers.Kind) *host.View {
	w.t.Helper()
	return w.done(w.Host.MakeOffer(w.t.Context(), w.Actor(p), v.Record.ID, host.AnySeq, kind))
}

// last returns the last offer since the last turn.
func last(v *host.View) (o offers.Offer, ok bool) {
	o, _ = v.Offers().Open()
	return o, o.Number > 0
}

func (w *world) answer(p storage.Person, v *host.View, answer offers.Answer) *host.View {
	w.t.Helper()
	o, _ := last(v)
	return w.done(w.Host.AnswerOffer(w.t.Context(), w.Actor(p), v.Record.ID, v.Match.PublicSeq(), o.Number, answer))
}

// noOffer fails unless an offer is refused and changes nothing.
func (w *world) noOffer(p storage.Person, v *host.View, kind offers.Kind, why error) {
	w.t.Helper()
	w.unchanged(w.t, v.Record.ID, 0, func() {
		_, err := w.Host.MakeOffer(w.t.Context(), w.Actor(p), v.Record.ID, host.AnySeq, kind)
		refused(w.t, err, why)
	})
}

func (w *world) noAnswer(p storage.Person, v *host.View, seq int, answer offers.Answer, why error) {
	w.t.Helper()
	w.unchanged(w.t, v.Record.ID, 0, func() {
		_, err := w.Host.AnswerOffer(w.t.Context(), w.Actor(p), v.Record.ID, seq, 1, answer)
		refused(w.t, err, why)
	})
}

// four plays four turns.
func (w *world) four(v *host.View) *host.View {
	w.t.Helper()
	for _, turn := range []string{"right", "left", "right", "left"} {
		v = w.act(v, turn)
	}
	w.post(v.Record.ID)
	return w.Match(v.Record.ID)
}

func TestDrawIsAgreed(t *testing.T) {
	w := newWorld(t)
	v := w.four(w.start("trails", nil))
	v = w.make(anna, v, offers.Draw)
	if o, ok := v.Offers().Open(); !ok || o.Kind != offers.Draw || o.Seat != 1 || v.Board.Offer != o.Number || v.Board.Edit || v.Board.Notify || len(v.Asked(o)) != 1 {
		t.Fatalf("offered is %+v, on board %+v", o, v.Board)
	}
	w.post(v.Record.ID)
	w.noOffer(anna, v, offers.Draw, offers.ErrRepeated)
	w.noOffer(anna, v, offers.Takeback, offers.ErrOpen)
	w.noOffer(chloe, v, offers.Draw, host.ErrNotSeated)
	w.noAnswer(anna, v, 4, offers.Accept, offers.ErrOwn)
	w.noAnswer(ben, v, 4, offers.Withdraw, offers.ErrOthers)
	w.noAnswer(ben, v, 3, offers.Accept, offers.ErrLapsed)
	w.noAnswer(chloe, v, 4, offers.Accept, host.ErrNotSeated)

	a := w.Actor(ben)
	for range 2 { // a repeated delivery changes nothing
		var err error
		v, err = w.Host.AnswerOffer(t.Context(), a, v.Record.ID, 4, 1, offers.Accept)
		must(t, err)
	}
	out, _ := v.Match.Over()
	if out.Ending != match.ByAgreement || out.By != 2 || v.Record.Ending != "agreement" || !v.Board.Notify || v.Record.Offers != "" ||
		v.Record.Results[0] != (storage.SeatResult{Place: 1, Result: storage.Drawn}) || len(v.RatingChanges) != 2 {
		t.Errorf("the outcome is %+v, on record %+v", out, v.Record)
	}
	if c, err := w.Host.CheckRatings(t.Context(), nil); err != nil || len(c.Differences) > 0 || c.Rated != 1 {
		t.Errorf("ratings: %+v (%v)", c, err)
	}
	w.noOffer(anna, v, offers.Draw, match.ErrOver)
}

// The mention of the people who are asked is not lost if another board of the same
// turn replaces the one that has it.
func TestOfferIsMentionedOnce(t *testing.T) {
	w := newWorld(t)
	v := w.make(anna, w.four(w.start("trails", nil)), offers.Draw)
	w.update(func(tx storage.Tx) error {
		_, err := tx.InsertBoard(storage.Board{Match: v.Record.ID, Seq: 4, Place: here})
		return err
	})
	if w.Match(v.Record.ID).Board.Offer != 1 {
		t.Error("Ben would not be told of the offer")
	}
	w.post(v.Record.ID)
	if v = w.repost(ben, v.Record.ID); v.Board.Offer != 0 {
		t.Error("Ben would be told of the offer twice")
	}
}

// cautious returns a turn that takes one counter.
func cautious(p engine.Position) string { return p.Legal()[0].String() + " end" }

// cautiousPlayer plays like cautious.
var cautiousPlayer = thinker(func(_ context.Context, p engine.Position, _ search.Limits) (d search.Decision, err error) {
	for _, token := range strings.Fields(cautious(p)) {
		a, err := p.Parse(token)
		if err != nil {
			return d, err
		}
		d.Actions = append(d.Actions, a)
	}
	return d, nil
})

// fixedValue plays at random, and every position has that value for seat 2.
type fixedValue int

func (f fixedValue) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	d, err := search.Random{}.Think(ctx, p, l)
	d.Values = []float64{search.ExpectedPayoff(-int(f)), search.ExpectedPayoff(int(f))}
	return d, err
}

// unrated starts an unrated match of Anna, who moves first, against a computer, and
// plays turns of both.
func (w *world) unrated(turns int, clock string) *host.View {
	w.t.Helper()
	v := w.begun(host.Proposal{
		Place: here, Opponents: []storage.Person{casual}, Game: sample.Key, First: host.FirstMe, Clock: clock, Unrated: true,
		Options: map[string]string{"counters": "20"},
	})
	return w.both(v, turns)
}

func (w *world) both(v *host.View, turns int) *host.View {
	w.t.Helper()
	w.player = cautiousPlayer
	for range turns {
		v = w.replies(w.act(v, cautious(v.Match.Position())))
	}
	return v
}

func TestComputerDecides(t *testing.T) {
	w := newWorld(t)
	v := w.unrated(3, "1h")
	// It agrees to a takeback and to more time at once, whenever it is asked.
	turn := v.Match.Turns()[4]
	v = w.make(anna, w.act(v, "a1"), offers.Takeback)
	if v.Match.Seat() != 1 || v.Match.Open().Number != turn.Number || len(v.Match.Open().Actions) != 0 || v.Board.Notify {
		t.Errorf("the open turn is %+v, board %+v", v.Match.Open(), v.Board)
	}
	at := v.TimeoutAt()
	if v = w.make(anna, v, offers.Time); !v.TimeoutAt().Equal(at.Add(time.Hour)) {
		t.Errorf("Anna has until %s, not an hour more than %s", v.TimeoutAt(), at)
	}
	if v = w.make(anna, v, offers.Abort); v.Record.Ending != "abort" {
		t.Errorf("%+v", v.Record)
	}
	// In a rated match it does not take turns back.
	rated := w.both(w.against(sample.Key, casual), 1)
	w.noOffer(anna, rated, offers.Takeback, offers.ErrRated)
}

// A computer agrees to a draw that is worth as much to it as the position, but not
// early in a match.
func TestComputerDraws(t *testing.T) {
	w := newWorld(t)
	v := w.unrated(0, "")
	w.noOffer(anna, v, offers.Draw, host.ErrComputerAsked)
	draw := func(value int) (*host.View, error) {
		w.player = fixedValue(value)
		return w.Host.DrawWithComputer(t.Context(), w.Actor(anna), v)
	}
	_, err := draw(-1000)
	refused(t, err, offers.ErrPlaysOn)
	_, err = draw(-1000)
	refused(t, err, offers.ErrRepeated)
	v = w.both(v, 8)
	for _, value := range []int{1, 400, search.WinValue} {
		before := v
		_, err = draw(value)
		refused(t, err, offers.ErrPlaysOn)
		if v = w.Match(v.Record.ID); v.Match.Seq() != before.Match.Seq() || v.Board != before.Board {
			t.Error("a declined draw changes the match")
		}
		v = w.both(v, 1)
	}
	_, err = w.Host.DrawWithComputer(t.Context(), w.Actor(ben), v)
	refused(t, err, host.ErrNotSeated)
	drawn, err := draw(0)
	if must(t, err); drawn.Record.Ending != "agreement" || drawn.Board.Notify {
		t.Errorf("%+v", drawn.Record)
	}
}

// fullStore cannot store offers.
type fullStore struct{ storage.Store }

type fullTx struct{ storage.Tx }

func (s fullStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(fullTx{tx}) })
}

func (fullTx) SetOffers(storage.MatchID, string) error { return storage.ErrDiskFull }

// A failure of the store is not a refusal: nobody asked for something impossible.
func TestOfferIsNotStored(t *testing.T) {
	w := newWorld(t)
	v := w.four(w.start("trails", nil))
	c := w.Config
	c.Store = fullStore{w.Store}
	_, err := host.New(c).MakeOffer(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq, offers.Draw)
	var refusal *host.Refusal
	if !errors.Is(err, storage.ErrDiskFull) || errors.As(err, &refusal) {
		t.Errorf("%T %v", err, err)
	}
}

func TestTimeIsGiven(t *testing.T) {
	w := newWorld(t)
	v := w.four(w.timed("2h"))
	at, board := v.TimeoutAt(), v.Board
	w.run(100 * time.Minute) // Anna has been reminded after 90
	v = w.Match(v.Record.ID)
	if !v.Record.Reminded || v.Board.ID == board.ID {
		t.Fatal("Anna was not reminded")
	}
	w.post(v.Record.ID)
	seq := v.Match.Seq()
	_, err := w.Host.GiveTime(t.Context(), w.Actor(anna), v.Record.ID, host.AnySeq)
	refused(t, err, match.ErrOwnTurn)
	v = w.done(w.Host.GiveTime(t.Context(), w.Actor(ben), v.Record.ID, host.AnySeq))
	if want := at.Add(2 * time.Hour); !v.TimeoutAt().Equal(want) || !v.Record.CheckAt.Equal(want) || !v.Board.Edit || v.Board.Notify {
		t.Errorf("Anna has until %s, on record %+v, board %+v", v.TimeoutAt(), v.Record, v.Board)
	}
	// She is not reminded again, and her buttons are still valid.
	w.post(v.Record.ID)
	w.run(2 * time.Hour)
	if got := w.states(v.Record.ID); strings.Count(got, "🔔") != 6 {
		t.Errorf("the boards are %s", got)
	}
	v = w.done(w.Host.Act(t.Context(), w.Actor(anna), v.Record.ID, seq, "right"))
	// Ben asks for time, and Anna gives it.
	if err := v.CheckOffer(1, offers.Time); !errors.As(err, new(*match.TurnError)) {
		t.Errorf("Anna asks for time in Ben's turn: %v", err)
	}
	at = v.TimeoutAt()
	v = w.answer(anna, w.make(ben, v, offers.Time), offers.Accept)
	if !v.TimeoutAt().Equal(at.Add(2*time.Hour)) || !v.Board.Edit {
		t.Errorf("Ben has until %s", v.TimeoutAt())
	}
	w.noOffer(ben, v, offers.Time, offers.ErrRepeated)
	// What is given unasked answers the offer, and a day is the most.
	v = w.four(w.timed("3d"))
	at = v.TimeoutAt()
	v = w.make(anna, v, offers.Time)
	v = w.done(w.Host.GiveTime(t.Context(), w.Actor(ben), v.Record.ID, v.Match.PublicSeq()))
	if _, ok := v.Offers().Open(); ok || !v.TimeoutAt().Equal(at.Add(24*time.Hour)) {
		t.Errorf("Anna has until %s", v.TimeoutAt())
	}
	v = w.four(w.timed("1h"))
	w.run(time.Hour - 10*time.Second)
	w.post(v.Record.ID)
	w.Advance(10 * time.Second)
	w.noOffer(anna, v, offers.Draw, host.ErrTimeUp)
	_, err = w.Host.GiveTime(t.Context(), w.Actor(ben), w.start("trails", nil).Record.ID, host.AnySeq)
	refused(t, err, match.ErrNoClock)
}
