//go:build cudacpu && linux && amd64

package selftest

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"example.com/sorter/internal/cudacpu"
)

// faultVariable names the faulty kernel that a child process runs.
const faultVariable = "CUDACPU_FAULT"

// faulty runs a kernel with a mistake, on blocks of 64 threads.
func faulty(t *testing.T, kernel string) {
	d := open(t)
	if kernel == "scan_by_index_u32" {
		scan(t, d, kernel, 100*scanTile)
		return
	}
	blocks := map[string]int{"race_of_blocks": 2, "unfenced_flag": 2, "spin_forever": 2}[kernel]
	out := upload(d, make([]uint32, 64))
	d.run(kernel, max(blocks, 1), 64, 256, args(out)...)
}

// mistake returns the place of a kernel's mistake, as "faults.cu:12".
func mistake(t *testing.T, kernel string) string {
	data, err := sources.ReadFile("faults.cu")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for i, line := range strings.Split(string(data), "\n") {
		inside = inside || strings.Contains(line, " "+kernel+"(")
		if inside && strings.Contains(line, "// mistake") {
			return "faults.cu:" + strconv.Itoa(i+1)
		}
	}
	return ""
}

// child runs one fault of a test in a process of its own and returns how it ended.
func child(t *testing.T, test, fault string) (output string, died bool) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), faultVariable+"="+fault, "TSAN_OPTIONS=halt_on_error=1 history_size=0", "GOTRACEBACK=none")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err != nil
}

func TestFaults(t *testing.T) {
	if kernel := os.Getenv(faultVariable); kernel != "" {
		faulty(t, kernel)
		return
	}
	sanitizer := cudacpu.Sanitizer()
	for _, f := range []struct {
		kernel string
		says   string // in every build, or
		by     string // with this sanitizer only
	}{
		{kernel: "race_in_block", by: "thread"},
		{kernel: "race_in_warp", by: "thread"},
		{kernel: "race_of_blocks", by: "thread"},
		{kernel: "unfenced_flag", by: "thread"},
		{kernel: "read_out_of_bounds", by: "address"},
		{kernel: "write_out_of_bounds", says: "write out of bounds", by: "address"},
		{kernel: "shared_out_of_bounds", says: "write after the 256 bytes", by: "address"},
		{kernel: "shared_too_large", says: "260 bytes of shared memory used, 256 launched with"},
		{kernel: "barrier_skipped", says: "no thread of block"},
		{kernel: "barriers_mixed", says: "divergent barrier"},
		{kernel: "lane_outside_mask", says: "lane 0 is not in its own mask fffffffe"},
		{kernel: "lane_missing", says: "no thread of block"},
		{kernel: "shuffle_outside_mask", says: "outside mask 0000ffff"},
		{kernel: "spin_forever", says: "all wait for each other"},
		{kernel: "scan_by_index_u32", says: "all wait for each other"},
	} {
		t.Run(f.kernel, func(t *testing.T) {
			if f.by != "" && sanitizer != f.by && (f.says == "" || sanitizer != "") {
				t.Skip("the sanitizer finds it: ", f.by)
			}
			says := f.says
			if f.by == sanitizer && f.by != "" {
				says = map[string]string{"thread": "ThreadSanitizer: data race", "address": "AddressSanitizer"}[f.by]
			}
			out, died := child(t, "TestFaults", f.kernel)
			if !died || !strings.Contains(out, says) {
				t.Errorf("not found (died: %v); want %q in\n%s", died, says, out)
			}
			// Without the sanitizer a write is found after it.
			if late := f.by == "address" && sanitizer == ""; !late && !strings.Contains(out, mistake(t, f.kernel)) {
				t.Errorf("%s not named in\n%s", mistake(t, f.kernel), out)
			}
		})
	}
}

// TestPoison shows that memory nobody wrote is different under every seed, so
// that a kernel which relies on it gives different results.
func TestPoison(t *testing.T) {
	seen := map[uint32]bool{}
	seeds(t, 8, func(t *testing.T, d *device) {
		out := buffer[uint32](d, 64)
		seen[download[uint32](d, out, 64)[5]] = true
		d.run("uninitialized_shared", 1, 64, 256, args(out)...)
		seen[download[uint32](d, out, 64)[6]] = true
	})
	if len(seen) < 8 || seen[0] {
		t.Errorf("contents of new memory: %v", seen)
	}
}
