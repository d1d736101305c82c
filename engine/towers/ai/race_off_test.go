//go:build !race

package ai

// share is the part of the positions that tests look at: one in so many.
const share = 1
