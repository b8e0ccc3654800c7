package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// tied is what a model knows of rows that tie.
type tied struct {
	count       int
	first, last string
}

func (x *tied) add(row string) {
	if x.count++; x.count == 1 {
		x.first = row
	}
	x.last = row
}

// Of elements that tie, the sorter gets the first or the last, in their order, with counts that add up, whatever memory holds
// and however long elements are, also where different keys have the same hash.
func TestCombinerAgainstModel(t *testing.T) {
	for seed := range seeds(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		keyOf := func(e string) string { key, _, _ := strings.Cut(e[len("c"):], " "); return key }
		counted := func(e string) string { return e[strings.IndexByte(e, ' '):][1:] }
		tying := tying{func(a, b string) bool { return keyOf(a) == keyOf(b) }, hashOf(keyOf), counted}
		if r.IntN(3) == 0 {
			tying.hash = func(e string) uint64 { return uint64(len(keyOf(e))) }
		}
		s, err := extsort.NewCoded(sorter.By(sorter.Asc(keyOf)), extsort.Strings())
		if err != nil {
			t.Fatal(err)
		}
		last := r.IntN(2) == 0
		c := newCombiner(s, tying, last, int64(1+r.IntN(5))*heldBlock)
		keys, longest := 1+r.IntN(1<<r.IntN(12)), 1<<r.IntN(17)
		model := map[string]*tied{}
		rows := r.IntN(min(5000, 8<<20/longest))
		for i := range rows {
			key := fmt.Sprint(r.IntN(keys))
			row := fmt.Sprint(i, strings.Repeat("x", r.IntN(longest)))
			if model[key] == nil {
				model[key] = new(tied)
			}
			model[key].add(row)
			memory := []byte("c" + key + " \x01" + row)
			if err := c.Append(stringOf(memory)); err != nil {
				t.Fatal(err)
			}
			clear(memory)
		}
		if err := c.Flush(); err != nil || c.Len() != int64(rows) {
			t.Fatalf("seed %d: %d rows, want %d, %v", seed, c.Len(), rows, err)
		}
		met := map[string]*tied{}
		for e, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			count, row := cutCount(counted(e))
			x := met[keyOf(e)]
			if x == nil {
				x = &tied{first: strings.Clone(row)}
				met[strings.Clone(keyOf(e))] = x
			}
			x.count, x.last = x.count+count, strings.Clone(row)
		}
		for key, want := range model {
			got := met[key]
			if got == nil || got.count != want.count || !last && got.first != want.first || last && got.last != want.last {
				t.Fatalf("seed %d: key %s: %.60v, want %.60v", seed, key, got, want)
			}
		}
		if len(met) != len(model) {
			t.Errorf("seed %d: %d keys, want %d", seed, len(met), len(model))
		}
		s.Close()
	}
}

// -count and -keep last leave what a model that sorts nothing has, and need disk only for values that differ.
func TestCountsBeyondMemory(t *testing.T) {
	const rows, memory = 40_000, 8 << 20
	pad := strings.Repeat("z", 300)
	for seed := range seeds(18) {
		r := rand.New(rand.NewPCG(seed, 12))
		keys := []int{5, 1_000, 20_000}[seed%3]
		form := []string{"whole", "keys", "numbers", "csv", "csv by texts", "ndjson"}[seed/3%6]
		model := map[int]*tied{}
		var in strings.Builder
		if strings.HasPrefix(form, "csv") {
			in.WriteString("k,n,pad\n")
		}
		for i := range rows {
			k := r.IntN(keys)
			row := fmt.Sprintf("%06d,%d,%s", k, i, pad)
			switch form {
			case "whole":
				row = fmt.Sprintf("%06d %s", k, pad)
			case "ndjson":
				row = fmt.Sprintf(`{"k":%d,"n":%d,"pad":"%s"}`, k, i, pad)
			}
			if model[k] == nil {
				model[k] = new(tied)
			}
			model[k].add(row)
			in.WriteString(row + "\n")
		}
		args := slices.Concat([]string{"-u", "-count"}, map[string][]string{
			"whole": {}, "keys": {"-t,", "-k1,1"}, "numbers": {"-t,", "-k1,1n"},
			"csv": {"-by", "k:int"}, "csv by texts": {"-by", "k"}, "ndjson": {"-by", "k", "-format", "ndjson"},
		}[form])
		last := r.IntN(2) == 0
		if last {
			args = append(args, "-keep=last")
		}
		var want strings.Builder
		if strings.HasPrefix(form, "csv") {
			want.WriteString("k,n,pad,count\n")
		}
		for _, k := range slices.Sorted(maps.Keys(model)) {
			row := model[k].first
			if last {
				row = model[k].last
			}
			switch {
			case strings.HasPrefix(form, "csv"):
				fmt.Fprintf(&want, "%s,%d\n", row, model[k].count)
			case form == "ndjson":
				fmt.Fprintf(&want, "%s,\"count\":%d}\n", strings.TrimSuffix(row, "}"), model[k].count)
			default:
				fmt.Fprintf(&want, "%7d %s\n", model[k].count, row)
			}
		}
		got, disk := limited(t, memory, in.String(), args...)
		if got != want.String() {
			t.Fatalf("seed %d: %q of %d keys: got\n%.2000q\nwant\n%.2000q", seed, args, keys, got, want.String())
		}
		if spills := keys == 20_000; (disk.Bytes > 0) != spills {
			t.Errorf("%q of %d keys: %d bytes of %d went to disk", args, keys, disk.Bytes, in.Len())
		}
	}
}

// A group's rows that tie do not go to disk either.
func TestGroupsBeyondMemory(t *testing.T) {
	const rows = 60_000
	var in strings.Builder
	in.WriteString("k,n,pad\n")
	for i := range rows {
		fmt.Fprintf(&in, "%d,%d,%s\n", i%7, i%11, strings.Repeat("z", 300))
	}
	want := "k,n,pad\n"
	for k := range 7 {
		for n := range 2 {
			want += fmt.Sprintf("%d,%d,%s\n", k, n, strings.Repeat("z", 300))
		}
	}
	got, disk := limited(t, 8<<20, in.String(), "-by", "n", "-u", "-top", "2", "-per", "k")
	if got != want || disk.Written > int64(in.Len())/100 {
		t.Errorf("%d bytes on disk, got %.300q, want %.300q", disk.Written, got, want)
	}
}
