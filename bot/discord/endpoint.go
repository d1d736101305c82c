package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	// EndpointPath is the path of the URL to which Discord sends interactions.
	EndpointPath = "/interactions"

	// timestampTolerance bounds the distance of a request's timestamp from the present, in
	// either direction. It allows for clocks that differ by five minutes.
	timestampTolerance = 6 * time.Minute

	// maxBody is the maximum size of a request's body in bytes. An interaction with
	// a full message of components has less than a tenth of it.
	maxBody = 1 << 20

	// readTimeout bounds reading a request, writeTimeout everything until its
	// response has been sent. Discord gives up after three seconds.
	readTimeout  = 5 * time.Second
	writeTimeout = 20 * time.Second
	// idleTimeout is longer than load balancers keep idle connections (ten minutes
	// at most), so that none sends a request on one that is just being closed.
	idleTimeout = 11 * time.Minute
	// stopTimeout is how long Run waits for responses when it ends.
	stopTimeout = 5 * time.Second
	// maxHeader is the maximum size of a request's header in bytes.
	maxHeader = 16 << 10
)

// EndpointConfig configures an Endpoint. All fields but Refused are required.
type EndpointConfig struct {
	// PublicKey is the public key of the application.
	PublicKey ed25519.PublicKey
	// Accept serves an interaction in the background. It passes the first answer to
	// respond, which is for WithHTTPResponse. The channel is closed when the
	// interaction has been served, with or without an answer. AppPermissions are as
	// ChannelPermissions returns them.
	Accept func(i *discordgo.Interaction, respond func(contentType string, body []byte) error) (served <-chan struct{})
	// Stop is called by Run when it ends and accepts no more requests, so that those
	// in progress are answered soon.
	Stop func()
	// Now is the time with which timestamps are compared.
	Now    func() time.Time
	Logger *slog.Logger
	// Refused, which is optional, is called with the status of each request that is not
	// served.
	Refused func(status int)
}

// Endpoint receives interactions over HTTP: Discord posts each to a URL of the
// application, signed with the application's key, and takes the first answer from
// the response
// (https://docs.discord.com/developers/interactions/receiving-and-responding#webhooks-recieved-over-http).
// No connection is kept, so any number of processes can stand behind a load
// balancer.
//
// A request is refused with 401 unless its signature is valid and its timestamp is
// at most timestampTolerance away. Within that time a request can be repeated by
// somebody who has seen it; interactions are applied once by their IDs, so nothing
// changes twice.
type Endpoint struct{ config EndpointConfig }

// NewEndpoint returns an endpoint.
func NewEndpoint(c EndpointConfig) *Endpoint { return &Endpoint{c} }

// ParsePublicKey parses a public key in hexadecimal, as the developer portal shows
// it.
func ParsePublicKey(s string) (ed25519.PublicKey, error) {
	key, err := hex.DecodeString(s)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("a public key has %d hexadecimal digits", 2*ed25519.PublicKeySize)
	}
	return key, nil
}

// Run serves a listener until the context is done. Then it closes the listener and
// waits for the requests in progress.
func (e *Endpoint) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: e, ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(e.config.Logger.Handler(), slog.LevelDebug), // broken connections
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("receiving interactions over HTTP: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	idle := make(chan error, 1)
	go func() { idle <- server.Shutdown(stopping) }()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) { // the listener is closed
		e.config.Logger.Warn("receiving interactions over HTTP", "error", err)
	}
	e.config.Stop()
	if <-idle != nil {
		_ = server.Close() // the remaining requests have no answer
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != EndpointPath:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Discord posts interactions here", http.StatusMethodNotAllowed)
		return
	}
	body, err := e.read(w, r)
	if err != nil {
		e.refuse(w, err)
		return
	}
	i, err := parse(body)
	switch {
	case err != nil:
		e.refuse(w, err)
	case i.Type == discordgo.InteractionPing:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":1}`) // Discord asks again if it does not arrive
	default:
		e.serve(w, r, i)
	}
}

// refusal is the reason why a request is not served.
type refusal struct {
	status int
	reason string
}

func (e *refusal) Error() string { return e.reason }

// refuse answers a request that is not served. It logs nothing of the request,
// which anybody can have sent.
func (e *Endpoint) refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	var refused *refusal
	if errors.As(err, &refused) {
		status = refused.status
	}
	e.config.Logger.Debug("a request to the interactions endpoint was refused", "status", status, "reason", err)
	if e.config.Refused != nil {
		e.config.Refused(status)
	}
	http.Error(w, err.Error(), status)
}

// read returns the body of a request if Discord has signed it: the timestamp
// followed by the body. The signature is over these bytes alone, so nothing else
// of the request is used.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	unsigned := &refusal{http.StatusUnauthorized, "the signature is missing or invalid"}
	signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	if err != nil || len(signature) != ed25519.SignatureSize {
		return nil, unsigned
	}
	timestamp := r.Header.Get("X-Signature-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, unsigned
	}
	if e.config.Now().Sub(time.Unix(seconds, 0)).Abs() > timestampTolerance {
		return nil, &refusal{http.StatusUnauthorized, "the timestamp is too old, or a clock is wrong"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
		}
		return nil, &refusal{http.StatusBadRequest, "the body could not be read"}
	}
	if !ed25519.Verify(e.config.PublicKey, append([]byte(timestamp), body...), signature) {
		return nil, unsigned
	}
	return body, nil
}

func parse(body []byte) (i *discordgo.Interaction, err error) {
	defer func() { // discordgo's decoder has type assertions
		if p := recover(); p != nil {
			i, err = nil, &refusal{http.StatusBadRequest, "the body is not an interaction"}
		}
	}()
	i = &discordgo.Interaction{}
	if err := json.Unmarshal(body, i); err != nil || i.ID == "" && i.Type != discordgo.InteractionPing {
		return nil, &refusal{http.StatusBadRequest, "the body is not an interaction"}
	}
	i.AppPermissions = ChannelPermissions(i.AppPermissions, body)
	return i, nil
}

// answer is the first answer to an interaction, as the body of a response. An empty
// body says that the answer goes to the callback route.
type answer struct {
	contentType string
	body        []byte
	written     chan error // receives the result of writing it
}

// serve has an interaction served and writes the first answer as the response. The
// work goes on if Discord does not wait for it.
func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request, i *discordgo.Interaction) {
	answers, ended := make(chan answer), make(chan struct{})
	defer close(ended)
	answered := false // written before ended is closed
	served := e.config.Accept(i, func(contentType string, body []byte) error {
		a := answer{contentType, body, make(chan error, 1)}
		select {
		case answers <- a:
			return <-a.written
		case <-ended:
		}
		if answered {
			return &Error{Status: http.StatusBadRequest, Code: CodeAlreadyAcknowledged, Message: "the response has been sent"}
		}
		return errGone
	})
	select {
	case a := <-answers:
		err := write(w, a)
		answered = err == nil
		a.written <- err
	case <-served:
		http.Error(w, "the interaction was not answered", http.StatusServiceUnavailable)
	case <-r.Context().Done():
	}
}

// errGone says that Discord waits for no response any more. It then tells the
// person that the interaction failed, and accepts no other first answer.
var errGone = &Error{Status: http.StatusNotFound, Code: CodeUnknownInteraction, Message: "the request has ended without a response"}

func write(w http.ResponseWriter, a answer) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	if len(a.body) == 0 {
		w.WriteHeader(http.StatusAccepted)
	} else {
		w.Header().Set("Content-Type", a.contentType)
	}
	_, err := w.Write(a.body)
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if err != nil {
		return errGone
	}
	return nil
}
