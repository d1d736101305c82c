package main

import (
	"fmt"
	"time"
)

// number is how many there may be of something.
type number int

// mostNumber is the largest number that a configuration takes.
const mostNumber = 1_000_000

// UnmarshalTOML implements toml.Unmarshaler.
func (n *number) UnmarshalTOML(v any) error {
	i, ok := v.(int64)
	if !ok || i < 1 || i > mostNumber {
		return fmt.Errorf("must be a whole number from 1 to %d, not %#v", mostNumber, v)
	}
	*n = number(i)
	return nil
}

// rate is how many there may be of something in a second.
type rate float64

// The rates that a configuration takes.
const leastRate, mostRate = 0.01, 10_000

// UnmarshalTOML implements toml.Unmarshaler.
func (r *rate) UnmarshalTOML(v any) error {
	var n float64
	switch v := v.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	}
	if !(n >= leastRate && n <= mostRate) { // which no NaN is
		return fmt.Errorf("must be a number from %v to %v, not %#v", leastRate, mostRate, v)
	}
	*r = rate(n)
	return nil
}

// duration is a length of time.
type duration time.Duration

// The lengths of time that a configuration takes.
const leastDuration, mostDuration = time.Second, 365 * 24 * time.Hour

// UnmarshalTOML implements toml.Unmarshaler.
func (d *duration) UnmarshalTOML(v any) error {
	s, _ := v.(string)
	n, err := time.ParseDuration(s)
	if err != nil || n < leastDuration || n > mostDuration {
		return fmt.Errorf(`must be a time of one second to 365 days such as "90s", "10m" or "24h", not %#v`, v)
	}
	*d = duration(n)
	return nil
}
