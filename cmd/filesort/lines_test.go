package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The output of GNU sort for the same lines, for machines without it.
var lineTests = []struct {
	name, args, in, want string
}{
	{"bytes", "", "b\na\nB\né\n\n", "\nB\na\nb\né\n"},
	{"a last line without its end", "", "b\na", "a\nb\n"},
	{"nothing", "", "", ""},
	{"carriage returns are text", "", "a\r\na\n", "a\na\r\n"},
	{"reverse", "-r", "a\nc\nb\n", "c\nb\na\n"},
	{"numbers", "-n", "10\n9\n-1\nx\n\n 2\n-0\n", "-1\n\n-0\nx\n 2\n9\n10\n"},
	{"numbers of any length", "-n", "12345678901234567891\n12345678901234567890\n-12345678901234567890.1\n-12345678901234567890\n",
		"-12345678901234567890.1\n-12345678901234567890\n12345678901234567890\n12345678901234567891\n"},
	{"numbers have no exponents", "-n", "1e3\n2\n", "1e3\n2\n"},
	{"floats have", "-g", "1e3\n2\nx\nnan\n-inf\n0x10\n", "x\nnan\n-inf\n2\n0x10\n1e3\n"},
	{"units", "-h -", "1M\n1023K\n2\n-1K\n1.5G\n", "-1K\n2\n1023K\n1M\n1.5G\n"},
	{"months", "-M", "dec\nJan\nx\n feb\n", "x\nJan\n feb\ndec\n"},
	{"versions", "-V", "v1.10\nv1.9\nv1.9.tar.gz\n.x\n", ".x\nv1.9\nv1.9.tar.gz\nv1.10\n"},
	{"upper case for lower", "-f", "b\nA\na\nB\n", "A\na\nB\nb\n"},
	{"letters, digits and blanks", "-d", "a-c\nab\n", "ab\na-c\n"},
	{"printable", "-i", "a\x01c\nab\n", "ab\na\x01c\n"},
	{"leading blanks", "-b", "  b\n c\na\n", "a\n  b\n c\n"},
	{"a key", "-k2", "b 1\na 2\nc 0\n", "c 0\nb 1\na 2\n"},
	{"ties by the whole line", "-k2", "b 1\na 1\n", "a 1\nb 1\n"},
	{"reverse ties, too", "-r -k2", "a 1\nb 1\n", "b 1\na 1\n"},
	{"the reverse of a key is its own", "-k2r", "b 1\na 1\nc 2\n", "c 2\na 1\nb 1\n"},
	{"stable", "-s -k2", "b 1\na 1\n", "b 1\na 1\n"},
	{"several keys", "-t, -k2,2n -k1,1r", "a,2\nb,10\nb,2\n", "b,2\na,2\nb,10\n"},
	{"a key ends with its field", "-t, -k1,1 -s", "a,b\na,a\n", "a,b\na,a\n"},
	{"a key of characters", "-k1.2,1.2 -s", "xb\nya\nzb\n", "ya\nxb\nzb\n"},
	{"a field that is missing is empty", "-t, -k3", "a,b,c\na\n", "a\na,b,c\n"},
	{"blanks belong to the field that follows", "-k2,2", "a  b\na a\n", "a  b\na a\n"},
	{"unless they are left out", "-k2b,2", "a  b\na a\n", "a a\na  b\n"},
	{"keys without options inherit all", "-n -k1,1 -k2,2r", "10 a\n9 a\n9 b\n", "9 b\n9 a\n10 a\n"},
	{"unique", "-u", "b\na\nb\n", "a\nb\n"},
	{"unique by keys keeps the first", "-u -k1,1", "b 2\na 1\nb 1\n", "a 1\nb 2\n"},
	{"NUL", "-z", "b\na\x00a\nb\x00", "a\nb\x00b\na\x00"},
	{"bundles", "-nru", "1\n10\n2\n1\n", "10\n2\n1\n"},
	{"long names", "--key=2,2 --numeric-sort --reverse", "a 1\nb 10\n", "b 10\na 1\n"},
	{"words for orders", "--sort=human-numeric", "1M\n1K\n", "1K\n1M\n"},
	{"top", "-n -top 2", "3\n1\n2\n", "1\n2\n"},
	{"top of unique ones", "-n -u -top 2", "3\n1\n1\n2\n", "1\n2\n"},
}

func TestLines(t *testing.T) {
	for _, test := range lineTests {
		t.Run(test.name, func(t *testing.T) {
			got, stderr, code := filesort(test.in, strings.Fields(test.args)...)
			if got != test.want || stderr != "" || code != 0 {
				t.Errorf("filesort %s\nof   %q\ngot  %q\nwant %q\nexit %d %s", test.args, test.in, got, test.want, code, stderr)
			}
		})
	}
}

// The fixed cases are right.
func TestLinesLikeGNU(t *testing.T) {
	sort := gnuSort(t)
	for _, test := range lineTests {
		if strings.Contains(test.args, "-top") {
			continue
		}
		if got, _ := sort(test.in, strings.Fields(test.args)...); got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for path, text := range map[string]string{a: "2\n4", b: "1\n3\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := filepath.Join(dir, "names")
	if err := os.WriteFile(names, []byte(a+"\x00"+b+"\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{a, "-", b}, {"-m", a, "-", b}} {
		if got, stderr, _ := filesort("2.5\n", args...); got != "1\n2\n2.5\n3\n4\n" {
			t.Errorf("%q: %q %s", args, got, stderr)
		}
	}
	if got, stderr, _ := filesort("", "--files0-from", names); got != "1\n2\n3\n4\n" {
		t.Errorf("--files0-from: %q %s", got, stderr)
	}
	for _, text := range []string{"-", "-\x00", "a\x00-\x00"} {
		if err := os.WriteFile(names, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, stderr, code := filesort("", "--files0-from", names); got != "" || code != 2 || !strings.Contains(stderr, "does not allow") {
			t.Errorf("--files0-from of %q: %q %s, exit %d", text, got, stderr, code)
		}
	}
	if got, stderr, code := filesort("", b, a, "-o", a); got != "" || code != 0 {
		t.Errorf("%q %s", got, stderr)
	}
	if text, _ := os.ReadFile(a); string(text) != "1\n2\n3\n4\n" {
		t.Errorf("the output is %q", text)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		args, in string
		code     int
		stderr   string
	}{
		{"-c", "a\nb\n", 0, ""},
		{"-c", "a\na\n", 0, ""},
		{"-c", "", 0, ""},
		{"-c", "b\na\n", 1, "filesort: -:2: disorder: a\n"},
		{"-C", "b\na\n", 1, ""},
		{"--check=quiet", "b\na\n", 1, ""},
		{"-cu", "a\nb\nb\n", 1, "filesort: -:3: disorder: b\n"},
		{"-c -k2n", "b 9\na 10\n", 0, ""},
		{"-cr", "b\na\n", 0, ""},
		{"-cz", "b\x00a\x00", 1, "filesort: -:2: disorder: a\x00"},
		{"--check=q", "b\na\n", 1, ""},
		{"--check=d --sort=n", "2\n10\n", 0, ""},
		{"-c -c", "a\n", 0, ""},
		{"-c -C", "a\n", 2, "filesort: options '-cC' are incompatible\nTry 'filesort -h'.\n"},
		{"-C --check", "a\n", 2, "filesort: invalid value \"\" of --check: options '-cC' are incompatible\nTry 'filesort -h'.\n"},
	} {
		stdout, stderr, code := filesort(test.in, strings.Fields(test.args)...)
		if stdout != "" || stderr != test.stderr || code != test.code {
			t.Errorf("%s of %q: exit %d, %q %q", test.args, test.in, code, stdout, stderr)
		}
	}
}

// Lines of all lengths around the sizes of slots, length fields and buffers.
func TestLongLines(t *testing.T) {
	var want []string
	for i, n := range []int{0, 1, writeBuffer - 1, writeBuffer, slotSize - 2, slotSize, longLine - 1, longLine} {
		want = append(want, string(rune('a'+i))+strings.Repeat("x", n))
	}
	var in strings.Builder
	for i := range want {
		in.WriteString(want[len(want)-1-i] + "\n")
	}
	got, stderr, _ := filesort(in.String())
	if got != strings.Join(want, "\n")+"\n" {
		t.Errorf("%d bytes of %d %s", len(got), in.Len(), stderr)
	}
}
