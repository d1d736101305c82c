package e2e_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"strings"
	"testing"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/browser"
	palette "castellan/imaging/draw"
)

// TestBrowserMovingPicture plays a match on a phone and, if CASTELLAN_MOVING names a file,
// writes it as the moving picture of the README:
//
//	CASTELLAN_BROWSER=1 CASTELLAN_MOVING=$PWD/docs/match.gif go test ./bot/e2e -run MovingPicture
func TestBrowserMovingPicture(t *testing.T) {
	file := os.Getenv("CASTELLAN_MOVING")
	if file == "" {
		t.Skip("CASTELLAN_MOVING names no file for the moving picture")
	}
	w := newWorld(t)
	ben := &browserPlayer{Tab: browser.Open(t, browser.Start(t), w.chat.Base(), w.benID, w.channel, browser.Screen{Name: "moving", Width: 400, Height: 850, Touch: true}), w: w, person: w.ben}
	var m movingPicture
	show := func(hundredths int) {
		t.Helper()
		browser.Read[bool](ben.Tab, `([...document.images].forEach(i => i.decode().then(() => i.dataset.decoded = "true")), true)`)
		ben.Until(`[...document.images].every(i => i.dataset.decoded)`)
		m.add(t, ben.Picture(), hundredths)
	}
	// tap shows a finger on the newest button with a label, and presses it.
	tap := func(label string) {
		t.Helper()
		button := fmt.Sprintf(`[...document.querySelectorAll("button[data-custom-id]:not([disabled])")].filter(b => b.textContent.includes(%q)).at(-1)`, english(label))
		ben.Until(button)
		browser.Read[bool](ben.Tab, `(() => {
			const box = `+button+`.getBoundingClientRect(), dot = document.createElement("div");
			dot.id = "finger";
			Object.assign(dot.style, {position: "fixed", zIndex: 99, left: box.x + box.width / 2 - 18 + "px", top: box.y + box.height / 2 - 14 + "px",
				width: "36px", height: "36px", borderRadius: "50%", background: "rgba(255,255,255,.45)", border: "2px solid rgba(255,255,255,.9)"});
			document.body.append(dot);
			return true;
		})()`)
		show(70)
		browser.Read[bool](ben.Tab, `(document.getElementById("finger").remove(), true)`)
		ben.press(label)
	}
	settled := func(seq int) {
		t.Helper()
		ben.Until(oneBoard)
		w.wait("a turn", func() bool { return w.view(1).Match.Seq() == seq })
		ben.Until(fmt.Sprintf(`document.querySelector('button[data-custom-id^="match/1/%d/"]')`, seq))
	}

	w.answered(w.anna.Command(w.channel, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID), sandbox.Opt("size", 7), sandbox.Opt("towers", 1), sandbox.Opt("first", "me"))))
	ben.sees("challenge")
	show(220)
	tap("challenge.accept")
	settled(0)
	show(160)
	turns := strings.Fields(winningMatch)
	for i, turn := range turns {
		if i%2 == 0 {
			w.move(w.anna, turn)
		} else {
			tap("trails.step." + turn)
		}
		if i == len(turns)-1 {
			break
		}
		settled(i + 1)
		show(max(50, 150-15*i))
	}
	ben.sees("wins against")
	ben.Until(oneBoard)
	show(450)
	must(t, os.WriteFile(file, m.encode(t), 0o644))
}

// oneBoard is true if one board stands in the page.
const oneBoard = boards + `.length === 1`

// movingPicture is a GIF. Each frame holds only the part of the page that differs from the
// frame before.
type movingPicture struct {
	all  gif.GIF
	last *image.RGBA
}

func (m *movingPicture) add(t *testing.T, shot []byte, hundredths int) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(shot))
	must(t, err)
	now := image.NewRGBA(decoded.Bounds())
	draw.Draw(now, now.Bounds(), decoded, image.Point{}, draw.Src)
	changed := now.Bounds()
	if m.last != nil {
		changed = image.Rectangle{}
		for y := range now.Bounds().Dy() {
			for x := range now.Bounds().Dx() {
				if now.RGBAAt(x, y) != m.last.RGBAAt(x, y) {
					changed = changed.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if changed.Empty() {
			m.all.Delay[len(m.all.Delay)-1] += hundredths
			return
		}
	}
	part := image.NewRGBA(image.Rectangle{Max: changed.Size()})
	draw.Draw(part, part.Bounds(), now, changed.Min, draw.Src)
	frame := palette.Quantize(part)
	frame.Rect = changed
	m.all.Image, m.all.Delay = append(m.all.Image, frame), append(m.all.Delay, hundredths)
	m.last = now
}

func (m *movingPicture) encode(t *testing.T) []byte {
	t.Helper()
	m.all.Config = image.Config{Width: m.last.Rect.Dx(), Height: m.last.Rect.Dy(), ColorModel: color.Palette(nil)}
	var out bytes.Buffer
	must(t, gif.EncodeAll(&out, &m.all))
	return out.Bytes()
}
