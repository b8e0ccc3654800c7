package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/durable"
)

// partTables writes a range of the sorted pairs to tables.
type partTables struct {
	dir      *tablesDir
	number   int
	options  sstable.WriterOptions
	most     int64 // bytes of a table
	progress func(pairs int64)

	table       *sstable.Writer // the one that is written, nil between tables
	inTable     int64           // its bytes
	names       []string
	first, last []byte // pairs; the last is not written: the next part may replace it

	bytes, duplicates int64
}

// write writes all pairs of a part but the last. Of neighbours with one key the last is written.
func (t *partTables) write(ctx context.Context, part extsort.Part[[]byte]) error {
	for batch, err := range part.Batches() {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		last := t.last
		for _, pair := range batch {
			switch {
			case t.first == nil:
				t.first = bytes.Clone(pair)
			case bytes.Equal(keyOf(last), keyOf(pair)):
				t.duplicates++
			default:
				if err := t.put(last); err != nil {
					return err
				}
			}
			last = pair
		}
		t.last = append(t.last[:0], last...) // the batch is overwritten
		t.progress(int64(len(batch)))
	}
	return nil
}

// put writes a pair, and begins a table where there is none.
func (t *partTables) put(pair []byte) error {
	if t.table == nil {
		name := fmt.Sprintf("%03d-%06d.sst", t.number, len(t.names))
		f, err := vfs.Default.Create(filepath.Join(t.dir.tables, name), vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		t.table, t.inTable, t.names = sstable.NewWriter(objstorageprovider.NewFileWritable(f), t.options), 0, append(t.names, name)
	}
	key, value := split(pair)
	if err := t.table.Set(key, value); err != nil {
		return err
	}
	n := int64(len(key) + len(value))
	t.bytes += n
	if t.inTable += n; t.inTable >= t.most {
		return t.close()
	}
	return nil
}

// close ends the table that is written; its file is on disk then.
func (t *partTables) close() error {
	if t.table == nil {
		return nil
	}
	table := t.table
	t.table = nil
	return table.Close()
}

// written returns what counts pairs for Progress, which is called by one goroutine at a time.
func (b *build) written(total int64) func(n int64) {
	var mu sync.Mutex
	pairs := int64(0)
	return func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		pairs += n
		b.progress("write", pairs, total)
	}
}

// A load goes through these states of its directory, so that it can be interrupted anywhere:
//
//	tables/        tables are written: a load that finds them begins anew
//	complete.json  the list of all tables, which are on disk: they can be ingested
//	               (Pebble removes the tables once it owns them)
//	nothing        done

// tablesDir is the directory of the tables of a load.
type tablesDir struct {
	dir, tables string
}

// list is the content of complete.json.
type list struct {
	Source string
	Tables []string
	Stats  Stats
}

const completeName = "complete.json"

func tablesIn(dir string) *tablesDir {
	return &tablesDir{dir: dir, tables: filepath.Join(dir, "tables")}
}

// newBuild removes the files of an interrupted load.
func newBuild(l *Loader) (*build, error) {
	d := tablesIn(l.set.Dir)
	if err := d.remove(); err != nil {
		return nil, err
	}
	return &build{Loader: l, tablesDir: d}, durable.MkdirAll(d.tables, 0o777)
}

// remove removes the list, then the tables. No loss of power brings the list back: its pairs would hide later ones.
func (d *tablesDir) remove() error {
	err := os.Remove(filepath.Join(d.dir, completeName))
	if err == nil {
		err = durable.SyncDir(d.dir)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(d.tables))
}

// complete writes the list under another name, then renames it: it is whole or not there.
func (d *tablesDir) complete(l list) error {
	text, err := json.MarshalIndent(l, "", "\t")
	if err != nil {
		return err
	}
	if err := durable.SyncDir(d.tables); err != nil {
		return err
	}
	path := filepath.Join(d.dir, completeName)
	return durable.Replace(path, path+".new", text, 0o666)
}

// Resume ends a load of the named source that was interrupted after all tables were written.
// Without one it returns Stats whose Resumed is false, and the load is to begin anew.
func Resume(ctx context.Context, db *pebble.DB, dir, source string) (Stats, error) {
	l, err := readList(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && l.Source != source {
		return Stats{}, nil
	}
	if err != nil {
		return Stats{}, err
	}
	l.Stats.Resumed = true
	return l.Stats, ingest(ctx, db, dir)
}

func readList(dir string) (l list, err error) {
	text, err := os.ReadFile(filepath.Join(dir, completeName))
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(text, &l)
}

// ingest has the database take the tables of the list, all or none. Tables that are missing were
// taken before: Pebble removes them after the change of the database is on disk.
func ingest(ctx context.Context, db *pebble.DB, dir string) error {
	l, err := readList(dir)
	if err != nil {
		return err
	}
	d, paths, taken := tablesIn(dir), []string(nil), false
	for _, name := range l.Tables {
		path := filepath.Join(d.tables, name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			taken = true
		} else if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	if !taken && len(paths) > 0 {
		if err := db.Ingest(ctx, paths); err != nil {
			return err
		}
	}
	return d.remove()
}
