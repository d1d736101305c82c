// Package payload validates the JSON bodies of requests as Discord does, with its
// error codes and the paths of the fields.
package payload
