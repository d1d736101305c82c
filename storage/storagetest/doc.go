// Package storagetest checks that a driver keeps the contract of package
// storage. Tests compare it with a simple model of the contract after random
// operations; tables cover transactions, errors and unusual values.
package storagetest
