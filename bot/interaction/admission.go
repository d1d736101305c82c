package interaction

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	// maxServed is how many interactions are carried out at a time. Each takes
	// two goroutines and, while its picture is drawn, some megabytes.
	maxServed = 256
	// maxQueued is how many interactions wait for room. Further ones are rejected:
	// the person is told that the bot is overloaded.
	maxQueued = 1024
	// maxBusy is how many rejections are answered at a time. Further interactions
	// are dropped and logged, and Discord tells the person that there was no
	// response.
	maxBusy = 4096
	// maxRefused is how many refusals of floods are answered at a time. The rest of
	// maxBusy is for people who flood nobody.
	maxRefused = 256
	// workingPerProcessor bounds the admitted interactions that are not waiting
	// for Discord, for each processor. It is more than one because some wait for
	// the disk. More would not finish sooner, and would keep everything else from
	// the processors, even the rejections. Above the bound no further interaction
	// is admitted; those admitted before go on, so that no work is wasted.
	workingPerProcessor = 4
	// leastWorking is the smallest bound, for machines with few processors.
	leastWorking = 8

	// answerTimeout is the time after which Discord accepts no first response.
	answerTimeout = 3 * time.Second
	// logEvery is the number of rejected interactions per line in the log.
	logEvery = 100
)

// As in CoDel (RFC 8289), the delay of the queue decides, not its length.
const (
	// patience is how long an interaction waits for room, from the click on.
	patience = 1250 * time.Millisecond
	// standingPatience replaces patience for reading while the bot is overloaded.
	// Reading is then admitted only while half of the room is free.
	standingPatience = 250 * time.Millisecond
	// standingAfter is how long the queue must have had entries before the bot
	// counts as overloaded, and how long it must have been empty afterwards.
	standingAfter = 500 * time.Millisecond
)

type verdict int

const (
	waiting  verdict = iota
	admitted         // carried out
	refused          // answered: too many requests of the person or in the channel
	rejected         // answered: the bot is overloaded
	stopping         // answered: the bot is being restarted
	dropped          // not answered
)

// slot is an interaction in the admission.
type slot struct {
	class   Class
	person  string
	arrived time.Time    // when the person clicked
	decided chan verdict // receives the verdict if the interaction has to wait
	count   int          // admission.rejected or admission.dropped, including this interaction
	pauses  int          // number of requests to Discord that the interaction waits for
	left    bool
}

// admission decides which interactions are carried out, and when.
type admission struct {
	limit int // maximum of working

	mu         sync.Mutex
	served     int            // admitted interactions
	refusing   int            // flooding interactions that are being answered
	servedFor  map[string]int // admitted interactions by person
	working    int            // admitted interactions that are not waiting for Discord
	busy       int            // interactions that are being told of the overload or restart
	queue      []*slot
	overloaded bool
	changing   time.Time // when the queue began to contradict overloaded; zero if it agrees
	rejected   int       // rejected interactions since the bot was last half idle
	dropped    int       // dropped interactions since then
	stopped    bool
	idle       chan struct{} // closed when nothing is in progress; nil if whenIdle was not called
}

func newAdmission() admission {
	return admission{servedFor: map[string]int{}, limit: max(workingPerProcessor*runtime.GOMAXPROCS(0), leastWorking)}
}

// enter decides about a new interaction. If the interaction has to wait,
// s.decided receives the verdict later.
func (a *admission) enter(s *slot, now time.Time) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.observeQueue(now)
	switch {
	case a.stopped:
		return a.drop(s)
	case a.overloaded && s.class == Reading && a.working >= a.limit/2:
		return a.reject(s)
	case len(a.queue) == 0 && a.hasRoom():
		return a.admit(s)
	case len(a.queue) >= maxQueued, now.Sub(s.arrived) > a.patience(s):
		return a.reject(s)
	}
	s.decided = make(chan verdict, 1)
	a.queue = append(a.queue, s)
	a.observeQueue(now)
	return waiting
}

// refuse decides about an interaction beyond the budget of its person or channel. It
// takes no room from others: there is a limit to how many are answered at a time.
func (a *admission) refuse(s *slot) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped || a.refusing >= maxRefused {
		return a.drop(s)
	}
	a.refusing++
	return refused
}

// withdraw rejects an interaction that has waited too long. If there is a verdict
// already, withdraw returns that.
func (a *admission) withdraw(s *slot) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.remove(s) {
		return <-s.decided
	}
	return a.reject(s)
}

func (a *admission) leave(s *slot, v verdict, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.left = true
	switch v {
	case refused:
		a.refusing--
	case admitted:
		a.served--
		if a.servedFor[s.person]--; a.servedFor[s.person] == 0 {
			delete(a.servedFor, s.person)
		}
		if s.pauses == 0 {
			a.working--
		}
	default:
		a.busy--
	}
	if a.served < maxServed/2 && len(a.queue) == 0 {
		a.rejected, a.dropped = 0, 0
	}
	a.admitNext(now)
	a.signalIdle()
}

// pause records that an interaction waits for Discord, until resume. Neither
// blocks.
func (a *admission) pause(s *slot, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.pauses++; s.pauses == 1 && !s.left {
		a.working--
		a.admitNext(now)
	}
}

func (a *admission) resume(s *slot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.pauses--; s.pauses == 0 && !s.left {
		a.working++
	}
}

// The methods below are called with the lock held.

func (a *admission) hasRoom() bool { return a.served < maxServed && a.working < a.limit }

func (a *admission) admit(s *slot) verdict {
	a.served++
	a.servedFor[s.person]++
	a.working++
	return admitted
}

func (a *admission) reject(s *slot) verdict {
	if a.busy < maxBusy {
		a.busy++
		a.rejected++
		s.count = a.rejected
		return rejected
	}
	return a.drop(s)
}

func (a *admission) drop(s *slot) verdict {
	a.dropped++
	s.count = a.dropped
	return dropped
}

// admitNext admits waiting interactions while there is room: the most urgent class
// first, then the person for whom the fewest are carried out, then in the order of
// arrival. It rejects those that have waited too long.
func (a *admission) admitNext(now time.Time) {
	defer a.observeQueue(now)
	for len(a.queue) > 0 && a.hasRoom() {
		next := slices.MinFunc(a.queue, func(s, other *slot) int {
			return cmp.Or(s.class.urgency()-other.class.urgency(), a.servedFor[s.person]-a.servedFor[other.person])
		})
		a.remove(next)
		if now.Sub(next.arrived) > a.patience(next) {
			next.decided <- a.reject(next)
			continue
		}
		next.decided <- a.admit(next)
	}
}

func (a *admission) patience(s *slot) time.Duration {
	if a.overloaded && s.class == Reading {
		return standingPatience
	}
	return patience
}

// urgency returns the rank in which interactions of a class are admitted from the
// queue; 0 is admitted first.
func (c Class) urgency() int {
	switch c {
	case Typing:
		return 1
	case Reading:
		return 2
	}
	return 0
}

func (a *admission) observeQueue(now time.Time) {
	switch standing := len(a.queue) > 0; {
	case standing == a.overloaded:
		a.changing = time.Time{}
	case a.changing.IsZero():
		a.changing = now
	case now.Sub(a.changing) >= standingAfter:
		a.overloaded, a.changing = standing, time.Time{}
	}
}

func (a *admission) remove(s *slot) bool {
	i := slices.Index(a.queue, s)
	if i >= 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
	}
	return i >= 0
}

// signalIdle closes the channel of whenIdle if nothing is in progress.
func (a *admission) signalIdle() {
	if a.idle != nil && a.inProgressLocked() == 0 {
		close(a.idle)
		a.idle = nil
	}
}

func (a *admission) inProgressLocked() int { return a.served + a.refusing + a.busy + len(a.queue) }

// stop admits no more interactions, and gives the waiting ones the verdict
// stopping. The channel is closed when nothing is in progress.
func (a *admission) stop() (idle <-chan struct{}) {
	a.mu.Lock()
	a.stopped = true
	for _, s := range a.queue {
		a.busy++
		s.decided <- stopping
	}
	a.queue = nil
	a.mu.Unlock()
	return a.whenIdle()
}

// whenIdle returns a channel that is closed as soon as nothing is in progress,
// if only for a moment.
func (a *admission) whenIdle() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	idle := a.idle
	a.signalIdle()
	return idle
}

func (a *admission) inProgress() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.inProgressLocked()
}
