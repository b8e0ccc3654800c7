package scratch

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// TestPagesAreAdvised reads from the system whether the memory of Pages is advised to be on huge pages.
func TestPagesAreAdvised(t *testing.T) {
	p := Pages(4 * hugePage)
	at := uintptr(unsafe.Pointer(&p[0]))
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil || !bytes.Contains(text, []byte("VmFlags:")) {
		t.Skip("the system does not say")
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		var begin, end uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &begin, &end); n == 2 {
			inside = begin <= at && at < end
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			if !strings.Contains(flags+" ", " hg ") {
				t.Errorf("flags of the memory: %s", flags)
			}
			return
		}
	}
	t.Error("the memory is in no range of the process")
}
