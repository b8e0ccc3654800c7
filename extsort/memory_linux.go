package extsort

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// freeMemory returns the bytes that the machine or the control group of the process has free.
func freeMemory() int64 {
	free := int64(1 << 30)
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		free = int64(info.Freeram+info.Bufferram) * int64(info.Unit)
		if cached, ok := memInfo("MemAvailable:"); ok {
			free = cached
		}
	}
	for _, dir := range groups() {
		for _, names := range [][2]string{{"memory.max", "memory.current"}, {"memory.limit_in_bytes", "memory.usage_in_bytes"}} {
			limit, ok := number(filepath.Join(dir, names[0]))
			used, found := number(filepath.Join(dir, names[1]))
			if ok && found {
				free = min(free, max(limit-used, 0))
			}
		}
	}
	return max(free, 4<<20)
}

// groups returns the directories of the control group that counts the memory of the process:
// as the host sees it, and as a container does.
func groups() []string {
	const root = "/sys/fs/cgroup"
	dirs := []string{root, root + "/memory"}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return dirs
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(fields) < 3:
		case fields[1] == "":
			dirs = append(dirs, filepath.Join(root, fields[2]))
		case fields[1] == "memory":
			dirs = append(dirs, filepath.Join(root, "memory", fields[2]))
		}
	}
	return dirs
}

// number returns the number that a file holds.
func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
	return n, err == nil
}

// memInfo returns a line of /proc/meminfo, in bytes.
func memInfo(name string) (int64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(text), name)
	fields := strings.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	return n << 10, err == nil
}
