// Package ai plays Trails and Towers: positions as searches walk them,
// who reaches which squares first, the levels, and small boards that are solved
// outright.
package ai
