package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Keys that are made once compare as the columns of the order do, in any options.
func TestParsedLines(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		args := randomOrder(r)
		cmd, err := parseArgs(append(args, "-"))
		if err != nil {
			continue
		}
		lines := strings.SplitAfter(randomLines(r, "\n"), "\n")
		by := orderLines(cmd.order, func(s string) string { return s })
		var a, b, kept parsedLine
		for range 40 {
			x, y := lines[r.IntN(len(lines))], lines[r.IntN(len(lines))]
			cmd.order.parse(&a, x)
			cmd.order.parse(&b, y)
			cmd.order.keep(&kept, &a, nil)
			want := by.Compare(x, y)
			if got, again := cmd.order.compare(&a, &b), cmd.order.compare(&kept, &b); got != want || again != want {
				t.Fatalf("seed %d: %q: %q and %q: %d and %d, want %d", seed, args, x, y, got, again, want)
			}
		}
	}
}

// A merge makes the keys of a line once, and not again for each line of other files that it is compared
// with: here that would be 10 GB of text for each option.
func TestKeysAreMadeOnce(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	short, long := strings.Repeat("1\n", 20_000), "1"+strings.Repeat("0", 1<<19)+"\n"
	for _, options := range []string{"-n", "-h", "-g", "-V", "-f", "-d", "-M", "-k1,1n", "-n -u", "-V -u", "-f -s", ""} {
		cmd, err := parseArgs(append(strings.Fields(options), "-m", fileOf(t, "x", short), fileOf(t, "y", long)))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.mergeLines(ctx, nil, io.Discard, newMeter(io.Discard, true)); err != nil {
			t.Fatalf("%q: %v", options, err)
		}
	}
}

// A merge of many files, of which some are empty, is a sort of all of them.
func TestMergeLikeSort(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		args := randomOrder(r)
		var files []string
		for i := range 1 + r.IntN(9) {
			text, stderr, code := filesort(randomLines(r, "\n"), append(args, "-")...)
			if code != 0 {
				files = nil
				break
			}
			if stderr != "" {
				t.Fatal(stderr)
			}
			files = append(files, fileOf(t, fmt.Sprint(i), text))
		}
		if files == nil {
			continue
		}
		want, _, _ := filesort("", append(append(args, "-s"), files...)...)
		got, stderr, _ := filesort("", append(append(args, "-s", "-m"), files...)...)
		if got != want {
			t.Fatalf("seed %d: %q: %q, want %q %s", seed, args, got, want, stderr)
		}
	}
}

// Lines that are longer than chunks, in front of and after others, do not change while they wait.
func TestMergeLongLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, options := range []string{"", "-u", "-k1.2,1.3", "-V"} {
		var files []string
		for i := range 3 {
			var b strings.Builder
			for range 300 {
				b.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(3*mergeChunk/100*(1+99*(r.IntN(20)/19)))) + "\n")
			}
			text, _, _ := filesort(b.String(), append(strings.Fields(options), "-")...)
			files = append(files, fileOf(t, fmt.Sprint(i), text))
		}
		want, _, _ := filesort("", append(strings.Fields(options), files...)...)
		got, stderr, _ := filesort("", append(strings.Fields(options+" -m"), files...)...)
		if got != want {
			t.Errorf("%q: %d bytes, want %d %s", options, len(got), len(want), stderr)
		}
		if options != "-u" {
			continue
		}
		if _, stderr, code := filesort(got, "-c", "-u"); code != 0 {
			t.Errorf("not in order: %.100s", stderr)
		}
	}
}

// Rows that are longer than a buffer are written as others are.
func TestLongRowsAreWritten(t *testing.T) {
	rows := []string{"", "a", strings.Repeat("b", writeBuffer-1), strings.Repeat("c", 3*writeBuffer+5), "d", strings.Repeat("e", writeBuffer)}
	for _, workers := range []int{1, 2, 64} {
		c := copier{
			size: func(i int) int { return len(rows[i]) + 1 },
			append: func(dst []byte, lo, hi int) []byte {
				for _, row := range rows[lo:hi] {
					dst = append(append(dst, row...), '\n')
				}
				return dst
			},
			row: func(i int) (string, string) { return rows[i], "\n" },
		}
		var out bytes.Buffer
		if err := writeRows(t.Context(), &out, len(rows), workers, c, newMeter(io.Discard, true)); err != nil {
			t.Fatal(err)
		}
		if want := strings.Join(rows, "\n") + "\n"; out.String() != want {
			t.Errorf("%d workers: %d bytes, want %d", workers, out.Len(), len(want))
		}
	}
}
