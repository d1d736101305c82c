// Package tap serves one page on which a person taps the board of their turn. It
// is reached by a signed link that works for a few minutes and for one turn. The
// page knows no game: its choices are the picker's, and it plays as the panel
// does.
package tap

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"log/slog"
	"net/http"

	"castellan/bot/account"
	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/storage"
)

// Config holds the parts of a Server; all but Locator are required.
type Config struct {
	Address  string // under which people reach the server
	Host     *host.Host
	Account  *account.Service
	Renderer message.Renderer
	Locator  message.Locator // without it the page shows buttons only
	Logger   *slog.Logger

	// Say returns the printer for a person.
	Say func(ctx context.Context, guild, person string) *catalogue.Printer
	// Act plays an action, or returns a draft of the turn to be confirmed.
	Act func(context.Context, host.Actor, *host.View, engine.Action) (*host.View, *host.Draft, error)
	// Post posts the board after a turn.
	Post func(context.Context, *host.View) (*host.View, error)
}

// Server serves the page. The key of its links is made at the start, so links
// of an earlier run do not work.
type Server struct {
	Config
	key []byte
	mux *http.ServeMux
}

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// New returns a server.
func New(c Config) *Server {
	s := &Server{Config: c, key: make([]byte, 32), mux: http.NewServeMux()}
	_, _ = rand.Read(s.key) // never fails
	s.mux.HandleFunc("GET /tap/{ticket}", s.serve(s.show))
	s.mux.HandleFunc("POST /tap/{ticket}", s.serve(s.choose))
	return s
}

// Link returns the address at which a person can go on with their turn. It is
// empty for a nil server. Anybody who has the address can play the turn: show it
// only to the person, and never log it.
func (s *Server) Link(v *host.View, person string) string {
	if s == nil {
		return ""
	}
	return s.Address + "/tap/" + s.ticket(v, person)
}

func (s *Server) ticket(v *host.View, person string) string {
	return sign(s.key, ticket{v.Record.ID, v.Match.Seq(), person, s.Host.Now().Add(lifetime)})
}

// maxBody bounds the body of a request in bytes; a turn is shorter.
const maxBody = 4096

// ServeHTTP serves the page to anybody with a valid link.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
}

// speaker returns the printer for the person of a link.
func (s *Server) speaker(r *http.Request) *catalogue.Printer {
	t, _ := verify(s.key, r.PathValue("ticket"), s.Host.Now())
	return s.Say(r.Context(), "", t.person)
}

// content is what the page shows.
type content struct {
	Language   string
	Lines      []string
	Picture    template.URL // none on a page without choices
	Alt        string
	Areas      []area
	Buttons    []message.Target
	Turn, Play string // to be confirmed, and the label of its button
	Back       string // label of the way back to the first choice
	status     int    // of HTTP; 200 if 0
	redirect   string // where to go on instead, relative to the page
}

// area is a choice in the picture, its place in percent.
type area struct {
	message.Target
	Left, Top, Width, Height float64
}

func (s *Server) refuse(r *http.Request, status int, key string) (content, error) {
	return content{Lines: []string{s.speaker(r).T(key)}, status: status}, nil
}

// serve verifies the link, and writes the page that a handler returns.
func (s *Server) serve(handle func(*http.Request, *host.View, storage.Person) (content, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.open(r, handle)
		if _, refused := errors.AsType[*host.Refusal](err); refused {
			c, err = s.refuse(r, http.StatusConflict, "tap.stale")
		}
		if err != nil {
			s.Logger.Error("serving a board to tap", "error", err)
			c, _ = s.refuse(r, http.StatusInternalServerError, "tap.failed")
		}
		c.Language = s.speaker(r).Language()
		if c.redirect != "" {
			w.Header().Set("Location", c.redirect)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		var out bytes.Buffer
		if err := page.Execute(&out, c); err != nil {
			s.Logger.Error("writing the page of a board to tap", "error", err)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(max(c.status, http.StatusOK))
		_, _ = w.Write(out.Bytes()) // the person may have gone
	}
}

// open verifies the link of a request and handles the request.
func (s *Server) open(r *http.Request, handle func(*http.Request, *host.View, storage.Person) (content, error)) (content, error) {
	t, err := verify(s.key, r.PathValue("ticket"), s.Host.Now())
	switch {
	case errors.Is(err, errExpired):
		return s.refuse(r, http.StatusGone, "tap.expired")
	case err != nil:
		return s.refuse(r, http.StatusForbidden, "tap.forged")
	}
	v, err := s.Host.Match(r.Context(), t.match)
	if err != nil {
		return content{}, err
	}
	if p, ok := v.ToMove(); ok && p.ID == t.person && v.Match.IsCurrent(t.seq) {
		return handle(r, v, p)
	}
	return s.refuse(r, http.StatusConflict, "tap.stale")
}

// show shows the choices after the path in the address.
func (s *Server) show(r *http.Request, v *host.View, p storage.Person) (content, error) {
	path := r.URL.Query().Get("path")
	if !message.IsPath(v.Match.Position().Legal(), path) {
		return s.refuse(r, http.StatusBadRequest, "tap.forged")
	}
	state := message.PanelState{View: v, Person: p.ID, Path: path}
	say := s.speaker(r)
	c := content{Lines: message.TapLines(say, state)}
	for _, t := range message.Targets(say, state, s.Locator) {
		if t.Spot.Area.Empty() {
			c.Buttons = append(c.Buttons, t)
			continue
		}
		a, w, h := t.Spot.Area, float64(t.Spot.Picture.Dx())/100, float64(t.Spot.Picture.Dy())/100
		c.Areas = append(c.Areas, area{t, float64(a.Min.X) / w, float64(a.Min.Y) / h, float64(a.Dx()) / w, float64(a.Dy()) / h})
	}
	if path != "" {
		c.Back = say.T("panel.back")
	}
	return c, s.draw(r.Context(), say, &c, v, p.ID, path)
}

// draw draws the board of a page for a person.
func (s *Server) draw(ctx context.Context, say *catalogue.Printer, c *content, v *host.View, person, path string) error {
	prefs, err := s.Account.PreferencesIn(ctx, v, person)
	if err != nil {
		return err
	}
	scene := message.Scene(v, v.Match)
	scene.Picked = message.PickedSteps(path)
	f, err := message.DrawBoard(ctx, message.Themed{Renderer: s.Renderer, Theme: prefs.Theme}, say, v, v.Match, scene)
	c.Picture = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(f.Data))
	c.Alt = f.Description
	return err
}

// choose plays the action that is picked in full, or a confirmed turn, or goes
// on to the next choice.
func (s *Server) choose(r *http.Request, v *host.View, p storage.Person) (content, error) {
	say := s.speaker(r)
	actor := host.Actor{Person: p, Interaction: "tap-" + rand.Text(), Place: v.Record.Place}
	path, turn := r.PostFormValue("path"), r.PostFormValue("turn")
	legal := v.Match.Position().Legal()
	a, whole := message.PickedAction(legal, path)
	var after *host.View
	var draft *host.Draft
	var err error
	switch {
	case turn != "":
		after, err = s.Host.Act(r.Context(), actor, v.Record.ID, v.Match.Seq(), turn)
	case whole:
		after, draft, err = s.Act(r.Context(), actor, v, a)
	case message.IsPath(legal, path):
		return content{redirect: "?" + template.URLQueryEscaper("path") + "=" + template.URLQueryEscaper(path)}, nil
	default:
		return s.refuse(r, http.StatusBadRequest, "tap.forged")
	}
	switch {
	case err != nil:
		return content{}, err
	case draft != nil:
		c := content{Lines: message.ConfirmLines(say, v, draft), Turn: draft.Turn, Play: say.T("confirm.yes"), Back: say.T("confirm.no")}
		return c, s.draw(r.Context(), say, &c, v, p.ID, "")
	}
	if next, ok := after.ToMove(); ok && next.ID == p.ID && after.Match.PublicSeq() == v.Match.PublicSeq() {
		return content{redirect: s.ticket(after, p.ID)}, nil
	}
	if _, err := s.Post(r.Context(), after); err != nil { // it stays due, and is posted later
		s.Logger.Warn("posting the board after a tapped turn", "match", after.Record.ID, "error", err)
	}
	return content{Lines: []string{say.T("tap.played")}}, nil
}
