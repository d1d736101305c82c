//go:build race

package towersearch

// share is the part of the positions that tests look at: one in so many.
const share = 10
