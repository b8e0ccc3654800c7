package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// A row that is too long for -S is named with its length and an -S that has room for it, as lines
// are.
func TestLongRow(t *testing.T) {
	short := "a,b\n" + strings.Repeat("1,"+strings.Repeat("y", 3000)+"\n", 1000)
	long := strings.Repeat("x", 700_000)
	for _, test := range []struct{ by, row, want string }{
		{"a:int", "2," + long + "\n", "FILE:1002: this row has 700003 bytes, and -S 8192K has room for rows of 524288; -S"},
		{"a", "2," + long, "FILE:1002: this row has 700002 bytes, and -S 8192K has room"},
		{"a", "2,\"" + long + "\n" + long + "\"\r\n", "FILE:1002: this row has 1400007 bytes, and -S 8192K has room"},
		{"b", "2," + strings.Repeat("\x01", 500_000) + "\n", "row 1001 of the input has 1500007 bytes with its key, and -S 8192K has room for"},
		{"a", "2,\"" + long, "FILE:1002: a quote in this row of more than 524288 bytes is never closed\n"},
		{"a", "2,\r" + long, "FILE:1002:3: " + loneReturn},
	} {
		path := fileOf(t, "x.csv", short+test.row)
		sort := func(memory string) (stdout, stderr string, code int) {
			return filesort("", "-u", "-by", test.by, "-T", t.TempDir(), "-S", memory, path)
		}
		_, stderr, code := sort("8M")
		if want := "filesort: " + strings.ReplaceAll(test.want, "FILE", path); code != exitError || !strings.HasPrefix(stderr, want) {
			t.Errorf("exit %d, got %.300s\nwant %s", code, stderr, want)
			continue
		}
		if named := regexp.MustCompile(`-S (\d+)K is enough`).FindStringSubmatch(stderr); named != nil {
			var kib int
			fmt.Sscan(named[1], &kib)
			if _, stderr, code := sort(named[1] + "K"); code != 0 || kib > 16*len(test.row)>>10*3/2 {
				t.Errorf("-S %dK for %d bytes: exit %d, %.300s", kib, len(test.row), code, stderr)
			}
		}
	}
}

// TestLongLineErrorEnds has an error for a line that is too long while the reader waits for the memory of others.
func TestLongLineErrorEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 59943))
	var b strings.Builder
	for b.Len() < 8_000_000 {
		b.WriteString(strings.Repeat(randomText(r, 1<<r.IntN(20))+"\n", 1+r.IntN(20)))
	}
	path := fileOf(t, "x", b.String())
	for range 12 {
		_, errors, code := filesort("", "-S", "16M", "--locale", "de", "-u", "-k1,1", "-k1,1", "-k1,1", "-T", t.TempDir(), path)
		if code != 2 || !strings.Contains(errors, "bytes with its key") {
			t.Fatalf("code %d, %s", code, errors)
		}
	}
}

// randomText returns n letters.
func randomText(r *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + r.IntN(26))
	}
	return string(text)
}
