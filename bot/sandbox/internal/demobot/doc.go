// Package demobot is a small bot written with discordgo that uses everything
// the sandbox can do: the sandbox's own example, and what its tests drive.
package demobot
