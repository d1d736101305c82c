package main

import (
	"strings"
	"testing"
	"time"

	"castellan/bot/cluster"
	"castellan/bot/metrics"
)

func TestPrintShards(t *testing.T) {
	s := metrics.ShardReport{
		Shards: []metrics.Shard{
			{ID: 0, Shards: 2, Connected: true, Guilds: 1203, StateSeconds: new(3725.4), LatencySeconds: new(0.0812), SessionSeconds: new(90000.0), EventSeconds: new(0.2), Connections: 3},
			{ID: 1, Shards: 2, Guilds: 1190, Failures: 4, Reason: "the session was ended by Discord (opcode 9)"},
		},
		Next: []metrics.Shard{{ID: 0, Shards: 3, Connected: true}}, Recommended: 3,
	}
	s.Identifies.Remaining, s.Identifies.Total, s.Identifies.ResetSeconds, s.Identifies.Concurrency = 995, 1000, 7200, 1
	var out strings.Builder
	if err := printShards(&out, s); err != nil {
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
	s.Identifies.ResetSeconds = 0
	s.Shards, s.Next = nil, nil
	for i, one := range []metrics.Shard{{Process: "web1"}, {}, {Process: "web2", HeardSeconds: new(3.4)}, {Process: "web3", HeardSeconds: new(12.6), Guilds: 40}} {
		one.ID, one.Shards = i, 4
		s.Shards = append(s.Shards, one)
	}
	out.Reset()
	want = `
PROCESS  HEARD OF          SHARD   STATE          FOR  SERVERS  LATENCY  SESSION  LAST EVENT  CONNECTIONS  FAILURES  LAST LOSS
web1     it answers        0 of 4  not connected  -    -        -        -        -           0            0         -
-        -                 1 of 4  not connected  -    -        -        -        -           0            0         -
web2     3s ago            2 of 4  not connected  -    -        -        -        -           0            0         -
web3     13s ago, overdue  3 of 4  not connected  -    40       -        -        -           0            0         -
Discord recommends 3. Sessions left: 995 of 1000; 1 at a time.
`
	if err := printShards(&out, s); err != nil || "\n"+out.String() != want {
		t.Errorf("%v, got\n%swant %s", err, out.String(), want)
	}
	s.Recommended = 0
	out.Reset()
	if err := printShards(&out, s); err != nil || !strings.Contains(out.String(), "has not asked") || strings.Contains(out.String(), "recommends 0") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := printShards(&out, metrics.ShardReport{}); err != nil || !strings.Contains(out.String(), "no shards") {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestPrintProcesses(t *testing.T) {
	var out strings.Builder
	if err := printProcesses(&out, nil); err != nil || out.String() != "No process of the bot uses this database.\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	all := []cluster.Process{{Name: "a-1", Roles: "gateway", Version: "1.2.3", Heard: 4900 * time.Millisecond}, {Name: "b-2", Roles: "poster,worker", Version: "1.2.4", Heard: 8 * time.Second}}
	want := `
PROCESS  ROLES          VERSION  HEARD OF
a-1      gateway        1.2.3    5s ago
b-2      poster,worker  1.2.4    8s ago, overdue
`
	if err := printProcesses(&out, all); err != nil || "\n"+out.String() != want {
		t.Errorf("%v, got\n%swant %s", err, out.String(), want)
	}
}
