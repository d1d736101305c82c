// Package fault plans failures of requests, events and gateway connections.
package fault
