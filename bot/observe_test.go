package bot

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

// observed is a rig with the interactions that it has told of.
func observed(t *testing.T) (*rig, func() []Served) {
	r := newRig(t)
	var all []Served
	r.bot.config.Observer.Interaction = func(s Served) { all = append(all, s) }
	r.bot.clock = r.now
	return r, func() []Served { defer func() { all = nil }(); return all }
}

// What becomes of every interaction is told once, with how long Discord waited
// for the first answer.
func TestInteractionsAreObserved(t *testing.T) {
	const took = 1200 * time.Millisecond
	answers := func(r Response, err error) handler {
		return func(context.Context, *Request) (Response, error) { return r, err }
	}
	fine := answers(PrivateText("x"), nil)
	panics := func(context.Context, *Request) (Response, error) { panic("handler") }
	confirmed := Served{Kind: "command", Outcome: Answered, Acknowledged: took, Confirmed: true}
	as := func(o Outcome) Served { s := confirmed; s.Outcome = o; return s }
	without := func(o Outcome) Served { return Served{Kind: "command", Outcome: o} }
	for name, c := range map[string]struct {
		handler handler
		answers []answer
		want    Served
	}{
		"answered":                 {fine, nil, as(Answered)},
		"refused":                  {answers(Response{}, errNoneHere), nil, as(Refused)},
		"failed":                   {answers(Response{}, errors.New("x")), nil, as(Failed)},
		"panicked":                 {panics, nil, as(Failed)},
		"lost":                     {fine, []answer{{500, `{}`}, {500, `{}`}}, without(Lost)},
		"too late":                 {fine, []answer{{404, `{"code":10062,"message":"Unknown interaction"}`}}, without(Lost)},
		"answered at the second":   {fine, []answer{{500, `{}`}, {400, `{"code":40060,"message":"Already acknowledged"}`}}, as(Answered)},
		"answered by another":      {fine, []answer{{400, `{"code":40060,"message":"Already acknowledged"}`}}, without(Repeated)},
		"refused, and it was lost": {answers(Response{}, errNoneHere), []answer{{500, `{}`}, {500, `{}`}}, without(Lost)},
	} {
		t.Run(name, func(t *testing.T) {
			r, told := observed(t)
			r.route(onCommand, "test/{x}", func(ctx context.Context, q *Request) (Response, error) {
				r.pass(took)
				return c.handler(ctx, q)
			})
			r.answers(c.answers...)
			r.serve(r.of(onCommand))
			if got := told(); len(got) != 1 || got[0] != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// Of an answer that was put off, the putting off counts, whatever comes of the
// rest.
func TestPuttingOffAcknowledges(t *testing.T) {
	for name, c := range map[string]struct {
		answers []answer
		want    Outcome
	}{
		"answered": {nil, Answered},
		"lost":     {[]answer{{204, ""}, {404, `{"code":10015,"message":"Unknown webhook"}`}}, Lost},
	} {
		t.Run(name, func(t *testing.T) {
			r, told := observed(t)
			// The clock is read at the arrival and when the putting off is confirmed.
			gate, read := make(chan struct{}), make(chan struct{}, 100)
			r.bot.clock = func() time.Time {
				defer func() { read <- struct{}{} }()
				return r.now()
			}
			r.route(onCommand, "test/{x}", func(context.Context, *Request) (Response, error) {
				<-gate
				r.pass(time.Minute)
				return PrivateText("x"), nil
			})
			r.answers(c.answers...)
			done := make(chan struct{})
			go func() { defer close(done); r.bot.serve(context.Background(), r.of(onCommand)) }()
			r.late <- time.Time{}
			<-r.seen // it is put off
			<-read
			<-read
			close(gate)
			<-done
			want := Served{Kind: "command", Outcome: c.want, Confirmed: true}
			if got := told(); len(got) != 1 || got[0] != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// What there is no room for, and what the bot does not know, is told too.
func TestWhatIsNotServedIsObserved(t *testing.T) {
	r, told := observed(t)
	modal := r.interaction(anna, discordgo.InteractionModalSubmit)
	modal.Data = discordgo.ModalSubmitInteractionData{CustomID: "x"}
	r.serve(modal)
	r.bot.sayBusy(context.Background(), r.of(onClick))
	for range maxServed + maxBusy {
		r.bot.intake.take()
	}
	r.bot.takeOn(r.of(onSuggest))
	want := []Served{
		{Kind: unknownKind, Outcome: Foreign},
		{Kind: "click", Outcome: Busy, Confirmed: true},
		{Kind: "suggest", Outcome: Dropped},
	}
	got := told()
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if n := r.bot.UnderWay(); n != maxServed+maxBusy {
		t.Errorf("%d under way", n)
	}
	r.take()
}

// The pulse stands still while a look does not end.
func TestThePulseOfTheReconciler(t *testing.T) {
	r := newRig(t)
	r.bot.clock = r.now
	if _, ok := r.bot.Pulse(); ok {
		t.Error("there is a pulse before the first look")
	}
	ticks := make(chan time.Time)
	r.bot.config.Ticks = ticks
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.bot.reconcile(ctx) }()
	ticks <- time.Time{} // the first look has ended
	ticks <- time.Time{} // and the second
	r.pass(time.Minute)
	cancel()
	<-done
	if since, ok := r.bot.Pulse(); !ok || since > time.Minute {
		t.Errorf("%v, %v", since, ok)
	}
}
