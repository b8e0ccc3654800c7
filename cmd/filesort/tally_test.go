package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// A column of text that looks like one of another kind is named, in memory and through the disk.
// There are no other messages.
func TestDoubt(t *testing.T) {
	const years = "t\n2023-01-01\n2024-01-01\n"
	for _, test := range []struct{ args, in, want string }{
		{"-by n", "n\n10\n9\nx\n1\n", `stdin:4:1: "x" is no number, so column n is sorted as text; 3 of its 4 values are numbers. Give the type: -by n:string, or n:float, which makes other values errors`},
		{"-by m,n:desc", "m,n\na,x y\nb,\nc,1.5\nd,1\nd,n/a\nd,inf\n", `stdin:2:3: "x y" is no number, so column n is sorted as text; 3 of its 5 values are numbers. Give the type: -by n:string:desc, or n:float:desc, which makes other values errors`},
		{"-by t", years + "yesterday\n", `stdin:4:1: "yesterday" is no time, so column t is sorted as text; 2 of its 3 values are times. Give the type: -by t:string, or t:time, which makes other values errors`},
		{"-by t", years + "infinity\n2024-02-30\n", `stdin:5:1: "2024-02-30" is no time, so column t is sorted as text; 3 of its 4 values are times.`},
		{"-by b", "b\ntrue\nfalse\nTRUE\n0\n", `stdin:5:1: "0" is no boolean, so column b is sorted as text; 3 of its 4 values are booleans.`},
		{"-by a.b", `{"a":{"b":1}}` + "\n" + `{"a":{"b":2}}` + "\n" + `{"a":{"b":[3]}}` + "\n", `stdin:3:11: "[3]" is no number, so column a.b is sorted as text`},
		{"-by n", "n\n1\n2\n" + strings.Repeat("é", 50) + "\n", fmt.Sprintf(`stdin:4:1: %q is no number`, strings.Repeat("é", 40))},

		{"-by n", "n\n1\n2\n3\nx\ntrue\n", `stdin:5:1: "x" is no number, so column n is sorted as text; 3 of its 5 values are numbers.`},

		{"-by n:string", "n\n10\n9\nx\n1\n", ""},
		{"-by n", "n\n10\nx\n", ""},
		{"-by n", "n\n10\n9\n\nNA\n", `stdin:5:1: "NA" is no number`},
		{"-by n -null NA", "n\n10\n9\n\nNA\n", ""},
		{"-by n", "n\n0123\n9\n+1\n1e400\n", ""},
		{"-by n", "n\n\n\n", ""},
		{"-by n", "n\n", ""},
	} {
		_, stderr, code := filesort(test.in, append(split(test.args), "-")...)
		if got, _ := strings.CutPrefix(stderr, "filesort: "); code != 0 || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") || strings.Count(got, "\n") > 1 {
			t.Errorf("%s, %q: exit %d\ngot  %swant %s", test.args, test.in, code, stderr, test.want)
		}
		for _, disk := range []bool{false, true} {
			got := strings.Join(notesOf(t, test.in, disk, append(split(test.args), "-", "-T", t.TempDir())), "\n")
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%s, %q in pieces, on disk %v\ngot  %s\nwant %s", test.args, test.in, disk, got, test.want)
			}
		}
	}
}

// notesOf returns the messages of a sort in pieces of a few bytes.
func notesOf(t *testing.T, in string, disk bool, args []string) []string {
	t.Helper()
	cmd, err := parseArgs(args)
	if err != nil {
		t.Fatal(err)
	}
	cmd.chunk = 1
	if disk {
		_, err = cmd.sortColumnsOnDisk(strings.NewReader(in), nil, io.Discard, newMeter(io.Discard, true))
	} else {
		_, err = cmd.sortColumns(strings.NewReader(in), io.Discard, newMeter(io.Discard, true))
	}
	if err != nil {
		t.Errorf("%q: %v", in, err)
	}
	return cmd.notes
}
