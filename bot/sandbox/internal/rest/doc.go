// Package rest serves Discord's REST API.
package rest
