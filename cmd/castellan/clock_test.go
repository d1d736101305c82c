package main

import "time"

// Time does not pass in the chats of these tests: on a machine that is busy an
// answer may take longer than Discord's three seconds.

// still is a clock that stands.
func still() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// never is a timer that does not go off.
func never(time.Duration, func()) (stop func() bool) { return func() bool { return true } }
