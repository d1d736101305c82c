// Package model simulates Discord's state: guilds, channels, threads, messages,
// commands, interactions, and the people who use them.
package model
