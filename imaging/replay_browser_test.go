package imaging_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"castellan/bot/sandbox/browser"
	"castellan/imaging"
	"castellan/imaging/imagingtest"
)

// frameHashes is a page that decodes a GIF with the browser's decoder and keeps
// the SHA-256 of the pixels of each frame. The decoder composes the frames.
const frameHashes = `<!DOCTYPE html><meta charset="utf-8"><title>Frames</title><body data-user-id="">
<script type="module">
const shown = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const hashes = async (path) => {
	const decoder = new ImageDecoder({type: "image/gif", data: (await fetch(path)).body});
	await decoder.completed;
	const all = [];
	for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
		const {image} = await decoder.decode({frameIndex});
		Object.assign(shown.canvas, {width: image.displayWidth, height: image.displayHeight});
		shown.drawImage(image, 0, 0);
		image.close();
		const {data} = shown.getImageData(0, 0, shown.canvas.width, shown.canvas.height);
		all.push(new Uint8Array(await crypto.subtle.digest("SHA-256", data)).toHex());
	}
	return all;
};
window.check = (path) => hashes(path).then((all) => { window.done = all; }, (err) => { window.done = [String(err)]; });
document.body.dataset.ready = "true";
</script>`

// A browser shows every frame of the replay of the longest recorded game of each
// game as Go's decoder composes it. They are those of a replay that shows the same scenes
// in reverse order, where each frame differs from another one.
func TestReplayInBrowser(t *testing.T) {
	files := map[string][]byte{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, ok := files[r.URL.Path]; ok {
			_, _ = w.Write(file)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, frameHashes)
	}))
	defer site.Close()
	chrome := browser.Start(t)
	reversed := map[string]imaging.Replay{}
	for _, c := range replayed {
		p, r := longest(t, c.game), imagingtest.Renderer(t, c.painter())
		files["/"+c.game.Key()+".gif"] = drawReplay(t, r, p)
		last := len(p.Scenes) - 1 // shows the winner, so it stays the last
		slices.Reverse(p.Scenes[:last])
		slices.Reverse(p.Captions[:last])
		reversed[c.game.Key()] = p
	}
	tab := browser.Open(t, chrome, site.URL, "", "", browser.Wide)
	for _, c := range replayed {
		path := "/" + c.game.Key() + ".gif"
		browser.Read[bool](tab, `(window.done = null, check(`+browser.Quote(path)+`), true)`)
		p := reversed[c.game.Key()]
		want := hashFrames(t, files[path])
		other := hashFrames(t, drawReplay(t, imagingtest.Renderer(t, c.painter()), p))
		tab.Until(`window.done`)
		got := browser.Read[[]string](tab, `window.done`)
		if len(want) < len(p.Scenes) || !slices.Equal(got, want) {
			t.Errorf("%s: %d frames in the browser, %d in Go, of %d scenes, or they differ", path, len(got), len(want), len(p.Scenes))
		}
		slices.Sort(want)
		slices.Sort(other)
		if !slices.Equal(want, other) {
			t.Errorf("%s: the frames are not those of the replay in reverse", path)
		}
	}
}

// hashFrames returns the SHA-256 of the pixels that a GIF shows in each frame.
func hashFrames(t *testing.T, file []byte) (all []string) {
	t.Helper()
	g, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	shown := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for _, f := range g.Image {
		draw.Draw(shown, f.Rect, f, f.Rect.Min, draw.Over)
		sum := sha256.Sum256(shown.Pix)
		all = append(all, hex.EncodeToString(sum[:]))
	}
	return all
}
