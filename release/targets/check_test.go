package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck has faults of one target alone, and of others none.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ name, target, file, source, want string }{
		{"a type", "windows/arm64", "p_windows.go", "var x int = `s`", "as int value"},
		{"a type of another system", "linux/arm64", "p_windows.go", "var x int = `s`", ""},
		{"a type in a test", "darwin/arm64", "p_darwin_test.go", "var x int = `s`", "as int value"},
		{"a test of another package", "darwin/arm64", "x_test.go", "import _ `example.com/gone`", "example.com/gone"},
		{"a constant", "linux/386", "p.go", "var x int = 1 << 40", "overflows"},
		{"a constant of 64 bits", "linux/arm64", "p.go", "var x int = 1 << 40", ""},
		{"a shift", "linux/386", "p.go", "func f(n int) int { return n << 40 }", "too small for shift"},
		{"a shift of 64 bits", "linux/arm64", "p.go", "func f(n int) int { return n << 40 }", ""},
		{"a word", "linux/386", "p.go", "import `sync/atomic`\ntype s struct { a int32; b int64 }\nvar x s\nfunc f() { atomic.AddInt64(&x.b, 1) }", "64-bit aligned"},
		{"no body", "darwin/amd64", "p_amd64.go", "func f()", "f has no body"},
		{"no body elsewhere", "darwin/arm64", "p_amd64.go", "func f()", ""},
		{"assembly", "windows/amd64", "p_amd64.s", "TEXT ·g(SB), 0, $0-8\n\tMOVQ x+8(FP), AX\n\tRET\n", "invalid offset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if strings.HasSuffix(c.file, ".go") {
				c.source = "package p\n" + c.source
			}
			for name, text := range map[string]string{
				"go.mod":     "module example.com/p\n\ngo 1.25\n",
				"own.go":     "package p\n",
				"g_amd64.go": "package p\n\nfunc g(x uint64)\n",
				"g_amd64.s":  "#include \"textflag.h\"\n",
				c.file:       c.source,
			} {
				if c.want == "f has no body" && strings.HasPrefix(name, "g_") {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, found, err := check(dir, c.target)
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(found, "\n"); (c.want == "") != (all == "") || !strings.Contains(all, c.want) {
				t.Errorf("found %q, want %q", all, c.want)
			}
		})
	}
}
