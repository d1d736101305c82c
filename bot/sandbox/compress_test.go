package sandbox_test

import (
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"castellan/bot/sandbox"

	"github.com/gorilla/websocket"
	"github.com/klauspost/compress/zstd"
)

// inflater decompresses a connection's stream.
type inflater struct {
	in   *io.PipeWriter
	out  *json.Decoder
	open func(io.Reader) (io.Reader, error)
}

func (z *inflater) next(t *testing.T, g *gateway) body {
	t.Helper()
	check(t, g.ws.SetReadDeadline(time.Now().Add(timeout)))
	kind, raw, err := g.ws.ReadMessage()
	if err != nil || kind != websocket.BinaryMessage {
		t.Fatalf("kind %d, %v", kind, err)
	}
	var in *io.PipeReader
	if z.out == nil {
		in, z.in = io.Pipe()
		t.Cleanup(func() { z.in.Close() })
	}
	go z.in.Write(raw)
	if z.out == nil {
		z.out = json.NewDecoder(must(z.open(in)))
	}
	var f body
	check(t, z.out.Decode(&f))
	return f
}

func TestTransportCompression(t *testing.T) {
	for kind, open := range map[string]func(io.Reader) (io.Reader, error){
		"zlib-stream": func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		"zstd-stream": func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		},
	} {
		for _, both := range []any{nil, true, kind} { // payload compression is ignored
			t.Run(fmt.Sprint(kind, " both ", both), func(t *testing.T) {
				r := bareRig(t, sandbox.Options{})
				g := r.dial("v=10&encoding=json&compress=" + kind)
				z := &inflater{open: open}
				if f := z.next(t, g); f["op"] != 10.0 {
					t.Fatalf("%v", f)
				}
				g.send(2, body{"token": r.box.Token(), "intents": 1, "compress": both, "properties": body{}})
				if f := z.next(t, g); f["t"] != "READY" {
					t.Fatalf("%v", f)
				}
				if f := z.next(t, g); f["t"] != "GUILD_CREATE" || dig(t, f, "d", "id") != keep {
					t.Fatalf("%v", f)
				}
				r.register()
				must(r.box.As(anna).Command(yard, "play"))
				if f := z.next(t, g); f["t"] != "INTERACTION_CREATE" {
					t.Fatalf("%v", f)
				}
			})
		}
	}
}

func TestMaxConcurrency(t *testing.T) {
	r := bareRig(t, sandbox.Options{World: sandbox.DefaultWorld(), Shards: 4, MaxConcurrency: 2})
	got := r.get("/gateway/bot").ok(http.StatusOK)
	if got["shards"] != 4.0 || dig(t, got, "session_start_limit", "max_concurrency") != 2.0 {
		t.Errorf("%v", got)
	}
	identify := func(shard int) body {
		t.Helper()
		g := r.hello()
		g.send(2, body{"token": r.box.Token(), "intents": 0, "shard": list{shard, 4}, "properties": body{}})
		return g.frame()
	}
	for _, shard := range []int{0, 1} {
		if f := identify(shard); f["t"] != "READY" {
			t.Errorf("shard %d: %v", shard, f)
		}
	}
	if f := identify(2); f["op"] != 9.0 || f["d"] != false {
		t.Errorf("the bucket of shard 0 again: %v", f)
	}
	r.clock.advance(5 * time.Second)
	if f := identify(2); f["t"] != "READY" {
		t.Errorf("five seconds later: %v", f)
	}
}

func TestDirectMessagesOnShard0(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	shard := func(n int) *gateway {
		g := r.hello()
		g.send(2, body{"token": r.box.Token(), "intents": 1 << 12, "shard": list{n, 2}, "properties": body{}})
		g.event("READY")
		return g
	}
	zero, one := shard(0), shard(1)
	must(r.box.As(ben).Say(dm(t, r.box.As(ben)), "x"))
	zero.event("MESSAGE_CREATE")
	one.quiet()
}
