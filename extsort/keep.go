package extsort

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"example.com/sorter"
	"example.com/sorter/internal/durable"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/spill"
)

// Keep keeps runs in files of a directory, which survive the process: [Resume] goes on with them.
// The directory is created if it is missing. It is for one Sorter at a time, and holds a lock, a
// manifest and a file of runs; [TempDir] is not used, and directories of [Sorter.AddDir] get a file
// as well. The files are removed by Close after all elements were handed out, or by
// [Sorter.Discard]; until then space is not given back while elements are handed out.
//
// A run is durable once it is written, synced and in the manifest: see [Sorter.Durable]. It survives the process, and
// a loss of power at any moment. Elements that wait in memory are lost with the process, unless [Sorter.Sync] was
// called.
func Keep(dir string) Option {
	if dir == "" {
		panic("extsort: Keep without a directory")
	}
	return func(o *options) { o.keep = dir }
}

var (
	// ErrInUse reports a directory of kept runs that another Sorter uses, of this process or of one
	// that lives.
	ErrInUse = errors.New("extsort: kept runs are in use")
	// ErrMismatch reports kept runs of other elements, another order, other options or another
	// version.
	ErrMismatch = errors.New("extsort: kept runs are of another sort")
)

// KeepError is the reason why runs cannot be kept in a directory, or not be resumed. Err is or
// wraps [ErrInUse], [ErrMismatch], [ErrCorrupt], [fs.ErrExist] for [New] where there are kept runs,
// [fs.ErrNotExist] for [Resume] where there are none, or an error of the system.
type KeepError struct {
	Dir string
	Err error
}

// Error names the directory and the reason.
func (e *KeepError) Error() string {
	return fmt.Sprintf("extsort: runs kept in %s: %v", e.Dir, e.Err)
}

// Unwrap returns the reason.
func (e *KeepError) Unwrap() error { return e.Err }

// Resume goes on with runs that a Sorter of [New] has kept in a directory before its process ended:
// see [Keep]. Len is the number of elements in these runs, and of those that were dropped before:
// appended in one goroutine, they are the first of the input, which goes on after them. With
// appenders see [Sorter.Durable]. All blocks are read once, and their checksums compared.
//
// The type of the elements has to have the same name, fields and layout, the order the same number
// of columns, of the same kinds, directions and places of nulls and NaNs, and Limit and Unique have
// to be the same: otherwise the error is a [KeepError] of [ErrMismatch]. Key functions cannot be
// compared; but it is an ErrMismatch as well if the first elements of blocks are not in order.
// Other options may change. A MemoryLimit that is too small for blocks of the runs is an [ErrMemoryLimit], as is one
// of less than half of the one before, a quarter of which is too small for their indices. The one before
// is enough with the same options.
func Resume[E any](dir string, o sorter.Ordering[E], opts ...Option) (*Sorter[E], error) {
	return newFixed(o, append(opts[:len(opts):len(opts)], Keep(dir)), true)
}

// ResumeCoded is [Resume] of a Sorter of [NewCoded]. The type of the codec has to be the same.
func ResumeCoded[E any](dir string, o sorter.Ordering[E], c Codec[E], opts ...Option) (*Sorter[E], error) {
	return newOfCodec(o, c, append(opts[:len(opts):len(opts)], Keep(dir)), true)
}

// manifestFormat is the version of the manifest and of the files of runs.
const manifestFormat = 1

// manifest is the content of the file that makes runs durable.
type manifest struct {
	Format   int
	ID       uint64 // of the sort
	Elements string // type and layout
	Order    string // columns
	Unique   bool
	Limit    int64
	Memory   int64    // the largest limit that runs were made with; 0: unknown
	Packs    [2]bool  // whether blocks of runs are compressed by S2 and Zstandard
	Numbers  int64    // of runs so far
	Durable  []int64  // elements of each appender
	Dirs     []string // of AddDir
	Runs     []savedRun
}

// savedRun is a run of a manifest.
type savedRun struct {
	spill.Saved
	N        int64
	Appender int
}

// packs returns what is known of compressed blocks.
func (m *manifest) packs() packs {
	p := packs{s2: m.Packs[0], zstd: m.Packs[1], memory: m.Memory}
	if p.s2 || p.zstd {
		for i := range m.Runs {
			p.block = max(p.block, m.Runs[i].Block)
		}
	}
	return p
}

// keeping is the state of a Sorter whose runs are kept.
type keeping struct {
	dir      string
	lock     *spill.Lock
	manifest manifest
	dirty    bool    // runs are on disk that the manifest does not have
	saved    []int64 // durable elements of each appender
	base     []int64 // durable elements of each appender when the Sorter was resumed
	before   int64   // all of them
}

func (k *keeping) path() string { return filepath.Join(k.dir, "manifest") }

// retired is the name of a manifest whose sort has ended, while its files are removed.
func (k *keeping) retired() string { return filepath.Join(k.dir, "manifest.retired") }

// removeRetired removes the files of a sort that had ended when its process was killed.
func (k *keeping) removeRetired() error {
	m, err := readManifest(k.retired())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	dirs := append([]string{k.dir}, m.Dirs...)
	for _, r := range m.Runs { // of manifests without Dirs
		if r.Dir != "" && !slices.Contains(dirs, r.Dir) {
			dirs = append(dirs, r.Dir)
		}
	}
	for _, dir := range dirs {
		if err := spill.RemoveFrom(dir, runsName(m.ID)); err != nil {
			return err
		}
	}
	return os.Remove(k.retired())
}

// runsName is the name of the files of kept runs.
func runsName(id uint64) string { return fmt.Sprintf("sorter-%016x.runs", id) }

// startKeeping takes the lock of a directory and reads its manifest, if it is to be resumed.
func startKeeping(o *options, elements, order string, resume bool) (k *keeping, err error) {
	dir, err := filepath.Abs(o.keep)
	if err != nil {
		dir = o.keep
	}
	defer func() {
		if err != nil {
			err = &KeepError{dir, err}
		}
	}()
	if !resume {
		if err := durable.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	} else if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	k = &keeping{dir: dir}
	if k.lock, err = spill.TakeLock(filepath.Join(dir, "lock")); err != nil {
		if errors.Is(err, spill.ErrLocked) {
			err = fmt.Errorf("%w: %w", ErrInUse, err)
		}
		return nil, err
	}
	want := manifest{Format: manifestFormat, Elements: elements, Order: order, Unique: o.unique, Limit: o.limit, Memory: o.memory}
	if err = k.removeRetired(); err != nil {
		// nothing is begun in a directory that keeps files of another sort
	} else if resume {
		k.manifest, err = readManifest(k.path())
		if err == nil {
			err = k.manifest.matches(&want)
		}
	} else if _, failed := os.Lstat(k.path()); failed == nil {
		err = fs.ErrExist
	} else {
		k.manifest = want
	}
	if err != nil {
		return nil, errors.Join(err, k.lock.Release())
	}
	return k, nil
}

// readManifest reads a manifest whose checksum is right.
func readManifest(path string) (m manifest, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	body, sum, _ := strings.Cut(string(text), "\n")
	if strings.TrimSuffix(sum, "\n") != sumOf(body) || !strings.HasSuffix(sum, "\n") {
		return m, fmt.Errorf("%w: manifest", ErrCorrupt)
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		return m, fmt.Errorf("%w: manifest: %w", ErrMismatch, err) // it was written so
	}
	return m, nil
}

// sumOf returns the checksum of a line.
func sumOf(line string) string { return fmt.Sprintf("%016x", xxhash.Sum64String(line)) }

// matches returns ErrMismatch if runs are of another sort.
func (m *manifest) matches(want *manifest) error {
	for _, c := range []struct {
		what      string
		is, wants any
	}{
		{"format", m.Format, want.Format},
		{"elements", m.Elements, want.Elements},
		{"order", m.Order, want.Order},
		{"Unique", m.Unique, want.Unique},
		{"Limit", m.Limit, want.Limit},
	} {
		if c.is != c.wants {
			return fmt.Errorf("%w: %s is %v, not %v", ErrMismatch, c.what, c.is, c.wants)
		}
	}
	return nil
}

// fingerprint describes the layout of a type.
func fingerprint(t reflect.Type) string {
	one := [2]byte{1}
	order := "big"
	if *(*uint16)(reflect.ValueOf(&one).UnsafePointer()) == 1 {
		order = "little"
	}
	d := xxhash.New()
	fmt.Fprint(d, order, strconv.IntSize)
	addType(d, t)
	return fmt.Sprintf("%v %016x", t, d.Sum64())
}

// addType adds the kind of a type and those of its parts, which hold no pointers.
func addType(w io.Writer, t reflect.Type) {
	fmt.Fprint(w, t.PkgPath(), ".", t.Name(), " ", t.Kind(), " ", t.Size(), ";")
	switch t.Kind() {
	case reflect.Array:
		fmt.Fprint(w, t.Len())
		addType(w, t.Elem())
	case reflect.Struct:
		for f := range t.NumField() {
			fmt.Fprint(w, t.Field(f).Name, " ", t.Field(f).Offset, " ")
			addType(w, t.Field(f).Type)
		}
	}
}

// describe returns the number of columns of an order, and their kinds, directions and places of
// NaNs and nulls. Functions cannot be compared.
func describe[E any](o sorter.Ordering[E]) string {
	cols := columnsOf(o)
	var b strings.Builder
	fmt.Fprintf(&b, "%d columns", len(cols))
	for i := range cols {
		c := &cols[i]
		fmt.Fprintf(&b, ", kind %d desc %v NaNs %d nulls %d", c.Kind(), c.Order.Desc, c.Order.NaNs, c.Nulls)
	}
	return b.String()
}

// columnsOf returns the columns of an order.
//
// Sound: an Ordering is a struct of one field, which is a *small.Ordering.
func columnsOf[E any](o sorter.Ordering[E]) []extract.Column {
	own := reflect.ValueOf(o).Field(0)
	if own.Type() != reflect.TypeFor[*small.Ordering]() {
		panic("extsort: an Ordering of another layout")
	}
	return (*small.Ordering)(own.UnsafePointer()).Columns()
}

// save writes the manifest if it does not have all runs.
func (s *Sorter[E]) save() error {
	k := s.keeping
	if k == nil || !k.dirty {
		return nil
	}
	m := &k.manifest
	m.Numbers, m.Runs, m.Packs = s.written, m.Runs[:0], [2]bool{}
	for _, r := range s.runs {
		saved := r.bytes.Saved()
		if saved.Dir == k.dir { // which may be moved
			saved.Dir = ""
		}
		m.Runs = append(m.Runs, savedRun{saved, r.n, r.appender})
		s2, zstd := r.bytes.Packs()
		m.Packs = [2]bool{m.Packs[0] || s2, m.Packs[1] || zstd}
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err // of numbers and strings: never
	}
	text := append(append(body, '\n'), sumOf(string(body))+"\n"...)
	if err := s.disk.Replace(k.path(), text); err != nil {
		return &DiskError{"manifest", k.dir, int64(len(text)), err}
	}
	k.dirty, k.saved = false, append([]int64{}, m.Durable...)
	return nil
}

// durable notes that elements of an appender are in runs, or were dropped.
func (k *keeping) durable(appender int, n int64) {
	m := &k.manifest
	for len(m.Durable) <= appender {
		m.Durable = append(m.Durable, 0)
	}
	if m.Durable[appender] < n {
		m.Durable[appender], k.dirty = n, true
	}
}

// baseOf returns the elements of an appender that were durable when the Sorter was resumed.
func (k *keeping) baseOf(appender int) int64 {
	if appender < len(k.base) {
		return k.base[appender]
	}
	return 0
}

// Durable returns how many elements survive the process, with [Keep]. The first number is for
// [Sorter.Append], the others for each [Appender] in the order in which they were made; after [Resume] the first
// that is made is the first again, and its elements follow those that it had before. These elements
// are the first that were appended there. Without Keep it returns nil.
func (s *Sorter[E]) Durable() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keeping == nil {
		return nil
	}
	numbers := append([]int64{}, s.keeping.saved...)
	if s.shared != nil {
		appenders := len(*s.shared.all.Load()) // with that of Append
		numbers = append(numbers, make([]int64, max(appenders-len(numbers), 0))...)
	}
	return numbers
}

// Sync writes the elements that wait in memory as a run, however short, and returns once all are
// durable, see [Keep]. That includes those that Limit and Unique dropped. A run a second costs little;
// many short ones make the merge slower. No append may run meanwhile.
func (s *Sorter[E]) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.handed || s.closed || s.shared != nil && s.shared.ended:
		return ErrEnded
	case s.keeping == nil:
		return errNotKept
	case s.shared != nil:
		if err := s.writeShared(); err != nil {
			return err
		}
	default:
		if err := s.settleFill(); err != nil {
			return err
		}
		if s.fill.Len() > 0 {
			if err := s.writeFill(); err != nil {
				return err
			}
		}
	}
	if err := s.waitForRun(); err != nil {
		return err
	}
	if s.shared == nil {
		s.keeping.durable(0, s.upTo(nil))
	} else {
		for _, a := range *s.shared.all.Load() {
			s.keeping.durable(a.number, s.upTo(a))
		}
	}
	return s.save()
}

var errNotKept = errors.New("extsort: Sync without Keep")

// upTo returns how many elements of Append or of an appender are in runs, once those in hand are.
func (s *Sorter[E]) upTo(a *Appender[E]) int64 {
	k := s.keeping
	if k == nil {
		return 0
	}
	if a == nil {
		return k.baseOf(0) + s.stats.Elements - k.before
	}
	n := k.baseOf(a.number) + a.taken
	if a.number == 0 {
		n += s.shared.before - k.before
	}
	return n
}

// begin takes over the numbers of a manifest.
func (k *keeping) begin() {
	if len(k.manifest.Durable) == 0 {
		k.manifest.Durable = []int64{0}
	}
	k.base, k.saved = k.manifest.Durable, k.manifest.Durable
	k.manifest.Durable = append([]int64{}, k.base...)
	for _, n := range k.base {
		k.before += n
	}
}

// beginKeeping writes the first manifest, or opens the runs of the one that was read.
func (s *Sorter[E]) beginKeeping(resume bool) (err error) {
	k := s.keeping
	switch {
	case k == nil:
		return nil
	case resume:
		err = s.restore()
	default:
		k.dirty = true
		err = s.save()
	}
	if err == nil || errors.Is(err, ErrMemoryLimit) {
		return err
	}
	return &KeepError{k.dir, err}
}

// restore opens the runs of the manifest.
func (s *Sorter[E]) restore() error {
	m := &s.keeping.manifest
	all := make([]spill.Saved, len(m.Runs))
	for i, r := range m.Runs {
		if all[i] = r.Saved; r.Dir == "" {
			all[i].Dir = s.keeping.dir
		}
	}
	runs, err := s.store.Restore(all)
	if err != nil {
		return public(err)
	}
	if s.coded != nil {
		if err := s.coded.checkBlocks(runs); err != nil {
			return err
		}
	}
	for i, bytes := range runs {
		if err := s.err(); err != nil {
			return err
		}
		r, err := s.form.Restore(bytes, m.Runs[i].Same, m.Runs[i].N)
		if err != nil {
			return public(err)
		}
		r.trim()
		r.appender = m.Runs[i].Appender
		s.runs = append(s.runs, r)
	}
	s.lend()
	if err := s.checkMerge(); err != nil {
		return err
	}
	memory := s.options.memory
	if index, most := s.indexBytes(), memory/2; index > most && (m.Memory == 0 || memory < m.Memory/2) { // of a sort with much more
		need := 2 * index
		if m.Memory > 0 {
			need = min(need, m.Memory/2)
		}
		return fmt.Errorf("%w: the indices of %d runs have %d bytes, more than %d", tooLittle(memory, need), len(runs), index, most)
	}
	s.written, m.Memory = m.Numbers, max(m.Memory, memory)
	s.stats.Elements, s.stats.Runs = s.keeping.before, len(runs)
	return nil
}

// checkMerge returns ErrMemoryLimit if blocks of kept runs are too long to merge any two of them.
func (s *Sorter[E]) checkMerge() error {
	runs := slices.Clone(s.runs)
	slices.SortStableFunc(runs, func(x, y *run[E]) int { return cmp.Compare(y.largest(0), x.largest(0)) })
	runs = runs[:min(len(runs), 2)]
	if len(runs) == 0 {
		return nil
	}
	p, ok := s.planFor(runs, 0, false, 0) // with Unique, too: see mergeInto
	if ok = ok && s.sampled(runs) && largest(runs, p.each) <= p.part; ok {
		return nil
	}
	need := s.keeping.manifest.Memory // for which the blocks were made
	if need <= s.options.memory {
		need = 0
	}
	return fmt.Errorf("%w: blocks of kept runs have up to %d bytes, and a part %d", tooLittle(s.options.memory, need), longest(runs), p.part)
}

// indexBytes returns the memory of the indices of all runs.
func (s *Sorter[E]) indexBytes() int64 {
	bytes := int64(0)
	for _, r := range s.runs {
		bytes += int64(unsafe.Sizeof(*r)) + r.bytes.Memory() + s.form.IndexBytes(r)
	}
	return bytes
}

// excess returns the memory that the indices of all runs take beyond what elements leave them anyway.
func (s *Sorter[E]) excess() int64 {
	if s.form.Account() != nil {
		return s.indexBytes() - s.options.memory/indexShare
	}
	return s.indexBytes() - s.layout.index - s.layout.idle
}

// lend has runs leave to indices what these take beyond their share, an eighth of the memory at most: without it
// each element still fits, and shorter runs would take more indices.
func (s *Sorter[E]) lend() {
	excess, most := s.excess(), s.options.memory/8
	a := s.form.Account()
	if a != nil {
		most = a.total / 8
	}
	s.lent = max(min(excess, most), 0)
	s.beyond = max(s.beyond, excess-s.lent)
	if a != nil {
		a.less = s.lent
	}
}

// inOrder returns ErrMismatch if the first element of a block comes before that of the block before, if there
// is one.
func (s *Sorter[E]) inOrder(before, first *E) error {
	if before != nil && s.order.Compare(*before, *first) > 0 {
		return fmt.Errorf("%w: they are in another order", ErrMismatch)
	}
	return nil
}

// endKeeping gives the lock back, and removes the files if they are not needed.
func (s *Sorter[E]) endKeeping() {
	k := s.keeping
	if k == nil || k.lock == nil {
		return
	}
	failed := func(err error) error {
		if err == nil {
			return nil
		}
		return &DiskError{"remove", k.dir, 0, err}
	}
	if s.consumed.Load() || s.discarded {
		// Nothing is resumed from a retired manifest; it is the last to go, for removeRetired.
		s.closing = errors.Join(s.closing, failed(spill.RetireReplaced(k.path(), k.retired())), s.store.Remove(),
			failed(os.Remove(k.retired())), failed(k.lock.Remove()))
	} else {
		s.closing = errors.Join(s.closing, failed(k.lock.Release()))
	}
	k.lock = nil
}

// Discard is [Sorter.Close], and removes the files of [Keep] also if the elements were not handed
// out.
func (s *Sorter[E]) Discard() error {
	s.discarded = true
	return s.Close()
}
