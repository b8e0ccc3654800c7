package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Trees of files as systems have them, and what is free there.
var freeTests = []struct {
	name  string
	files string // PATH CONTENT, or in quotes with | for line ends
	want  int64
	ok    bool
}{
	{"nothing is known", "", 0, false},
	{"no groups", "proc/meminfo 'MemTotal: 9 kB|MemAvailable: 5 kB|Cached: 7 kB'", 5 << 10, true},
	{"no group of this process", "proc/meminfo 'MemAvailable: 5 kB' sys/fs/cgroup/a/memory.max 10 sys/fs/cgroup/a/memory.current 9", 5 << 10, true},
	{"version 2", "proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 1000 sys/fs/cgroup/a/memory.current 400", 600, true},
	{"the page cache is free", `proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 1000 sys/fs/cgroup/a/memory.current 900
		sys/fs/cgroup/a/memory.stat 'anon 100|file 800|inactive_anon 50|inactive_file 700|active_file 100'`, 800, true},
	{"more cache than use", `proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 1000 sys/fs/cgroup/a/memory.current 600
		sys/fs/cgroup/a/memory.stat 'inactive_file 700'`, 1000, true},
	{"beyond the limit", "proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 1000 sys/fs/cgroup/a/memory.current 1001", 0, true},
	{"no limit", "proc/meminfo 'MemAvailable: 5 kB' proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max max sys/fs/cgroup/a/memory.current 1", 5 << 10, true},
	{"less than the machine has", `proc/meminfo 'MemAvailable: 1 kB' proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 9000
		sys/fs/cgroup/a/memory.current 1`, 1 << 10, true},
	{"the tightest of all above", `proc/self/cgroup 0::/a/b/c sys/fs/cgroup/a/b/c/memory.max max sys/fs/cgroup/a/b/c/memory.current 10
		sys/fs/cgroup/a/b/memory.max 500 sys/fs/cgroup/a/b/memory.current 100 sys/fs/cgroup/a/memory.max 450
		sys/fs/cgroup/a/memory.current 300 sys/fs/cgroup/a/memory.stat 'inactive_file 50'`, 200, true},
	{"memory.high", `proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 1000 sys/fs/cgroup/a/memory.high 700 sys/fs/cgroup/a/memory.current 400`, 300, true},
	{"a container that sees its group as the root", "proc/self/cgroup 0::/ sys/fs/cgroup/memory.max 1000 sys/fs/cgroup/memory.current 400", 600, true},
	{"a path of the host, unseen in the container", "proc/self/cgroup 0::/x/y sys/fs/cgroup/memory.max 1000 sys/fs/cgroup/memory.current 400", 600, true},
	{"a path above the root", "proc/self/cgroup 0::/../../a sys/fs/cgroup/a/memory.max 1000 sys/fs/cgroup/a/memory.current 400", 600, true},
	{"version 1", `proc/self/cgroup '5:cpu:/z|4:memory:/a/b|0::/' sys/fs/cgroup/memory/a/b/memory.limit_in_bytes 1000
		sys/fs/cgroup/memory/a/b/memory.usage_in_bytes 900
		sys/fs/cgroup/memory/a/b/memory.stat 'cache 800|inactive_file 1|total_cache 800|total_inactive_file 700'`, 800, true},
	{"version 1, nested", `proc/self/cgroup 4:memory:/a/b sys/fs/cgroup/memory/a/b/memory.limit_in_bytes 9223372036854771712
		sys/fs/cgroup/memory/a/b/memory.usage_in_bytes 900 sys/fs/cgroup/memory/a/memory.limit_in_bytes 1000
		sys/fs/cgroup/memory/a/memory.usage_in_bytes 950`, 50, true},
	{"version 1 without a limit", `proc/meminfo 'MemAvailable: 5 kB' proc/self/cgroup 4:memory:/a
		sys/fs/cgroup/memory/a/memory.limit_in_bytes 9223372036854771712 sys/fs/cgroup/memory/a/memory.usage_in_bytes 900`, 5 << 10, true},
	{"version 1, several controllers", `proc/self/cgroup 4:cpu,memory:/a sys/fs/cgroup/memory/a/memory.limit_in_bytes 1000
		sys/fs/cgroup/memory/a/memory.usage_in_bytes 900`, 100, true},
	{"version 1 in a container", "proc/self/cgroup 4:memory:/x sys/fs/cgroup/memory/memory.limit_in_bytes 1000 sys/fs/cgroup/memory/memory.usage_in_bytes 900", 100, true},
	{"hybrid", `proc/self/cgroup '4:memory:/a|0::/b' sys/fs/cgroup/memory/a/memory.limit_in_bytes 1000
		sys/fs/cgroup/memory/a/memory.usage_in_bytes 900 sys/fs/cgroup/unified/b/memory.max 500 sys/fs/cgroup/unified/b/memory.current 450`, 50, true},
	{"a limit without the use", "proc/meminfo 'MemAvailable: 5 kB' proc/self/cgroup 0::/a sys/fs/cgroup/a/memory.max 1000", 5 << 10, true},
	{"files of other contents", "proc/meminfo '' proc/self/cgroup 'x|0::|:::|1:2' sys/fs/cgroup/memory.max '' sys/fs/cgroup/memory.current x", 0, false},
}

func TestFreeMemory(t *testing.T) {
	for _, test := range freeTests {
		root := t.TempDir()
		writeTree(t, root, test.files)
		free, ok := freeMemory(root)
		if ok != test.ok || ok && free != test.want {
			t.Errorf("%s: %d, %v, want %d, %v", test.name, free, ok, test.want, test.ok)
		}
	}
}

// writeTree writes files.
func writeTree(t *testing.T, root, files string) {
	t.Helper()
	for rest := strings.Join(strings.Fields(files), " "); rest != ""; {
		path, after, _ := strings.Cut(rest, " ")
		content, more, _ := strings.Cut(after, " ")
		if strings.HasPrefix(after, "'") {
			content, more, _ = strings.Cut(after[1:], "'")
		}
		rest = strings.TrimSpace(more)
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(content, "|", "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
