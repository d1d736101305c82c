// Package browser drives the sandbox's page in a real browser, for tests. The
// tests run only if the environment variable CASTELLAN_BROWSER is 1. The hooks
// that they rely on are listed at the top of the page's main.js.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// limit bounds every single wait; only failing tests reach it.
const limit = 30 * time.Second

// Step is one action on a tab.
type Step = chromedp.Action[chromedp.Void]

// find returns the path of the browser. It skips the test unless
// CASTELLAN_BROWSER is 1. If there is no browser it skips the test, or fails it
// under CI.
func find(t *testing.T) string {
	t.Helper()
	if os.Getenv("CASTELLAN_BROWSER") != "1" {
		t.Skip("set CASTELLAN_BROWSER=1 to test in a browser")
	}
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if own := os.Getenv("CASTELLAN_CHROMIUM"); own != "" {
		names = []string{own}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "no browser: set CASTELLAN_CHROMIUM, or put one of chromium, chromium-browser, google-chrome on PATH"
	if os.Getenv("CI") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Start starts a browser for a test and returns its context, for Open.
func Start(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(find(t)),
		chromedp.NoSandbox, // a container has no user namespaces to build one of
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
	)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return ctx
}

// Screen is the size of a window.
type Screen struct {
	Name          string
	Width, Height int64
	Touch         bool
}

// Wide and Phone are the sizes that the page is designed for.
var (
	Wide  = Screen{Name: "1280", Width: 1280, Height: 800}
	Phone = Screen{Name: "390", Width: 390, Height: 844, Touch: true}
)

// Tab is one window of the page, as one user.
type Tab struct {
	t     *testing.T
	ctx   context.Context
	name  string // of the screen, for the names of screenshots
	Close func() // closes the window, which the end of the test does otherwise
}

// Open opens the page as a user in a channel and waits until it is live. If
// either is "", the page chooses. Exceptions in the page and violations of its
// content policy fail the test.
func Open(t *testing.T, browser context.Context, base, user, channel string, s Screen) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			text, _ := json.Marshal(e.ExceptionDetails)
			t.Errorf("exception in the page: %s", text)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				text, _ := json.Marshal(e.Args)
				t.Errorf("the page reports an error: %s", text)
			}
		case *log.EventEntryAdded:
			if e.Entry.Source == log.EntrySourceSecurity {
				t.Errorf("the browser blocked something: %s", e.Entry.Text)
			}
		}
	})
	if err != nil {
		t.Fatalf("listen to the tab: %v", err)
	}
	b := &Tab{t: t, ctx: ctx, name: s.Name, Close: cancel}
	var size []chromedp.EmulateViewportOption
	if s.Touch {
		size = append(size, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.act(chromedp.EmulateViewport(s.Width, s.Height, size...))
	b.act(chromedp.Navigate(fmt.Sprintf("%s/?user=%s&channel=%s", base, user, channel)))
	b.Until(`document.body.dataset.ready === "true"`)
	if user != "" {
		b.Until(`document.body.dataset.userId === ` + Quote(user))
	}
	return b
}

// Quote returns a text as a JavaScript string.
func Quote(text string) string {
	raw, _ := json.Marshal(text) // a string always marshals
	return string(raw)
}

// Do performs steps one after another, each once the page has settled.
func (b *Tab) Do(steps ...Step) {
	b.t.Helper()
	for _, s := range steps {
		b.act(chromedp.Evaluate[chromedp.Void](settled, chromedp.EvalAwaitPromise))
		b.act(s)
	}
}

// settled waits until the page has rendered its state. The log scrolls in the
// next frame, which could move a button between press and release. The timeout
// is for windows in the background, which render no frames.
const settled = `new Promise((rest) => {
	requestAnimationFrame(() => requestAnimationFrame(() => rest()));
	setTimeout(rest, 500);
})`

// act performs a step, and repeats it if its element was replaced first.
func (b *Tab) act(s Step) {
	b.t.Helper()
	if err := again(b, s); err != nil {
		b.Shot("failed")
		b.t.Fatal(err)
	}
}

// again performs an action until no replaced element or page is in its way.
func again[T any](b *Tab, action chromedp.Action[T]) error {
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	_, err := chromedp.Run(ctx, action)
	for err != nil && ctx.Err() == nil && slices.ContainsFunc([]string{"Could not find node", "Cannot find context", "Inspected target navigated"}, func(part string) bool {
		return strings.Contains(err.Error(), part)
	}) {
		_, err = chromedp.Run(ctx, action)
	}
	return err
}

// Click clicks the first element that matches a selector with the mouse. If the
// page moves the element between press and release nothing is clicked, and
// Click tries again.
func Click(selector string) Step { return untilClicked(selector, chromedp.Click(selector)) }

// Tap is like Click with a finger.
func Tap(selector string) Step { return untilClicked(selector, chromedp.Tap(selector)) }

// untilClicked repeats a step until the element gets a click event.
func untilClicked(selector string, step Step) Step {
	watch := chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void ((selector) => {
		const element = document.querySelector(selector), reached = Promise.withResolvers();
		window.reached = reached.promise;
		addEventListener("click", (event) => {
			reached.resolve(event.composedPath().includes(element) || Boolean(event.target.closest?.(selector)));
		}, { capture: true, once: true });
	})(%s)`, Quote(selector)))
	// After a click that leads to another page there is no promise.
	ask := chromedp.Evaluate[bool](`!window.reached || Promise.race([reached, new Promise((lost) => setTimeout(lost, 5000, false))])`,
		chromedp.EvalAwaitPromise)
	return func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		for reached := false; !reached; {
			if _, err = watch(ctx, target); err != nil {
				return none, err
			}
			if _, err = step(ctx, target); err != nil {
				return none, err
			}
			if reached, err = ask(ctx, target); err != nil {
				return none, err
			}
		}
		return none, nil
	}
}

// Until polls a condition in the page until it is true. It polls because
// mutation observers do not see the values of inputs, and a window in the
// background renders no frames.
func (b *Tab) Until(condition string) {
	b.t.Helper()
	poll := chromedp.Poll[bool]("Boolean("+condition+")", chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(0))
	if err := again(b, poll); err != nil {
		b.Shot("failed")
		b.t.Fatalf("never true: %s (%v)", condition, err)
	}
}

// Read returns the value of an expression.
func Read[T any](b *Tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return value
}

// Shot saves a screenshot in the folder that CASTELLAN_SCREENSHOTS names, if it is
// set.
func (b *Tab) Shot(name string) {
	b.t.Helper()
	dir := os.Getenv("CASTELLAN_SCREENSHOTS")
	if dir == "" {
		return
	}
	file := filepath.Join(dir, strings.NewReplacer("/", "-", " ", "-", ",", "").Replace(b.t.Name())+"-"+name+"-"+b.name+".png")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(file, b.Picture(), 0o644)); err != nil {
		b.t.Errorf("screenshot: %v", err)
	}
}

// Picture returns a screenshot as a PNG.
func (b *Tab) Picture() []byte {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Errorf("screenshot: %v", err)
	}
	return png
}

// Fits checks the layout: no horizontal scrolling, no touch target smaller than
// 40 pixels, no picture without a description, and no input so small that a
// phone zooms in.
func (b *Tab) Fits(where string) {
	b.t.Helper()
	bad := Read[[]string](b, `(() => {
		const bad = [];
		const shown = (n) => n.checkVisibility({visibilityProperty: true}) && !n.closest("[inert]");
		const name = (n) => n.tagName.toLowerCase() + "." + n.className + " " + (n.textContent || n.value || "").slice(0, 30);
		for (const n of [document.documentElement, document.body, document.querySelector("#app"), document.querySelector("#log"), document.querySelector("#sidebar")]) {
			if (n.scrollWidth > n.clientWidth) bad.push("scrolls sideways: " + name(n));
		}
		for (const n of document.querySelectorAll("body *")) {
			if (!shown(n) || n.closest("pre")) continue;
			const r = n.getBoundingClientRect();
			if (r.width && (r.right > innerWidth + 0.5 || r.left < -0.5) && !n.closest(".sr, .skip")) bad.push("reaches out of the window: " + name(n));
		}
		for (const n of document.querySelectorAll("button, [role=option], a.button, a.icon-button, a.file, input, textarea")) {
			const r = n.getBoundingClientRect();
			if (shown(n) && (r.width < 39.99 || r.height < 39.99)) bad.push("small to touch: " + name(n) + " " + r.width + "×" + r.height);
		}
		for (const n of document.querySelectorAll("img")) {
			if (!n.alt.trim()) bad.push("picture without description: " + n.src);
		}
		for (const n of document.querySelectorAll("input, textarea")) {
			if (parseFloat(getComputedStyle(n).fontSize) < 16) bad.push("a phone zooms into: " + name(n));
		}
		return bad;
	})()`)
	for _, sentence := range bad {
		b.t.Errorf("%s at %s: %s", where, b.name, sentence)
	}
}
