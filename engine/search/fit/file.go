package fit

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// header is the first line of a file of weights: what they are and how they were
// made.
type header struct {
	Format   int      `json:"format"`
	Game     string   `json:"game"`
	Settings Settings `json:"training"`
	Weights  int      `json:"weights"`
}

// format is the version of the files that this package writes and reads.
const format = 1

// Encode returns the file of the weights: a line of JSON, and every weight as a
// variable-length number.
func Encode(m Model, weights []int16) []byte {
	head, err := json.Marshal(header{format, m.Game, m.Settings, len(weights)})
	if err != nil {
		panic(err) // there is nothing in it that JSON has not
	}
	file := append(head, '\n')
	for _, w := range weights {
		file = binary.AppendVarint(file, int64(w))
	}
	return file
}

// MustDecode returns the weights in a file that the program contains. It panics if
// it cannot.
func MustDecode(file []byte, game string) []int16 {
	weights, _, err := Decode(file, game)
	if err != nil {
		panic(err)
	}
	return weights
}

// Decode returns the weights in a file of a game, and how they were made.
func Decode(file []byte, game string) ([]int16, Settings, error) {
	line, rest, _ := bytes.Cut(file, []byte{'\n'})
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, Settings{}, fmt.Errorf("reading weights: %w", err)
	}
	if h.Format != format || h.Game != game || h.Weights < 0 || h.Weights > len(rest) {
		return nil, Settings{}, fmt.Errorf("these are not weights of %s in format %d, but %d of %s in format %d", game, format, h.Weights, h.Game, h.Format)
	}
	weights := make([]int16, h.Weights)
	for i := range weights {
		w, n := binary.Varint(rest)
		if n <= 0 || int64(int16(w)) != w {
			return nil, Settings{}, fmt.Errorf("weight %d of %d cannot be read", i, h.Weights)
		}
		weights[i], rest = int16(w), rest[n:]
	}
	if len(rest) > 0 {
		return nil, Settings{}, fmt.Errorf("%d bytes follow the weights", len(rest))
	}
	return weights, h.Settings, nil
}
