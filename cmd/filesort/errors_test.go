package main

import (
	"strings"
	"testing"
)

func TestFaultyFiles(t *testing.T) {
	long := strings.Repeat("c,", 50)
	for _, test := range []struct{ name, args, file, in, want string }{
		{"missing column", "-by amout", "x.csv", "id,amount,country\n1,2,3\n", "FILE has no column amout; its columns are: id, amount, country"},
		{"missing column among many", "-by d", "x.csv", long + "c\n", "FILE has no column d; its columns are: " + strings.Repeat("c, ", 39) + "c and 11 more"},
		{"missing number", "-by 4", "x.csv", "a,b,c\n", "FILE has no column 4; its columns are: a, b, c"},
		{"missing number without a header", "-by 4", "x.csv", "1,2,3\n", "FILE has no column 4: it has no header and 3 columns"},
		{"ambiguous case", "-by AB", "x.csv", "ab,Ab\n", "FILE has no column AB; its columns are: ab, Ab"},
		{"one column twice", "-by b,2", "x.csv", "a,b\n1,2\n", "-by names column 2 twice: b, 2"},
		{"missing member", "-by x.y", "x.ndjson", `{"x":{"z":1},"b":[],"c.d":{}}`, `FILE has no column x.y; its columns are: "c.d", b, x.z`},

		{"too few fields", "-by a", "x.csv", "a,b\n1,2\n\"3\n4\"\n", "FILE:4:3: this row has 1 of the 2 fields of the first row"},
		{"too many fields", "-by a", "x.csv", "a,b\n1,2\n3,4,5\n", "FILE:3:5: this row has more than 2 fields, unlike the first row"},
		{"quotes in TSV", "-by a", "x.tsv", "a\tb\n\"1\n\"\t2\n", "FILE:2:3: this row has 1 of the 2 fields of the first row (-quotes strict, if the file has quoted fields)"},
		{"quote in a field", "-by a", "x.csv", "a\n1\nab\"c\n", "FILE:3:3: a quote inside a field that does not start with one (-quotes lazy takes it for text)"},
		{"quote in the header", "-by a", "x.csv", "a\"\n", "FILE:1:2: a quote inside a field"},
		{"text after a quote", "-by a", "x.csv", "a,b\n1,\"2\"3\n", "FILE:2:6: text between the closing quote of a field and the next delimiter"},
		{"open quote", "-by a", "x.csv", "a,b\n1,2\n3,\"4\n5,6\n", "FILE:3:3: the quote before this field is never closed"},
		{"open quote, lazy", "-by a -quotes lazy", "x.csv", "a,b\n3,\"4\n5,6\n", "FILE:2:3: the quote before this field is never closed"},
		{"first fault counts", "-by a", "x.csv", "a,b\n1\n\"\n", "FILE:2:2: this row has 1 of the 2 fields"},
		{"columns after a byte order mark", "-by a", "x.csv", "\ufeffa,b\"\n", "FILE:1:4: a quote inside"},

		{"carriage returns end lines", "-by a", "x.csv", "a,b\r3,x\r1,y\r", "FILE:1:4: " + loneReturn},
		{"carriage returns end lines, by a number", "-by 1", "x.csv", "3\r1\r2\r", "FILE:1:2: " + loneReturn},
		{"carriage returns end lines of TSV", "-by a", "x.tsv", "a\tb\r3\tx\r1\ty\r", "FILE:1:4: " + loneReturn},
		{"carriage returns end lines, the format is given", "-by 1 -format tsv", "x", "a\r3\r", "FILE:1:2: " + loneReturn},
		{"carriage returns end lines, quotes are text", "-by a -quotes lazy", "x.csv", "a,\"b\"\r3,\"x\"\r", "FILE:1:6: " + loneReturn},
		{"carriage returns end lines after quotes", "-by a", "x.csv", "\"a\",\"b\"\r\"3\",\"x\"\r", "FILE:1:8: " + loneReturn},
		{"carriage returns end lines after the header", "-by a", "x.csv", "a\n3\r1\r2\r", "FILE:2:2: " + loneReturn},
		{"carriage returns end lines after the header of TSV", "-by a", "x.tsv", "a\tb\n3\tx\r1\ty\r", "FILE:2:7: this row has more than 2 fields, unlike the first row; it has " + loneReturn},
		{"carriage returns end lines of NDJSON", "-by a", "x.ndjson", "{\"a\":2}\r{\"a\":1}\r", "FILE:1:9: invalid character '{' after top-level value; it follows " + loneReturn},
		{"two carriage returns", "-by b", "x.csv", "a,b\n1,9\r\r\n2,10\r\r\n", "FILE:2:4: " + loneReturn},
		{"control characters in names", "-by x", "x.csv", "\"a\rb\",c\n", "FILE has no column x; its columns are: \"a\\rb\", c"},
		{"two columns of one name", "-by b", "x.csv", "a,b,c,b\n1,2,3,4\n", "FILE has two columns b, which -by names as 2 and 4"},

		{"no integer", "-by s,n:int", "x.csv", "s,n\na,1\nb,1.5\n", `FILE:3:3: "1.5" is not of type int, which -by says that n has`},
		{"no float", "-by n:float,s", "x.csv", "s,n\n\"a\n\",x\n", `FILE:3:3: "x" is not of type float, which -by says that n has`},
		{"no bool", "-by b:bool", "x.csv", "b\n2\n", `FILE:2:1: "2" is not of type bool`},
		{"no time", "-by t:time", "x.csv", "t\n2024-01-01\n2024-13-01\n", `FILE:3:1: "2024-13-01" is not of type time`},
		{"no integer in NDJSON", "-by a.b:int", "x.ndjson", "{\"a\":{\"b\":1}}\n{\"a\":{\"b\":true}}\n", `FILE:2:11: "true" is not of type int, which -by says that a.b has`},

		{"bad JSON", "-by a", "x.ndjson", "{\"a\":1}\n{\"a\" 1}\n", "FILE:2:6: invalid character '1' after object key"},
		{"JSON cut short", "-by a", "x.ndjson", "{\"a\":1}\n{\"a\":\r\n", "FILE:2:6: unexpected end of JSON input"},
		{"two values in a line", "-by a", "x.ndjson", "{\"a\":1} {}\n", "FILE:1:9: invalid character '{' after top-level value"},
		{"no object", "-by a", "x.ndjson", "{\"a\":1}\n [1]\n", "FILE:2:2: this row is valid JSON but no object"},
		{"UTF-16", "-by a", "x.csv", "\xff\xfea\x00", "reading FILE: this is UTF-16, which has to be converted to UTF-8 first (iconv -f UTF-16 -t UTF-8)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := fileOf(t, test.file, test.in)
			stdout, stderr, code := filesort("", append(split(test.args), path)...)
			if want := "filesort: " + strings.ReplaceAll(test.want, "FILE", path); !strings.HasPrefix(stderr, want) {
				t.Errorf("\ngot  %swant %s", stderr, want)
			}
			if stdout != "" || code != exitError {
				t.Errorf("exit %d after writing %q", code, stdout)
			}
		})
	}
}

func TestMissingFile(t *testing.T) {
	_, stderr, code := filesort("", "-by", "a", "no/such.csv")
	if want := "filesort: open no/such.csv: no such file or directory\n"; stderr != want || code != exitError {
		t.Errorf("exit %d, %q; want 2, %q", code, stderr, want)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"-format csv x.csv", "-by is missing: -format is for files that are sorted by columns"},
		{"-by a -k1 x.csv", "-k and -by exclude each other"},
		{"-by a: -", `column "a": nothing after a colon`},
		{"-by , -", "a column has no name"},
		{"-by a, -", "a column has no name"},
		{"-by a,a:desc -", `column "a" twice`},
		{"-by a:down -", `column "a": "down" is none of asc, desc, nullsfirst, nullslast, fold, bool, date,`},
		{"-by a:asc:desc -", `column "a": words that exclude each other`},
		{"-by a:int:float -", "words that exclude each other"},
		{"-by a:nullsfirst:nullslast -", "words that exclude each other"},
		{`-by "a"b -`, `neither : nor , after "a"`},
		{`-by "a -`, `no closing quote in "a -`},
		{"-by a -top 0 -", "must be a number of rows, 1 or more"},
		{"-by a -top x -", "must be a number of rows, 1 or more"},
		{"-by a -format xml -", "must be one of auto, csv, tsv, ndjson"},
		{"-by a -quotes auto -", "must be one of strict, lazy, none"},
		{"-by a -header maybe -", "must be one of auto, yes, no"},
		{"-by a -delimiter= -", "must be one character or more"},
		{"-by a -delimiter a\" -", "none of them a quote or a line end"},
		{"-bxe a -", "invalid option -- 'x' in '-bxe'"},
	} {
		stdout, stderr, code := filesort("", split(test.args)...)
		if code != exitError || stdout != "" || !strings.Contains(stderr, test.want) || !strings.HasSuffix(stderr, "Try 'filesort -h'.\n") {
			t.Errorf("filesort %s: exit %d\ngot  %swant %s", test.args, code, stderr, test.want)
		}
	}
}

func TestHelp(t *testing.T) {
	stdout, stderr, code := filesort("", "-h")
	if stdout != usage || stderr != "" || code != exitOK {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

func TestFlagsAfterTheFile(t *testing.T) {
	path := fileOf(t, "-odd.csv", "a\n2\n1\n")
	for _, args := range [][]string{{"-by", "a", "--", path}, {path, "-by", "a"}, {"-quiet", path, "-by", "a"}} {
		if stdout, stderr, _ := filesort("", args...); stdout != "a\n1\n2\n" {
			t.Errorf("%q: %q %s", args, stdout, stderr)
		}
	}
}
