package sandbox

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
)

// IsLoopback reports whether a host name without port means this machine only.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

//go:embed assets
var assets embed.FS

// contentPolicy lets the page load what the sandbox itself serves and nothing
// from any other host.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// maxPageBody is the size of a request of the page in bytes: an upload in
// Base64.
const maxPageBody = api.MaxUpload/3*4 + 1<<20

// newPages returns the routes of the page, its API and attachments.
func (s *Sandbox) newPages() *http.ServeMux {
	pages := http.NewServeMux()
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /{$}":              func(w http.ResponseWriter, r *http.Request) { s.serveAsset(w, r, "index.html") },
		"GET /assets/{path...}": func(w http.ResponseWriter, r *http.Request) { s.serveAsset(w, r, r.PathValue("path")) },
		// An invitation leads to the page, where the bot can be added to servers.
		"GET /oauth2/authorize":                      http.RedirectHandler("/", http.StatusSeeOther).ServeHTTP,
		"GET /attachments/{channel}/{id}/{filename}": s.serveAttachment,
		"GET /sandbox/state":                         s.serveState,
		"GET /sandbox/events":                        s.serveEvents,
		"GET /sandbox/commands":                      s.serveCommands,
		"POST /sandbox/time":                         s.change(s.moveTime),
		"GET /sandbox/wire":                          s.serveTraffic,
		"POST /sandbox/users/{user}/{action}":        s.serveAction,
		"GET /sandbox/faults":                        s.serveFaults,
		"POST /sandbox/faults":                       s.change(s.planFault),
		"POST /sandbox/faults/{id}/{action}":         s.change(s.changeFault),
		"POST /sandbox/gateway/{action}":             s.change(s.changeGateway),
		"POST /sandbox/bot/{action}":                 s.change(s.changeBot),
		"POST /sandbox/channels/{id}/{action}":       s.change(s.changeChannel),
	} {
		pages.HandleFunc(pattern, handler)
	}
	return pages
}

// servePage serves only requests from the page. They must name a loopback host,
// which prevents DNS rebinding, and must not come from another origin.
func (s *Sandbox) servePage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !fromPage(r) {
		pageError(w, http.StatusForbidden, "this may only be used from the sandbox's own page, by its loopback address")
		return
	}
	if strings.HasPrefix(r.URL.Path, "/sandbox/") {
		h.Set("Cache-Control", "no-store")
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && r.URL.Path != "/sandbox/events" && !strings.HasPrefix(r.URL.Path, "/attachments/") {
		z := &gzipWriter{ResponseWriter: w}
		defer z.close()
		w = z
	}
	if _, pattern := s.pages.Handler(r); pattern == "" {
		pageError(w, http.StatusNotFound, "there is nothing here")
		return
	}
	s.pages.ServeHTTP(w, r)
}

// fromPage reports whether a request comes from the page or the address bar.
func fromPage(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if !IsLoopback(strings.Trim(host, "[]")) {
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	case "cross-site", "same-site":
		// Following a link to the page is harmless.
		return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
	return false
}

// gzipWriter compresses successful responses.
type gzipWriter struct {
	http.ResponseWriter
	zip *gzip.Writer
}

func (z *gzipWriter) WriteHeader(status int) {
	if status == http.StatusOK {
		z.Header().Set("Content-Encoding", "gzip")
		z.Header().Del("Content-Length")
		z.zip = gzip.NewWriter(z.ResponseWriter)
	}
	z.ResponseWriter.WriteHeader(status)
}

func (z *gzipWriter) Write(p []byte) (int, error) {
	if z.zip == nil {
		return z.ResponseWriter.Write(p)
	}
	return z.zip.Write(p)
}

func (z *gzipWriter) close() {
	if z.zip != nil {
		_ = z.zip.Close() // the page may have gone
	}
}

func (s *Sandbox) serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	data, err := fs.ReadFile(assets, "assets/"+name)
	if err != nil {
		pageError(w, http.StatusNotFound, "there is nothing here")
		return
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(data)))
	r.Header.Del("Range") // of what is compressed
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

func (s *Sandbox) serveAttachment(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.servedFile(r.PathValue("id"), r.PathValue("filename"))
	s.mu.Unlock()
	if f == nil {
		pageError(w, http.StatusNotFound, "this attachment is gone")
		return
	}
	w.Header().Set("Content-Type", f.ContentType)
	// A file must never be a page of this origin: pictures are shown, others
	// are downloaded.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if !strings.HasPrefix(f.ContentType, "image/") {
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Filename}))
	}
	w.Header().Set("Cache-Control", "private, max-age=3600, immutable")
	http.ServeContent(w, r, f.Filename, time.Time{}, bytes.NewReader(f.Data))
}

// pageError sends a sentence that the page shows.
func pageError(w http.ResponseWriter, status int, sentence string) {
	pageJSON(w, status, map[string]any{"error": sentence})
}

func pageJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, `{"error":"the response cannot be marshalled"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the page may have gone
}

// readPageJSON reads a body. It requires the content type JSON, which pages of
// other origins cannot send without a CORS preflight.
func readPageJSON(w http.ResponseWriter, r *http.Request, req any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errors.New("the body must be application/json")
	}
	if err := api.Decode(http.MaxBytesReader(w, r.Body, maxPageBody), req); err != nil {
		return fmt.Errorf("the body is malformed: %w", err)
	}
	return nil
}
