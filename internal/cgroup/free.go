package cgroup

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// FreeMemory returns the bytes that the machine has free, or the control group of the process, if that are
// fewer; ok is false where the system does not say.
func FreeMemory() (free int64, ok bool) { return freeMemory("/") }

// freeMemory reads the files of a system whose root is given.
func freeMemory(root string) (free int64, ok bool) {
	free = math.MaxInt64
	if kib, found := numberIn(filepath.Join(root, "proc/meminfo"), "MemAvailable:"); found {
		free, ok = kib<<10, true
	}
	for _, dir := range groups(root) {
		for _, f := range []files{
			{"memory.max", "memory.current", "inactive_file"},
			{"memory.high", "memory.current", "inactive_file"},
			{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
		} {
			if left, found := f.left(dir); found {
				free, ok = min(free, left), true
			}
		}
	}
	return free, ok
}

// files are the names of the files of a group: of its limit, and of the memory in use. The page cache counts as
// in use. Of it, the kernel gives back first the part that memory.stat has under the name cached.
type files struct{ limit, used, cached string }

// left returns the memory that a group may still take.
func (f files) left(dir string) (bytes int64, ok bool) {
	limit, ok := numberIn(filepath.Join(dir, f.limit), "") // "max" is no number
	used, found := numberIn(filepath.Join(dir, f.used), "")
	cached, _ := numberIn(filepath.Join(dir, "memory.stat"), f.cached)
	return max(limit-max(used-cached, 0), 0), ok && found
}

// groups returns the directories of the groups whose limits bound the memory of the process: its own and all
// above. A container may see its own as the root.
func groups(root string) (dirs []string) {
	mount := filepath.Join(root, "sys/fs/cgroup")
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	paths := map[string]string{mount: "/", mount + "/memory": "/", mount + "/unified": "/"}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[1] == "":
			paths[mount], paths[mount+"/unified"] = fields[2], fields[2]
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			paths[mount+"/memory"] = fields[2]
		}
	}
	for dir, path := range paths {
		for path = filepath.Join("/", path); path != "/"; path = filepath.Dir(path) {
			dirs = append(dirs, filepath.Join(dir, path))
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// numberIn returns the number after a word in a file. The word begins a line.
func numberIn(path, word string) (n int64, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if word != "" && len(fields) > 0 && fields[0] == word {
			fields = fields[1:]
		} else if word != "" {
			continue
		}
		if len(fields) == 0 {
			return 0, false
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		return n, err == nil
	}
	return 0, false
}
