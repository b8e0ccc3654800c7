package main

import (
	"strings"
	"testing"
)

func TestRecords(t *testing.T) {
	for _, test := range []struct{ name, args, in, want string }{
		{"all bytes", "-record 3", "cbaabccba", "abccbacba"},
		{"line ends are bytes", "-record 2", "b\na\n\n\n", "\n\na\nb\n"},
		{"a key, ties keep their order", "-record 3 -key 1:2", "xb1xa2yb3ya4", "xa2ya4xb1yb3"},
		{"descending", "-record 3 -key 1:2r", "xb1xa2yb3ya4", "xb1yb3xa2ya4"},
		{"all descending", "-record 1 -r", "bca", "cba"},
		{"a key inherits the direction", "-record 2 -key 0:1 -r", "a1b1a2", "b1a1a2"},
		{"two keys", "-record 2 -key 1:2 -key 0:1r", "a1b1c0", "c0b1a1"},
		{"unique", "-record 2 -key 0:1 -u", "b1a1b2", "a1b1"},
		{"top", "-record 2 -top 1", "b1a1b2", "a1"},
		{"merge", "-record 2 -m", "a1b1", "a1b1"},
		{"nothing", "-record 2", "", ""},
	} {
		got, stderr, code := filesort(test.in, strings.Fields(test.args)...)
		if got != test.want || stderr != "" || code != 0 {
			t.Errorf("%s: %q, exit %d %s", test.name, got, code, stderr)
		}
	}
}

func TestRecordErrors(t *testing.T) {
	for _, test := range []struct {
		args, in string
		code     int
		want     string
	}{
		{"-record 3", "abcd", 2, "filesort: stdin: the last record has 1 of 3 bytes\n"},
		{"-record 0", "", 2, "must be a number of bytes"},
		{"-record 3 -key 2:4", "", 2, "must be a range of the 3 bytes"},
		{"-record 3 -key 2:2", "", 2, "must be a range of the 3 bytes"},
		{"-record 3 -key 1,2", "", 2, "must be FROM:TO, in bytes"},
		{"-record 3 -n", "", 2, "exclude each other"},
		{"-record 3 -z", "", 2, "-record and -z exclude each other"},
		{"-record 3 -t,", "", 2, "-record and -t exclude each other"},
		{"-record 1 -c", "ba", 1, "filesort: -:2: disorder: a\n"},
	} {
		stdout, stderr, code := filesort(test.in, strings.Fields(test.args)...)
		if stdout != "" || code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d, %q %s", test.args, code, stdout, stderr)
		}
	}
}
