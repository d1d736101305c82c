package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/gateway"
)

// guildOf returns the ID of a guild of a shard.
func guildOf(shard int) string { return fmt.Sprint((1<<30 + int64(shard)) << 22) }

// answerShard answers the next connection, of a shard that identifies. The shard has
// one guild.
func (r *rig) answerShard(shards int) (id int, p *peer) {
	r.t.Helper()
	p = r.next()
	p.hello()
	var identify struct{ Shard [2]int }
	if err := json.Unmarshal(p.expect(2), &identify); err != nil {
		r.t.Fatal(err)
	}
	id = identify.Shard[0]
	if shards > 1 && identify.Shard[1] != shards {
		r.t.Fatalf("shard %v identifies, want one of %d", identify.Shard, shards)
	}
	p.says(fmt.Sprintf(`{"op":0,"s":1,"t":"READY","d":{"session_id":"%d of %d","resume_gateway_url":%q,"application":{"id":"9"},
		"guilds":[{"id":%q,"unavailable":true}]}}`, id, shards, address+"/resume", guildOf(id)))
	event[*discordgo.Ready](r)
	return id, p
}

// answerShards answers connections until all shards have identified. It returns
// their peers by shard, and when each identified.
func (r *rig) answerShards(shards int) (peers []*peer, at []time.Time) {
	r.t.Helper()
	peers, at = make([]*peer, shards), make([]time.Time, shards)
	for range shards {
		id, p := r.answerShard(shards)
		if peers[id] != nil {
			r.t.Fatalf("shard %d identifies twice", id)
		}
		peers[id], at[id] = p, time.Now()
	}
	return peers, at
}

// sendClick sends an interaction.
func (p *peer) sendClick(sequence int, id string) {
	p.says(fmt.Sprintf(`{"op":0,"s":%d,"t":"INTERACTION_CREATE","d":{"id":%q,"type":3,"token":"t","data":{"custom_id":"x","component_type":2}}}`, sequence, id))
}

func recommend(shards int) func(r *rig) { return func(r *rig) { r.info.Shards = shards } }

// Each shard has its own connection: the loss of one concerns no other.
func TestShards(t *testing.T) {
	run(t, func(r *rig) {
		peers, at := r.answerShards(4)
		for bucket := range 2 {
			if d := at[bucket+2].Sub(at[bucket]).Abs(); d < 5*time.Second || d > 6*time.Second {
				t.Errorf("identified at %v", at)
			}
		}
		if s := r.gateway.State(); !s.Connected || s.Connections != 4 {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		peers[2].drop()
		synctest.Wait()
		if s := r.gateway.State(); s.Connected || s.Reason == nil {
			t.Errorf("without shard 2: %+v", s)
		}
		peers[1].sendClick(2, "a")
		r.clicked("a")
		p := r.resumes("2 of 4", 1)
		p.sendClick(2, "b")
		p.resumed(3)
		r.replayed("b")
		event[*discordgo.Resumed](r)
		report := r.gateway.Report()
		for id, s := range report.Shards {
			want := 1
			if id == 2 {
				want = 2
			}
			if s.ID != id || s.Shards != 4 || !s.Connected || s.Connections != want || s.Guilds != 1 || s.LastEvent.IsZero() || s.Identified.IsZero() {
				t.Errorf("%+v", s)
			}
		}
		if len(report.Shards) != 4 || len(report.Next) != 0 || report.Info.SessionStartLimit.Remaining != 996 {
			t.Errorf("%+v", report)
		}
		for shard := range 4 {
			if other := fmt.Sprint((1<<40 + int64(shard)) << 22); !r.gateway.IsMember(guildOf(shard)) || r.gateway.IsMember(other) {
				t.Errorf("wrong membership of the guilds of shard %d", shard)
			}
		}
	}, recommend(4), func(r *rig) { r.info.SessionStartLimit.MaxConcurrency = 2 })
}

// Before Discord has listed the guilds of a shard, the bot may be in any of them.
func TestMembershipBeforeReady(t *testing.T) {
	run(t, func(r *rig) {
		r.answerShards(1)
		r.gateway = r.newGateway()
		if !r.gateway.IsMember(guildOf(0)) {
			t.Error("not a member before READY")
		}
	})
}

// A new number of shards connects beside the old one, and takes over when all of
// them are ready. Discord sends events to both: each is handed on once.
func TestReshard(t *testing.T) {
	run(t, func(r *rig) {
		old, _ := r.answerShards(1)
		for _, shards := range []int{2, 4} {
			r.info.Shards = shards
			if shards == 2 {
				time.Sleep(24 * time.Hour)
			} else {
				r.gateway.CheckShards()
			}
			next := make([]*peer, shards)
			for n := range shards {
				id, p := r.answerShard(shards)
				next[id] = p
				p.sendClick(2, fmt.Sprint("new ", shards, id))
				r.clicked(fmt.Sprint("new ", shards, id))
				if n == shards-1 {
					break
				}
				if n == 0 && len(old) > 1 { // an old shard is away when the new ones take over
					old[1].drop()
					old[1] = r.resumes("1 of 2", 5)
				}
				both := fmt.Sprint("both ", shards, id)
				old[0].sendClick(10*shards+n, both)
				p.sendClick(3, both)
				r.clicked(both)
				if s := r.gateway.Report(); len(s.Shards) != len(old) || len(s.Next) != n+1 && len(s.Next) != shards {
					t.Errorf("%d and %d shards, before all are ready", len(s.Shards), len(s.Next))
				}
			}
			// The new shards serve. What Discord sent to the old sessions alone is
			// still handed on.
			synctest.Wait()
			began := time.Now()
			if s := r.gateway.State(); !s.Connected || len(r.gateway.Report().Shards) != shards {
				t.Errorf("%+v", s)
			}
			if len(old) > 1 {
				old[1].sendClick(6, "missed")
				old[1].resumed(7)
				r.replayed("missed")
				event[*discordgo.Resumed](r)
			}
			for _, p := range old {
				if code := p.closed(); code != 1000 {
					t.Errorf("an old session was closed with %d", code)
				}
			}
			if d := time.Since(began); d > time.Minute {
				t.Errorf("the old sessions were closed after %v", d)
			}
			for id, p := range next {
				p.sendClick(4, fmt.Sprint("new ", shards, id)) // once more
				p.sendClick(5, fmt.Sprint("then ", shards, id))
				r.clicked(fmt.Sprint("then ", shards, id))
			}
			old = next
		}
		time.Sleep(time.Hour) // interactions that repeat now are not recognised, as without a change
		old[0].sendClick(6, "new 40")
		r.clicked("new 40")
	}, recommend(1))
}

// A bot that stops while its shards are being replaced ends the sessions of both
// generations before Run returns.
func TestStopDuringReshard(t *testing.T) {
	run(t, func(r *rig) {
		old, _ := r.answerShards(1)
		r.info.Shards = 2
		time.Sleep(time.Minute)
		r.gateway.CheckShards()
		_, next := r.answerShard(2)
		synctest.Wait()
		r.stop()
		if err := r.runError(); err != nil {
			t.Error(err)
		}
		for _, p := range []*peer{old[0], next} {
			if code := p.closed(); code != 1000 {
				t.Errorf("closed with %d", code)
			}
		}
		for _, s := range append(r.gateway.Report().Shards, r.gateway.Report().Next...) {
			if s.Connected {
				t.Errorf("still connected: %+v", s)
			}
		}
	}, recommend(1))
}

// Code 4011: more shards replace those that Discord refuses.
func TestShardingRequired(t *testing.T) {
	run(t, func(r *rig) {
		old, _ := r.answerShards(2)
		r.info.Shards = 3
		time.Sleep(time.Minute)
		old[1].close(4011)
		old[0].sendClick(2, "still served")
		r.clicked("still served")
		r.answerShards(3)
		old[0].closed()
		if s := r.gateway.State(); !s.Connected || len(r.gateway.Report().Shards) != 3 {
			t.Errorf("%+v", s)
		}
	}, recommend(2), func(r *rig) { r.info.SessionStartLimit.MaxConcurrency = 3 })
}

// A change that fails leaves the old shards alone.
func TestReshardFails(t *testing.T) {
	for name, end := range map[string]func(r *rig){
		"refused for good":      func(r *rig) { r.handshake().close(4014) },
		"too few, all the same": func(r *rig) { r.handshake().close(4011) },
		"even more recommended": func(r *rig) {
			r.handshake()
			r.handshake()
			r.info.Shards = 3
			r.gateway.CheckShards()
			r.answerShards(3)
		},
		"few identifies left": func(r *rig) {
			time.Sleep(48 * time.Hour)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(r *rig) {
				old, _ := r.answerShards(1)
				time.Sleep(time.Minute)
				r.info.Shards = 2
				if strings.HasPrefix(name, "few") {
					r.info.SessionStartLimit.Remaining, r.info.SessionStartLimit.ResetAfter = 1, time.Hour
				}
				r.gateway.CheckShards()
				end(r)
				synctest.Wait()
				if name == "even more recommended" {
					old[0].closed()
					return
				}
				old[0].sendClick(2, "a")
				r.clicked("a")
				if report := r.gateway.Report(); len(report.Shards) != 1 || len(report.Next) != 0 || !report.Shards[0].Connected {
					t.Errorf("%+v", report)
				}
			}, recommend(1), func(r *rig) { r.info.SessionStartLimit.MaxConcurrency = 16 })
		})
	}
}

// passing is an Assigner of one shard. It begins with a hand-over, and hands over when
// released is closed.
type passing struct {
	valid    func() bool // see gateway.Assignment
	released chan struct{}
	from     gateway.Handover
	to       chan gateway.Handover
}

func newPassing(from gateway.Handover) passing {
	return passing{nil, make(chan struct{}), from, make(chan gateway.Handover, 1)}
}

func (a passing) Assign(ctx context.Context, _ int, hold gateway.Hold) error {
	holding, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-a.released:
			end(gateway.ErrHandOver)
		case <-ctx.Done():
		}
	}()
	to, err := hold(holding, gateway.Assignment{From: a.from, Valid: a.valid})
	a.to <- to
	<-ctx.Done()
	return err
}

// A session that is handed over goes on in another connection, with every event.
func TestHandOver(t *testing.T) {
	var first passing
	run(t, func(r *rig) {
		p := r.identified("s1")
		p.click(2)
		r.clicked("2")
		p.says(`{"op":0,"s":3,"t":"GUILD_CREATE","d":{"id":"10"}}`)
		synctest.Wait()
		<-r.events
		close(first.released)
		if code := p.closed(); code != 4000 {
			t.Errorf("closed with %d: the session cannot be resumed", code)
		}
		to := <-first.to
		if want := (gateway.Handover{SessionID: "s1", Address: address + "/resume", Sequence: 3, Guilds: 1}); to != want {
			t.Errorf("handed over %+v, want %+v", to, want)
		}
		r.assigner = newPassing(to)
		other := r.newGateway()
		ctx, stop := context.WithCancel(r.t.Context())
		ended := make(chan error, 1)
		go func() { ended <- other.Run(ctx) }()
		p = r.resumes("s1", 3)
		p.click(4) // sent meanwhile
		p.resumed(5)
		r.replayed("4")
		event[*discordgo.Resumed](r)
		if s := other.State(); !s.Connected || s.Kind != gateway.Resumed {
			t.Errorf("%+v", s)
		}
		for i, g := range []struct{ event, body, want string }{
			{"GUILD_CREATE", `{"id":"11","joined_at":"` + time.Now().Add(time.Second).UTC().Format(time.RFC3339) + `"}`, "2"},
			{"GUILD_CREATE", `{"id":"11","joined_at":"` + time.Now().Add(time.Second).UTC().Format(time.RFC3339) + `"}`, "2"},
			{"GUILD_CREATE", `{"id":"12","joined_at":"1999-01-01T00:00:00Z"}`, "2"}, // was away
			{"GUILD_DELETE", `{"id":"13","unavailable":true}`, "2"},
			{"GUILD_DELETE", `{"id":"13"}`, "1"},
		} {
			p.says(fmt.Sprintf(`{"op":0,"s":%d,"t":"%s","d":%s}`, 6+i, g.event, g.body))
			synctest.Wait()
			<-r.events
			if got := fmt.Sprint(other.Report().Shards[0].Guilds); got != g.want {
				t.Errorf("%s %s: %s guilds are counted, want %s", g.event, g.body, got, g.want)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if code := p.closed(); code != 1000 {
			t.Errorf("closed with %d at the end", code)
		}
	}, func(r *rig) {
		first = newPassing(gateway.Handover{})
		r.assigner, r.shards = first, 1
	})
}

// A process that no longer holds a shard neither handles events nor sends anything,
// even before it has been told. The session can be resumed elsewhere.
func TestShardLost(t *testing.T) {
	var valid atomic.Bool
	valid.Store(true)
	var assigner passing
	run(t, func(r *rig) {
		p := r.identified("s1")
		p.click(2)
		r.clicked("2")
		valid.Store(false)
		p.click(3)
		synctest.Wait()
		if len(r.events) > 0 {
			t.Error("an event is handled by a process that has lost the shard")
		}
		if code := p.closed(); code != 4000 { // instead of the next heartbeat
			t.Errorf("closed with %d: the session cannot be resumed", code)
		}
		close(assigner.released)
		if to := <-assigner.to; to.SessionID != "s1" || to.Sequence != 2 {
			t.Errorf("handed over %+v", to)
		}
	}, func(r *rig) {
		assigner = newPassing(gateway.Handover{})
		assigner.valid = valid.Load
		r.assigner, r.shards = assigner, 1
	})
}
