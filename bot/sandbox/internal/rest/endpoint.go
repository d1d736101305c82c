package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"castellan/bot/internal/facts"
	"castellan/bot/sandbox/internal/fault"
	"castellan/bot/sandbox/internal/payload"
)

// endpointTimeout bounds a call of the interactions endpoint, in real time. An
// interaction fails after three seconds of the sandbox's clock.
const endpointTimeout = 15 * time.Second

// SetEndpoint verifies an interactions endpoint and sends interactions to it from
// now on, instead of the gateway. The URL "" returns to the gateway.
func (s *API) SetEndpoint(ctx context.Context, link string) error {
	if link != "" {
		ctx, cancel := context.WithTimeout(ctx, endpointTimeout)
		defer cancel()
		if err := s.Endpoint.Verify(ctx, link, s.ApplicationID()); err != nil {
			return err
		}
	}
	s.Lock()
	defer s.Unlock()
	s.EndpointURL = link
	s.GatewayChanged(new(link != "" || s.Connected()))
	return nil
}

// verifyEndpoint sets the endpoint of a request that edits the application. It
// must be called without the lock.
func (s *API) verifyEndpoint(c *call) error {
	f := c.form.Field("interactions_endpoint_url")
	if !f.Present || c.form.Err() != nil {
		return nil // the handler reports errors
	}
	link, _ := f.Value.(string)
	if u, err := url.Parse(link); link != "" && (err != nil || u.Host == "") {
		return payload.InvalidField(f.Path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")
	}
	if err := s.SetEndpoint(context.Background(), link); err != nil {
		return payload.InvalidField(f.Path, "APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID", "The specified interactions endpoint URL could not be verified: %v.", err)
	}
	return nil
}

// Deliver posts an interaction to the endpoint. The response is handled like a
// request to the callback route, with the faults planned for it; 202 means that
// such a request follows. Without a valid response the interaction fails by its
// timer.
func (s *API) Deliver(link, id, token string, body []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), endpointTimeout)
	defer cancel()
	res, err := s.Endpoint.Send(ctx, link, body)
	if err != nil {
		s.Log.Warn("the interactions endpoint failed", "err", err)
		return
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusAccepted, http.StatusNoContent:
		return
	case http.StatusOK:
	default:
		s.Log.Warn("the interactions endpoint failed", "status", res.StatusCode)
		return
	}
	path := "/interactions/" + id + "/" + token + "/callback"
	name, op := facts.Discord().Find(http.MethodPost, path)
	rt := s.routes[name]
	ex := fault.Exchange{Method: http.MethodPost, Path: "/api/v10" + path, Version: 10, Route: rt.template, RequestHeader: res.Header}
	c := &call{route: rt, operation: op, version: 10, params: pathParams(rt.template, path), query: func(string) string { return "" }}
	r := (&http.Request{Header: res.Header, Body: res.Body}).WithContext(ctx)
	var a response
	if err := readBody(&ex, c, nil, r); err != nil {
		a = s.errorResponse(&ex, err)
	} else {
		a = s.perform(&ex, r, c)
	}
	ex.Status = a.status
	if a.body != nil {
		if ex.ResponseBody, err = json.Marshal(a.body); err != nil {
			s.Log.Error("response cannot be marshalled", "route", ex.Route, "err", err)
		}
	}
	if a.status >= http.StatusBadRequest {
		s.Log.Warn("the answer of the interactions endpoint is invalid", "err", string(ex.ResponseBody), "body", string(ex.RequestJSON))
	}
	s.RecordRequest(ex)
	if s.Observe != nil {
		s.Observe(ex)
	}
}
