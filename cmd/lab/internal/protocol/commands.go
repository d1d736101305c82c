package protocol

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"castellan/engine"
	"castellan/engine/record"
)

// errBusy refuses commands during a search.
var errBusy = errors.New("a search is running: send “stop” first or wait for “bestturn”")

// command handles the rest of a line after its first word.
type command func(s *session, rest string) error

// commands holds all words except "quit". The mutex is held during calls.
var commands = map[string]command{
	"castellan": (*session).identify,
	"isready":   (*session).isReady,
	"setoption": (*session).setOption,
	"newgame":   (*session).newGame,
	"position":  (*session).setPosition,
	"go":        (*session).think,
	"stop":      (*session).stop,
}

func commandWords() string {
	all := append(slices.Collect(maps.Keys(commands)), "quit")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// handle executes a line and reports whether it says to quit.
func (s *session) handle(l inputLine) (quit bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.record != nil {
		s.addRecordLine(l)
		return false
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(l.text), " ")
	do, known := commands[word]
	var err error
	switch {
	case l.long:
		err = fmt.Errorf("a line has at most %d bytes", MaxLine)
	case word == "":
	case word == "quit":
		return true
	case !known:
		err = fmt.Errorf("unknown command %.40q; the commands are %s", word, commandWords())
	default:
		err = do(s, strings.TrimSpace(rest))
	}
	if err != nil {
		s.writef("error %s", err)
	}
	return false
}

// identify sends the engine's name, game and options.
func (s *session) identify(string) error {
	g := s.Engine.Game
	s.writef("id name %s", s.Name)
	s.writef("id author %s", s.Author)
	s.writef("protocol %d", Version)
	least, most := g.Seats()
	s.writef("game %s rules %d seats %d %d", g.Key(), g.Version(), least, most)
	for _, o := range g.Options() {
		s.writef("setup %s", describeOption(o))
	}
	s.writef("option name level type choice default %s var %s", s.level.Key, strings.Join(s.Engine.Keys(), " var "))
	s.writef("option name memory type int default %d min 1 max %d", s.Memory>>20, MaxMemory)
	s.writef("option name seed type int default %d min 0 max %d", s.Seed, uint64(1<<64-1))
	s.writef("castellanok")
	return nil
}

func describeOption(o engine.Option) string {
	text := "name " + o.Key + " type "
	switch o.Kind {
	case engine.Int:
		return text + fmt.Sprintf("int default %s min %d max %d step %d", o.Default, o.Min, o.Max, max(o.Step, 1))
	case engine.Bool:
		return text + "bool default " + o.Default
	case engine.Set:
		text += "set"
	default:
		text += "choice"
	}
	return text + " default " + o.Default + " var " + strings.Join(o.Choices, " var ")
}

func (s *session) isReady(string) error {
	s.writef("readyok")
	return nil
}

// newGame resets the position. Searches share no other state.
func (s *session) newGame(string) (err error) {
	if s.thinking != nil {
		return errBusy
	}
	_, s.position, err = ParseHistory(s.Engine.Game, "start")
	return err
}

// setOption handles for example "name level value expert".
func (s *session) setOption(rest string) error {
	if s.thinking != nil {
		return errBusy
	}
	f := strings.Fields(rest)
	if len(f) != 4 || f[0] != "name" || f[2] != "value" {
		return errors.New("an option is set by “setoption name NAME value VALUE”")
	}
	switch name, value := f[1], f[3]; name {
	case "level":
		l, ok := s.Engine.Level(value)
		if !ok {
			return s.unknownLevel(value)
		}
		s.level = l
	case "memory":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 || n > MaxMemory {
			return fmt.Errorf("memory is a number of MiB from 1 to %d, not %q", MaxMemory, value)
		}
		s.Memory = n << 20
	case "seed":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("seed is a number from 0 to %d, not %q", uint64(1<<64-1), value)
		}
		s.Seed = n
	default:
		return fmt.Errorf("there is no option %q; there is level, memory, seed", name)
	}
	return nil
}

// setPosition sets the position, or starts reading a record.
func (s *session) setPosition(rest string) error {
	if word, after, _ := strings.Cut(rest, " "); word == "record" {
		s.record = &recordLines{busy: s.thinking != nil}
		if after = strings.TrimSpace(after); after != "" {
			turn, isTurn := strings.CutPrefix(after, "turn ")
			n, err := strconv.Atoi(strings.TrimSpace(turn))
			if !isTurn || err != nil || n < 0 {
				s.record.wrong = fmt.Errorf("“position record” can only be followed by “turn N”, not by %q", after)
			}
			s.record.turn, s.record.upTo = n, true
		}
		return nil
	}
	if s.thinking != nil {
		return errBusy
	}
	_, p, err := ParseHistory(s.Engine.Game, rest)
	if err != nil {
		return err // the position stays as it was
	}
	s.position = p
	return nil
}

type recordLines struct {
	text  strings.Builder
	busy  bool
	wrong error // why it will be refused
	turn  int   // the position to set
	upTo  bool  // whether turn is set; otherwise the last position
}

// addRecordLine adds a line to the record, which a full stop alone ends.
func (s *session) addRecordLine(l inputLine) {
	r := s.record
	if strings.TrimSpace(l.text) != "." || l.long {
		if l.long || r.text.Len()+len(l.text) > record.MaxBytes {
			r.wrong = fmt.Errorf("a record has at most %d bytes", record.MaxBytes)
			return
		}
		r.text.WriteString(l.text)
		r.text.WriteByte('\n')
		return
	}
	s.record = nil
	err := r.wrong
	if r.busy {
		err = errBusy
	}
	if err == nil {
		err = s.loadRecord(r)
	}
	if err != nil {
		s.writef("error %s", err)
	}
}

func (s *session) loadRecord(r *recordLines) error {
	read, err := record.Read(strings.NewReader(r.text.String()), s.games)
	if err != nil {
		return err
	}
	m := read.Match
	if turns := m.Turns(); r.upTo && r.turn > len(turns) {
		return fmt.Errorf("the record has %d turns: there is no turn %d", len(turns), r.turn)
	} else if r.upTo && r.turn < len(turns) {
		s.position = turns[r.turn].Before
		return nil
	}
	s.position = m.Position()
	return nil
}

// stop ends the search, which then sends its turn. Without a search it does
// nothing, because the answer may have crossed with it.
func (s *session) stop(string) error {
	if s.thinking != nil {
		s.thinking.cancel()
	}
	return nil
}
