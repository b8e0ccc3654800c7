package fuzz

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// keptFiles are the manifest and the file of runs of a sort that is kept, and its elements.
type keptFiles[E any] struct {
	body, runs []byte
	elements   []E
	resume     func(dir string) (*extsort.Sorter[E], error)
}

// keptManifest is a manifest as far as FuzzResume repairs it.
type keptManifest struct {
	Format   int
	ID       uint64
	Elements string
	Order    string
	Unique   bool
	Limit    int64
	Memory   int64
	Packs    [2]bool
	Numbers  int64
	Durable  []int64
	Dirs     []string
	Runs     []struct {
		Dir        string
		Off, Space int64
		Size       int64
		Stored     int64
		Block      int
		Same       bool
		Number     uint64
		Index      int64
		Sum        uint64
		N          int64
		Appender   int
	}
}

// keep makes the files of a sort of a few runs.
func keep[E any](f *testing.F, elements []E, open func(dir string) (*extsort.Sorter[E], error), resume func(dir string) (*extsort.Sorter[E], error)) keptFiles[E] {
	f.Helper()
	dir := f.TempDir()
	s, err := open(dir)
	if err != nil {
		f.Fatal(err)
	}
	for part := range slices.Chunk(elements, len(elements)/3+1) {
		if err := s.Append(part...); err != nil {
			f.Fatal(err)
		}
		if err := s.Sync(); err != nil {
			f.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest"))
	names, failed := filepath.Glob(filepath.Join(dir, "*.runs"))
	if err != nil || failed != nil || len(names) != 1 {
		f.Fatal(err, failed, names)
	}
	runs, err := os.ReadFile(names[0])
	if err != nil {
		f.Fatal(err)
	}
	return keptFiles[E]{text[:slices.Index(text, '\n')], runs, elements, resume}
}

// FuzzResume resumes kept runs whose files came from elsewhere. Damaged runs are an error, or all elements in order.
// Manifests of anybody, with the checksums that the files should have, are an error, or some elements: never a panic,
// or much memory.
func FuzzResume(f *testing.F) {
	limit := extsort.MemoryLimit(1 << 20)
	records := make([]record, 600)
	lines := make([]string, 60)
	for i := range records {
		records[i] = record{uint16(i / 4), uint32(i)}
	}
	for i := range lines {
		lines[i] = fmt.Sprintf("line %03d%s", i, strings.Repeat(".", i%17))
	}
	byLine := sorter.By(sorter.Asc(func(s string) string { return s }))
	fixed := keep(f, records, func(dir string) (*extsort.Sorter[record], error) {
		return extsort.New(byRecord(), limit, extsort.Compress(extsort.S2), extsort.Keep(dir))
	}, func(dir string) (*extsort.Sorter[record], error) { return extsort.Resume(dir, byRecord(), limit) })
	coded := keep(f, lines, func(dir string) (*extsort.Sorter[string], error) {
		return extsort.NewCoded(byLine, extsort.Strings(), limit, extsort.Keep(dir))
	}, func(dir string) (*extsort.Sorter[string], error) {
		return extsort.ResumeCoded(dir, byLine, extsort.Strings(), limit)
	})
	f.Add(false, false, fixed.body, []byte{1, 0, 7})
	f.Add(true, false, coded.body, []byte{0, 16, 1})
	f.Add(false, true, fixed.body, []byte{1, 0, 7})
	f.Add(true, true, coded.body, []byte{0, 16, 1, 9, 0, 8})
	f.Fuzz(func(t *testing.T, ofLines, repaired bool, body, changes []byte) {
		if ofLines {
			resumeFuzzed(t, coded, repaired, body, changes)
		} else {
			resumeFuzzed(t, fixed, repaired, body, changes)
		}
	})
}

// resumeFuzzed resumes runs with a few bytes changed, or the same with the manifest of the fuzzer, and checksums that
// are made right.
func resumeFuzzed[E comparable](t *testing.T, kept keptFiles[E], repaired bool, body, changes []byte) {
	t.Helper()
	runs := slices.Clone(kept.runs)
	for ; len(changes) >= 3; changes = changes[3:] {
		runs[int(binary.LittleEndian.Uint16(changes))%len(runs)] ^= changes[2]
	}
	if !repaired {
		body = kept.body
	}
	var m keptManifest
	if json.Unmarshal(body, &m) == nil && repaired {
		m.Dirs = nil
		for i := range m.Runs {
			m.Runs[i].Dir = ""
			repair(&m, i, runs)
		}
		body, _ = json.Marshal(m)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		fmt.Sprintf("sorter-%016x.runs", m.ID): runs,
		"manifest":                             fmt.Appendf(nil, "%s\n%016x\n", body, xxhash.Sum64(body)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, begun := allocated(), time.Now()
	got, err := resumed(kept, dir)
	if bytes := allocated() - before; bytes > 64<<20+64*uint64(len(body)+len(runs)) {
		t.Errorf("%d bytes of memory for files of %d", bytes, len(body)+len(runs))
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	if !repaired && err == nil && !slices.Equal(got, kept.elements) {
		t.Errorf("%d elements that are not the %d", len(got), len(kept.elements))
	}
}

// resumed returns the elements of kept runs.
func resumed[E any](kept keptFiles[E], dir string) (got []E, err error) {
	s, err := kept.resume(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for e, err := range s.All() {
		if err != nil {
			return got, err
		}
		got = append(got, e)
	}
	return got, s.Close()
}

// repair makes the checksums of a run and of its blocks right, as far as they are in the file.
func repair(m *keptManifest, i int, runs []byte) {
	r := &m.Runs[i]
	const page, most = 4096, 1 << 40
	if r.Off < 0 || r.Off > most || r.Stored < 0 || r.Stored > most || r.Index <= 0 {
		return
	}
	from := r.Off + (r.Stored+page-1)/page*page
	if from > int64(len(runs)) || r.Index > int64(len(runs))-from {
		return
	}
	index := runs[from : from+r.Index]
	at := r.Off
	for block, p := uint64(0), index; len(p) >= 10; block++ {
		sum, method := p[:8], p[8]
		n, k := binary.Uvarint(p[9:])
		if k <= 0 {
			break
		}
		p = p[9+k:]
		if method != 0 {
			if n, k = binary.Uvarint(p); k <= 0 {
				break
			}
			p = p[k:]
		}
		if at > int64(len(runs)) || n > uint64(int64(len(runs))-at) {
			break
		}
		var d xxhash.Digest
		d.ResetWithSeed(r.Number)
		_, _ = d.Write(binary.LittleEndian.AppendUint64(nil, block|uint64(method)<<56))
		_, _ = d.Write(runs[at : at+int64(n)])
		binary.LittleEndian.PutUint64(sum, d.Sum64())
		at += int64(n)
	}
	var d xxhash.Digest
	d.ResetWithSeed(^r.Number)
	_, _ = d.Write(index)
	r.Sum = d.Sum64()
}

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
