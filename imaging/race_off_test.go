//go:build !race

package imaging_test

const sampled = false
