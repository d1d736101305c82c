// Package endpoint calls a bot's interactions endpoint over HTTP, as Discord calls
// bots without a gateway connection ("Interactions", "Preparing for
// Interactions").
package endpoint

import (
	"bytes"
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

// Endpoint signs and sends interactions.
type Endpoint struct {
	key    ed25519.PrivateKey
	now    func() time.Time
	client *http.Client
}

// maxIdle is how many idle connections to the endpoint are kept.
const maxIdle = 64

// New returns an endpoint whose key is derived from the bot's token, so that a bot
// with a fixed token can have a fixed public key.
func New(token string, now func() time.Time) *Endpoint {
	seed := sha256.Sum256([]byte("interactions endpoint of " + token))
	return &Endpoint{ed25519.NewKeyFromSeed(seed[:]), now, &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// PublicKey returns the application's verify_key, in hexadecimal.
func (e *Endpoint) PublicKey() string { return hex.EncodeToString(e.key.Public().(ed25519.PublicKey)) }

// Send posts an interaction with its signature. The caller closes the response's
// body.
func (e *Endpoint) Send(ctx context.Context, url string, body []byte) (*http.Response, error) {
	return e.send(ctx, url, body, true)
}

func (e *Endpoint) send(ctx context.Context, url string, body []byte, valid bool) (*http.Response, error) {
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
func (e *Endpoint) Verify(ctx context.Context, url, applicationID string) error {
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
