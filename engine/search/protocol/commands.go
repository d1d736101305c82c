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

// errBusy is the answer to what has to wait.
var errBusy = errors.New("it is thinking: send “stop” first, or wait for its “bestturn”")

// command is what a word does with the rest of its line.
type command func(s *session, rest string) error

// commands is the words but for "quit". Each is called with the mutex held.
var commands = map[string]command{
	"castellan": (*session).identify,
	"isready":   (*session).isReady,
	"setoption": (*session).setOption,
	"newgame":   (*session).newGame,
	"position":  (*session).setPosition,
	"go":        (*session).think,
	"stop":      (*session).stop,
}

// words is every word that is understood, sorted.
func words() string {
	all := append(slices.Collect(maps.Keys(commands)), "quit")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// take does what a line says, and reports whether it says to quit.
func (s *session) take(l text) (quit bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.record != nil {
		s.readRecord(l)
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
		err = fmt.Errorf("%.40q is no word of the protocol; the words are %s", word, words())
	default:
		err = do(s, strings.TrimSpace(rest))
	}
	if err != nil {
		s.say("error %s", err)
	}
	return false
}

// identify says who this is and what can be set.
func (s *session) identify(string) error {
	g := s.Brain.Game
	s.say("id name %s", s.Name)
	s.say("id author %s", s.Author)
	s.say("protocol %d", Version)
	least, most := g.Seats()
	s.say("game %s rules %d seats %d %d", g.Key(), g.Version(), least, most)
	for _, o := range g.Options() {
		s.say("setup %s", describe(o))
	}
	s.say("option name level type choice default %s var %s", s.level.Key, strings.Join(s.Brain.Keys(), " var "))
	s.say("option name memory type int default %d min 1 max %d", s.Memory>>20, MaxMemory)
	s.say("option name seed type int default %d min 0 max %d", s.Seed, uint64(1<<64-1))
	s.say("castellanok")
	return nil
}

// describe is an option of the game.
func describe(o engine.Option) string {
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
	s.say("readyok")
	return nil
}

// newGame forgets the position. Nothing else is remembered between thoughts.
func (s *session) newGame(string) (err error) {
	if s.thinking != nil {
		return errBusy
	}
	_, s.position, err = ReadLine(s.Brain.Game, "start")
	return err
}

// setOption reads "name level value expert".
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
		l, ok := s.Brain.Level(value)
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

// setPosition reads a line of play, or begins to read a record.
func (s *session) setPosition(rest string) error {
	if word, after, _ := strings.Cut(rest, " "); word == "record" {
		s.record = &recordLines{busy: s.thinking != nil}
		if after = strings.TrimSpace(after); after != "" {
			turn, isTurn := strings.CutPrefix(after, "turn ")
			n, err := strconv.Atoi(strings.TrimSpace(turn))
			if !isTurn || err != nil || n < 0 {
				s.record.wrong = fmt.Errorf("“position record” may be followed by “turn N” alone, not by %q", after)
			}
			s.record.turn, s.record.upTo = n, true
		}
		return nil
	}
	if s.thinking != nil {
		return errBusy
	}
	_, p, err := ReadLine(s.Brain.Game, rest)
	if err != nil {
		return err // the position stays as it was
	}
	s.position = p
	return nil
}

// recordLines is a record as far as it was read.
type recordLines struct {
	text  strings.Builder
	busy  bool
	wrong error // why it is refused
	turn  int   // after which to look
	upTo  bool  // if not after the last
}

// readRecord reads a line of a record; one that is a full stop alone ends it.
func (s *session) readRecord(l text) {
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
		err = s.recorded(r)
	}
	if err != nil {
		s.say("error %s", err)
	}
}

// recorded takes the position from a record.
func (s *session) recorded(r *recordLines) error {
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

// stop ends the thought, whose turn then follows. It may cross with the answer,
// and so is no error where there is none.
func (s *session) stop(string) error {
	if s.thinking != nil {
		s.thinking.cancel()
	}
	return nil
}
