package parquetsort

import (
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// FuzzSortFile sorts files of anybody: an error, or a file of as many rows. An error leaves no file. Nothing panics, or
// takes much memory or time.
func FuzzSortFile(f *testing.F) {
	for _, how := range [][]parquet.WriterOption{
		{parquet.Compression(&parquet.Snappy)}, {parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)}, {parquet.MaxRowsPerRowGroup(7)},
	} {
		path := filepath.Join(f.TempDir(), "in")
		file, err := os.Create(path)
		must(f, err)
		w := parquet.NewGenericWriter[sample](file, how...)
		_, err = w.Write(sampleRows(20))
		must(f, err)
		must(f, w.Close())
		must(f, file.Close())
		text, err := os.ReadFile(path)
		must(f, err)
		f.Add(text, true, uint16(0), byte(0))
		f.Add(text, true, uint16(len(text)-60), byte(1)) // the footer
		f.Add(text, false, uint16(9), byte(255))
	}
	f.Fuzz(func(t *testing.T, data []byte, byID bool, at uint16, change byte) {
		if len(data) > 0 {
			data[int(at)%len(data)] ^= change
		}
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		must(t, os.WriteFile(in, data, 0o600))
		var columns []parquet.SortingColumn
		if byID {
			columns = bySampleID
		}
		before, begun := allocated(), time.Now()
		var st FileStats
		err := SortFile(out, []string{in}, columns, MemoryLimit(64<<20), Workers(1), TempDir(dir), Report(&st))
		if bytes := allocated() - before; bytes > 256<<20 {
			t.Errorf("%d bytes of memory for a file of %d", bytes, len(data))
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("it took %v", took)
		}
		if err != nil {
			checkEmptyBut(t, dir, []string{in})
			return
		}
		checkEmptyBut(t, dir, []string{in, out})
		if rows := rowsOf(t, out); rows != st.Rows {
			t.Errorf("%d rows, and the file has %d", st.Rows, rows)
		}
	})
}

// rowsOf reads a file that SortFile has written.
func rowsOf(t *testing.T, path string) (rows int64) {
	t.Helper()
	_, file := readFooterOf(t, path)
	for _, g := range file.RowGroups() {
		r := g.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := r.ReadRows(buffer)
			rows += int64(n)
			if err == io.EOF {
				break
			}
			must(t, err)
		}
		must(t, r.Close())
	}
	return rows
}

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
