//go:build unix

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// peakTo in the environment makes the test binary the command, which then writes to a file of that name
// how many KiB of memory it had at most.
const peakTo = "FILESORT_TEST_PEAK_TO"

func runForPeak(path string) int {
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	kib, _ := numberAfter("/proc/self/status", "VmHWM:")
	if err := os.WriteFile(path, []byte(strconv.FormatInt(kib, 10)), 0o600); err != nil {
		return exitError
	}
	return code
}

// peakOf runs the command in a process of its own, and returns the most bytes of memory that it had.
func peakOf(t *testing.T, stdin io.Reader, args ...string) int64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peak")
	c := exec.CommandContext(t.Context(), os.Args[0], append(args, "-T", t.TempDir())...)
	c.Env = append(os.Environ(), peakTo+"="+path)
	c.Stdin = stdin
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%q: %v, %.300s", args, err, stderr.String())
	}
	kib, ok := numberAfter(path, "")
	if !ok {
		t.Fatalf("%q: no peak", args)
	}
	return kib << 10
}

// peakLines are options of lines.
var peakLines = []string{"", "-u", "-u -count", "-s -n", "-V", "-k1.2r -f", "-m", "-top 1000"}

// peakTexts are options of lines that are not long.
var peakTexts = append(slices.Clip(peakLines), "--locale en_US.UTF-8", "--locale de -u -k1,1")

// peakInputs are lines and rows of many lengths, and options of which each draw takes one.
var peakInputs = []struct {
	name, head string
	row        func(r *rand.Rand) string
	options    []string
}{
	{"empty lines", "", func(*rand.Rand) string { return "" }, peakTexts},
	{"a letter", "", func(*rand.Rand) string { return "a" }, peakTexts},
	{"numbers", "", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1 << r.IntN(30))) }, peakTexts},
	{"words", "", func(r *rand.Rand) string { return randomText(r, r.IntN(60)) }, peakTexts},
	{"long lines in Swedish", "", func(r *rand.Rand) string { return "å" + strings.Repeat("a1", 2000) + strconv.Itoa(r.IntN(1000)) }, []string{"--locale sv"}},
	{"long lines", "", func(r *rand.Rand) string { return randomText(r, 1<<r.IntN(19)) }, peakLines},
	{"versions", "", func(r *rand.Rand) string { return strings.Repeat("a1", 2000) + strconv.Itoa(r.IntN(1000)) + ".tar.gz" }, []string{"-V", "-V -u", "--locale sv"}},
	{"CSV of two letters", "a,b\n", func(r *rand.Rand) string { return "1,2" }, []string{"-by a", "-by b:float", "-by a:string,b"}},
	{"CSV of six columns", "a,b,c,d,e,f\n", func(r *rand.Rand) string { return "1,,x,2024-01-01,,y" },
		[]string{"-by c", "-by a,b,c,d,e,f", "-by d:time,c:string,f:string,a:float,b:time,e:bool"}},
	{"CSV of an empty column", "a\n", func(r *rand.Rand) string { return "" }, []string{"-by a", "-by a:float", "-by a:string:desc"}},
	{"CSV of quoted texts", "a,b\n", func(r *rand.Rand) string {
		return `"` + randomText(r, r.IntN(50)) + "\n\"\",\"," + strconv.Itoa(r.IntN(99))
	},
		[]string{"-by a", "-by b,a", "-by a:lang=de", "-by a:natural:fold,b:human"}},
	{"CSV of long texts", "a,b\n", func(r *rand.Rand) string { return randomText(r, 1<<r.IntN(19)) + ",1" }, []string{"-by a", "-by b,a:string", "-by a:lang=sv", "-by b:human,a:version"}},
	{"TSV of short rows", "a\tb\tc\n", func(r *rand.Rand) string { return "\t" + strconv.Itoa(r.IntN(10)) + "\t" }, []string{"-by a,b", "-by b", "-by c:string,b:int,a:string"}},
	{"NDJSON without members", "{\"a\":1,\"b\":2,\"c\":3}\n", func(*rand.Rand) string { return "{}" }, []string{"-by a", "-by a,b,c"}},
	{"NDJSON", "", func(r *rand.Rand) string {
		return fmt.Sprintf(`{"a":%d,"b":"\n%s"}`, r.IntN(1000), randomText(r, r.IntN(9)))
	}, []string{"-by a", "-by b,a"}},
	{"lines that are picked", "", func(r *rand.Rand) string { return randomText(r, r.IntN(9)) },
		[]string{"-R", "-shuffle", "-u -count", "-u -keep last -k1.2 -f", "--debug -k1.2n", "-comment #"}},
	{"rows that are picked", "a,b\n", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(9)) + "," + randomText(r, r.IntN(9)) },
		[]string{"-by a -u -count", "-shuffle -header yes", "-by b -top 9 -per a", "-by b,a -u -keep last -comment #"}},
	{"addresses in a locale", "", func(r *rand.Rand) string { return "https://www.example.com/" + strconv.Itoa(r.IntN(1<<r.IntN(30))) },
		[]string{"--locale en_US.UTF-8", "--locale cs -s -k1.9", "--locale de -u -k1,1"}},
}

// The peak of the process is within -S and the memory that the README grants the program besides, for lines
// and rows of any length, in files and through pipes, in memory and on disk.
func TestPeakMemory(t *testing.T) {
	if _, ok := numberAfter("/proc/self/status", "VmHWM:"); !ok {
		t.Skip("the system does not say how much memory a process had")
	}
	testkit.SkipRace(t)
	for i := range testkit.Pick(len(peakInputs), 2*len(peakInputs)) {
		r := rand.New(rand.NewPCG(uint64(i), 59943))
		in := peakInputs[i%len(peakInputs)]
		mib := 8 << r.IntN(3)
		var b strings.Builder
		b.WriteString(in.head)
		share := []float64{0.1, 0.24, 0.48, 1.2}[r.IntN(4)]
		for size := int(share * float64(mib<<20)); ; {
			row := in.row(r) + "\n"
			if b.Len()+len(row) > size {
				break
			}
			b.WriteString(strings.Repeat(row, min(1+r.IntN(20), (size-b.Len())/len(row))))
		}
		path := fileOf(t, "x", b.String())
		args := append([]string{"-S", strconv.Itoa(mib) + "M"}, strings.Fields(in.options[r.IntN(len(in.options))])...)
		var stdin io.Reader
		switch r.IntN(3) {
		case 0:
			args, stdin = append(args, "-"), strings.NewReader(b.String())
		case 1:
			args = append(args, path)
		default:
			args = append(args, path, path)
		}
		peak := peakOf(t, stdin, args...)
		t.Logf("%s, %d bytes, %q: %d MiB over", in.name, b.Len(), args, (peak>>20)-int64(mib))
		most := int64(mib)<<20 + runtimeMemory
		if slices.ContainsFunc(args, func(a string) bool { return a == "--locale" || strings.Contains(a, "lang=") }) {
			most += 16 << 20
		}
		if peak > most { // where other programs have the processors, the collector may come late: once
			if in, ok := stdin.(*strings.Reader); ok {
				in.Reset(b.String())
			}
			peak = peakOf(t, stdin, args...)
		}
		if peak > most {
			t.Errorf("%s, %d bytes, %q: %d MiB, want %d", in.name, b.Len(), args, peak>>20, most>>20)
		}
	}
}

// The same for tables: of a format in another, and of text in a table.
func TestPeakMemoryOfTables(t *testing.T) {
	if _, ok := numberAfter("/proc/self/status", "VmHWM:"); !ok {
		t.Skip("the system does not say how much memory a process had")
	}
	testkit.SkipRace(t)
	for i := range testkit.Pick(3, 40) {
		r := rand.New(rand.NewPCG(uint64(i), 49))
		in, to := append([]string{"csv"}, storedFormats...)[r.IntN(4)], storedFormats[r.IntN(3)]
		mib := 32 << r.IntN(3)
		path := filepath.Join(t.TempDir(), "x."+in)
		n := mib * 1000 * (1 + r.IntN(4))
		if in == "csv" {
			var b strings.Builder
			b.WriteString("a,b,c\n")
			for range n {
				fmt.Fprintf(&b, "%d,%s,%g\n", r.IntN(n), randomText(r, r.IntN(60)), r.Float64())
			}
			expect(t, os.WriteFile(path, []byte(b.String()), 0o600))
		} else {
			writeTable(t, path, in, peakTable(r, n)...)
		}
		args := []string{"-S", fmt.Sprintf("%dM", mib), "-by", []string{"a", "b,a", "c:desc"}[r.IntN(3)], "-to", to, "-o", path + ".out", path}
		peak := peakOf(t, nil, args...)
		t.Logf("%d rows, %q: %d MiB over", n, args, (peak>>20)-int64(mib))
		if most := int64(mib)<<20 + runtimeMemory + 16<<20; peak > most {
			t.Errorf("%d rows, %q: %d MiB, want %d", n, args, peak>>20, most>>20)
		}
	}
}

// peakTable returns batches of n rows of the columns a, b and c.
func peakTable(r *rand.Rand, n int) (all []arrow.RecordBatch) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.String}, {Name: "c", Type: arrow.PrimitiveTypes.Float64}}, nil)
	for n > 0 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range min(n, 10_000) {
			b.Field(0).(*array.Int64Builder).Append(r.Int64())
			b.Field(1).(*array.StringBuilder).Append(randomText(r, r.IntN(60)))
			b.Field(2).(*array.Float64Builder).Append(r.Float64())
		}
		n -= min(n, 10_000)
		all = append(all, b.NewRecordBatch())
	}
	return all
}

// numberAfter returns the number after a word in a file.
func numberAfter(path, word string) (n int64, ok bool) {
	text, err := os.ReadFile(path)
	_, rest, found := strings.Cut(string(text), word)
	if fields := strings.Fields(rest); err == nil && found && len(fields) > 0 {
		n, err = strconv.ParseInt(fields[0], 10, 64)
		return n, err == nil
	}
	return 0, false
}
