// Package load generates load: many people play against a bot in the sandbox at
// a fixed rate, and it measures the time to the first answer.
//
// A [Crowd] sees what people see and knows no rules: it challenges, accepts,
// presses the buttons of boards, requests suggestions and plays one of them. It
// begins interactions at fixed times, whether or not earlier ones have been
// answered. If the bot stalls, the measured times include the wait of everybody
// who would have played meanwhile (no coordinated omission).
//
// [Acknowledge] is a bot that only acknowledges. [Crowd.Repeat] sends it the same
// interactions, which shows how much of the time is due to the machine, the
// network and the sandbox.
package load
