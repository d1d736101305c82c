package e2e_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"castellan/bot/catalogue"
	"castellan/bot/message"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	"castellan/engine"
	"castellan/engine/record"
	"castellan/engine/stonetowers"
	"castellan/imaging"
	"castellan/storage"
)

// panelOf is the newest panel in the page.
const panelOf = `[...document.querySelectorAll('[data-message-id][data-ephemeral="true"]')].filter(m => m.querySelector('[data-custom-id*="/pick/"]')).at(-1)`

// openPanel presses Move on the board of the last turn, once the page shows it.
func (p *browserPlayer) openPanel() {
	p.w.t.Helper()
	button := fmt.Sprintf(`button[data-custom-id="match/1/%d/turn"]`, p.w.view(1).Match.PublicSeq())
	p.Until(`document.querySelector('` + button + `')`)
	p.Do(browser.Click(button))
	p.Until(`!document.querySelector('[data-pending="true"]')`)
	p.Until(panelOf)
}

// choose plays an action choice by choice in the open panel, with the buttons
// and menus that the page draws.
func (p *browserPlayer) choose(match storage.MatchID, a engine.Action) {
	p.w.t.Helper()
	target := strings.Join(a.Steps(), "~") + "~"
	seq := p.w.view(match).Match.Seq()
	for range 10 {
		// The button that leads furthest, or else a menu.
		id := browser.Read[string](p.Tab, fmt.Sprintf(`(() => {
			const target = %s;
			let best = "", id = "";
			for (const b of %s.querySelectorAll('button[data-custom-id*="/pick/"]:not([data-select])')) {
				const path = b.dataset.customId.split("/pick/")[1].split("/").slice(1).join("/");
				if (target.startsWith(path) && path.length > best.length) { best = path; id = b.dataset.customId; }
			}
			return id || %s.querySelector('button[data-select]')?.dataset.customId || "";
		})()`, browser.Quote(target), panelOf, panelOf))
		if id == "" {
			p.Shot("stuck")
			p.w.t.Fatalf("the panel offers no way to %s", a)
		}
		p.Do(browser.Click(fmt.Sprintf(`button[data-custom-id=%q]`, id)))
		if strings.HasSuffix(id, "/.menu") {
			value := fmt.Sprintf(`[...document.querySelectorAll('[data-testid="suggestion"]')].filter(s => %s.startsWith(s.dataset.value)).at(-1)`, browser.Quote(target))
			p.Until(value)
			v := browser.Read[string](p.Tab, value+`.dataset.value`)
			p.Do(browser.Click(fmt.Sprintf(`[data-testid="suggestion"][data-value=%q]`, v)))
		}
		p.Until(fmt.Sprintf(`!document.querySelector('button[data-custom-id=%q]')`, id))
		if p.w.view(match).Match.Seq() > seq || browser.Read[bool](p.Tab, asks) {
			return
		}
	}
	p.w.t.Fatalf("%s is not played after ten choices", a)
}

// asks reports whether the page asks to confirm a turn.
const asks = `document.querySelector('[data-ephemeral="true"] button[data-custom-id*="/confirm/"]') !== null`

// turnBy plays a turn in the panel, or by /move.
func (p *browserPlayer) turnBy(panel bool, match storage.MatchID, turn string) {
	p.w.t.Helper()
	defer func() {
		if browser.Read[bool](p.Tab, asks) { // the turn has a risk
			p.press("Play it")
		}
	}()
	if !panel {
		p.command("mo", "move")
		p.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), turn+" "))
		p.send()
		return
	}
	p.openPanel()
	for _, token := range strings.Fields(turn) {
		a, err := p.w.view(match).Match.Position().Parse(token)
		must(p.w.t, err)
		p.choose(match, a)
	}
}

// startBrowserMatch starts a match between Anna at a wide window and Ben at a
// phone.
func startBrowserMatch(t *testing.T, game string, options ...sandbox.CommandOption) (w *world, anna, ben *browserPlayer) {
	t.Helper()
	chrome := browser.Start(t)
	w = newWorld(t)
	anna = &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, w.channel, browser.Wide), w: w, person: w.anna}
	ben = &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.benID, w.channel, browser.Phone), w: w, person: w.ben}
	w.offerOf(game, append(options, sandbox.Opt("first", "me"))...)
	ben.press("Accept")
	anna.sees("to move")
	return w, anna, ben
}

// awaitTurn waits until a turn has been played and has notified the next player
// once.
func (w *world) awaitTurn(turns int, next *browserPlayer) {
	w.t.Helper()
	w.wait(fmt.Sprintf("turn %d", turns), func() bool {
		v, err := w.host.Match(context.Background(), 1)
		return err == nil && len(v.Match.Turns()) >= turns && len(w.boards(w.anna)) == 1
	})
	if next != nil {
		next.notices++
	}
}

func TestBrowserTowers(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "towers")
	people := []*browserPlayer{anna, ben}
	anna.notices, ben.notices = w.anna.Mentions(w.channel), w.ben.Mentions(w.channel)
	for i, turn := range towersMatch {
		p := people[i%2]
		if i == 3 { // an action of an open turn is taken back
			p.openPanel()
			a, err := w.view(1).Match.Position().Parse("b4-b3")
			must(t, err)
			p.choose(1, a)
			p.check("open-turn")
			p.press("Undo")
			p.Until(`!` + panelOf + `.textContent.includes("Played so far")`)
			if n := len(w.view(1).Match.Open().Actions); n != 0 {
				t.Fatalf("%d actions after Undo", n)
			}
		}
		if i == 5 {
			p.openPanel()
			p.check("import")
		}
		p.turnBy(i%3 != 1, 1, turn)
		w.awaitTurn(i+1, people[(i+1)%2])
	}
	for _, p := range people {
		p.sees("wins against")
		p.check("end")
		if got := p.person.Mentions(w.channel); got != p.notices {
			t.Errorf("%d notifications, not %d", got, p.notices)
		}
	}
}

// stoneMatch is a match of Stone Towers in whose last turn two castles fall at
// once.
const stoneMatch = "c4 d2 b1 c2 b4 d2+ c3 d2+ b3 a2 d4 d3 a3 d3+ a1 d3+"

func TestBrowserStoneTowers(t *testing.T) {
	t.Parallel()
	w, anna, ben := startBrowserMatch(t, "stone-towers", sandbox.Opt("width", 4), sandbox.Opt("height", 4), sandbox.Opt("turns", 8))
	people := []*browserPlayer{anna, ben}
	tokens := strings.Fields(stoneMatch)
	for i, turn := range tokens {
		before := castles(w)
		people[i%2].turnBy(i%4 < 2, 1, turn)
		w.awaitTurn(i+1, nil)
		if i == len(tokens)-1 {
			if fallen := before[i%2^1] - castles(w)[i%2^1]; fallen < 2 {
				t.Errorf("%d castles fell in the last turn", fallen)
			}
		}
		if i == 9 {
			anna.openPanel()
			anna.check("panel")
			ben.check("middle")
		}
	}
	for _, p := range people {
		p.sees("wins against")
		p.check("end")
	}
}

// castles returns the number of castles of each player.
func castles(w *world) [2]int {
	p := w.view(1).Match.Position().(*stonetowers.Position)
	return [2]int{p.CastleCount(1), p.CastleCount(2)}
}

// ringsOpening leads to a position of four players on a board of side 3 in
// which K5 lets the next player convert circle 11, and that circle 6.
const ringsOpening = "H4 C7 I6 E2 L6 F11 J5 F3 E6 F7 A4 G9 G5 H8 H10 L4 K3 D6 G3 A6 I10 F1 G1 E4 G7 F5 D2 B5 K7 D4 J3 F9 K9 H6 J7 L8 I8 E10"

func TestBrowserRings(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	w := newWorld(t)
	dmitri := sandbox.DefaultWorld().Users[3].ID
	people := map[string]*browserPlayer{}
	for i, id := range []string{w.annaID, w.benID, w.chloeID, dmitri} {
		s := browser.Phone
		if i == 0 {
			s = browser.Wide
		}
		people[id] = &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), id, w.channel, s), w: w, person: w.chat.As(id)}
	}
	anna := people[w.annaID]
	anna.command("chal", "challenge rings")
	anna.add("players")
	anna.fill("players", "4", "4")
	anna.add("side")
	anna.fill("side", "3", "3")
	anna.send()
	anna.sees("Join")
	for _, id := range []string{w.benID, w.chloeID, dmitri} {
		people[id].press("Join")
		people[id].check("lobby-" + id)
	}
	anna.sees("to move")
	mover := func() *browserPlayer {
		p, _ := w.view(1).ToMove()
		return people[p.ID]
	}
	for _, p := range people { // the order of play notifies the first player alone
		told := 0
		if p == mover() {
			told = 1
		}
		w.wantMentions(p.person, 0, told)
	}
	for _, token := range strings.Fields(ringsOpening) {
		w.move(mover().person, token)
	}

	// A chain of two conversions, choice by choice.
	p := mover()
	before := w.view(1).Match.Position().Seat()
	p.openPanel()
	for _, token := range strings.Fields("K5 11 6") {
		a, err := w.view(1).Match.Position().Parse(token)
		must(t, err)
		p.choose(1, a)
		p.check("chain-" + token)
	}
	if w.view(1).Match.Seat() == before {
		p.press("End turn")
	}
	last, _ := w.view(1).Match.Last()
	if last.Seat != before || !strings.HasPrefix(last.String(), "K5 11 6") {
		t.Fatalf("the chain was played as %v", last)
	}

	// One player leaves. The others play on, and pass until the match ends.
	left := mover()
	notified := map[string]int{}
	w.answered(left.person.Command(w.channel, "resign"))
	ask := w.private(left.person)
	for id, q := range people {
		notified[id] = q.person.Mentions(w.channel)
	}
	w.answered(left.person.Click(w.channel, ask.ID, w.press(ask, "Leave")))
	if _, over := w.view(1).Match.Over(); over {
		t.Fatal("the match has ended although three play on")
	}
	if next := mover(); next == left || next.person.Mentions(w.channel) != notified[next.person.ID()]+1 {
		t.Errorf("after somebody left, the next player was notified %d times", next.person.Mentions(w.channel)-notified[next.person.ID()])
	}
	anna.sees("left the match")
	anna.check("retired")
	for range 40 {
		if _, over := w.view(1).Match.Over(); over {
			break
		}
		q := mover()
		q.openPanel()
		for w.view(1).Match.Seat() != engine.Nobody && mover() == q {
			switch {
			case browser.Read[bool](q.Tab, asks): // the last pass ends the match
				q.press("Play it")
			case buttonShown(q, "Pass"):
				q.press("Pass")
			default:
				q.press("End turn")
			}
		}
	}
	out, over := w.view(1).Match.Over()
	if !over || len(out.Result.Scores) != 4 {
		t.Fatalf("the end: %+v", out)
	}
	for id, q := range people {
		q.sees("Places: ")
		q.check("end-" + id)
	}
}

func buttonShown(p *browserPlayer, label string) bool {
	return browser.Read[bool](p.Tab, fmt.Sprintf(`[...%s.querySelectorAll("button[data-custom-id]")].some(b => b.textContent.includes(%q))`, panelOf, label))
}

// TestBrowserComputer challenges the bot by naming it as opponent, asks for a
// hint, and plays to the end.
func TestBrowserComputer(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	w := newWorld(t)
	anna := &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.annaID, w.channel, browser.Phone), w: w, person: w.anna}
	anna.command("chal", "challenge trails")
	name := sandbox.DefaultWorld().Application.Name
	for _, o := range [][3]string{{"opponent", name[:4], name}, {"level", "New", "Newcomer"}, {"size", "7", "7"}, {"first", "me", "me"}, {"rated", "F", "False"}} {
		anna.add(o[0])
		anna.fill(o[0], o[1], o[2])
	}
	anna.Shot("command")
	anna.send()
	anna.sees("The match has begun.")
	anna.check("start")

	anna.command("hi", "hint")
	anna.send()
	anna.sees("I would play")
	anna.check("hint")
	for turns := 0; ; turns++ {
		v := w.awaitPerson(1)
		if v.Match.Seat() == engine.Nobody {
			break
		}
		if turns > 100 {
			t.Fatal("it does not end")
		}
		anna.command("mo", "move")
		anna.Do(browser.Click(field("turn")), chromedp.SendKeys(field("turn"), anyTurn(v)+" "))
		anna.send()
		if turns == 0 {
			anna.sees("Computer (Newcomer)")
			w.awaitPerson(1)
			anna.check("answered")
		}
	}
	anna.sees("match 1")
	anna.Until(boards + `.length === 1`)
	anna.check("end")
	for _, n := range w.chat.Notifications() {
		if n.UserID != w.annaID {
			t.Errorf("%s was told something", n.UserID)
		}
	}
}

// tapTurn plays a turn on the page of a link: an action, its steps tapped one by
// one, and the end of the turn.
func tapTurn(page *browser.Tab, w *world) {
	seat, turns := w.view(1).Match.Seat(), len(w.view(1).Match.Turns())
	for len(w.view(1).Match.Turns()) == turns && w.view(1).Match.Seat() == seat {
		m := w.view(1).Match
		legal := m.Position().Legal()
		action := legal[0]
		if last := legal[len(legal)-1]; len(m.Open().Actions) > 0 && last.String() == engine.End {
			action = last
		}
		for seq := m.Seq(); w.view(1).Match.Seq() == seq; {
			value := browser.Read[string](page, fmt.Sprintf(`(() => {
				const target = %s;
				if (document.querySelector("[name=turn]")) return document.querySelector("[name=turn]").value;
				return [...document.querySelectorAll("[name=path]")].map((b) => b.value).find((v) => target.startsWith(v)) ?? "";
			})()`, browser.Quote(strings.Join(action.Steps(), "~")+"~")))
			selector := fmt.Sprintf(`button[value=%q]`, value)
			page.Do(browser.Click(selector))
			page.Until(`document.readyState === "complete" && !document.querySelector('` + selector + `')`)
		}
	}
}

// TestBrowserTap taps a turn of each game that has a panel, and tries links that
// are forged, expired and stale.
func TestBrowserTap(t *testing.T) {
	t.Parallel()
	for _, game := range []string{"towers", "stone-towers", "rings"} {
		t.Run(game, func(t *testing.T) {
			chrome := browser.Start(t)
			w := newWorld(t)
			w.accept(w.offerOf(game))
			person, _ := w.view(1).ToMove()
			player := &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), person.ID, w.channel, browser.Wide), w: w}
			other := map[string]*sandbox.Person{w.annaID: w.ben, w.benID: w.anna}[person.ID]
			notified := other.Mentions(w.channel)
			const link = panelOf + `.querySelector("a.button-link")`
			player.openPanel()
			if browser.Read[bool](player.Tab, link+` !== null`) || w.bot.TapHandler() != nil {
				t.Error("there is a page for tapping although no address is configured")
			}
			server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.bot.TapHandler().ServeHTTP(out, r) }))
			t.Cleanup(server.Close)
			w.tapAddress = server.URL
			w.restart()
			fresh := func() string {
				player.openPanel()
				player.Until(link)
				return browser.Read[string](player.Tab, link+`.href`)
			}
			refused := func(why, address string, status int, says string) {
				t.Helper()
				for _, path := range []string{"", strings.Join(w.view(1).Match.Position().Legal()[0].Steps(), "~") + "~"} {
					seq := w.view(1).Match.Seq()
					res, err := http.PostForm(address, url.Values{"path": {path}})
					must(t, err)
					text, err := io.ReadAll(res.Body)
					must(t, err)
					must(t, res.Body.Close())
					if res.StatusCode != status || !strings.Contains(string(text), says) || w.view(1).Match.Seq() != seq {
						t.Errorf("%s: status %d, and the match has moved: %v\n%s", why, res.StatusCode, w.view(1).Match.Seq() != seq, text)
					}
				}
			}
			first := fresh()
			refused("another person", strings.Replace(first, person.ID, other.ID(), 1), http.StatusForbidden, "This link does not work")
			w.advanceClock(5*time.Minute + time.Second)
			refused("expired", first, http.StatusGone, "This link has expired")
			again := fresh()
			for i, s := range []browser.Screen{browser.Wide, browser.Phone} {
				page := browser.Open(t, chrome, w.chat.Base(), person.ID, w.channel, s)
				page.Do(chromedp.Navigate(again))
				page.Until(`document.querySelector(".board img")?.complete`)
				page.Shot("tap")
				if i == 1 {
					tapTurn(page, w)
					page.Until(`document.body.textContent.includes("Your turn was played")`)
					page.Shot("tapped")
				}
			}
			w.wait("the board after the turn", func() bool { return other.Mentions(w.channel) == notified+1 })
			refused("stale", again, http.StatusConflict, "has moved on")
		})
	}
}

// A browser plays every frame of the replays of the longest recorded games as
// they are drawn, and the page shows a replay.
func TestBrowserReplay(t *testing.T) {
	t.Parallel()
	chrome := browser.Start(t)
	w := newWorld(t)
	w.challenge()
	for i, turn := range strings.Fields(winningMatch) {
		w.move([]*sandbox.Person{w.anna, w.ben}[i%2], turn)
	}
	p := &browserPlayer{Tab: browser.Open(t, chrome, w.chat.Base(), w.chloeID, w.channel, browser.Phone), w: w, person: w.chloe}
	p.press("Replay")
	p.sees("Post it here")
	p.press("Post it here")
	p.sees("I have posted the replay")
	p.Until(`[...document.querySelectorAll('[data-testid="picture"] img')].filter(i => i.src.endsWith(".gif") && i.complete && i.naturalWidth === 600).length === 1`)
	p.check("replay-phone")

	var games []engine.Game
	var painters []imaging.Painter
	for _, g := range allGames() {
		games, painters = append(games, g.game), append(painters, g.painter)
	}
	registry, err := engine.NewRegistry(games...)
	must(t, err)
	renderer, err := imaging.New(painters...)
	must(t, err)
	texts, err := catalogue.New(games...)
	must(t, err)
	for _, g := range games {
		text, err := os.ReadFile("../../imaging/testdata/longest-" + g.Key() + ".txt")
		must(t, err)
		r, err := record.Read(bytes.NewReader(text), registry)
		must(t, err)
		say := texts.Printer()
		file, err := message.DrawReplay(t.Context(), message.Themed{Renderer: renderer}, say, message.RecordView(say, r), r.Match)
		must(t, err)
		decoded, err := gif.DecodeAll(bytes.NewReader(file.Data))
		must(t, err)
		var want []string
		shown := image.NewRGBA(image.Rect(0, 0, decoded.Config.Width, decoded.Config.Height))
		for i, f := range decoded.Image {
			draw.Draw(shown, f.Rect, f, f.Rect.Min, draw.Over)
			want = append(want, fmt.Sprintf("%x %d", sha256.Sum256(shown.Pix), decoded.Delay[i]))
		}
		browser.Read[bool](p.Tab, fmt.Sprintf(`(window.replayFrames = null, (async () => {
			const data = Uint8Array.from(atob(%q), c => c.charCodeAt(0));
			const decoder = new ImageDecoder({data, type: "image/gif"});
			await decoder.tracks.ready;
			await decoder.completed;
			const all = [];
			for (let i = 0; i < decoder.tracks.selectedTrack.frameCount; i++) {
				const {image} = await decoder.decode({frameIndex: i});
				const context = new OffscreenCanvas(image.displayWidth, image.displayHeight).getContext("2d", {willReadFrequently: true});
				context.drawImage(image, 0, 0);
				const pixels = context.getImageData(0, 0, image.displayWidth, image.displayHeight).data;
				const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", pixels));
				all.push([...sum].map(b => b.toString(16).padStart(2, "0")).join("") + " " + image.duration / 10000);
				image.close();
			}
			window.replayFrames = all;
		})().catch(e => window.replayFrames = [String(e)]), true)`, base64.StdEncoding.EncodeToString(file.Data)))
		p.Until(`window.replayFrames`)
		got := browser.Read[[]string](p.Tab, `(() => { const all = window.replayFrames; window.replayFrames = null; return all; })()`)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d frames in the browser, %d drawn; the first: %s, %s", g.Key(), len(got), len(want), got[0], want[0])
		}
	}
}
