// Package load measures a bot under load: many people play against it in the sandbox
// at a fixed rate, and it measures the time to the first answer.
//
// A crowd sees what people see and knows no rules: it challenges, accepts,
// presses the buttons of boards, requests suggestions and plays one of them. It
// begins interactions at fixed times, whether or not earlier ones have been
// answered. If the bot stalls, the measured times include the wait of everybody
// who would have played meanwhile (no coordinated omission).
//
// [Acknowledge] is a bot that only acknowledges. It gets the same interactions, which
// shows how much of the time is due to the machine, the network and the sandbox.
package load
