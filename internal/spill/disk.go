// Package spill keeps byte runs in anonymous files: each is written once, in blocks with
// checksums, and read back in any order. Nothing of it is left when the process ends,
// whatever ends it.
package spill

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Disk creates files. Tests replace the system's by one whose calls fail.
type Disk interface {
	// Create creates a file without a name in a directory.
	Create(dir string) (File, error)
	// Open opens a file that keeps its name, and cuts it after size bytes. If size is 0 it creates
	// the file, and its name is durable. The error is io.ErrUnexpectedEOF if the file is shorter.
	Open(path string, size int64) (File, error)
	// Replace makes the content of a file durable: after a crash it is this or the one before.
	Replace(path string, data []byte) error
	// Room returns the bytes that the file system of a directory has free, or 0 if that is unknown.
	Room(dir string) int64
}

// File is an open file. Its methods may be called concurrently.
type File interface {
	// Sync makes durable all that was written.
	Sync() error
	WriteAt(p []byte, off int64) (int, error)
	ReadAt(p []byte, off int64) (int, error)
	// Reserve allocates n bytes from off on. Where the file system cannot, it does nothing.
	Reserve(off, n int64) error
	// Punch gives the space of n bytes from off on back. Where the file system cannot, it does
	// nothing.
	Punch(off, n int64) error
	Close() error
}

// Align is the alignment, in bytes, of offsets and lengths at which files are written, and of
// memory that is written without a copy.
const Align = 4096

// LimitError reports that the bytes on disk would pass the limit of a store.
type LimitError struct{ Limit, Used, More int64 }

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d bytes, %d in use, %d more needed", e.Limit, e.Used, e.More)
}

// ErrCorrupt reports that a block differs from the block written.
var ErrCorrupt = errors.New("block is damaged")

// Error is an error of a file: of the operation, in a directory, on a number of bytes.
type Error struct {
	Op, Dir string
	Bytes   int64
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s of %d bytes in %s: %v", e.Op, e.Bytes, e.Dir, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Store is the space for runs: one file in each directory. Its methods may be called
// concurrently.
type Store struct {
	disk   Disk
	limit  int64   // bytes, 0: any number
	name   string  // of all files; empty: they have none
	packer *packer // nil: nothing is compressed
	read   atomic.Int64

	mu         sync.Mutex
	totals     Totals
	volumes    []*volume
	next       int // volume of the next run
	used, peak int64
	punching   error // the first failure to give space back
}

// Totals count the blocks of runs that were written, and their bytes.
type Totals struct {
	Bytes, Stored int64          // as they were, and as they were written
	Blocks        [methods]int64 // by method
}

// volume is the file of one directory.
type volume struct {
	dir  string
	file File  // nil until the first run
	end  int64 // where the next run begins
	rate rate  // of writes
}

// NewStore returns a store in dirs, which takes at most limit bytes, or any number if limit is
// 0. It creates nothing before the first run. If name is not empty, the files have that name and
// runs are kept: each is durable when its writer is closed.
func NewStore(disk Disk, dirs []string, limit int64, p Packing, name string) *Store {
	s := &Store{disk: disk, limit: limit, name: name}
	if p.Active() {
		s.packer = newPacker(p)
	}
	for _, dir := range dirs {
		s.Add(dir)
	}
	return s
}

// Add adds a directory and returns its whole name: it stays the same one when the process changes its own. A
// directory that is there already, under any name, is the next one to be written to.
func (s *Store) Add(dir string) (whole string, added bool) {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Two volumes of one directory would cut each other's file, if it has a name.
	s.next = slices.IndexFunc(s.volumes, func(v *volume) bool { return v.dir == dir || sameDir(v.dir, dir) })
	if s.next >= 0 {
		return s.volumes[s.next].dir, false
	}
	s.volumes = append(s.volumes, &volume{dir: dir})
	s.next = len(s.volumes) - 1 // an added directory has room
	return dir, true
}

// sameDir reports whether two names are those of one directory.
func sameDir(a, b string) bool {
	x, failed := os.Stat(a)
	y, err := os.Stat(b)
	return failed == nil && err == nil && os.SameFile(x, y)
}

// Peak returns the most bytes that runs have had on disk.
func (s *Store) Peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Waited notes that the sort waited for a run during a part of the time since that was begun. No
// run is written.
func (s *Store) Waited(r *Run, waited, since time.Duration) {
	if s.packer != nil {
		s.packer.ran(r.size, waited, since)
	}
}

// Totals returns the totals of all writes so far.
func (s *Store) Totals() Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// IndexBytes returns the memory of the index of a run, for a block of one size: as that of most
// runs, which are compressed as those before.
func (s *Store) IndexBytes() int64 {
	if t := s.Totals(); 2*(t.Blocks[S2]+t.Blocks[Zstd]) <= t.Blocks[Raw] {
		return 8
	}
	return 8 + 8 + 1
}

// Read returns the number of bytes that readers have read so far.
func (s *Store) Read() int64 { return s.read.Load() }

// Close closes all files, which frees their space. The error may be one of giving space back
// earlier: no data is lost by either.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.punching
	s.punching, s.packer = nil, nil
	for _, v := range s.volumes {
		if v.file != nil {
			err = errors.Join(err, v.failed("close", 0, v.file.Close()))
			v.file = nil
		}
	}
	return err
}

func (v *volume) failed(op string, bytes int64, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Dir: v.dir, Bytes: bytes, Err: err}
}

// place reserves size bytes, a multiple of Align. It tries the directories in turn, each once,
// and returns the error of the first one tried if all fail.
func (s *Store) place(size int64) (v *volume, off int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.allows(size); err != nil {
		return nil, 0, err
	}
	for range s.volumes {
		v := s.volumes[s.next]
		s.next = (s.next + 1) % len(s.volumes)
		failure := s.reserve(v, size)
		if failure == nil {
			off = v.end
			s.take(v, size)
			return v, off, nil
		}
		if err == nil {
			err = failure
		}
	}
	return nil, 0, err
}

// allows returns a LimitError if there may not be size bytes more.
func (s *Store) allows(size int64) error {
	if s.limit > 0 && s.used+size > s.limit {
		return &LimitError{s.limit, s.used, size}
	}
	return nil
}

// take counts size bytes that are reserved at the end of a volume.
func (s *Store) take(v *volume, size int64) {
	v.end += size
	s.used += size
	s.peak = max(s.peak, s.used)
}

// extend reserves space for the first n bytes of a run that is written, the last of its volume.
func (s *Store) extend(r *Run, n int64) error {
	if n <= r.space {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	more := roundUp(max(n-r.space, leastSpace, r.space/4))
	if s.allows(more) != nil {
		more = n - r.space
	}
	err := s.allows(more)
	if err == nil {
		err = s.reserve(r.volume, more)
	}
	if err == nil {
		s.take(r.volume, more)
		r.space += more
	}
	return err
}

// complete counts a run that is written, and gives the unused end of its space back.
func (s *Store) complete(r *Run) {
	s.mu.Lock()
	t := &s.totals
	t.Bytes, t.Stored = t.Bytes+r.size, t.Stored+r.stored
	for i := range r.sums {
		t.Blocks[r.method(i)]++
	}
	s.mu.Unlock()
	used, space := roundUp(r.stored)+roundUp(r.index), r.space
	if used == space {
		return
	}
	s.free(r.volume, r.off+used, space-used)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.space = used
	if r.volume.end == r.off+space {
		r.volume.end = r.off + used
	}
}

func (s *Store) reserve(v *volume, size int64) (err error) {
	if v.file == nil {
		if s.name == "" {
			v.file, err = s.disk.Create(v.dir)
		} else {
			v.file, err = s.disk.Open(filepath.Join(v.dir, s.name), 0)
		}
		if err != nil {
			v.file = nil
			return v.failed("create", size, err)
		}
	}
	if err = v.file.Reserve(v.end, size); err != nil {
		_ = v.file.Punch(v.end, size) // space allocated before the failure, which is the error
	}
	return v.failed("reserve", size, err)
}

// roomy reports whether a volume has so much free that nothing is lost while space is not given
// back: twice the bytes of all runs.
func (s *Store) roomy(v *volume) bool {
	s.mu.Lock()
	limit, used := s.limit, s.used
	s.mu.Unlock()
	return limit == 0 && s.disk.Room(v.dir)/2 >= used
}

// free gives space back. Space whose hole cannot be punched is taken, and counts, until Close,
// which returns the error: the data are not affected.
func (s *Store) free(v *volume, off, size int64) {
	err := v.failed("punch", size, v.file.Punch(off, size))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.used -= size
	} else if s.punching == nil {
		s.punching = err
	}
}
