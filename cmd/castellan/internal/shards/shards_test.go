package shards_test

import (
	"strings"
	"testing"

	"castellan/bot/metrics"
	"castellan/cmd/castellan/internal/shards"
)

func TestPrint(t *testing.T) {
	s := metrics.Shards{
		Shards: []metrics.Shard{
			{ID: 0, Shards: 2, Connected: true, Guilds: 1203, StateSeconds: new(3725.4), LatencySeconds: new(0.0812), SessionSeconds: new(90000.0), EventSeconds: new(0.2), Connections: 3},
			{ID: 1, Shards: 2, Guilds: 1190, Failures: 4, Reason: "the session was ended by Discord (opcode 9)"},
		},
		Next: []metrics.Shard{{ID: 0, Shards: 3, Connected: true}}, Recommended: 3,
	}
	s.Identifies.Remaining, s.Identifies.Total, s.Identifies.ResetSeconds, s.Identifies.Concurrency = 995, 1000, 7200, 1
	var out strings.Builder
	if err := shards.Print(&out, s); err != nil {
		t.Fatal(err)
	}
	want := `
SHARD   STATE          FOR     SERVERS  LATENCY  SESSION  LAST EVENT  CONNECTIONS  FAILURES  LAST LOSS
0 of 2  connected      1h2m5s  1203     81ms     25h0m0s  0s          3            0         -
1 of 2  not connected  -       1190     -        -        -           0            4         the session was ended by Discord (opcode 9)
0 of 3  taking over    -       -        -        -        -           0            0         -
Discord recommends 3. Sessions left: 995 of 1000, for 2h0m0s; 1 at a time.
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got %swant %s", got, want)
	}
	for i := range s.Shards {
		s.Shards[i].Process = []string{"web1", ""}[i]
	}
	out.Reset()
	if err := shards.Print(&out, s); err != nil || !strings.Contains(out.String(), "PROCESS  SHARD ") || !strings.Contains(out.String(), "\nweb1     0 of 2 ") || !strings.Contains(out.String(), "\n-        1 of 2 ") {
		t.Errorf("%v\n%s", err, out.String())
	}
	s.Recommended = 0
	out.Reset()
	if err := shards.Print(&out, s); err != nil || !strings.Contains(out.String(), "has not asked") || strings.Contains(out.String(), "recommends 0") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := shards.Print(&out, metrics.Shards{}); err != nil || !strings.Contains(out.String(), "no shards") {
		t.Errorf("%v, %q", err, out.String())
	}
}
