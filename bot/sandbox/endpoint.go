package sandbox

import (
	"bytes"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/apispec"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxAnswer is the maximum size of an answer to a PING in bytes.
const maxAnswer = 1 << 16

type endpoint struct {
	key    ed25519.PrivateKey
	now    func() time.Time
	client *http.Client
}

// maxIdle is how many idle connections to the endpoint are kept.
const maxIdle = 64

// newEndpoint returns an endpoint whose key is derived from the bot's token, so that a bot
// with a fixed token can have a fixed public key.
func newEndpoint(token string, now func() time.Time) *endpoint {
	seed := sha256.Sum256([]byte("interactions endpoint of " + token))
	return &endpoint{ed25519.NewKeyFromSeed(seed[:]), now, &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send posts an interaction with its signature. The caller closes the response's
// body.
func (e *endpoint) send(ctx context.Context, url string, body []byte, valid bool) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("create the request: %w", err)
	}
	at := strconv.FormatInt(e.now().Unix(), 10)
	signature := ed25519.Sign(e.key, append([]byte(at), body...))
	if !valid {
		signature[0] ^= 1
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Discord-Interactions/1.0 (+https://discord.com)")
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(signature))
	r.Header.Set("X-Signature-Timestamp", at)
	res, err := e.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("call the endpoint: %w", err)
	}
	return res, nil
}

// Verify checks an endpoint as Discord does before it accepts it: it must answer
// a PING with a PONG, and a request with an invalid signature with 401.
func (e *endpoint) Verify(ctx context.Context, url, applicationID string) error {
	ping, err := json.Marshal(map[string]any{"id": applicationID, "application_id": applicationID, "type": 1, "version": 1, "token": "ping"})
	if err != nil {
		return fmt.Errorf("marshal a PING: %w", err)
	}
	for _, valid := range []bool{true, false} {
		res, err := e.send(ctx, url, ping, valid)
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		res.Body.Close()
		var pong struct{ Type int }
		switch {
		case err != nil:
			return fmt.Errorf("read the answer to a PING: %w", err)
		case valid && (res.StatusCode != http.StatusOK || json.Unmarshal(raw, &pong) != nil || pong.Type != 1):
			return fmt.Errorf("the answer to a PING was %d %.100s, want 200 and type 1", res.StatusCode, raw)
		case !valid && res.StatusCode != http.StatusUnauthorized:
			return fmt.Errorf("the answer to an invalid signature was %d, want 401", res.StatusCode)
		}
	}
	return nil
}

// endpointTimeout bounds a call of the interactions endpoint, in real time. An
// interaction fails after three seconds of the sandbox's clock.
const endpointTimeout = 15 * time.Second

// SetInteractionsEndpoint verifies an interactions endpoint and sends interactions to it from
// now on, instead of the gateway. The URL "" returns to the gateway.
func (s *Sandbox) SetInteractionsEndpoint(ctx context.Context, link string) error {
	if link != "" {
		ctx, cancel := context.WithTimeout(ctx, endpointTimeout)
		defer cancel()
		if err := s.endpoint.Verify(ctx, link, s.ApplicationID()); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpointURL = link
	s.gatewayChanged(new(link != "" || s.Gateway.Connected()))
	return nil
}

// deliver posts an interaction to the endpoint. The response is handled like a
// request to the callback route, with the faults planned for it; 202 means that
// such a request follows. Without a valid response the interaction fails by its
// timer.
func (s *Sandbox) deliver(link, id, token string, body []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), endpointTimeout)
	defer cancel()
	res, err := s.endpoint.send(ctx, link, body, true)
	if err != nil {
		s.o.Logger.Warn("the interactions endpoint failed", "err", err)
		return
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusAccepted, http.StatusNoContent:
		return
	case http.StatusOK:
	default:
		s.o.Logger.Warn("the interactions endpoint failed", "status", res.StatusCode)
		return
	}
	path := "/interactions/" + id + "/" + token + "/callback"
	name, op := apispec.Discord().Find(http.MethodPost, path)
	rt := s.routes[name]
	ex := api.Exchange{Method: http.MethodPost, Path: "/api/v10" + path, Version: 10, Route: rt.template, RequestHeader: res.Header}
	c := &call{route: rt, operation: op, version: 10, params: pathParams(rt.template, path), query: func(string) string { return "" }}
	r := (&http.Request{Header: res.Header, Body: res.Body}).WithContext(ctx)
	var a response
	if err := readBody(&ex, c, nil, r); err != nil {
		a = s.errorResponse(&ex, err)
	} else {
		a = s.perform(&ex, r, c)
	}
	s.finish(&ex, a)
	if a.status >= http.StatusBadRequest {
		s.o.Logger.Warn("the answer of the interactions endpoint is invalid", "err", string(ex.ResponseBody), "body", string(ex.RequestJSON))
	}
}
