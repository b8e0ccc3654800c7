package spill

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"example.com/sorter/internal/durable"
)

// Saved describes a run in a named file: everything that is needed to open it again, except its
// index, which follows its blocks.
type Saved struct {
	Dir        string
	Off, Space int64 // in the file
	Size       int64
	Stored     int64
	Block      int  // bytes of the largest block
	Same       bool // all blocks have that size, except the last
	Number     uint64
	Index      int64  // bytes of the index
	Sum        uint64 // its checksum
}

// Saved returns the description of a run of a store with named files.
func (r *Run) Saved() Saved {
	return Saved{r.volume.dir, r.off, r.space, r.size, r.stored, r.block, r.ends == nil, r.number, r.index, r.indexSum}
}

// appendIndex appends the index of a run: of each block its checksum, its method, its number of
// bytes and, if it is compressed, that on disk.
func (r *Run) appendIndex(p []byte) []byte {
	for i, sum := range r.sums {
		p = binary.LittleEndian.AppendUint64(p, sum)
		p = append(p, byte(r.method(i)))
		p = binary.AppendUvarint(p, uint64(r.Offset(i+1)-r.Offset(i)))
		if r.method(i) != Raw {
			p = binary.AppendUvarint(p, uint64(r.place(i+1)-r.place(i)))
		}
	}
	return p
}

// sumOf returns the checksum of an index.
func (r *Run) sumOf(index []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(^r.number)
	d.Write(index)
	return d.Sum64()
}

var errIndex = errors.New("wrong index")

// parseIndex reads an index of appendIndex. The memory that it takes is bounded by the length of p.
func (r *Run) parseIndex(p []byte, same bool) error {
	size, stored := int64(0), int64(0)
	for len(p) > 0 {
		if len(p) < 10 || Method(p[8]) >= methods {
			return errIndex
		}
		sum, m := binary.LittleEndian.Uint64(p), Method(p[8])
		p = p[9:]
		plain, k := binary.Uvarint(p)
		if plain == 0 || plain > uint64(r.block) { // 0 also where there is no number
			return errIndex
		}
		p = p[k:]
		n := plain
		if m != Raw {
			if n, k = binary.Uvarint(p); n == 0 || n > plain || plain > mostPacked {
				return errIndex
			}
			p = p[k:]
		}
		size, stored = size+int64(plain), stored+int64(n)
		if same && plain != uint64(r.block) && len(p) > 0 {
			return errIndex
		}
		if !same {
			r.ends = append(r.ends, size)
		}
		r.add(sum, int(n), m)
	}
	if size != r.size || stored != r.stored {
		return errIndex
	}
	return nil
}

// Restore opens runs that an earlier store has left in files of the same name. Space in these files
// that no run has is free. The blocks are not read.
func (s *Store) Restore(all []Saved) ([]*Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ends := map[string]int64{}
	for _, k := range all {
		if !k.sound() {
			return nil, fmt.Errorf("%w: a run at byte %d with %d bytes", ErrCorrupt, k.Off, k.Size)
		}
		ends[k.Dir] = max(ends[k.Dir], k.Off+k.Space)
	}
	var runs []*Run
	for _, k := range all {
		v, err := s.volumeOf(k.Dir, ends[k.Dir])
		if err != nil {
			return nil, err
		}
		r, err := s.restore(v, k)
		if err != nil {
			return nil, v.failed("read", k.Index, err)
		}
		runs = append(runs, r)
		s.used += k.Space
		s.peak = max(s.peak, s.used)
	}
	return runs, nil
}

// sound reports whether numbers can be those of a run.
func (k *Saved) sound() bool {
	const most = 1 << 62
	return k.Off >= 0 && k.Off < most && k.Off%Align == 0 && k.Stored > 0 && k.Stored <= k.Size &&
		k.Index > 0 && k.Size < most && k.Index < most/2 && k.Space < most && k.Block > 0 &&
		roundUp(k.Stored)+roundUp(k.Index) == k.Space
}

// volumeOf returns the volume of a directory, whose file is opened with a size.
func (s *Store) volumeOf(dir string, size int64) (*volume, error) {
	var v *volume
	for _, other := range s.volumes {
		if other.dir == dir {
			v = other
		}
	}
	if v == nil {
		v = &volume{dir: dir}
		s.volumes = append(s.volumes, v)
	}
	if v.file == nil {
		f, err := s.disk.Open(filepath.Join(dir, s.name), size)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		case errors.Is(err, os.ErrNotExist): // no ErrNotExist: there are runs
			err = fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
		if err != nil {
			return nil, v.failed("open", size, err)
		}
		v.file, v.end = f, size
	}
	return v, nil
}

// restore reads the index of a run. The file has at least the length that k requires.
func (s *Store) restore(v *volume, k Saved) (*Run, error) {
	r := &Run{store: s, volume: v, off: k.Off, space: k.Space, size: k.Size, stored: k.Stored, block: k.Block, number: k.Number, index: k.Index, indexSum: k.Sum}
	p := Aligned(make([]byte, roundUp(k.Index)+Align))[:roundUp(k.Index)]
	if n, err := v.file.ReadAt(p, k.Off+roundUp(k.Stored)); int64(n) < k.Index {
		if err == nil || err == io.EOF {
			err = fmt.Errorf("%w: %w", ErrCorrupt, io.ErrUnexpectedEOF)
		}
		return nil, err
	}
	p = p[:k.Index]
	if r.sumOf(p) != k.Sum {
		return nil, fmt.Errorf("%w: index at byte %d of the file: %w", ErrCorrupt, k.Off+roundUp(k.Stored), errSum)
	}
	if err := r.parseIndex(p, k.Same); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	r.trim()
	return r, nil
}

// Packs returns the methods of the blocks of a run, besides Raw.
func (r *Run) Packs() (s2, zstd bool) {
	for _, m := range r.methods {
		s2, zstd = s2 || m == S2, zstd || m == Zstd
	}
	return s2, zstd
}

// Remove removes the files of a store that has been closed, which have names, for good: no loss of power brings
// them back.
func (s *Store) Remove() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.volumes {
		err = errors.Join(err, v.failed("remove", 0, RemoveFrom(v.dir, s.name)))
	}
	return err
}

// RemoveFrom removes a file of a folder for good, if it is there.
func RemoveFrom(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, name)); errors.Is(err, os.ErrNotExist) {
		return nil // or the folder is not there
	} else if err != nil {
		return err
	}
	return durable.SyncDir(dir)
}
