package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// filesort runs the command on stdin.
func filesort(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &err)
	return out.String(), err.String(), code
}

// fileOf writes content to a file called name in a folder of its own.
func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each test sorts by the columns of by and wants the rows in an order; what is
// not named in args is detected.
var sortTests = []struct {
	name, args, in, want string
}{
	{"integers by value, not by text", "-by n", "n\n10\n9\n-3\n", "n\n-3\n9\n10\n"},
	{"descending", "-by n:desc", "n\n10\n9\n11\n", "n\n11\n10\n9\n"},
	{"floats among integers", "-by n", "n\n1e1\n9\n-3.5\n+.5\n", "n\n-3.5\n+.5\n9\n1e1\n"},
	{"words make a column text", "-by n", "n\n10\n9\nx\ny\n", "n\n10\n9\nx\ny\n"},
	{"explicit string", "-by n:string", "n\n9\n10\n", "n\n10\n9\n"},
	{"explicit float", "-by n:float", "n\n10\n9\n", "n\n9\n10\n"},
	{"spaces around numbers", "-by n", "n\n 10\n9 \n", "n\n9 \n 10\n"},
	{"hexadecimal is text", "-by n", "n\n0x1p4\n1\n0x2\n", "n\n0x1p4\n0x2\n1\n"},
	{"underscores are text", "-by n", "n\n2_3\n1_10\n1_2\n", "n\n1_10\n1_2\n2_3\n"},
	{"integers of any length", "-by n", "n\n20000000000000000001\n20000000000000000000\n9\n-20000000000000000001\n", "n\n-20000000000000000001\n9\n20000000000000000000\n20000000000000000001\n"},
	{"integers of any length, given", "-by n:int:desc -u", "n\n20000000000000000001\n20000000000000000000\n9\n+9\n", "n\n20000000000000000001\n20000000000000000000\n9\n"},
	{"integers of any length, with nulls", "-by n:nullsfirst", "n\n9223372036854775808\n\n9223372036854775807\n", "n\n\n9223372036854775807\n9223372036854775808\n"},
	{"integers among floats stay exact", "-by n", "n\n9007199254740993\n0.5\n9007199254740992\n", "n\n0.5\n9007199254740992\n9007199254740993\n"},
	{"decimals of any length", "-by n -u", "n\n0.1234567890123456789\n0.1234567890123456788\n", "n\n0.1234567890123456788\n0.1234567890123456789\n"},
	{"numbers of any size", "-by n", "n\n1e400\n9\n10\n-1e400\n1e-400\n0\ninf\n", "n\n-1e400\n0\n1e-400\n9\n10\n1e400\ninf\n"},
	{"numbers of any size, given", "-by n:float:desc", "n\n1e400\n9\n10\n-1e400\n", "n\n1e400\n10\n9\n-1e400\n"},
	{"exponents of any size", "-by n", "n\n1e99999999999999999999\n1e-99999999999999999999\n1e9\n0\n", "n\n0\n1e-99999999999999999999\n1e9\n1e99999999999999999999\n"},
	{"numbers of NDJSON", "-by a", "{\"a\":1E2}\n{\"a\":-0}\n{\"a\":1e-2}\n{\"a\":1e400}\n{\"a\":-1e400}\n", "{\"a\":-1e400}\n{\"a\":-0}\n{\"a\":1e-2}\n{\"a\":1E2}\n{\"a\":1e400}\n"},
	{"NaN after numbers, before nulls", "-by n,m", "n,m\n,\nNaN,\n1,\n", "n,m\n1,\nNaN,\n,\n"},
	{"NaN after numbers, descending too", "-by n:desc,m", "n,m\nNaN,\n1,\n2.5,\n,\n", "n,m\n2.5,\n1,\nNaN,\n,\n"},
	{"booleans", "-by b", "b,i\nTRUE,1\nfalse,2\ntrue,3\n", "b,i\nfalse,2\nTRUE,1\ntrue,3\n"},
	{"explicit bool", "-by b:bool", "b,i\nyes,1\n0,2\n1,3\n", "b,i\n0,2\nyes,1\n1,3\n"},
	{"times by instant", "-by t", "t\n2024-01-01T12:00:00+02:00\n2024-01-01T11:00:00Z\n2024-01-01\n2024-01-01 10:30:00.5\n",
		"t\n2024-01-01\n2024-01-01T12:00:00+02:00\n2024-01-01 10:30:00.5\n2024-01-01T11:00:00Z\n"},
	{"explicit time", "-by t:time:desc", "t\n0001-01-01\n9999-12-31\n", "t\n9999-12-31\n0001-01-01\n"},
	{"offsets of PostgreSQL", "-by t", "t\n2024-10-27 02:30:00+02\n2024-10-27 02:15:00+01\n", "t\n2024-10-27 02:30:00+02\n2024-10-27 02:15:00+01\n"},
	{"offsets without a colon, no seconds", "-by t", "t\n2024-10-27T02:30+0200\n2024-10-27 02:15+01:00\n2024-10-27 00:10 UTC\n", "t\n2024-10-27 00:10 UTC\n2024-10-27T02:30+0200\n2024-10-27 02:15+01:00\n"},
	{"years far away, and infinite times", "-by t", "t\n2263-01-01\ninfinity\n12024-01-01\n1677-01-01\n0044-03-15 BC\n-infinity\n", "t\n-infinity\n0044-03-15 BC\n1677-01-01\n2263-01-01\n12024-01-01\ninfinity\n"},
	{"leap seconds", "-by t", "t\n2017-01-01\n2016-12-31T23:59:60.5Z\n2016-12-31T18:59:60-05:00\n2016-12-31T23:59:59.9Z\n", "t\n2016-12-31T23:59:59.9Z\n2016-12-31T18:59:60-05:00\n2016-12-31T23:59:60.5Z\n2017-01-01\n"},
	{"no such day is text", "-by t", "t\n2024-02-30\n2024-1-1\n", "t\n2024-02-30\n2024-1-1\n"},

	{"two columns, mixed directions", "-by a:desc,b", "a,b\n1,y\n2,z\n1,x\n2,y\n", "a,b\n2,y\n2,z\n1,x\n1,y\n"},
	{"ties keep their order", "-by a", "a,b\n1,y\n0,z\n1,x\n0,y\n1,z\n", "a,b\n0,z\n0,y\n1,y\n1,x\n1,z\n"},
	{"ties keep their order, descending", "-by a:desc", "a,b\n1,y\n0,z\n1,x\n0,y\n1,z\n", "a,b\n1,y\n1,x\n1,z\n0,z\n0,y\n"},

	{"nulls last", "-by a", "a,b\n,1\n2,2\n1,3\n", "a,b\n1,3\n2,2\n,1\n"},
	{"nulls last, descending too", "-by a:desc", "a,b\n,1\n2,2\n1,3\n", "a,b\n2,2\n1,3\n,1\n"},
	{"nulls first", "-by a:nullsfirst", "a,b\n2,2\n,1\n1,3\n", "a,b\n,1\n1,3\n2,2\n"},
	{"nulls first, descending too", "-by a:desc:nullsfirst", "a,b\n2,2\n1,3\n,1\n", "a,b\n,1\n2,2\n1,3\n"},
	{"quoted empty fields are null", "-by a", "a,b\n\"\",1\n1,3\n", "a,b\n1,3\n\"\",1\n"},
	{"words that mean null", "-by a -null NA,-", "a,b\nNA,1\n-,2\n10,3\n9,4\n,5\n", "a,b\n9,4\n10,3\nNA,1\n-,2\n,5\n"},
	{"nulls of text", "-by a:nullsfirst -null NULL", "a\nb\nNULL\na\n", "a\nNULL\na\nb\n"},

	{"top", "-by a -top 2", "a\n3\n1\n2\n", "a\n1\n2\n"},
	{"top of more than there is", "-by a -top 9", "a\n3\n1\n2\n", "a\n1\n2\n3\n"},
	{"top keeps ties in order", "-by a -top 2", "a,b\n1,x\n0,p\n0,q\n0,r\n", "a,b\n0,p\n0,q\n"},
	{"unstable is an order too", "-by a -stable=false", "a\n3\n1\n2\n", "a\n1\n2\n3\n"},

	{"unique keeps the first", "-by a -u", "a,b\n1,x\n0,p\n1,y\n,q\n,r\n", "a,b\n0,p\n1,x\n,q\n"},

	{"unique values that differ only by their type stay", "-by id -u", "id\n0123\n123\n00123\n7\n123\n", "id\n7\n00123\n0123\n123\n"},
	{"unique by a type that is given", "-by id:int -u", "id\n0123\n123\n00123\n7\n", "id\n7\n0123\n"},
	{"unique values of a type that was found", "-by id -u=value", "id\n0123\n123\n00123\n7\n", "id\n7\n0123\n"},
	{"unique=value, numbers and booleans", "-by n,b --unique=value", "n,b\n1,TRUE\n1.0,true\n+1,false\n", "n,b\n+1,false\n1,TRUE\n"},
	{"unique spellings of numbers", "-by n:desc,s -u", "n,s\n1,a\n1.0,a\n+1,a\n1e0,a\n1,a\n1,b\n", "n,s\n+1,a\n1,a\n1.0,a\n1e0,a\n1,b\n"},
	{"unique spellings of booleans", "-by b -u", "b\nTRUE\ntrue\nTRUE\n", "b\nTRUE\ntrue\n"},
	{"unique spellings of times", "-by t -u -top 2", "t\n2024-01-01T00:00:00Z\n2024-01-01\n2024-01-01\n2025-01-01\n", "t\n2024-01-01\n2024-01-01T00:00:00Z\n"},

	{"column by number", "-by 2", "a,b\nx,2\ny,1\n", "a,b\ny,1\nx,2\n"},
	{"no header by -no-header", "-by 1 -no-header", "b\nc\na\n", "a\nb\nc\n"},
	{"no header by -header no", "-by 1 -header no", "b\nc\na\n", "a\nb\nc\n"},
	{"no header, seen by a number", "-by 1", "b,1\na,2\n", "a,2\nb,1\n"},
	{"no header, seen by a date", "-by 1", "b,2024-01-01\na,x\n", "a,x\nb,2024-01-01\n"},
	{"no header, seen by a repetition", "-by 2", "x,x\ny,b\n", "y,b\nx,x\n"},
	{"header that looks like data", "-by 1 -header yes", "1,2\n9,x\n3,y\n", "1,2\n3,y\n9,x\n"},
	{"header named by digits", "-by 2 -header yes", "3,1,2\n0,0,9\n0,5,3\n", "3,1,2\n0,5,3\n0,0,9\n"},
	{"any case if exact is missing", "-by Amount", "id,amount\n1,2\n2,1\n", "id,amount\n2,1\n1,2\n"},
	{"exact case if there are two", "-by A", "a,A\n1,2\n2,1\n", "a,A\n2,1\n1,2\n"},
	{"name with comma and colon", `-by "x,:y":desc`, "\"x,:y\"\n1\n2\n", "\"x,:y\"\n2\n1\n"},
	{"name with a quote", `-by "say ""hi"""`, "\"say \"\"hi\"\"\"\n2\n1\n", "\"say \"\"hi\"\"\"\n1\n2\n"},
	{"name in quotes is no number", `-by "2" -header yes`, "2,3\n9,1\n8,2\n", "2,3\n8,2\n9,1\n"},

	{"quoted fields with everything", "-by k", "k,v\n2,\"a\nb \"\"c\"\", d\"\n1,\"\r\n\"\n", "k,v\n1,\"\r\n\"\n2,\"a\nb \"\"c\"\", d\"\n"},
	{"values are unquoted", "-by k", "k\n\"b\"\na\n\"\"\"\"\n", "k\n\"\"\"\"\na\n\"b\"\n"},
	{"header with a line end", "-by \"a\nb\"", "\"a\nb\",c\n2,x\n1,y\n", "\"a\nb\",c\n1,y\n2,x\n"},
	{"carriage returns stay", "-by a", "a,b\r\n2,x\r\n1,y\r\n", "a,b\r\n1,y\r\n2,x\r\n"},
	{"carriage returns are no part of values", "-by b", "a,b\r\n2,x\r\n1,x\n0,a\r\n", "a,b\r\n0,a\r\n2,x\r\n1,x\n"},
	{"missing final newline", "-by a", "a\n2\n1", "a\n1\n2\n"},
	{"missing final newline, carriage returns after one in quotes", "-by b", "\"a\nb\",b\r\nx,2\r\nx,1", "\"a\nb\",b\r\nx,1\r\nx,2\r\n"},
	{"a file that ends within its line end", "-by a", "a,b\r\n2,x\r\n1,y\r", "a,b\r\n1,y\r\n2,x\r\n"},
	{"carriage returns in quotes", "-by b", "a,\"b\rc\",b\n1,\"x\ry\",2\n3,\"\r\",1\n", "a,\"b\rc\",b\n3,\"\r\",1\n1,\"x\ry\",2\n"},
	{"carriage returns in text of TSV", "-by a -format tsv", "a\tb\n2\tx\ry\n1\t\r\n", "a\tb\n1\t\r\n2\tx\ry\n"},
	{"carriage returns in lazy text", "-by a -quotes lazy", "a,b\n2,x\ry\n1,z\n", "a,b\n1,z\n2,x\ry\n"},
	{"missing final newline, carriage returns", "-by a", "a\r\n2\r\n1", "a\r\n1\r\n2\r\n"},
	{"byte order mark", "-by a", "\ufeffa\n2\n1\n", "\ufeffa\n1\n2\n"},
	{"blank lines go", "-by a", "a,b\n\n2,x\n\r\n1,y\n\n", "a,b\n1,y\n2,x\n"},
	{"blank lines of one column are nulls", "-by a", "a\n2\n\n1\n", "a\n1\n2\n\n"},
	{"empty lines before the header stay", "-by a", "\n\r\na,b\n2,x\n1,y\n", "\n\r\na,b\n1,y\n2,x\n"},
	{"empty lines before rows of one column", "-by 1 -no-header", "\n\n2\n1\n", "1\n2\n\n\n"},
	{"blank lines go before NDJSON, too", "-by a", "\n\n{\"a\":2}\n{\"a\":1}\n", "{\"a\":1}\n{\"a\":2}\n"},
	{"empty file", "-by a", "", ""},
	{"header alone", "-by a", "a,b", "a,b"},
	{"lazy quotes", "-by a -quotes lazy", "a,b\n5\" pipe,1\n\"x\"y\",2\n4\" pipe,3\n", "a,b\n4\" pipe,3\n5\" pipe,1\n\"x\"y\",2\n"},
	{"delimiter of several bytes", "-by b -delimiter ||", "a||b||c\n1,5||\"||2\"||x\n|1||\"\"\"||1\"||y\n1|||0||z\n", "a||b||c\n|1||\"\"\"||1\"||y\n1|||0||z\n1,5||\"||2\"||x\n"},
	{"delimiter of one character and several bytes", "-by b -delimiter ¦", "a¦b\n1\xc2¦2\n\xa6¦1\n", "a¦b\n\xa6¦1\n1\xc2¦2\n"},
	{"delimiter at the end", "-by b -delimiter :: -quotes lazy", "a::b\n1::z:\n2::\n3::y\"z\n4:::x", "a::b\n4:::x\n3::y\"z\n1::z:\n2::\n"},
	{"delimiter", "-by b -delimiter ;", "a;b\n1,5;2\n1,7;1\n", "a;b\n1,7;1\n1,5;2\n"},

	{"TSV by its first line", "-by b", "a,\tb\nx\t2\ny\t1\n", "a,\tb\ny\t1\nx\t2\n"},
	{"quotes are text in TSV", "-by a -format tsv", "a\tb\n\"\t2\n!\t1\n", "a\tb\n!\t1\n\"\t2\n"},
	{"TSV with quotes", "-by b -format tsv -quotes strict", "a\tb\n\"x\ny\"\t2\nz\t1\n", "a\tb\nz\t1\n\"x\ny\"\t2\n"},

	{"NDJSON by its first line", "-by a", "{\"a\":10}\n{\"a\":9}\n", "{\"a\":9}\n{\"a\":10}\n"},
	{"paths", "-by u.id,u.t.1", `{"u":{"id":2}}` + "\n" + `{"u":{"t":[0,2],"id":1}}` + "\n" + `{"u":{"id":1,"t":["x", 1 ]}}` + "\n",
		`{"u":{"id":1,"t":["x", 1 ]}}` + "\n" + `{"u":{"t":[0,2],"id":1}}` + "\n" + `{"u":{"id":2}}` + "\n"},
	{"name with a dot", `-by "a.b"`, `{"a.b":2,"a":{"b":1}}` + "\n" + `{"a.b":1,"a":{"b":2}}` + "\n", `{"a.b":1,"a":{"b":2}}` + "\n" + `{"a.b":2,"a":{"b":1}}` + "\n"},
	{"null and missing members", "-by a:nullsfirst", `{"a":1}` + "\n" + `{"a":null}` + "\n" + `{"a":0}` + "\n" + `{}` + "\n",
		`{"a":null}` + "\n" + `{}` + "\n" + `{"a":0}` + "\n" + `{"a":1}` + "\n"},
	{"empty strings are no nulls", "-by a:nullsfirst", `{"a":"x"}` + "\n" + `{"a":null}` + "\n" + `{"a":""}` + "\n",
		`{"a":null}` + "\n" + `{"a":""}` + "\n" + `{"a":"x"}` + "\n"},
	{"numbers in strings", "-by a", `{"a":"10"}` + "\n" + `{"a":9}` + "\n", `{"a":9}` + "\n" + `{"a":"10"}` + "\n"},
	{"escapes", `-by a`, `{"a":"\u0062"}` + "\n" + `{"\u0061":"a\"}"}` + "\n", `{"\u0061":"a\"}"}` + "\n" + `{"a":"\u0062"}` + "\n"},
	{"the last member of a name counts", "-by a.b", `{"a":{"b":2}}` + "\n" + `{"a":{"b":1},"a":{"c":1}}` + "\n" + `{"a":{"b":3},"a":{"b":1}}` + "\n",
		`{"a":{"b":3},"a":{"b":1}}` + "\n" + `{"a":{"b":2}}` + "\n" + `{"a":{"b":1},"a":{"c":1}}` + "\n"},
	{"space of all kinds", "-by a", " { \"b\" : [ 1 , {} ] ,\t\"a\" :\r 2 } \r\n \t\n{\"a\":1}", "{\"a\":1}\r\n { \"b\" : [ 1 , {} ] ,\t\"a\" :\r 2 } \r\n"},
}

func TestSort(t *testing.T) {
	for _, test := range sortTests {
		t.Run(test.name, func(t *testing.T) {
			got, stderr, code := filesort(test.in, append(split(test.args), "-")...)
			if got != test.want || stderr != "" || code != 0 {
				t.Errorf("filesort %s\nof   %q\ngot  %q\nwant %q\nexit %d %s", test.args, test.in, got, test.want, code, stderr)
			}
		})
	}
}

// split splits args at its spaces, those between double quotes excepted; the
// quotes stay.
func split(args string) []string {
	var words []string
	quoted, word := false, ""
	for _, r := range args {
		if r == '"' {
			quoted = !quoted
		}
		if r == ' ' && !quoted {
			words, word = append(words, word), ""
			continue
		}
		word += string(r)
	}
	if word != "" {
		words = append(words, word)
	}
	return words
}

// Whatever the options, the lines that come out are the lines that went in.
func TestByteIdentity(t *testing.T) {
	for _, test := range sortTests {
		if strings.Contains(test.args, "-top") || strings.Contains(test.args, "-u") || strings.HasPrefix(test.name, "blank lines go") || test.name == "space of all kinds" {
			continue
		}
		got, _, _ := filesort(test.in, append(split(test.args), "-")...)
		if !slices.Equal(sortedLines(got), sortedLines(test.in)) {
			t.Errorf("%s: %q became %q", test.name, test.in, got)
		}
	}
}

func sortedLines(text string) []string {
	switch {
	case strings.HasSuffix(text, "\n"):
	case strings.HasSuffix(text, "\r"):
		text += "\n"
	case strings.Contains(text, "\r\n"):
		text += "\r\n"
	default:
		text += "\n"
	}
	return slices.Sorted(strings.SplitSeq(text, "\n"))
}

func TestFormatByName(t *testing.T) {
	const content = "a\tb,c\n2\t5,1\n1\t0,9\n"
	for name, want := range map[string]string{
		"x.tsv": "a\tb,c\n1\t0,9\n2\t5,1\n",
		"x.tab": "a\tb,c\n1\t0,9\n2\t5,1\n",
		"x.CSV": "a\tb,c\n2\t5,1\n1\t0,9\n",
	} {
		got, stderr, _ := filesort("", "-by", "2", fileOf(t, name, content))
		if got != want {
			t.Errorf("%s: got %q, want %q\n%s", name, got, want, stderr)
		}
	}
	got, stderr, _ := filesort("", "-by", "a", fileOf(t, "x.jsonl", "\n{\"a\":2}\n{\"a\":1}\n"))
	if want := "{\"a\":1}\n{\"a\":2}\n"; got != want {
		t.Errorf("x.jsonl: got %q, want %q\n%s", got, want, stderr)
	}
}

// TestStatsJSON decodes the line of JSON of sorts in memory and on disk.
func TestStatsJSON(t *testing.T) {
	type report struct {
		What   string
		Stages []struct {
			Name string
			NS   int64
		}
		Sort *struct{ Elements int }
		Disk *struct{ Elements, Runs, Memory int64 }
	}
	lines := strings.Repeat("a line that is long enough to fill some memory with\n", 400_000)
	for _, args := range [][]string{{"-stats=json", "-"}, {"-stats=json", "-S", "1M", "-T", t.TempDir(), "-"}} {
		_, stderr, code := filesort(lines, args...)
		var r report
		if err := json.Unmarshal([]byte(stderr), &r); err != nil || code != 0 {
			t.Fatalf("%q: exit %d, %v in %q", args, code, err, stderr)
		}
		if r.What == "" || len(r.Stages) == 0 || r.Stages[0].NS <= 0 || (r.Sort == nil) == (r.Disk == nil) {
			t.Errorf("%q: %s", args, stderr)
		}
		switch onDisk := len(args) > 2; {
		case onDisk && (r.Disk == nil || r.Disk.Elements != 400_000 || r.Disk.Runs == 0 || r.Disk.Memory == 0):
			t.Errorf("%q: %s", args, stderr)
		case !onDisk && (r.Sort == nil || r.Sort.Elements != 400_000):
			t.Errorf("%q: %s", args, stderr)
		}
	}
	if _, stderr, code := filesort("b\na\n", "-stats=xml", "-"); code == 0 || !strings.Contains(stderr, "must be text, json, true or false") {
		t.Errorf("-stats=xml: exit %d, %q", code, stderr)
	}
}

// TestVersion has the facts that the build has.
func TestVersion(t *testing.T) {
	stdout, _, code := filesort("", "--version")
	if code != 0 || !strings.HasPrefix(stdout, "filesort ") || !strings.Contains(stdout, runtime.Version()) || strings.Count(stdout, "\n") < 2 {
		t.Errorf("exit %d, %q", code, stdout)
	}
}

func TestStats(t *testing.T) {
	_, stderr, _ := filesort("a,b\n2,x\n,y\n", "-by", "a:desc,b", "-stats", "-")
	for _, want := range []string{"2 rows by a:int:desc (1 null), b:string\n", "\nparse ", "\ntotal "} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
}

// TestSuffixOfOutput writes files whose names are of the input's format, or of another one.
func TestSuffixOfOutput(t *testing.T) {
	in := fileOf(t, "in.csv", "a,b\n2,x\n1,y\n")
	dir := t.TempDir()
	for name, noted := range map[string]bool{"out.csv": false, "out.txt": false, "out.ndjson": true, "out.tsv": true} {
		for _, memory := range []string{"1G", "8M"} {
			out := filepath.Join(dir, name)
			_, stderr, code := filesort("", "-quiet", "-S", memory, "-by", "a", "-o", out, in)
			if said := strings.Contains(stderr, out+" holds csv"); code != 0 || said != noted {
				t.Errorf("%s: code %d, %q", name, code, stderr)
			}
			if got, err := os.ReadFile(out); err != nil || string(got) != "a,b\n1,y\n2,x\n" {
				t.Errorf("%s holds %q, %v", name, got, err)
			}
		}
	}
}
