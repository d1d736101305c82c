// Package page serves the web page on which one person plays several users, and
// its API.
package page
