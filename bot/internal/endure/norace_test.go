//go:build !race

package endure_test

const defaultKills = 200
