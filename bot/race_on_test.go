//go:build race

package bot_test

const raceDetector = true
