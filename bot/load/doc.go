// Package load has many people play at a rate, against a bot in the sandbox, and
// measures how long each waits for a first answer.
//
// A [Crowd] knows what any person sees, and no rules: it challenges, accepts,
// presses the buttons of boards, asks for suggestions and plays one of them.
// It goes by the clock and not by the answers: an interaction is begun when
// its time has come, however slow those before it are, so that a bot that
// stalls is charged for everybody who waits (nobody's wait is left out because
// nobody asked meanwhile).
//
// [Acknowledge] is a bot that does nothing but acknowledge. The same
// interactions against it ([Crowd.Repeat]) show what of the time is the
// machine's, the network's and the sandbox's.
package load
