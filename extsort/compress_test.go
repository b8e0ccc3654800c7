package extsort_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/spill"
	"example.com/sorter/internal/testkit"
)

// compressions are those that do something in little memory.
var compressions = map[string]extsort.Compression{"None": extsort.None, "S2": extsort.S2, "Zstd": extsort.Zstd}

// wordy returns lines of few words, which compress.
func wordy(n int, r *rand.Rand) []string {
	words := strings.Fields("the quick brown fox jumps over the lazy dog while elements wait for runs")
	lines := make([]string, n)
	for i := range lines {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		lines[i] = b.String()
	}
	return lines
}

// alike returns rows of few keys with numbers that follow each other, which compress.
func alike(n int, r *rand.Rand) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{Key: uint64(r.IntN(n/8 + 1)), At: uint64(i)}
	}
	return rows
}

// TestCompression sorts elements with each compression, in blocks that compress and others.
func TestCompression(t *testing.T) {
	n := testkit.Pick(30_000, 200_000)
	r := rand.New(rand.NewPCG(101, 102))
	for name, rows := range map[string][]row{
		"alike":  alike(n, r),
		"random": rowsOf(keysOf("uniform", n, r)),
		"mixed":  append(alike(n/2, r), rowsOf(keysOf("uniform", n/2, r))...),
	} {
		want := sorted(rows)
		for how, c := range compressions {
			limit := int64(1 << 20)
			if c == extsort.Zstd {
				limit = 4 << 20
			}
			for _, parts := range testkit.Pick([]int{len(how) % 2 * 3}, []int{0, 3}) {
				t.Run(fmt.Sprintf("%s/%s/parts=%d", name, how, parts), func(t *testing.T) {
					var st extsort.Stats
					d := &faultDisk{}
					s, err := extsort.New(byKey(), extsort.MemoryLimit(limit), extsort.Compress(c), extsort.TempDir(t.TempDir()), extsort.OnDisk(d), extsort.Report(&st), extsort.Workers(2))
					must(t, err)
					must(t, s.Append(rows...))
					var got []row
					if parts > 0 {
						all, err := s.Parts(parts)
						must(t, err)
						read, err := readParts(all)
						must(t, err)
						for _, p := range read {
							got = append(got, p...)
						}
					} else {
						got, err = drain(s)
						must(t, err)
					}
					sameElements(t, got, want)
					must(t, s.Close())
					d.checkEmpty(t)
					checkTotals(t, st, c, name == "alike")
					checkMemory(t, &st, limit)
				})
			}
		}
	}
}

// checkTotals expects that the blocks of a sort have one method or are stored as they are.
func checkTotals(t *testing.T, st extsort.Stats, c extsort.Compression, compresses bool) {
	t.Helper()
	blocks := map[extsort.Compression]int64{extsort.None: st.RawBlocks, extsort.S2: st.S2Blocks, extsort.Zstd: st.ZstdBlocks}
	for other, n := range blocks {
		if other != extsort.None && other != c && n > 0 {
			t.Errorf("%+v", st)
		}
	}
	if st.Written > st.Bytes || (c == extsort.None) != (st.Written == st.Bytes) && compresses || st.Read < st.Written {
		t.Errorf("%+v", st)
	}
	if compresses && c != extsort.None && (st.Ratio() < 1.2 || blocks[c] == 0) {
		t.Errorf("ratio %.2f: %+v", st.Ratio(), st)
	}
}

// TestCodedCompression is TestCompression of strings.
func TestCodedCompression(t *testing.T) {
	n := testkit.Pick(10_000, 200_000)
	r := rand.New(rand.NewPCG(103, 104))
	lines := wordy(n, r)
	noise := make([]byte, 8)
	for range n / 4 {
		binary.LittleEndian.PutUint64(noise, r.Uint64())
		lines = append(lines, string(noise))
	}
	lines = append(lines, strings.Repeat("long ", 3000)) // a block of its own
	o := sorter.By(sorter.Asc(func(s string) string { return s }))
	want := append([]string(nil), lines...)
	must(t, o.Sort(want))
	for how, c := range compressions {
		t.Run(how, func(t *testing.T) {
			limit := testkit.Pick[int64](1<<20, 4<<20) // the long element makes parts uncertain
			if c == extsort.Zstd {
				limit = 4 << 20
			}
			var st extsort.Stats
			s, err := extsort.NewCoded(o, extsort.Strings(), extsort.MemoryLimit(limit), extsort.Compress(c), extsort.TempDir(t.TempDir()), extsort.Report(&st), extsort.Workers(2))
			must(t, err)
			must(t, s.Append(lines...))
			sameElements(t, collect(t, s), want)
			must(t, s.Close())
			checkTotals(t, st, c, st.Runs > 0)
			checkMemory(t, &st, limit)
		})
	}
}

// TestDiskLimitCountsStoredBytes has a limit that only compressed runs keep.
func TestDiskLimitCountsStoredBytes(t *testing.T) {
	rows := alike(200_000, rand.New(rand.NewPCG(105, 106))) // 4.8 MB
	for _, c := range []extsort.Compression{extsort.None, extsort.S2} {
		d := &faultDisk{}
		var st extsort.Stats
		s, err := extsort.New(byKey(), extsort.MemoryLimit(2<<20), extsort.Compress(c), extsort.DiskLimit(4<<20), extsort.TempDir(t.TempDir()), extsort.OnDisk(d), extsort.Report(&st))
		must(t, err)
		if err = s.Append(rows...); err == nil {
			var got []row
			got, err = drain(s)
			if err == nil {
				sameElements(t, got, sorted(rows))
			}
		}
		if (c == extsort.None) != errors.Is(err, extsort.ErrDiskLimit) || c != extsort.None && err != nil {
			t.Errorf("%v: %v", c, err)
		}
		must(t, s.Close())
		if st.Disk > 4<<20 {
			t.Errorf("%+v", st)
		}
		d.checkEmpty(t)
	}
}

// slowDisk is the disk of the system, of which reads and writes together have a number of bytes a
// second.
type slowDisk struct {
	spill.System
	rate int64
	mu   sync.Mutex
	free time.Time // when all that was begun is done
}

type slowFile struct {
	spill.File
	d *slowDisk
}

func (d *slowDisk) Create(dir string) (spill.File, error) {
	f, err := spill.System{}.Create(dir)
	return slowFile{f, d}, err
}

// pass does work, and waits until bytes have passed, if that is long enough to sleep for.
func (d *slowDisk) pass(bytes int, work func() (int, error)) (int, error) {
	d.mu.Lock()
	now := time.Now()
	if d.free.Before(now) {
		d.free = now
	}
	d.free = d.free.Add(time.Duration(int64(bytes) * int64(time.Second) / d.rate))
	until := d.free
	d.mu.Unlock()
	n, err := work()
	if wait := time.Until(until); wait > time.Millisecond {
		time.Sleep(wait)
	}
	return n, err
}

func (f slowFile) WriteAt(p []byte, off int64) (int, error) {
	return f.d.pass(len(p), func() (int, error) { return f.File.WriteAt(p, off) })
}

func (f slowFile) ReadAt(p []byte, off int64) (int, error) {
	return f.d.pass(len(p), func() (int, error) { return f.File.ReadAt(p, off) })
}

// deal has the fields of a deal: prices walk, sizes are round, few symbols.
type deal struct {
	Time   uint64
	Price  float64
	Size   uint32
	Symbol uint16
	Venue  uint8
	Flags  uint8
}

func dealsOf(n int, r *rand.Rand) []deal {
	all := make([]deal, n)
	prices := make([]float64, 500)
	for i := range prices {
		prices[i] = float64(1 + r.IntN(50_000))
	}
	for i := range all {
		symbol := int(float64(len(prices)) * r.Float64() * r.Float64())
		prices[symbol] = max(1, prices[symbol]+float64(r.IntN(5)-2))
		all[i] = deal{1_700_000_000_000_000 + uint64(i)*137 + uint64(r.IntN(100)), prices[symbol] / 100, uint32(100 * (1 + r.IntN(20))), uint16(symbol), uint8(r.IntN(8)), uint8(r.IntN(2))}
	}
	return all
}

// BenchmarkCompression sorts elements that take several times the memory, on the disk of the
// system and on one of 250 MB/s.
func BenchmarkCompression(b *testing.B) {
	bytes := testkit.Pick(25<<20, 400<<20)
	r := rand.New(rand.NewPCG(5, 6))
	b.Run("random", func(b *testing.B) {
		rows := rowsOf(keysOf("uniform", bytes/24, r))
		benchCompressions(b, int64(bytes), func(opts ...extsort.Option) (*extsort.Sorter[row], error) {
			return extsort.New(byKey(), opts...)
		}, rows)
	})
	b.Run("trades", func(b *testing.B) {
		benchCompressions(b, int64(bytes), func(opts ...extsort.Option) (*extsort.Sorter[deal], error) {
			return extsort.New(sorter.By(sorter.Asc(func(t deal) float64 { return t.Price })), opts...)
		}, dealsOf(bytes/24, r))
	})
	b.Run("lines", func(b *testing.B) {
		lines := wordy(bytes/35, r)
		benchCompressions(b, int64(bytes), func(opts ...extsort.Option) (*extsort.Sorter[string], error) {
			return extsort.NewCoded(sorter.By(sorter.Asc(func(s string) string { return s })), extsort.Strings(), opts...)
		}, lines)
	})
}

func benchCompressions[E any](b *testing.B, bytes int64, open func(opts ...extsort.Option) (*extsort.Sorter[E], error), all []E) {
	for _, rate := range []int64{0, 250} {
		for _, c := range []extsort.Compression{extsort.None, extsort.Adaptive, extsort.S2, extsort.Zstd} {
			disk := "disk"
			opts := []extsort.Option{extsort.MemoryLimit(bytes * 8 / 25), extsort.Compress(c), extsort.TempDir(b.TempDir())}
			if rate > 0 {
				disk = fmt.Sprintf("%dMBs", rate)
				opts = append(opts, extsort.OnDisk(&slowDisk{rate: rate * 1e6}))
			}
			b.Run(disk+"/"+[]string{"Adaptive", "None", "S2", "Zstd"}[c], func(b *testing.B) {
				var st extsort.Stats
				opts := append(opts, extsort.Report(&st))
				b.SetBytes(bytes)
				for b.Loop() {
					s, err := open(opts...)
					if err != nil {
						b.Fatal(err)
					}
					if err := s.Append(all...); err != nil {
						b.Fatal(err)
					}
					readBatches(b, s, len(all))
				}
				b.Logf("%v %v %v", st.Sort, st.Write, st.Merge)
				b.ReportMetric(st.Ratio(), "ratio")
				blocks := float64(st.RawBlocks + st.S2Blocks + st.ZstdBlocks)
				b.ReportMetric(100*float64(st.S2Blocks)/blocks, "%s2")
				b.ReportMetric(100*float64(st.ZstdBlocks)/blocks, "%zstd")
			})
		}
	}
}
