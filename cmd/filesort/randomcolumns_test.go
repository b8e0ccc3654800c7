package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Of texts, -R with -by gives the order of sort -R with the same columns as keys and the same source.
func TestRandomColumnsLikeGNU(t *testing.T) {
	sort := gnuSort(t)
	for seed := range seeds(200) {
		r := rand.New(rand.NewPCG(seed, 21))
		var in strings.Builder
		rows, pad := r.IntN(60), ""
		if seed%100 == 0 {
			rows, pad = 30_000, strings.Repeat("p", 300)
		}
		for i := range rows {
			fmt.Fprintf(&in, "%.*s,%d,%.*s,%s\n", r.IntN(3), "ab", i, r.IntN(3), "\x01xy"[r.IntN(2):], pad)
		}
		source := fileOf(t, "source", fmt.Sprintf("%16d", r.Uint64()>>16))
		keys, by := []string{"-k1,1"}, "1:string"
		if r.IntN(2) == 0 {
			keys, by = []string{"-k3,3", "-k1,1"}, "3:string,1:string"
		}
		args := []string{"-R", "--random-source=" + source}
		if r.IntN(3) == 0 {
			args = append(args, "-u")
		}
		want, _ := sort(in.String(), slices.Concat([]string{"-s", "-t,"}, args, keys)...)
		got, disk := limited(t, 8<<20, in.String(), slices.Concat(args, []string{"-format", "csv", "-no-header", "-by", by, "-"})...)
		if got != want || rows > 60 && !slices.Contains(args, "-u") && disk.Runs == 0 {
			t.Fatalf("seed %d: %q of\n%.2000q\ngot\n%.2000q\nwant\n%.2000q", seed, args, in.String(), got, want)
		}
	}
}

// Values that tie stand together, however they are written, in their order, and so do nulls.
func TestRandomColumnsOfTypes(t *testing.T) {
	const in = "k,v\na,1\nb,\nc,2\nd,1.0\ne,NA\nf,100e-2\ng,2.0\nh,NaN\ni,nan\n"
	groups := []string{"a,1\nd,1.0\nf,100e-2\n", "b,\ne,NA\n", "c,2\ng,2.0\n", "h,NaN\ni,nan\n"}
	met := map[string]int{}
	const each, orders = 15, 24
	for seed := range each * orders {
		got, stderr, _ := filesort(in, "-R", "-seed", fmt.Sprint(seed), "-by", "v:float", "-null", "NA", "-")
		order := got
		for i, g := range groups {
			order = strings.Replace(order, g, fmt.Sprint(i), 1)
		}
		if len(order) != len("k,v\n0123") {
			t.Fatalf("seed %d: %q %s", seed, got, stderr)
		}
		met[order]++
		if seed >= orders {
			continue
		}
		again, _, _ := filesort(in, "--sort=random", "-by", "v:float", "-null", "NA", "-seed", fmt.Sprint(seed))
		if again != got {
			t.Fatalf("seed %d: %q and %q", seed, got, again)
		}
	}
	sum := 0.0 // of chi squared, of 23 degrees of freedom: 23 ± 6.8
	for _, n := range met {
		sum += float64((n-each)*(n-each)) / each
	}
	if len(met) != orders || sum > 23+6*6.8 || sum < 23-3.2*6.8 {
		t.Errorf("%d orders of groups, want %d, chi squared %.0f", len(met), orders, sum)
	}
}

// Groups of two columns are nested: those of the first are together. -top, -per, -u, -c and -m take the same order.
func TestRandomColumnsSelected(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 22))
	in := "a,b,n\n"
	for n := range 300 {
		in += fmt.Sprintf("%d,%d,%d\n", r.IntN(5), r.IntN(4), n)
	}
	sorted := func(args ...string) []string {
		t.Helper()
		got, stderr, code := filesort(in, append([]string{"-R", "-seed", "3"}, args...)...)
		if code != 0 || !strings.HasPrefix(got, "a,b,n\n") {
			t.Fatalf("%q: exit %d, %s, %.40q", args, code, stderr, got)
		}
		return slices.Collect(strings.Lines(got))[1:]
	}
	key := func(row string, columns int) string { return strings.Join(strings.Split(row, ",")[:columns], ",") }
	heads := func(rows []string, columns int) (first []string) {
		for i, row := range rows {
			if i == 0 || key(rows[i-1], columns) != key(row, columns) {
				first = append(first, row)
			}
		}
		return first
	}
	all := sorted("-by", "a,b")
	if a, b := heads(all, 1), heads(all, 2); len(a) != 5 || len(b) != 20 || len(all) != 300 {
		t.Errorf("%d groups of a, %d of a and b, %d rows", len(a), len(b), len(all))
	}
	if got := sorted("-by", "a,b", "-u"); !slices.Equal(got, heads(all, 2)) {
		t.Errorf("-u: %q", got)
	}
	if got := sorted("-by", "a,b", "-top", "7"); !slices.Equal(got, all[:7]) {
		t.Errorf("-top 7: %q", got)
	}
	if got := sorted("-by", "b", "-top", "1", "-per", "a"); !slices.Equal(got, heads(all, 1)) {
		t.Errorf("-per a: %q", got)
	}
	if got := sorted("-by", "a,b", "-m"); !slices.Equal(got, all) {
		t.Errorf("-m: %q", got)
	}
	if _, stderr, code := filesort("a,b,n\n"+strings.Join(all, ""), "-R", "-seed", "3", "-c", "-by", "a,b"); code != 0 {
		t.Errorf("-c: exit %d, %s", code, stderr)
	}
	if _, _, code := filesort(in, "-R", "-seed", "3", "-c", "-by", "a,b"); code != exitDisorder {
		t.Errorf("-c of rows as they came: exit %d", code)
	}
}
