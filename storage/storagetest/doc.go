// Package storagetest helps to test what uses a store: updates run twice. Its tests
// check that each driver keeps the contract of package storage, and that each runner
// of jobs does what it has to.
package storagetest
