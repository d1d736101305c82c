// Package cluster lets several processes that use one database be one bot. What only
// one of them may do at a time, it does while it has a lease of the database; see
// storage.Leaser.
//
// A process counts the time of a lease on its own clock, from before it asked for it,
// and stops a little before the end. So it has stopped whenever another one can
// acquire the lease, even if its clock shows another time, the database is out of
// reach, or the process itself was stopped for a while.
package cluster
