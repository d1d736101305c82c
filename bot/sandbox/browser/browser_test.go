package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"castellan/bot/sandbox/browser"
)

// TestClickRepeatsUntilClicked checks that a button that moves away during the
// press is clicked again, and that a click that succeeded is not repeated.
func TestClickRepeatsUntilClicked(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, err := io.WriteString(w, `<!DOCTYPE html><title>A button</title>
			<style>button { position: absolute; left: 50px; top: 50px; width: 60px; height: 60px } button.away { top: 300px }</style>
			<body data-ready="true"><button id="shy">Shy</button></body>
			<script>
				let pressed = 0, clicked = 0;
				shy.addEventListener("pointerdown", () => pressed++ || shy.classList.add("away"));
				shy.addEventListener("click", () => clicked++);
			</script>`); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(page.Close)
	chrome := browser.Start(t)
	for _, way := range []struct {
		screen browser.Screen
		press  func(string) browser.Step
	}{{browser.Wide, browser.Click}, {browser.Phone, browser.Tap}} {
		tab := browser.Open(t, chrome, page.URL, "", "", way.screen)
		for want := range 3 {
			tab.Do(way.press("#shy"))
			pressed, clicked := browser.Read[int](tab, "pressed"), browser.Read[int](tab, "clicked")
			if pressed != want+2 || clicked != want+1 {
				t.Errorf("%s: pressed %d times and clicked %d times, want %d and %d", way.screen.Name, pressed, clicked, want+2, want+1)
			}
		}
	}
}
