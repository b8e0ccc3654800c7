package extsort

import (
	"errors"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/internal/spill"
)

var (
	// ErrCorrupt reports that a block read back from disk differs from the block written. No element
	// of it or after it is yielded.
	ErrCorrupt = errors.New("extsort: damaged run")
	// ErrDiskLimit reports that runs need more than [DiskLimit].
	ErrDiskLimit = errors.New("extsort: disk limit reached")
	// ErrMemoryLimit reports that [MemoryLimit] is too small. It is [sorter.ErrMemoryLimit]. The error
	// is or wraps a [*sorter.MemoryError], which names the bytes needed where they are known.
	ErrMemoryLimit = sorter.ErrMemoryLimit
	// ErrEnded reports an element that is appended after the input has ended, or after Close.
	ErrEnded = errors.New("extsort: the input has ended")
)

// LengthError is an [ErrMemoryLimit] of an element that is too long for the memory.
type LengthError struct {
	Bytes int64 // of its encoding
	Most  int64 // of an element, with the limit
	Limit int64 // of memory
	Need  int64 // limit that has room for it
}

// Error names all of them.
func (e *LengthError) Error() string {
	return fmt.Sprintf("%v: %d bytes hold elements of up to %d, one of %d needs %d", ErrMemoryLimit, e.Limit, e.Most, e.Bytes, e.Need)
}

// Unwrap returns a [*sorter.MemoryError] with the limit and the need.
func (e *LengthError) Unwrap() error { return tooLittle(e.Limit, e.Need) }

// tooLittle returns the error of a memory limit; need is 0 where it is not known.
func tooLittle(limit, need int64) error { return &sorter.MemoryError{Limit: limit, Need: need} }

// DiskError is an error of a run file.
type DiskError struct {
	Op    string // create, reserve, write, read, punch, close
	Path  string // directory of the file, which has no name
	Bytes int64  // of the operation
	Err   error
}

// Error names the operation, its size and the directory.
func (e *DiskError) Error() string {
	return fmt.Sprintf("extsort: %s of %d bytes in %s: %v", e.Op, e.Bytes, e.Path, e.Err)
}

// Unwrap returns the error of the system, such as syscall.ENOSPC, or ErrCorrupt.
func (e *DiskError) Unwrap() error { return e.Err }

// public returns err as one of this package.
func public(err error) error {
	var failed *spill.Error
	var limit *spill.LimitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		cause := failed.Err
		if errors.Is(cause, spill.ErrCorrupt) {
			cause = fmt.Errorf("%w: %w", ErrCorrupt, cause)
		}
		return &DiskError{failed.Op, failed.Dir, failed.Bytes, cause}
	case errors.As(err, &limit):
		return fmt.Errorf("%w: %w", ErrDiskLimit, limit)
	}
	return err
}
