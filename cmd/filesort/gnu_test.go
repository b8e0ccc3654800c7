package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gnuSort returns a function that runs GNU sort, and skips the test without one.
func gnuSort(t testing.TB) func(stdin string, args ...string) (stdout string, code int) {
	return gnuSortIn(t, "C")
}

// gnuSortIn is gnuSort in a locale.
func gnuSortIn(t testing.TB, locale string) func(stdin string, args ...string) (stdout string, code int) {
	path, err := exec.LookPath("sort")
	if err != nil {
		t.Skip("no sort on this machine")
	}
	run := func(stdin string, args ...string) (string, int) {
		c := exec.Command(path, args...)
		c.Env = append(os.Environ(), "LC_ALL="+locale)
		c.Stdin = strings.NewReader(stdin)
		out, _ := c.Output()
		return string(out), c.ProcessState.ExitCode()
	}
	if out, _ := run("", "--version"); !strings.Contains(out, "GNU coreutils") {
		t.Skip("sort is not that of GNU")
	}
	return run
}

// randomLines returns lines of a few kinds of words, so that many keys tie, between separators
// of several kinds. NaN is none of them: GNU sort compares padding bytes of NaNs; nor is byte 0x80, which version 9.1 takes
// for a separator of thousands.
func randomLines(r *rand.Rand, eol string) string {
	words := []string{
		"", "a", "A", "b", "B", "ab", "aB", "Ab", "a_b", "a-b", "é", "\x01", "z\x81", "~", ".", "..", ".a", "a.b", "a.tar.gz", "a~",
		"0", "-0", "00", "1", "01", "-1", "+1", "10", "9", "9.", ".5", "-.5", "1.50", "1.5", "1e2", "-", "--1", "1,000",
		"12345678901234567890", "12345678901234567891", "-12345678901234567890", "-12345678901234567891.5", "123456789012345678",
		"0.00000000000000000000000001", "0.000000000000000000000000011", "9007199254740993", "9007199254740992",
		"1K", "2k", "1M", "1023K", "-1K", "-2M", "5.K", "1.5G", "0K", "3Y",
		"inf", "-inf", "Infinity", "0x1p4", "0x", "1e", "1e+", "1e400", "-1e400", "1e5000", "1e-400", "1e-5000", "0.1", "0.10000000000000000001",
		"jan", "JAN", "Feb", " mar", "decx", "ja", "v1.9", "v1.10", "v1.010", "v1.9.tar",
	}
	few := make([]string, 1+r.IntN(8))
	for i := range few {
		few[i] = words[r.IntN(len(words))]
	}
	seps := []string{" ", "  ", "\t", ",", ":", " ,", "", "\x00"}
	if eol == "\x00" {
		seps[7] = "\n"
	}
	seps = seps[:1+r.IntN(len(seps))]
	var b strings.Builder
	for range r.IntN(40) {
		for range r.IntN(5) {
			b.WriteString(few[r.IntN(len(few))] + seps[r.IntN(len(seps))])
		}
		b.WriteString(eol)
	}
	if b.Len() > 0 && r.IntN(4) == 0 {
		return b.String()[:b.Len()-1]
	}
	return b.String()
}

// randomOrder returns options of sort.
func randomOrder(r *rand.Rand) (args []string) {
	letters := func(n int) string {
		sets := []string{"", "n", "g", "h", "M", "V", "d", "f", "i", "df", "di", "fi", "b", "bn", "bf", "r", "nr", "br", "fr", "fn", "R", "Rf", "Rb"}
		s := sets[r.IntN(n)]
		if r.IntN(4) == 0 {
			return s + "r"
		}
		return s
	}
	position := func(zero bool) string {
		s := fmt.Sprint(1 + r.IntN(4))
		if r.IntN(3) == 0 {
			c := 1 + r.IntN(4)
			if zero && r.IntN(4) == 0 {
				c = 0
			}
			s += fmt.Sprintf(".%d", c)
		}
		return s
	}
	for range r.IntN(4) {
		key := position(false)
		if r.IntN(3) == 0 {
			key += []string{"", "b"}[r.IntN(2)]
		}
		if r.IntN(3) > 0 {
			key += "," + position(true)
		}
		args = append(args, "-k"+key+letters(23))
	}
	if s := letters(23); s != "" && r.IntN(2) == 0 {
		args = append(args, "-"+s)
	}
	if r.IntN(3) == 0 {
		args = append(args, "-t"+[]string{" ", ",", ":", "\t"}[r.IntN(4)])
	}
	if random := func(arg string) bool { return strings.Contains(arg, "R") }; slices.ContainsFunc(args, random) {
		args = append(args, "--random-source=/proc/version")
	}
	for _, o := range []string{"-s", "-u"} {
		if r.IntN(4) == 0 {
			args = append(args, o)
		}
	}
	return args
}

// endsEarly reports whether an argument is a key that may end before it begins. Before version 9.2, sort --debug marks
// such a key of numbers after the blanks that follow it.
func endsEarly(arg string) bool {
	text, is := strings.CutPrefix(arg, "-k")
	k, err := parseKey(text)
	return is && err == nil && (k.endField < k.field || k.endField < toEnd && (k.char > 0 || k.opts&blanksAtStart != 0))
}

// draws are the rounds of tests against GNU sort. 0: a few seconds of them.
var draws = flag.Uint64("draws", 0, "rounds of tests that draw command lines for GNU sort")

// Whatever the options, the output is that of GNU sort; where it refuses them, so do we.
func TestLikeGNU(t *testing.T) {
	sort := gnuSort(t)
	rounds := uint64(300)
	if testing.Short() {
		rounds = 100
	}
	for seed := range max(rounds, *draws) {
		r := rand.New(rand.NewPCG(seed, 2))
		args, eol := append(randomOrder(r), "-"), "\n" // a file, because -h alone is for help
		if r.IntN(6) == 0 {
			args, eol = append(args, "-z"), "\x00"
		}
		if r.IntN(4) == 0 && !slices.ContainsFunc(args, endsEarly) {
			args = append(args, "--debug")
		}
		in := randomLines(r, eol)
		want, code := sort(in, args...)
		got, stderr, ours := filesort(in, args...)
		if got != want || ours != code {
			t.Fatalf("seed %d: %q of\n%q\ngot  %q, exit %d, %s\nwant %q, exit %d", seed, args, in, got, ours, stderr, want, code)
		}
		if code != 0 || *draws > rounds && seed%10 > 0 { // of many draws, few with -C and -m
			continue
		}
		_, code = sort(in, append(args, "-C")...)
		if _, _, ours := filesort(in, append(args, "-C")...); ours != code {
			t.Fatalf("seed %d: %q -C of\n%q\nexit %d, want %d", seed, args, in, ours, code)
		}
		compareMerge(t, sort, r, slices.DeleteFunc(args, func(s string) bool { return s == "-" || s == "--debug" }), eol)
	}
}

// compareMerge compares the merge of sorted files.
func compareMerge(t *testing.T, sort func(string, ...string) (string, int), r *rand.Rand, args []string, eol string) {
	t.Helper()
	dir := t.TempDir()
	args = append(args, "-m")
	for i := range 1 + r.IntN(4) {
		sorted, _ := sort(randomLines(r, eol), args[:len(args)-1-i]...)
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(sorted), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	want, _ := sort("", args...)
	got, stderr, _ := filesort("", args...)
	if got != want {
		t.Fatalf("%q\ngot  %q\nwant %q\n%s", args, got, want, stderr)
	}
}

// FuzzLikeGNU compares the output for any text and key.
func FuzzLikeGNU(f *testing.F) {
	sort := gnuSort(f)
	f.Add("b 2\na 10\n", "2n", "", uint8(0))
	f.Add("1.5K x\n-3M\n", "1h,1", "r", uint8(1))
	f.Fuzz(func(t *testing.T, text, key, options string, more uint8) {
		args := []string{"-", "--random-source=/proc/version"}
		if key != "" {
			args = append(args, "-k", key)
		}
		for _, c := range options {
			if !strings.ContainsRune("bdfghiMnrVRsuz", c) {
				return
			}
			args = append(args, "-"+string(c))
		}
		if more&1 != 0 {
			args = append(args, "-t,")
		}
		// Neither NaN nor byte 0x80: randomLines says why.
		if strings.Contains(strings.ToLower(text), "nan") || strings.Contains(text, "\x80") || strings.Contains(key+options, "\x00") {
			return
		}
		want, code := sort(text, args...)
		var out bytes.Buffer
		ours := run(args, strings.NewReader(text), &out, new(bytes.Buffer))
		if out.String() != want || ours != code {
			t.Fatalf("%q of %q\ngot  %q, exit %d\nwant %q, exit %d", args, text, out.String(), ours, want, code)
		}
	})
}
