package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Selectors of the page.
const (
	pageComposer    = `[data-testid="composer"]`
	pageMoreOptions = `[data-testid="more-options"]`
	pageSend        = `[data-testid="send"]`
	pageColour      = `[data-option="colour"] input`
	pageLastMessage = `[...document.querySelectorAll("[data-message-id]")].at(-1)`
	pageFreshList   = `document.querySelector('[data-testid="suggestions"]:not([hidden])[data-busy="false"] [aria-selected="true"]')`
)

// TestPage tests the page with the example bot in a real browser. The hooks that
// it relies on are listed at the top of assets/js/main.js.
func TestPage(t *testing.T) {
	chrome := browser.Start(t)
	t.Run("chat", func(t *testing.T) { testChat(t, chrome) })
	t.Run("faults", func(t *testing.T) { testFaults(t, chrome) })
	for _, s := range []browser.Screen{browser.Wide, browser.Phone} {
		t.Run(screenName(s), func(t *testing.T) { testPlaces(t, chrome, s) })
	}
}

func testChat(t *testing.T, chrome context.Context) {
	run := func(name string, world sandbox.World, test func(*testing.T, *pageRig)) {
		t.Run(name, func(t *testing.T) { test(t, newPageRig(t, chrome, world)) })
	}
	var defaults sandbox.World
	run("welcome", defaults, testPageWelcome)
	run("command by keyboard", defaults, testPageKeyboard)
	run("command by touch on a phone", defaults, testPageTouch)
	run("errors before sending", defaults, testPageErrors)
	run("buttons and menus", defaults, testPageComponents)
	run("thinking and failing", defaults, testPageWaiting)
	run("mentions", defaults, testPageMarks)
	run("markdown without markup", pageMarkupWorld(), testPageMarkdown)
	run("reconnect", defaults, testPageReconnect)
	run("two reloads at once", defaults, testPageReload)
	run("many windows", defaults, testPageWindows)
}

func testPageWelcome(t *testing.T, rig *pageRig) {
	for _, s := range []browser.Screen{browser.Wide, browser.Phone} {
		tab := rig.open(t, "", s)
		tab.Until(`document.querySelector('[data-testid="welcome"]').textContent.includes("You are Anna")`)
		tab.Until(`document.querySelector('[data-testid="welcome"] [data-command="paint"]')`)
		tab.Fits("welcome")
		tab.Shot("welcome")
		tab.Do(browser.Click(`[data-testid="welcome"] [data-command="paint"]`))
		tab.Until(`document.querySelector('[data-testid="command-form"][data-command="paint"]')`)
	}
}

func testPageKeyboard(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	recordRequests(tab)
	tab.Do(chromedp.SendKeys(pageComposer, "/an"))
	tab.Until(`document.querySelectorAll('[data-testid="suggestion"]').length === 4`) // the subcommands of /answer
	tab.Do(chromedp.SendKeys(pageComposer, strings.Repeat(kb.Backspace, 2)+"pa"))
	tab.Until(pageFreshList + `?.dataset.name === "/paint"`)
	tab.Shot("commands")
	tab.Do(chromedp.KeyEvent(kb.Enter))
	// Nothing is typed, so Enter picks nothing of what is offered.
	tab.Until(`document.querySelector('[data-testid="suggestions"][data-busy="false"] [data-testid="suggestion"]')?.dataset.name.startsWith("amber")`)
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(fmt.Sprintf(`document.querySelector(%s).value === "" && document.querySelector('[data-testid="composer-error"]:not([hidden])')`, browser.Quote(pageColour)))
	tab.Do(chromedp.KeyEvent("s"))
	tab.Until(pageFreshList + `?.dataset.name === "slate · its roof"`)
	tab.Shot("suggestions")
	tab.Do(chromedp.KeyEvent(kb.ArrowDown))
	tab.Until(pageFreshList + `?.dataset.value === "sky"`)
	tab.Do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Tab))
	tab.Until(fmt.Sprintf(`document.querySelector(%s).value === "slate · its roof"`, browser.Quote(pageColour)))
	tab.Do(chromedp.KeyEvent(kb.Enter))
	tab.Until(pageLastMessage + `?.querySelector("img")?.alt === "A keep painted in slate"`)
	tab.Until(pageLastMessage + `.querySelector('[data-testid="used"]').textContent.endsWith("Anna used /paint")`)
	tab.Until(`!document.querySelector("[data-outgoing]") && document.querySelector('[data-testid="composer-form"]').dataset.mode === "text"`)
	tab.Shot("answer")
	// Discord's clients send the suggestion's name, not its value.
	if got := browser.Read[string](tab, `sent.find(([path]) => path.endsWith("/commands"))[1].options[0].value`); got != "slate · its roof" {
		t.Errorf("sent %q for the option, want the suggestion's name", got)
	}
	if n := len(rig.box.As(rig.user(0)).Messages(rig.channel(0))); n != 1 {
		t.Errorf("%d messages after one command", n)
	}
}

func testPageTouch(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Phone)
	suggestion := func(name string) string { return fmt.Sprintf(`[data-testid="suggestion"][data-name=%q]`, name) }
	tab.Do(browser.Tap(`.composer-slash`))
	tab.Fits("commands")
	tab.Shot("commands")
	tab.Do(browser.Tap(suggestion("/paint")))
	tab.Until(`document.querySelectorAll('[data-testid="suggestion"]').length === 6`)
	tab.Fits("suggestions")
	tab.Shot("suggestions")
	tab.Do(browser.Tap(suggestion("moss · what grows on it")))
	tab.Do(browser.Tap(pageMoreOptions), browser.Tap(suggestion("size")), browser.Tap(suggestion("large")))
	tab.Do(browser.Tap(pageMoreOptions), browser.Tap(suggestion("for")))
	tab.Fits("people")
	tab.Shot("people")
	tab.Do(browser.Tap(suggestion("Ben")))
	tab.Fits("form")
	tab.Do(browser.Tap(pageSend))
	tab.Until(pageLastMessage + `?.querySelector("img")?.complete`)
	tab.Until(fmt.Sprintf(`%s.querySelector("[data-mention]").textContent === "@Ben"`, pageLastMessage))
	tab.Fits("answer")
	tab.Shot("answer")
	if share := browser.Read[float64](tab, pageLastMessage+`.querySelector("img").getBoundingClientRect().width / innerWidth`); share < 0.85 {
		t.Errorf("the picture takes %.2f of the phone's width", share)
	}

	tab.Do(browser.Tap(`[data-testid="picture"]`))
	tab.Until(`document.querySelector("dialog[open] img").alt === "A keep painted in moss"`)
	tab.Fits("enlarged")
	tab.Shot("enlarged")
	tab.Do(browser.Tap(`.lightbox-close`))
	tab.Until(`!document.querySelector("dialog[open]")`)

	tab.Do(browser.Tap(`[data-testid="drawer-open"]`))
	tab.Until(`document.body.dataset.drawer === "open" && document.querySelector("#sidebar").getBoundingClientRect().left === 0`)
	tab.Until(fmt.Sprintf(`document.querySelector('#people [data-user-id="%s"]').dataset.mentions === "1"`, rig.user(1)))
	tab.Fits("drawer")
	tab.Shot("drawer")
	tab.Do(browser.Tap(fmt.Sprintf(`#people [data-user-id="%s"]`, rig.user(1))))
	tab.Until(fmt.Sprintf(`document.body.dataset.userId === %s && location.search.includes(%[1]s)`, browser.Quote(rig.user(1))))
	tab.Until(`document.querySelector(".pill-me")`)
	tab.Until(pageLastMessage + `.dataset.mentionsMe === "true"`)
	tab.Shot("as-Ben")
}

func testPageErrors(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Phone)
	says := func(text string) string {
		return fmt.Sprintf(`document.querySelector('[data-testid="composer-error"]:not([hidden])')?.textContent === %s`, browser.Quote(text))
	}
	tab.Do(chromedp.SendKeys(pageComposer, "/pant"+kb.Enter))
	tab.Until(says("There is no command /pant. Type / to see them all."))
	tab.Do(chromedp.SendKeys(pageComposer, strings.Repeat(kb.Backspace, 4)+"answer later "))
	tab.Do(chromedp.SendKeys(pageMoreOptions, "xyz"+kb.Enter)) // fits no option
	tab.Until(says("No option is called “xyz”. Choose one of the list, or delete it."))
	tab.Do(chromedp.SendKeys(pageMoreOptions, strings.Repeat(kb.Backspace, 3)+"sec"+kb.Enter))
	tab.Do(chromedp.SendKeys(`[data-option="seconds"] input`, "21"+kb.Enter))
	tab.Until(says("“seconds” must be a whole number from 1 to 20."))
	tab.Until(`document.querySelector('[data-option="seconds"]').dataset.invalid === "true"`)
	tab.Fits("error")
	tab.Shot("error")
	tab.Do(chromedp.KeyEvent(kb.Escape)) // the list, then the command
	tab.Do(chromedp.KeyEvent(kb.Escape))
	tab.Until(`document.querySelector('[data-testid="composer-form"]').dataset.mode === "text"`)
	tab.Do(chromedp.SendKeys(pageComposer, "/paint "+kb.Escape+kb.Enter))
	tab.Until(says("Fill in “colour”."))
	if n := len(rig.box.As(rig.user(0)).Messages(rig.channel(0))); n != 0 {
		t.Errorf("%d messages although nothing was right", n)
	}
}

func testPageComponents(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Phone)
	rig.paint(t, 0, "sky")
	tab.Until(`document.querySelector('[data-custom-id^="copy/"]')`)
	tab.Until(`document.querySelector('[data-custom-id="none"]').disabled`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void new MutationObserver((changes) => changes.forEach((c) => c.addedNodes.forEach((n) => {
		if (n.querySelector?.('[data-pending="true"][aria-busy="true"]')) window.sawPending = true;
	}))).observe(document.body, {childList: true, subtree: true})`))
	tab.Do(browser.Tap(`[data-custom-id^="copy/"]`))
	tab.Until(pageLastMessage + `.dataset.ephemeral === "true" && window.sawPending && !document.querySelector("[data-pending]")`)
	tab.Until(pageLastMessage + `.textContent.includes("Only you can see this")`)
	tab.Until(pageLastMessage + `.querySelector('[data-testid="reply"]')`)
	tab.Fits("private")
	tab.Shot("private")
	if n := len(rig.box.As(rig.user(1)).Messages(rig.channel(0))); n != 1 {
		t.Fatalf("Ben is given %d messages, want the public one alone", n)
	}
	ben := rig.open(t, rig.user(1), browser.Wide)
	ben.Until(`document.querySelectorAll("[data-message-id]").length === 1 && !document.querySelector("[data-ephemeral]")`)
	tab.Do(browser.Tap(`[data-testid="dismiss"]`))
	tab.Until(`!document.querySelector("[data-ephemeral]")`)

	tab.Do(browser.Tap(`[data-select]`))
	tab.Until(`document.querySelectorAll('.select-panel [data-testid="suggestion"]').length === 6`)
	tab.Fits("menu")
	tab.Shot("menu")
	tab.Do(browser.Tap(`.select-panel [data-value="plum"]`))
	tab.Until(`document.querySelector("[data-message-id] img")?.alt === "A keep painted in plum"`)
	ben.Until(`document.querySelector("[data-message-id] img")?.alt === "A keep painted in plum"`)
	ben.Fits("wide")
	ben.Do(chromedp.Focus(`[data-select]`), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	tab.Until(`document.querySelector("[data-message-id] img")?.alt === "A keep painted in brick"`)
	tab.Do(browser.Tap(`[data-custom-id^="sold/"]`))
	ben.Until(pageLastMessage + `.textContent.includes("Sold to @Anna.")`)
	ben.Shot("sold")
}

func testPageWaiting(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	tab.Do(chromedp.SendKeys(pageComposer, "/answer later "))
	tab.Do(chromedp.SendKeys(pageMoreOptions, "sec"+kb.Enter))
	tab.Do(chromedp.SendKeys(`[data-option="seconds"] input`, "1"+kb.Enter))
	tab.Until(`document.querySelector('[data-thinking="true"]')?.textContent.includes("Painter is thinking…")`)
	tab.Shot("thinking")
	tab.Until(`document.querySelector('[data-message-id]:not([data-thinking])')?.textContent.includes("After 1s of thinking")`)
	tab.Do(chromedp.SendKeys(pageComposer, "/answer never "+kb.Enter))
	tab.Until(`document.querySelector("[data-outgoing]:not([data-failed])")`)
	rig.timers.fire()
	tab.Until(`document.querySelector('[data-outgoing][data-failed="true"]')?.textContent.includes("did not answer in time")`)
	tab.Shot("failed")
	tab.Do(browser.Click(`[data-outgoing] [data-testid="dismiss"]`))
	tab.Until(`!document.querySelector("[data-outgoing]")`)
}

func testPageMarks(t *testing.T, rig *pageRig) {
	anna := rig.open(t, rig.user(0), browser.Wide)
	mark := func(user int) string {
		return fmt.Sprintf(`document.querySelector('#people [data-user-id="%s"]').dataset.mentions`, rig.user(user))
	}
	if _, err := rig.box.As(rig.user(0)).Say(rig.channel(1), "nobody is meant"); err != nil {
		t.Fatal(err)
	}
	rig.paint(t, 0, "moss", sandbox.Opt("for", rig.user(1)))
	anna.Until(mark(1) + ` === "1"`)
	for _, other := range []int{0, 2, 3, 4} {
		if got := browser.Read[string](anna, mark(other)); got != "0" {
			t.Errorf("user %d has %s notifications, want none", other, got)
		}
	}
	anna.Shot("Ben-is-marked")
	// An edit marks nobody.
	anna.Do(chromedp.Focus(`[data-select]`), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	anna.Until(`document.querySelector("[data-message-id] img")?.alt === "A keep painted in amber"`)

	ben := rig.openIn(t, rig.user(1), rig.channel(2), browser.Wide)
	channel := func(n int) string {
		return fmt.Sprintf(`document.querySelector('#channels [data-channel-id="%s"]').dataset`, rig.channel(n))
	}
	ben.Until(channel(0) + `.mentions === "1" && document.title.startsWith("(1) ")`)
	ben.Until(channel(1) + `.unread === "true" && ` + channel(1) + `.mentions === "0"`)
	ben.Shot("marked")
	ben.Do(browser.Click(fmt.Sprintf(`#channels [data-channel-id="%s"]`, rig.channel(0))))
	ben.Until(channel(0) + `.mentions === "0" && !document.title.startsWith("(")`)
	anna.Do(chromedp.Evaluate[chromedp.Void](`void window.dispatchEvent(new Event("focus"))`))
	anna.Until(mark(1) + ` === "0"`)
}

// pageMarkup must be shown as text everywhere.
const pageMarkup = `<img src=x onerror="window.broken=1">`

func pageMarkupWorld() sandbox.World {
	w := sandbox.DefaultWorld()
	w.Users[3].GlobalName = pageMarkup
	return w
}

func testPageMarkdown(t *testing.T, rig *pageRig) {
	dmitri := rig.box.As(rig.user(3))
	said := func(text string) string {
		m, err := dmitri.Say(rig.channel(0), text)
		if err != nil {
			t.Fatal(err)
		}
		return m.ID
	}
	id := said(pageMarkup + ` <script>window.broken=1</script> **<b>bold</b>** [x](javascript:window.broken=1) ` + "`<i>`")
	said("# Title\n-# small\n> quoted\n- one\n- two\n```\n<pre>\n```")
	said(fmt.Sprintf("*slanted* __under__ ~~struck~~ ||hidden|| <@%s> <#%s> <t:%d:R> [there](https://discord.com/channels/1/%s/%s) [out](https://example.org/)",
		rig.user(0), rig.channel(1), time.Now().Unix()-7200, rig.channel(0), id))
	tab := rig.open(t, rig.user(0), browser.Phone)
	tab.Until(`document.querySelectorAll("[data-message-id]").length === 3`)
	for _, want := range []string{
		fmt.Sprintf(`document.querySelector(".author").textContent === %s`, browser.Quote(pageMarkup)),
		`[...document.querySelectorAll(".person-name")].some((n) => n.textContent === ` + browser.Quote(pageMarkup) + `)`,
		fmt.Sprintf(`document.querySelector(".markdown").textContent.startsWith(%s)`, browser.Quote(pageMarkup+" <script>")),
		`document.querySelectorAll("#log img, #people img, #log script, #log a[href^=javascript]").length === 0`,
		`document.querySelector(".markdown strong").textContent === "<b>bold</b>"`,
		`document.querySelector(".markdown h3").textContent === "Title" && document.querySelector(".markdown .subtext") && document.querySelector(".markdown blockquote")`,
		`document.querySelectorAll(".markdown li").length === 2 && document.querySelector(".markdown pre").textContent === "<pre>"`,
		`document.querySelector("em") && document.querySelector(".markdown u") && document.querySelector(".markdown s")`,
		`document.querySelector(".pill-me").textContent === "@Anna" && document.querySelector("[data-relative]").textContent === "2 hours ago"`,
		`document.querySelector('a[href="https://example.org/"]').rel.includes("noopener")`,
		`document.querySelector('[data-spoiler="hidden"]')`,
	} {
		tab.Until(want)
	}
	tab.Fits("markdown")
	tab.Shot("markdown")
	tab.Do(browser.Tap(`[data-spoiler]`))
	tab.Until(`document.querySelector('[data-spoiler="shown"]')`)
	tab.Do(browser.Tap(fmt.Sprintf(`a[data-jump-message="%s"]`, id)))
	tab.Until(fmt.Sprintf(`document.querySelector('[data-message-id="%s"]').dataset.highlighted === "true"`, id))
	tab.Until(`window.broken === undefined`)
}

func testPageReconnect(t *testing.T, rig *pageRig) {
	rig.paint(t, 1, "moss")
	rig.paint(t, 1, "moss")
	tab := rig.open(t, rig.user(0), browser.Phone)
	tab.Until(`document.querySelector("#log").scrollTop > 0 && [...document.querySelectorAll('[data-testid="picture"] img')].every((img) => img.complete)`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (document.querySelector("#log").scrollTop = 0)`))
	// The bot loses its connection and cannot come back yet.
	rig.down.Store(true)
	rig.box.DropGateway()
	tab.Until(`document.querySelector('[data-banner="offline"]')`)
	tab.Fits("offline")
	tab.Shot("offline")
	// Then the page loses its own.
	rig.server.CloseClientConnections()
	tab.Until(`document.querySelector('[data-banner="lost"]')`)
	tab.Fits("lost")
	tab.Shot("lost")
	if _, err := rig.box.As(rig.user(1)).Say(rig.channel(0), "said meanwhile"); err != nil {
		t.Fatal(err)
	}
	rig.down.Store(false)
	tab.Until(`document.body.dataset.ready && !document.querySelector("[data-banner]")`)
	tab.Until(pageLastMessage + `.textContent.includes("said meanwhile")`)
	// A reader further up gets a hint and keeps their position.
	tab.Until(`!document.querySelector("#jump-present").hidden`)
	if top := browser.Read[float64](tab, `document.querySelector("#log").scrollTop`); top != 0 {
		t.Errorf("the log scrolled to %v while somebody read its beginning", top)
	}
	// The hint covers neither the composer nor its error.
	for _, step := range []chromedp.Action[chromedp.Void]{chromedp.Focus(pageComposer), chromedp.SendKeys(pageComposer, "/pant"+kb.Enter)} {
		tab.Do(step)
		if gap := browser.Read[float64](tab, `document.querySelector("#composer").getBoundingClientRect().top - document.querySelector("#jump-present").getBoundingClientRect().bottom`); gap < 0 {
			t.Errorf("the hint reaches %v pixels into the composer", -gap)
		}
	}
	tab.Until(`document.querySelector('[data-testid="composer-error"]:not([hidden])')`)
	tab.Shot("hint-and-error")
}

// testPageReload has the page load its state again while it loads it. It is not
// disconnected then.
func testPageReload(t *testing.T, rig *pageRig) {
	tab := rig.open(t, rig.user(0), browser.Wide)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const fetch = window.fetch;
		window.held = [];
		window.fetch = (...request) => String(request[0]).startsWith("/sandbox/state") && !window.sending
			? new Promise((answer) => held.push(() => answer(fetch(...request))))
			: fetch(...request);
	})()`))
	for i := range 2 {
		rig.open(t, rig.user(i+1), browser.Wide) // the shared stream of events begins anew
	}
	tab.Until(`held.length >= 2`)
	tab.Do(chromedp.Evaluate[chromedp.Void](`void (sending = true, held.forEach((send) => send()))`))
	tab.Until(`performance.getEntriesByType("resource").filter((r) => r.name.includes("/sandbox/state?")).length >= 3`)
	if _, err := rig.box.As(rig.user(1)).Say(rig.channel(0), "said afterwards"); err != nil {
		t.Fatal(err)
	}
	tab.Until(`document.querySelector("#log").textContent.includes("said afterwards")`)
	if banner := browser.Read[string](tab, `document.querySelector("#banners").textContent`); banner != "" {
		t.Errorf("the page says: %s", banner)
	}
}

// testPageWindows opens more windows than a browser opens connections to a host.
func testPageWindows(t *testing.T, rig *pageRig) {
	var tabs []*browser.Tab
	for i := range 8 {
		tabs = append(tabs, rig.open(t, rig.user(i%5), browser.Wide))
	}
	hear := func(text string, tabs []*browser.Tab) {
		t.Helper()
		if _, err := rig.box.As(rig.user(0)).Say(rig.channel(0), text); err != nil {
			t.Fatal(err)
		}
		for _, tab := range tabs {
			tab.Until(pageLastMessage + `?.textContent.includes(` + browser.Quote(text) + `)`)
		}
	}
	oneStream := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
		defer cancel()
		if err := rig.box.Wait(ctx, func() bool { return rig.streams.Load() == 1 }); err != nil {
			t.Fatalf("%d streams of events are open, want one for all windows", rig.streams.Load())
		}
	}
	hear("eight windows", tabs)
	oneStream()
	// The first windows close, among them the only one of the fourth user.
	for _, tab := range tabs[:4] {
		tab.Close()
	}
	hear("the first are closed", tabs[4:])
	oneStream()
	// A window turns to another user, and the connection is lost.
	tabs[4].Do(browser.Click(fmt.Sprintf(`#people [data-user-id=%q]`, rig.user(3))))
	tabs[4].Until(`document.body.dataset.ready && document.body.dataset.userId === ` + browser.Quote(rig.user(3)))
	rig.down.Store(true)
	rig.server.CloseClientConnections()
	for _, tab := range tabs[4:] {
		tab.Until(`document.querySelector('[data-banner="lost"]')`)
	}
	rig.down.Store(false)
	hear("back again", tabs[4:])
	oneStream()
}
