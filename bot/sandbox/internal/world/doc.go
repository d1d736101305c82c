// Package world describes the initial state of a sandbox.
package world
