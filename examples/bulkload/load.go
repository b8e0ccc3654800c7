package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/errgroup"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// Settings are those of a Loader. The zero value has defaults.
type Settings struct {
	Dir        string // of the tables until they are ingested, on the file system of the database; required
	Source     string // names the input: tables that an interrupted load of another one left are not ingested
	Memory     int64  // of the sort, in bytes; 0: a quarter of the free memory
	TempDirs   []string
	Workers    int   // 0: GOMAXPROCS
	TableBytes int64 // of keys and values in a table; 0: 64 MiB
	Progress   func(step string, done, total int64)
}

// Stats describe a load.
type Stats struct {
	Pairs      int64 // that were set
	Duplicates int64 // of them, those that a later pair of the same key replaced
	Bytes      int64 // of keys and values that were loaded
	Tables     int
	Spilled    int64 // bytes that the sort wrote to disk
	Resumed    bool  // the tables were there
}

// Loader loads key-value pairs in any sequence into a Pebble database: it sorts them, writes
// sorted tables in parallel, and has the database take these as they are. Of pairs with one key
// the last wins. Pairs go to disk where they exceed the memory. The database is not changed
// before all pairs are in tables, and then at once.
//
// A Loader serves one goroutine. Between Set and Finish the database may be used; keys that are
// loaded hide what is written to them meanwhile.
type Loader struct {
	db     *pebble.DB
	opts   *pebble.Options
	set    Settings
	sorter *extsort.Sorter[[]byte]
	stats  extsort.Stats
	pair   []byte
	err    error
}

// NewLoader returns a loader for a database that was opened with opts. The error names what is
// wrong with these: tables are in bytewise order, that of pebble.DefaultComparer.
func NewLoader(ctx context.Context, db *pebble.DB, opts *pebble.Options, s Settings) (*Loader, error) {
	if c := opts.Comparer; c != nil && c.Name != pebble.DefaultComparer.Name {
		return nil, fmt.Errorf("bulkload: the database orders keys by %s, not bytewise", c.Name)
	}
	if s.Dir == "" {
		return nil, errors.New("bulkload: no directory for tables")
	}
	if s.TableBytes <= 0 {
		s.TableBytes = 64 << 20
	}
	l := &Loader{db: db, opts: opts.Clone(), set: s}
	l.opts.EnsureDefaults()
	options := []extsort.Option{extsort.WithContext(ctx), extsort.Workers(s.Workers), extsort.Report(&l.stats)}
	if s.Memory > 0 {
		options = append(options, extsort.MemoryLimit(s.Memory))
	}
	if len(s.TempDirs) > 0 {
		options = append(options, extsort.TempDir(s.TempDirs...))
	}
	var err error
	l.sorter, err = extsort.NewCoded(sorter.By(sorter.Asc(keyOf)), extsort.Bytes(), options...)
	return l, err
}

// A pair is one byte string: the length of the key, the key, the value. The sort takes it as it
// is, without a copy for each pair.

func keyOf(pair []byte) []byte {
	key, _ := split(pair)
	return key
}

func split(pair []byte) (key, value []byte) {
	n, at := binary.Uvarint(pair)
	return pair[at : at+int(n)], pair[at+int(n):]
}

// Set adds a pair. It keeps neither slice.
func (l *Loader) Set(key, value []byte) error {
	if l.err != nil {
		return l.err
	}
	l.pair = binary.AppendUvarint(l.pair[:0], uint64(len(key)))
	l.pair = append(append(l.pair, key...), value...)
	if l.err = l.sorter.Append(l.pair); l.err == nil && l.sorter.Len()%(1<<20) == 0 {
		l.progress("read", l.sorter.Len(), 0)
	}
	return l.err
}

func (l *Loader) progress(step string, done, total int64) {
	if l.set.Progress != nil {
		l.set.Progress(step, done, total)
	}
}

// Finish writes the tables and has the database take them. If it fails before that, the
// database is as it was.
func (l *Loader) Finish(ctx context.Context) (Stats, error) {
	if l.err != nil {
		return Stats{}, l.err
	}
	b, err := newBuild(l)
	if err != nil {
		return Stats{}, err
	}
	st, err := b.run(ctx)
	if err != nil {
		return Stats{}, errors.Join(err, b.remove())
	}
	st.Spilled = l.stats.Written
	return st, ingest(ctx, l.db, l.set.Dir)
}

// Close frees memory and disk space of the sort.
func (l *Loader) Close() error { return l.sorter.Close() }

// build writes the tables of a load.
type build struct {
	*Loader
	*tablesDir
	parts []*partTables
}

// run writes all tables and the list of them.
func (b *build) run(ctx context.Context) (Stats, error) {
	workers := b.set.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	parts, err := b.sorter.Parts(workers)
	if err != nil {
		return Stats{}, err
	}
	all, ctx := errgroup.WithContext(ctx)
	written := b.written(b.sorter.Len())
	b.parts = make([]*partTables, len(parts))
	for i, p := range parts {
		t := &partTables{dir: b.tablesDir, number: i, options: b.opts.MakeWriterOptions(0, b.db.TableFormat()), most: b.set.TableBytes, progress: written}
		b.parts[i] = t
		all.Go(func() error { return t.write(ctx, p) })
	}
	if err = all.Wait(); err == nil {
		err = b.settle()
	}
	for _, t := range b.parts {
		err = errors.Join(err, t.close())
	}
	if err != nil {
		return Stats{}, err
	}
	st := Stats{Pairs: b.sorter.Len()}
	var names []string
	for _, t := range b.parts {
		st.Bytes, st.Duplicates = st.Bytes+t.bytes, st.Duplicates+t.duplicates
		names = append(names, t.names...)
	}
	st.Tables = len(names)
	return st, errors.Join(b.sorter.Close(), b.complete(list{Source: b.set.Source, Tables: names, Stats: st}))
}

// settle writes the last pair of each part, unless the next part begins with its key: then a
// later pair of the same key wins.
func (b *build) settle() error {
	var next []byte // first key of the parts after this one
	for i := len(b.parts) - 1; i >= 0; i-- {
		t := b.parts[i]
		if t.first == nil {
			continue // empty
		}
		if key := keyOf(t.last); next != nil && bytes.Equal(key, next) {
			t.duplicates++
		} else if err := t.put(t.last); err != nil {
			return err
		}
		next = keyOf(t.first)
	}
	return nil
}
