package sandbox

import (
	"bytes"
	"embed"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed page
var pageFiles embed.FS

// pagePolicy lets the page load what the sandbox itself serves and nothing
// from any other host.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// servePage serves the page, its API and attachments. Only the page itself may
// use them: a request must name a loopback host, so that no other host's name
// can be pointed here (DNS rebinding), and must not come from another origin.
func (s *Sandbox) servePage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if !fromPage(r) {
		pageError(w, http.StatusForbidden, "this may only be used from the sandbox's own page, by its loopback address")
		return
	}
	switch p := r.URL.Path; {
	case p == "/":
		s.serveAsset(w, r, "index.html")
	case strings.HasPrefix(p, "/assets/"):
		s.serveAsset(w, r, strings.TrimPrefix(p, "/assets/"))
	case strings.HasPrefix(p, "/attachments/"):
		s.serveAttachment(w, r)
	case strings.HasPrefix(p, "/sandbox/"):
		h.Set("Cache-Control", "no-store")
		s.servePageAPI(w, r)
	default:
		pageError(w, http.StatusNotFound, "there is nothing here")
	}
}

// fromPage says whether a request comes from the page or from the address bar.
func fromPage(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if !isLoopback(strings.Trim(host, "[]")) {
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	case "cross-site", "same-site":
		// Following a link to the page's address is harmless.
		return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
	return false
}

func (s *Sandbox) serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	if !onlyGet(w, r) {
		return
	}
	data, err := fs.ReadFile(pageFiles, "page/"+name)
	if err != nil {
		pageError(w, http.StatusNotFound, "there is nothing here")
		return
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// serveAttachment is GET /attachments/{channel}/{id}/{filename}.
func (s *Sandbox) serveAttachment(w http.ResponseWriter, r *http.Request) {
	if !onlyGet(w, r) {
		return
	}
	parts := split(r.URL.Path)
	s.mu.Lock()
	var f *storedFile
	if len(parts) == 4 {
		f = s.files[parts[2]]
	}
	s.mu.Unlock()
	if f == nil || f.Filename != parts[3] {
		pageError(w, http.StatusNotFound, "this attachment is gone")
		return
	}
	w.Header().Set("Content-Type", f.ContentType)
	// A file is never a page of this origin: pictures are shown, the rest is
	// downloaded.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if !strings.HasPrefix(f.ContentType, "image/") {
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Filename}))
	}
	w.Header().Set("Cache-Control", "private, max-age=3600, immutable")
	http.ServeContent(w, r, f.Filename, time.Time{}, bytes.NewReader(f.data))
}

func onlyGet(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	pageError(w, http.StatusMethodNotAllowed, "this can only be read")
	return false
}
