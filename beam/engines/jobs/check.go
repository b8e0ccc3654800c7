package jobs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/sorter"
	beamsort "example.com/sorter/beam"
	"example.com/sorter/extsort"
	"github.com/cespare/xxhash/v2"
	"github.com/parquet-go/parquet-go"
)

// Check compares the output of a job, element for element, with what package extsort makes of its input,
// and with its manifest. Nothing else may lie in the folder of the output. It returns the number of
// elements of the input.
func Check(ctx context.Context, j Job) (elements int64, err error) {
	m, err := beamsort.ReadManifest(ctx, j.Out)
	if err != nil {
		return 0, err
	}
	files, err := os.ReadDir(filepath.Dir(j.Out))
	if err != nil {
		return 0, err
	}
	if len(files) != len(m.Shards)+1 {
		return 0, fmt.Errorf("%d files for %d shards and a manifest: %v", len(files), len(m.Shards), files)
	}
	c := checker{manifest: m}
	if j.What == "parquet" {
		elements, err = c.parquet(j.In)
	} else {
		elements, err = expected(j, c.element)
	}
	if err := errors.Join(err, c.end()); err != nil {
		return 0, fmt.Errorf("%s to %s: %w", j.What, j.Out, err)
	}
	return elements, nil
}

// checker reads shards by number.
type checker struct {
	manifest *beamsort.ManifestFile
	shard    int // the next to open
	file     *os.File
	rest     *bufio.Reader
	count    int64 // elements of the open shard
	sum      uint64
	last     []byte
	got      []byte
}

// element fails unless the next element has these bytes, or those and an end of line.
func (c *checker) element(encoded []byte, end string) error {
	want := len(encoded) + len(end)
	for {
		if c.rest != nil {
			c.got = append(c.got[:0], make([]byte, want)...)
			switch n, err := io.ReadFull(c.rest, c.got); {
			case err == nil:
				if !bytes.Equal(c.got[:len(encoded)], encoded) || string(c.got[len(encoded):]) != end {
					return fmt.Errorf("element %d of shard %d is %q, not %q", c.count, c.shard-1, c.got, encoded)
				}
				return c.add(encoded)
			case n > 0 || err != io.EOF:
				return fmt.Errorf("shard %d after %d elements: %w", c.shard-1, c.count, err)
			}
		}
		if err := c.next(); err != nil {
			return err
		}
	}
}

// add adds an element to the totals of the open shard.
func (c *checker) add(encoded []byte) error {
	if c.count == 0 && !bytes.Equal(encoded, c.manifest.Shards[c.shard-1].First) {
		return fmt.Errorf("shard %d: the first element is not that of the manifest", c.shard-1)
	}
	c.count++
	c.sum += xxhash.Sum64(encoded)
	c.last = append(c.last[:0], encoded...)
	return nil
}

// next ends the open shard, and opens the next one.
func (c *checker) next() error {
	if err := c.close(); err != nil {
		return err
	}
	if c.shard == len(c.manifest.Shards) {
		return fmt.Errorf("elements are missing after the last shard")
	}
	file, err := os.Open(c.manifest.Shards[c.shard].Path)
	if err != nil {
		return err
	}
	c.shard++
	c.file, c.rest, c.count, c.sum = file, bufio.NewReaderSize(file, 1<<20), 0, 0
	return nil
}

// close compares the totals of the open shard, which must have been read, with those of the manifest.
func (c *checker) close() error {
	if c.file == nil {
		return nil
	}
	defer c.file.Close()
	if n, err := c.rest.WriteTo(io.Discard); n > 0 || err != nil {
		return fmt.Errorf("shard %d has %d bytes more: %v", c.shard-1, n, err)
	}
	s, info, err := c.manifest.Shards[c.shard-1], os.FileInfo(nil), error(nil)
	if info, err = c.file.Stat(); err != nil {
		return err
	}
	if s.Count != c.count || s.Sum != c.sum || s.Bytes != info.Size() || c.count > 0 && !bytes.Equal(s.Last, c.last) {
		return fmt.Errorf("shard %d has %d elements with the sum %x, and the manifest says %d with %x", c.shard-1, c.count, c.sum, s.Count, s.Sum)
	}
	c.file, c.rest = nil, nil
	return nil
}

// end closes all shards: those after the open one have to be empty.
func (c *checker) end() error {
	for c.shard < len(c.manifest.Shards) {
		if err := c.next(); err != nil {
			return err
		}
	}
	return c.close()
}

// expected calls use with each element of the output of a job, and returns the number of those of the input.
func expected(j Job, use func(encoded []byte, end string) error) (int64, error) {
	switch j.What {
	case "lines":
		return sortedLines(use, func(add func(string) error) error { return splitLines(j.In, add) })
	case "records", "slow":
		return sortedRecords(j.In, byKeyID.Order(), func(r record) error { return use(appendRecord(nil, r), "") })
	case "top":
		var first []record
		n, err := sortedRecords(j.In, byKeyID.Order(), func(r record) error {
			if len(first) < topK {
				first = append(first, r)
			}
			return nil
		})
		_, more := sortedLines(use, func(add func(string) error) (err error) {
			linesOf(first, func(line string) { err = errors.Join(err, add(line)) })
			return err
		})
		return n, errors.Join(err, more)
	case "foreach", "values":
		var n int64
		_, err := sortedLines(use, func(add func(string) error) (err error) {
			n, err = digestsOf(j.In, add)
			return err
		})
		return n, err
	}
	return 0, fmt.Errorf("no pipeline %q", j.What)
}

// sortedLines calls use with the lines that make adds, in order.
func sortedLines(use func(encoded []byte, end string) error, make func(add func(string) error) error) (int64, error) {
	s, err := extsort.NewCoded(byLine.Order(), extsort.Strings())
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := make(func(line string) error { return s.Append(line) }); err != nil {
		return 0, err
	}
	for line, err := range s.All() {
		if err != nil {
			return 0, err
		}
		if err := use([]byte(line), "\n"); err != nil {
			return 0, err
		}
	}
	return s.Len(), nil
}

// sortedRecords calls use with the records of a file in an order.
func sortedRecords(path string, order sorter.Ordering[record], use func(record) error) (int64, error) {
	s, err := extsort.New(order)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		var b [recordSize]byte
		if _, err := io.ReadFull(r, b[:]); err == io.EOF {
			break
		} else if err != nil {
			return 0, err
		}
		if err := s.Append(readRecord(b[:])); err != nil {
			return 0, err
		}
	}
	n := s.Len()
	for e, err := range s.All() {
		if err != nil {
			return 0, err
		}
		if err := use(e); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// digestsOf calls add with the digest of each group of the records of a file.
func digestsOf(path string, add func(string) error) (int64, error) {
	groups := map[string][]record{}
	n, err := sortedRecords(path, byKeyID.Order(), func(r record) error {
		groups[group(r)] = append(groups[group(r)], r)
		return nil
	})
	if err != nil {
		return 0, err
	}
	for name, values := range groups {
		d, err := digestOf(name, values)
		if err != nil {
			return 0, err
		}
		if err := add(d); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// parquet compares files of Parquet, whose order has ties: keys at each place, and the sum over all records.
func (c *checker) parquet(in string) (int64, error) {
	var all []record
	for i, s := range c.manifest.Shards {
		part, err := parquet.ReadFile[record](s.Path)
		if err != nil {
			return 0, err
		}
		if int64(len(part)) != s.Count {
			return 0, fmt.Errorf("shard %d has %d rows, not %d", i, len(part), s.Count)
		}
		all = append(all, part...)
	}
	c.shard = len(c.manifest.Shards)
	at, sum := 0, uint64(0)
	n, err := sortedRecords(in, byKey.Order(), func(r record) error {
		if at == len(all) || all[at].Key != r.Key {
			return fmt.Errorf("row %d has not the key %v", at, r.Key)
		}
		sum += xxhash.Sum64(appendRecord(nil, r)) - xxhash.Sum64(appendRecord(nil, all[at]))
		at++
		return nil
	})
	if err == nil && (sum != 0 || at != len(all)) {
		err = fmt.Errorf("rows are not those of the input")
	}
	return n, err
}

// CheckNative compares the folder that an engine's own sort has written with what package extsort makes of
// the input of a job, and returns the number of elements.
func CheckNative(j Job, folder string) (int64, error) {
	paths, err := nativeFiles(folder)
	if err != nil {
		return 0, err
	}
	if j.What == "records" && strings.HasSuffix(paths[0], ".parquet") {
		return nativeRows(j.In, paths)
	}
	var files []io.Reader
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		files = append(files, f)
	}
	all := bufio.NewReaderSize(io.MultiReader(files...), 1<<20)
	var got []byte
	n, err := expected(j, func(encoded []byte, end string) error {
		got = append(got[:0], make([]byte, len(encoded)+len(end))...)
		if _, err := io.ReadFull(all, got); err != nil {
			return err
		}
		if string(got) != string(encoded)+end {
			return fmt.Errorf("%q is not %q", got, encoded)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if _, err := all.ReadByte(); err != io.EOF {
		return 0, fmt.Errorf("there is more after %d elements: %v", n, err)
	}
	return n, nil
}

// nativeFiles returns the files of a folder in the order of their parts: 1, 2 … of Flink, part-00000-… of Spark.
func nativeFiles(folder string) (paths []string, err error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Name()[0] != '.' && f.Name()[0] != '_' {
			paths = append(paths, filepath.Join(folder, f.Name()))
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if len(paths) == 0 {
		err = fmt.Errorf("no file in %s", folder)
	}
	return paths, err
}

// nativeRows compares files of Parquet.
func nativeRows(in string, paths []string) (int64, error) {
	var all []record
	for _, p := range paths {
		part, err := parquet.ReadFile[record](p)
		if err != nil {
			return 0, err
		}
		all = append(all, part...)
	}
	at := 0
	n, err := sortedRecords(in, byKeyID.Order(), func(r record) error {
		if at == len(all) || all[at] != r {
			return fmt.Errorf("row %d is not %v", at, r)
		}
		at++
		return nil
	})
	if err == nil && at != len(all) {
		err = fmt.Errorf("%d rows, not %d", len(all), at)
	}
	return n, err
}
