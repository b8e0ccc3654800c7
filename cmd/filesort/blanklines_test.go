package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Empty lines are rows where rows have one column and there is no header, wherever they stand, and otherwise none. Those
// before the header stay there.
func TestEmptyLinesInFront(t *testing.T) {
	for _, empty := range []int{1, 2, 3000, 600_000} { // of which chunks hold a part
		lines := strings.Repeat("\n", empty)
		for _, c := range []struct {
			options string
			files   []string
			want    string
		}{
			{"-by 1 -no-header", []string{lines, "5\n3\n"}, "3\n5\n" + lines},
			{"-by 1 -no-header", []string{lines + "5\n3\n"}, "3\n5\n" + lines},
			{"-by 1:desc -no-header", []string{lines + "5\n", "7\n" + lines}, "7\n5\n" + lines + lines},
			{"-by 1 -u -no-header", []string{lines, "5\n3\n5\n"}, "3\n5\n\n"},
			{"-by 1:desc -top 1 -no-header", []string{lines, "3\n5\n"}, "5\n"},
			{"-by 1 -no-header", []string{lines, "5,a\n3,b\n"}, "3,b\n5,a\n"},
			{"-by x", []string{lines, "x,y\n5,a\n3,b\n"}, lines + "x,y\n3,b\n5,a\n"},
			{"-by x", []string{lines + "x,y\n5,a\n" + lines + "3,b\n"}, lines + "x,y\n3,b\n5,a\n"},
			{"-by x", []string{"x,y\n5,a\n", lines, lines + "x,y\n3,b\n"}, "x,y\n3,b\n5,a\n"},
			{"-by 1 -no-header", []string{lines, lines}, lines + lines},
		} {
			for _, memory := range []string{"8M", "400M"} {
				args := append(strings.Fields(c.options), "-format", "csv", "-S", memory)
				for i, text := range c.files {
					args = append(args, fileOf(t, fmt.Sprint(i), text))
				}
				if out, stderr, code := filesort("", args...); code != 0 || out != c.want {
					t.Errorf("%s, %d files, %d empty lines, -S %s: exit %d, %d bytes of %d, %s", c.options, len(c.files), empty, memory, code, len(out), len(c.want), stderr)
				}
			}
		}
	}
}

// Under -f a small letter is a unit of -h, as its upper case is, in keys that lines are merged and checked by, too.
func TestUnitsInUpperCase(t *testing.T) {
	if out, stderr, _ := filesort("1e\n2\n3K\n", "-k1,1hf"); out != "2\n3K\n1e\n" {
		t.Errorf("%q %s", out, stderr)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for _, options := range []string{"-k1,1hf", "-hf", "-k1,1fh -r", "-u -k1,1hf", "-k1,1hf -k2,2n"} {
		args := append(strings.Fields(options), "-s")
		var files []string
		var all strings.Builder
		for i := range 3 {
			var b strings.Builder
			for range 500 {
				fmt.Fprintf(&b, "%d%c %d\n", r.IntN(5), "kKmMgGtTeEzx "[r.IntN(13)], r.IntN(9))
			}
			all.WriteString(b.String())
			sorted, _, _ := filesort(b.String(), args...)
			if _, stderr, code := filesort(sorted, append(args, "-c")...); code != 0 {
				t.Errorf("%s: what is sorted is not: %s", options, stderr)
			}
			files = append(files, fileOf(t, fmt.Sprint(i), sorted))
		}
		want, _, _ := filesort(all.String(), args...)
		if got, stderr, _ := filesort("", append(append(args, "-m"), files...)...); got != want {
			t.Errorf("%s: a merge differs from a sort %s", options, stderr)
		}
	}
}
