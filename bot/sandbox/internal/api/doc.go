// Package api contains the objects, errors and constants of Discord's API that
// the sandbox uses, in Discord's JSON shapes. Names in quotation marks are pages
// or headings of Discord's documentation.
package api
