// Package match implements the life of a match as a pure state machine over its
// log.
//
// A match is its [Settings] and its log of [Entry] values; everything else
// follows from them. A [Match] is immutable. A decision has two steps, so that
// the log can be written in between: Act, Undo, Resign, Claim, Timeout, Abort and the
// agreements return the entries of the decision or say why it is refused, and With applies
// entries. Times and IDs come in as arguments.
//
// A forced action is the end of a turn or a pass that is the only legal action
// ([engine.ForcedAction]). It is played for the seat, unless the seat confirms its
// forced actions itself ([Cause.Confirms]).
package match
