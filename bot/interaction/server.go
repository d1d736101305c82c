package interaction

import (
	"cmp"
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/storage"
)

// Discord waits three seconds for the first response and accepts further ones
// for fifteen minutes.
const (
	// deferAfter is when a response that is not ready is deferred.
	// It counts from the click, but work that has waited to begin gets
	// leastBeforeDeferral: a deferral costs one more request.
	deferAfter          = 1500 * time.Millisecond
	leastBeforeDeferral = 500 * time.Millisecond
	// autocompleteTimeout bounds autocomplete handlers, which cannot be
	// deferred.
	autocompleteTimeout = 2500 * time.Millisecond
	// handlerTimeout bounds all other handlers.
	handlerTimeout = time.Minute
	// sendTimeout bounds sending the response once the handler is done, even
	// if the handler used up its own time.
	sendTimeout = 20 * time.Second
	// graceTime is how much longer a handler that ignores its deadline is
	// waited for before it is abandoned.
	graceTime = 5 * time.Second
)

// Config is what a Server needs. Timer, Peers and Observe may be nil.
type Config struct {
	Client    *discord.Client
	Router    *Router
	Catalogue *catalogue.Catalogue
	Flood     Flood
	Logger    *slog.Logger
	// Now is the time against which requests are counted.
	Now func() time.Time
	// Timer returns a channel that receives after a duration, and a function
	// that releases it; time.NewTimer if nil.
	Timer func(time.Duration) (<-chan time.Time, func())
	// Authorize reads the match that the path names into the request's View. It
	// fails if the person has no seat in it. It is called for routes with access
	// Players.
	Authorize func(context.Context, *Request) error
	// CheckBan fails if operators have banned the person or the guild.
	CheckBan func(context.Context, *Request) error
	// Localize sets the request's Say and Public to the languages that people
	// have chosen.
	Localize func(context.Context, *Request)
	// IsMember reports whether the bot is a member of a guild.
	IsMember func(guild string) bool
	// Explain turns an error of a handler into a sentence for the person. ok
	// is false if the error is a fault of the bot.
	Explain func(r *Request, err error) (sentence string, ok bool)
	// Unsaved reports whether an error means that the store cannot write, so
	// that the operator has to act.
	Unsaved func(error) bool
	// After is called when an interaction other than autocomplete has been
	// answered.
	After func(context.Context, *Request)
	// Peers are told what is taken from budgets of Flood; nil without other processes.
	Peers storage.Peers
	// Observe is called for every interaction, after it was answered or dropped.
	Observe func(Served)
}

// Server answers interactions.
type Server struct {
	config    Config
	log       *slog.Logger
	flood     *floodGuard
	admission admission
	delay     delay
	private   privateMessages
	timer     func(time.Duration) (<-chan time.Time, func())
}

// NewServer returns a server.
func NewServer(c Config) *Server {
	var spent func(budget string, n int)
	if c.Peers != nil {
		spent = func(budget string, n int) {
			c.Peers.Notify(storage.Signal{Kind: storage.BudgetSpent, ID: budget, N: int64(n)})
		}
	}
	s := &Server{config: c, log: c.Logger, flood: newFloodGuard(c.Flood, spent), admission: newAdmission(), private: privateMessages{latest: map[privateKey]privateMessage{}}}
	s.timer = discord.Clock{Timer: c.Timer}.Complete().Timer
	return s
}

// Invalidate takes from a budget of Flood what another process has spent.
func (s *Server) Invalidate(n storage.Signal) {
	if n.Kind == storage.BudgetSpent {
		s.flood.spend(n.ID, int(n.N), s.config.Now())
	}
}

// deferState is what is known about deferring a response.
type deferState int

const (
	notDeferred deferState = iota
	deferred
	maybeDeferred // the deferral's outcome is unknown
)

// Serve carries out one interaction from its arrival to its confirmed response,
// without admission: [Server.Accept] is how interactions of Discord come in. It never
// panics.
func (s *Server) Serve(ctx context.Context, i *discordgo.Interaction) {
	if r, ok := s.read(i); ok {
		s.serve(ctx, r, 0, false)
	}
}

// read parses an interaction, finds its route and counts it against flooding, before
// it can take room from others. ok is false for one that the bot does not answer,
// which it logs and reports.
func (s *Server) read(i *discordgo.Interaction) (r *Request, ok bool) {
	t, log := s.newTrace(UnknownKind), s.log.With("interaction", i.ID, "code", logCode(i.ID))
	defer func() {
		if !ok {
			s.report(t)
		}
	}()
	defer recoverPanic(log, "panic while reading an interaction")
	r, err := s.parse(i)
	if err != nil {
		log.Warn("interaction not understood", "type", int(i.Type), "error", err)
		t.served.Outcome = Foreign
		return nil, false
	}
	r.route, r.Values, r.known = s.config.Router.Find(r.Kind, r.Path)
	r.flooded = s.flood.admit(r.Person.ID, r.Place.Channel, r.route.Class, s.config.Now())
	return r, true
}

// serve carries out an interaction that has waited since the person clicked.
func (s *Server) serve(ctx context.Context, r *Request, waited time.Duration, replayed bool) {
	code := logCode(r.Interaction.ID)
	log := s.log.With("interaction", r.Interaction.ID, "code", code, "kind", string(r.Kind), "path", r.loggedPath())
	t := s.newTrace(r.Kind)
	defer s.report(t)
	defer recoverPanic(log, "panic while answering")
	if r.Place.Guild != "" && !r.NotMember && r.Permissions != 0 {
		s.config.Client.SetPermissions(r.Place.Guild, r.Place.Channel, r.Permissions)
	}

	timeout := handlerTimeout
	if r.Kind == Autocomplete {
		timeout = autocompleteTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+sendTimeout)
	defer cancel()
	work, stop := context.WithTimeout(ctx, timeout)
	defer stop()

	state := notDeferred
	if replayed && r.Kind != Autocomplete {
		if !s.claim(ctx, r, t, log) {
			return
		}
		state = deferred
	}
	r.created = s.config.Now().Add(-waited)
	r.acknowledge = make(chan struct{}, 1)
	sorry := apology(r, code) // here, because an abandoned handler may still use the request
	result := make(chan Response, 1)
	go func() { result <- s.handle(work, r, sorry, log) }()

	if r.Kind != Autocomplete {
		defer s.config.After(ctx, r)
	}
	if state == deferred || r.Kind == Autocomplete {
		s.send(ctx, r, s.await(work, result, sorry, log), state, t, log)
		return
	}
	late, release := s.timer(max(deferAfter-waited, leastBeforeDeferral))
	defer release()
	select {
	case response := <-result:
		s.send(ctx, r, response, notDeferred, t, log)
		return
	case <-late:
		_ = discord.Pause(ctx) // never resumed: a handler that is stuck must not keep others out
	case <-r.acknowledge:
	}
	state = s.deferReply(ctx, r, t, log)
	s.send(ctx, r, s.await(work, result, sorry, log), state, t, log)
}

// await returns the handler's response. If the handler ignores its deadline, it
// returns an apology, so that the slot is freed.
func (s *Server) await(work context.Context, result <-chan Response, sorry Response, log *slog.Logger) Response {
	select {
	case response := <-result:
		return response
	case <-work.Done():
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(work), graceTime)
	defer stop()
	select {
	case response := <-result:
		return response
	case <-grace.Done():
	}
	log.Error("the handler does not return; abandoned")
	return sorry
}

func (s *Server) handle(ctx context.Context, r *Request, sorry Response, log *slog.Logger) (response Response) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("panic in a handler", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			response = sorry
		}
	}()
	response, err := s.dispatch(ctx, r)
	if err == nil {
		return response
	}
	if r.Kind == Autocomplete {
		log.Debug("no suggestions", "error", err)
		return Suggest(nil).withOutcome(Refused)
	}
	if sentence, ok := s.config.Explain(r, err); ok {
		level := slog.LevelDebug
		switch {
		case errors.Is(err, ErrBadCustomID):
			level = slog.LevelWarn
		case s.config.Unsaved(err): // the operator has to act
			level = slog.LevelError
		}
		log.Log(ctx, level, "refused", "error", err)
		return PrivateText(sentence).withOutcome(Refused)
	}
	log.Error("failed", "error", err)
	return sorry
}

// dispatch checks what the route declares, and calls the handler.
func (s *Server) dispatch(ctx context.Context, r *Request) (Response, error) {
	switch {
	case r.flooded != nil:
		return Response{}, r.flooded
	case !r.known || len(r.Path) > discord.MaxCustomID:
		return Response{}, ErrBadCustomID
	}
	s.config.Localize(ctx, r)
	if r.route.Access != Always {
		if err := s.config.CheckBan(ctx, r); err != nil {
			return Response{}, err
		}
	}
	if r.route.Access == Players {
		if err := s.config.Authorize(ctx, r); err != nil {
			return Response{}, err
		}
	}
	return r.route.Handler(ctx, r)
}

func (s *Server) sendDeferral(ctx context.Context, r *Request) error {
	if r.Kind == Component {
		return s.config.Client.DeferUpdate(ctx, r.Interaction)
	}
	return s.config.Client.DeferReply(ctx, r.Interaction)
}

func (s *Server) deferReply(ctx context.Context, r *Request, t *trace, log *slog.Logger) deferState {
	_, err := retryUnclear(ctx, func() error { return s.sendDeferral(ctx, r) })
	if err == nil || discord.HasCode(err, discord.CodeAlreadyAcknowledged) {
		t.confirm(time.Now())
		return deferred
	}
	log.Warn("deferring a response", "error", err)
	if discord.OutcomeUnknown(err) {
		return maybeDeferred
	}
	return notDeferred
}

// claim defers the response to a replayed interaction. It reports whether the
// interaction is still without an answer.
func (s *Server) claim(ctx context.Context, r *Request, t *trace, log *slog.Logger) bool {
	retried, err := retryUnclear(ctx, func() error { return s.sendDeferral(ctx, r) })
	unanswered := err == nil
	t.served.Outcome = Lost
	if discord.HasCode(err, discord.CodeAlreadyAcknowledged) {
		t.served.Outcome = Repeated
		if r.Kind == Command {
			unanswered, err = s.config.Client.IsThinking(ctx, r.Interaction)
		} else {
			unanswered = retried // then the deferral has arrived the first time
		}
	}
	if unanswered {
		t.confirm(time.Now())
	} else {
		log.Info("a replayed interaction is not carried out: it has an answer or can have none", "error", err)
	}
	return unanswered
}

// retryUnclear sends a request, and sends it again if its outcome is unknown. If
// the first one arrived, Discord's answer to the second says so. retried reports
// whether the request was sent again.
func retryUnclear(ctx context.Context, send func() error) (retried bool, err error) {
	err = send()
	if discord.OutcomeUnknown(err) && ctx.Err() == nil {
		return true, send()
	}
	return false, err
}

func (s *Server) send(ctx context.Context, r *Request, response Response, state deferState, t *trace, log *slog.Logger) {
	defer func() {
		if t.served.Outcome == Answered {
			s.replacePrivate(ctx, r, response, state, log)
		}
	}()
	confirmed := false
	if response.next != nil {
		defer func() { s.continueAfter(ctx, r, response.next, confirmed, log) }()
	}
	var retried bool
	var err error
	if state == notDeferred && response.mustBeConfirmed() {
		ctx, err = discord.WithCallback(ctx, r.Interaction)
	}
	if err == nil {
		retried, err = s.sendFirst(ctx, r, response, state)
	}
	switch {
	case err == nil:
	case discord.HasCode(err, discord.CodeAlreadyAcknowledged) && retried:
		log.Info("answered before")
	case discord.HasCode(err, discord.CodeAlreadyAcknowledged):
		// Another delivery of the interaction has answered, perhaps differently.
		log.Info("answered by another delivery")
		t.served.Outcome = Repeated
		return
	default:
		log.Warn("the response did not arrive", "error", err)
		t.served.Outcome = Lost
		return
	}
	confirmed = true
	t.confirm(time.Now())
	t.served.Outcome = cmp.Or(response.outcome, Answered)
}

// sendFirst sends a response that has not been sent yet. retried reports whether it
// was sent again because the outcome was unknown.
func (s *Server) sendFirst(ctx context.Context, r *Request, response Response, state deferState) (retried bool, err error) {
	retried, err = retryUnclear(ctx, func() error {
		if state == deferred {
			return s.sendDeferred(ctx, r, response)
		}
		return s.sendInitial(ctx, r, response)
	})
	if state == maybeDeferred && discord.HasCode(err, discord.CodeAlreadyAcknowledged) {
		// The deferral did arrive: the person sees "thinking…".
		return retryUnclear(ctx, func() error { return s.sendDeferred(ctx, r, response) })
	}
	return retried, err
}

// continueAfter runs the function of Response.Continue, and sends its text to the
// person if there is one.
func (s *Server) continueAfter(ctx context.Context, r *Request, next func(context.Context, bool) string, confirmed bool, log *slog.Logger) {
	text := next(ctx, confirmed)
	if text == "" || !confirmed {
		return
	}
	if err := s.config.Client.CreateFollowup(ctx, r.Interaction, discord.TextMessage(text)); err != nil {
		log.Warn("the follow-up did not arrive", "error", err)
	}
}

// sendInitial responds without a deferral. If the private message that was clicked
// is gone, a new one takes its place, see sendDeferred.
func (s *Server) sendInitial(ctx context.Context, r *Request, response Response) error {
	switch response.form {
	case messageUpdate:
		err := s.config.Client.UpdateMessage(ctx, r.Interaction, response.message)
		if !isGone(r, err) {
			return err
		}
	case suggestions:
		return s.config.Client.Autocomplete(ctx, r.Interaction, response.choices)
	}
	return s.config.Client.Reply(ctx, r.Interaction, response.message)
}

// sendDeferred responds after a deferral. A private reply to a component is a
// follow-up, because editing the original response would replace the component's
// message. So is the update of a private message that is gone: the person has
// dismissed it, or a newer one has replaced it. For a deferred command, editing
// replaces its "thinking…".
func (s *Server) sendDeferred(ctx context.Context, r *Request, response Response) error {
	if response.form == privateReply && r.Kind == Component {
		return s.config.Client.CreateFollowup(ctx, r.Interaction, response.message)
	}
	err := s.config.Client.EditOriginalResponse(ctx, r.Interaction, response.message)
	if isGone(r, err) {
		return s.config.Client.CreateFollowup(ctx, r.Interaction, response.message)
	}
	return err
}

// isGone reports whether a response failed because the private message that was
// clicked is gone.
func isGone(r *Request, err error) bool {
	return r.Kind == Component && r.Ephemeral && discord.HasCode(err, discord.CodeUnknownMessage)
}

// apology returns the response to a fault of the bot. Autocomplete accepts no
// message, so it gets no suggestions.
func apology(r *Request, code string) Response {
	if r.Kind == Autocomplete {
		return Suggest(nil).withOutcome(Failed)
	}
	return PrivateText(r.Say.T("error.internal", "Code", code)).withOutcome(Failed)
}

func recoverPanic(log *slog.Logger, message string) {
	if p := recover(); p != nil {
		log.Error(message, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

// logCode returns the short code by which an interaction is found in the log:
// six letters and digits that are not mistaken for each other.
func logCode(interaction string) string {
	h := fnv.New32a()
	h.Write([]byte(interaction))
	return base32.NewEncoding("ABCDEFGHJKLMNPQRSTUVWXYZ23456789").EncodeToString(h.Sum(nil))[:6]
}

func (r *Request) loggedPath() string {
	path := r.Path
	if !r.known {
		path, _, _ = strings.Cut(path, "/")
	}
	for _, parameter := range []string{"person", "name"} {
		if v := r.Values[parameter]; v != "" {
			path = strings.Replace(path, "/"+v, "/…", 1)
		}
	}
	return printablePath(path)
}

// printablePath makes a path from outside safe for the log.
func printablePath(path string) string {
	if len(path) > discord.MaxCustomID {
		path = path[:discord.MaxCustomID]
	}
	return strings.ToValidUTF8(path, "�")
}

// Accept serves an interaction in the background if there is room for it. The
// context is that of the whole work and outlives this call. The channel is closed
// when the interaction has been served or dropped.
func (s *Server) Accept(ctx context.Context, i *discordgo.Interaction) (served <-chan struct{}) {
	return s.accept(ctx, i, false)
}

// AcceptReplayed is like Accept for an interaction that another process, or this one,
// may have answered. It is carried out only if it has no answer and can still have
// one. Otherwise a command that was answered by a question could be played without
// one, and one that Discord has called failed could be played after all.
func (s *Server) AcceptReplayed(ctx context.Context, i *discordgo.Interaction) (served <-chan struct{}) {
	return s.accept(ctx, i, true)
}

func (s *Server) accept(ctx context.Context, i *discordgo.Interaction, replayed bool) (served <-chan struct{}) {
	done := make(chan struct{})
	r, ok := s.read(i)
	if !ok {
		close(done)
		return done
	}
	now := time.Now()
	place := &slot{class: Reading, person: r.Person.ID, arrived: now.Add(-s.delay.of(i.ID, now))}
	if r.known {
		place.class = r.route.Class
	}
	var v verdict
	if r.flooded == nil {
		v = s.admission.enter(place, now)
	} else {
		v = s.admission.refuse(place)
	}
	if v == dropped { // start no goroutine
		s.drop(r, place.count)
		close(done)
		return done
	}
	go func() {
		defer close(done)
		if v == waiting {
			v = s.awaitVerdict(place, now)
		}
		if v == dropped {
			s.drop(r, place.count)
			return
		}
		defer func() { s.admission.leave(place, v, time.Now()) }()
		waited := time.Since(place.arrived)
		switch v {
		case refused:
			s.serve(ctx, r, waited, replayed)
		case rejected:
			if place.count%logEvery == 1 {
				s.log.Warn("too many interactions at a time", "interaction", r.Interaction.ID, "in_progress", s.InProgress(), "rejected", place.count)
			}
			if waited > answerTimeout { // answering would only delay answers that Discord still accepts
				s.drop(r, place.count)
				return
			}
			s.replyBusy(ctx, r, "error.busy")
		case stopping:
			s.replyBusy(ctx, r, "error.restarting")
		default:
			s.serve(discord.WithPause(ctx, func() (resume func()) {
				s.admission.pause(place, time.Now())
				return func() { s.admission.resume(place) }
			}), r, waited, replayed)
		}
	}()
	return done
}

func (s *Server) awaitVerdict(place *slot, now time.Time) verdict {
	timer := time.NewTimer(patience - now.Sub(place.arrived))
	defer timer.Stop()
	select {
	case v := <-place.decided:
		return v
	case <-timer.C:
		return s.admission.withdraw(place)
	}
}

func (s *Server) drop(r *Request, count int) {
	t := s.newTrace(r.Kind)
	t.served.Outcome = Dropped
	s.report(t)
	if count%logEvery == 1 {
		s.log.Warn("interaction dropped", "interaction", r.Interaction.ID, "in_progress", s.InProgress(), "dropped", count)
	}
}

// Stop accepts nothing more, and tells people whose interactions have not begun
// that the bot is being restarted. The channel is closed when everything in
// progress has been answered.
func (s *Server) Stop() (idle <-chan struct{}) { return s.admission.stop() }

// Idle returns a channel that is closed when no interaction is in progress.
func (s *Server) Idle() <-chan struct{} { return s.admission.whenIdle() }

// InProgress returns the number of interactions in progress.
func (s *Server) InProgress() int { return s.admission.inProgress() }

// replyBusy tells a person that nothing was done, with the sentence of a key. It
// never panics.
func (s *Server) replyBusy(ctx context.Context, r *Request, key string) {
	log := s.log.With("interaction", r.Interaction.ID)
	t := s.newTrace(r.Kind)
	defer s.report(t)
	defer recoverPanic(log, "panic while answering")
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	response := PrivateText(r.Say.T(key))
	if r.Kind == Autocomplete {
		response = Suggest(nil)
	}
	s.send(ctx, r, response.withOutcome(Busy), notDeferred, t, log)
}
