// Package machine says where something was measured.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Machine describes the machine of a measurement, for tables.
type Machine struct {
	CPU   string
	Cores int
	Procs int // GOMAXPROCS
	Go    string
	Date  string
}

// This describes the machine that the program runs on.
func This() Machine {
	return Machine{
		CPU:   cpuModel(),
		Cores: runtime.NumCPU(),
		Procs: runtime.GOMAXPROCS(0),
		Go:    fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		Date:  time.Now().Format(time.DateOnly),
	}
}

// cpuModel is the processor's name where the system reports it in a file.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

var (
	marks    = regexp.MustCompile(`\((R|TM)\)|@.*$`)
	unfitted = regexp.MustCompile(`[^a-z0-9]+`)
)

// String is a line for a picture.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, %s", m.CPU, m.Cores, m.Go, m.Date)
}

// Folder is a name for results of this machine.
func (m Machine) Folder() string {
	name := strings.ToLower(marks.ReplaceAllString(m.CPU, " "))
	return fmt.Sprintf("%s-%d-cores", strings.Trim(unfitted.ReplaceAllString(name, "-"), "-"), m.Cores)
}
