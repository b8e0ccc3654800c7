package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Each order of a few rows is as likely as any other: seeds and places in a row make none.
func TestShuffleIsFair(t *testing.T) {
	const rows, each = 5, 200
	for name, key := range map[string]func(seed uint64, row int) []byte{
		"seeds in a row": func(seed uint64, row int) []byte { return shuffled(nil, seed, 0, int64(row)) },
		"offsets":        func(seed uint64, row int) []byte { return shuffled(nil, 7, int(seed), int64(row)*17) },
		"inputs":         func(seed uint64, row int) []byte { return shuffled(nil, seed<<32, row, 0) },
	} {
		met := map[string]int{}
		orders := 120
		for seed := range uint64(orders * each) {
			order := []byte("01234")
			slices.SortFunc(order, func(a, b byte) int { return bytes.Compare(key(seed, int(a-'0')), key(seed, int(b-'0'))) })
			met[string(order)]++
		}
		sum := 0.0 // of chi squared, of 119 degrees of freedom: 119 ± 15
		for _, n := range met {
			sum += float64((n-each)*(n-each)) / each
		}
		if len(met) != orders || sum > 119+6*15.5 || sum < 119-6*15.5 {
			t.Errorf("%s: %d orders of %d, chi squared %.0f", name, len(met), rows, sum)
		}
	}
}

// A shuffle is the order of the places that the seed gives rows, whatever the memory and the workers.
func TestShuffleAgainstModel(t *testing.T) {
	const seed = 3
	for _, n := range []int{0, 1, 2, 1000, 60_000} {
		var lines, rows []string
		keys := map[string]string{}
		at := int64(len("k,v,pad\n"))
		pad := strings.Repeat("z", 200)
		for i := range n {
			line := fmt.Sprintf("%d,%d,%s\n", i%7, i, pad)
			lines = append(lines, line)
			keys[line] = string(shuffled(nil, seed, 1, at))
			at += int64(len(line))
		}
		in := strings.Join(lines, "")
		index := map[string]string{}
		for i, line := range lines {
			index[line] = string(shuffled(nil, seed, 0, int64(i)))
		}
		rows = slices.Clone(lines)
		slices.SortFunc(lines, func(a, b string) int { return strings.Compare(index[a], index[b]) })
		slices.SortFunc(rows, func(a, b string) int { return strings.Compare(keys[a], keys[b]) })
		for _, memory := range []int64{8 << 20, 1 << 30} {
			got, disk := limited(t, memory, in, "-shuffle", "-seed", "3", fmt.Sprint("--parallel=", 1+n%3))
			if want := strings.Join(lines, ""); got != want || (disk.Runs > 0) != (n > 50_000 && memory < 1<<30) {
				t.Errorf("%d lines, -S %d: %d bytes, want %d, %d runs", n, memory, len(got), len(want), disk.Runs)
			}
			got, _ = limited(t, memory, "k,v,pad\n"+in, "-shuffle", "-seed", "3", "-format", "csv")
			if want := "k,v,pad\n" + strings.Join(rows, ""); got != want {
				t.Errorf("%d rows, -S %d: %d bytes, want %d", n, memory, len(got), len(want))
			}
			want := "k,v,pad\n"
			for k := range 7 {
				of := slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return row[0] != byte('0'+k) })
				want += strings.Join(of[:min(2, len(of))], "")
			}
			if got, _ = limited(t, memory, "k,v,pad\n"+in, "-shuffle", "-seed", "3", "-top", "2", "-per", "k"); got != want {
				t.Errorf("%d rows, -S %d, 2 of each k: got %.200q, want %.200q", n, memory, got, want)
			}
		}
	}
}

// Without a seed each shuffle is another one, and so is each -R without a source. Equal keys of -R are together.
func TestShuffleWithoutSeed(t *testing.T) {
	in := strings.Repeat("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\n", 2)
	for _, args := range []string{"-shuffle", "-R", "--sort=random", "-shuffle -record 2", "-shuffle -format ndjson", "-m -R"} {
		text := in
		if strings.Contains(args, "ndjson") {
			text = strings.ReplaceAll(strings.ReplaceAll(in, "\n", "\"}\n"), "}\n", "}\n{\"a\":\"")
			text = "{\"a\":\"" + strings.TrimSuffix(text, "{\"a\":\"")
		}
		met := map[string]bool{}
		for range 4 {
			got, stderr, code := filesort(text, append(strings.Split(args, " "), "-")...)
			if met[got] = true; code != 0 || !slices.Equal(sortedLines(got), sortedLines(text)) {
				t.Errorf("%s: exit %d, %s, %q", args, code, stderr, got)
			}
			for i := 0; i+3 < len(got) && args == "-R"; i += 4 {
				if got[i] != got[i+2] {
					t.Errorf("-R tears keys that are the same: %q", got)
				}
			}
		}
		if len(met) < 2 && args != "-m -R" { // four times the same of 32! orders
			t.Errorf("%s: the same order each time", args)
		}
	}
}
