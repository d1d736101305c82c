package protocol

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

type activeSearch struct {
	cancel  context.CancelFunc
	bounded bool // it ends by itself, soon
}

type goRequest struct {
	level    search.Level
	limits   search.Limits
	time     time.Duration // 0 means no limit
	infinite bool
}

func (s *session) think(rest string) error {
	if s.thinking != nil {
		return errBusy
	}
	o, err := s.parseGo(strings.Fields(rest))
	if err != nil {
		return err
	}
	if s.position.Seat() == engine.Nobody {
		return errors.New("the game is over")
	}
	var ctx context.Context
	var cancel context.CancelFunc
	if o.time > 0 {
		ctx, cancel = context.WithTimeout(s.ctx, o.time)
	} else {
		ctx, cancel = context.WithCancel(s.ctx)
	}
	s.thinking = &activeSearch{cancel, o.time > 0 || o.limits.Nodes > 0}
	p, began := s.position, time.Now()
	o.limits.Info = func(t search.Decision) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.writef("%s", s.infoLine(t, began))
	}
	s.done.Go(func() {
		defer cancel()
		t, err := o.level.Player.Think(ctx, p, o.limits)
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.thinking = nil // before the answer, after which the next command may come
		if err != nil {
			s.writef("error %s", err)
			return
		}
		s.writef("%s", s.infoLine(t, began))
		s.writef("bestturn %s", FormatActions(t.Actions))
	})
	return nil
}

// parseGo parses the arguments of "go". Without limits the level's own apply.
func (s *session) parseGo(words []string) (goRequest, error) {
	o := goRequest{level: s.level}
	own := true
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "infinite" {
			o.infinite, own = true, false
			continue
		}
		value := ""
		if i++; i < len(words) {
			value = words[i]
		}
		if word == "level" {
			l, ok := s.Engine.Level(value)
			if !ok {
				return goRequest{}, s.unknownLevel(value)
			}
			o.level = l
			continue
		}
		n, err := strconv.ParseInt(value, 10, 32)
		if word == "nodes" {
			n, err = strconv.ParseInt(value, 10, 64)
		}
		own = false
		switch word {
		case "nodes":
			o.limits.Nodes = n
		case "depth":
			o.limits.Depth = int(n)
		case "movetime":
			o.time = time.Duration(n) * time.Millisecond
		default:
			return goRequest{}, fmt.Errorf("%q is no limit; after “go” come nodes N, depth N, movetime MS, level KEY, infinite, or nothing", word)
		}
		if err != nil || n < 1 {
			return goRequest{}, fmt.Errorf("a number from 1 follows %q, not %q", word, value)
		}
	}
	if own {
		o.limits, o.time = o.level.Limits, o.level.MoveTime
	}
	if o.infinite && (o.limits.Nodes > 0 || o.limits.Depth > 0 || o.time > 0) {
		return goRequest{}, errors.New("“infinite” excludes other limits")
	}
	if o.limits.Memory == 0 || o.limits.Memory > s.Memory {
		o.limits.Memory = s.Memory
	}
	o.limits.Seed = s.Seed
	return o, nil
}

// infoLine formats the best turn so far.
func (s *session) infoLine(t search.Decision, began time.Time) string {
	var b strings.Builder
	b.WriteString("info")
	if t.Depth > 0 {
		fmt.Fprintf(&b, " depth %d", t.Depth)
	}
	took := time.Since(began)
	fmt.Fprintf(&b, " nodes %d time %d", t.Nodes, took.Milliseconds())
	if took > 0 {
		fmt.Fprintf(&b, " nps %.0f", float64(t.Nodes)/took.Seconds())
	}
	if len(t.Values) > 0 {
		b.WriteString(" values")
		for _, v := range t.Values {
			fmt.Fprintf(&b, " %.3f", v)
		}
	}
	b.WriteString(" pv " + FormatActions(t.Actions))
	if len(t.Continuation) > 0 {
		b.WriteString(" " + FormatActions(t.Continuation))
	}
	return b.String()
}
