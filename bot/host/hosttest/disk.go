package hosttest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"castellan/storage"
)

// Disk is a store that fails to write, as on a full disk, once Fail has been
// called with an error. Use its Wrap in Options.
type Disk struct {
	storage.Store
	mu  sync.Mutex
	err error
}

// Wrap makes d write to a store, and returns d.
func (d *Disk) Wrap(s storage.Store) storage.Store {
	d.Store = s
	return d
}

// Fail makes updates fail with an error of package storage; nil ends that.
func (d *Disk) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *Disk) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Update implements storage.Store.
func (d *Disk) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := d.failure(); err != nil {
		return fmt.Errorf("sqlite: commit: %w", err)
	}
	return d.Store.Update(ctx, fn)
}

// Intact implements storage.Store.
func (d *Disk) Intact() error {
	if err := d.failure(); errors.Is(err, storage.ErrReplaced) {
		return err
	}
	return d.Store.Intact()
}
