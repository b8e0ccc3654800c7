package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGenerated fails when a source was changed without running generate.sh,
// or a generated file by hand.
func TestGenerated(t *testing.T) {
	sources, _ := filepath.Glob("*.cu")
	headers, _ := filepath.Glob("*.cuh")
	slices.Sort(sources)
	slices.Sort(headers)
	h := sha256.New()
	for _, name := range append(sources, headers...) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(h, f)
		f.Close()
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sourceHash {
		t.Errorf("the sources hash to %s, the modules were built from %s: run make kernels", got, sourceHash)
	}
	sums, err := os.ReadFile("SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	images := map[string][]byte{"order": Order, "radix_small": RadixSmall, "bucket": Bucket, "bucket_u32": BucketU32, "bucket_u64": BucketU64, "keys": Keys, "octaves": Octaves, "strided": Strided, "numbered": Numbered, "radix": Radix, "bitonic": Bitonic, "samplesort": SampleSort, "merge": Merge, "route": Route, "gather": Gather, "values": Values, "encode": Encode, "segments": SegmentSort, "segmentradix": SegmentRadix, "selection": Selection, "topsegments": TopSegments, "columns": Columns, "gathercolumns": GatherColumns}
	for line := range strings.Lines(string(sums)) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		name := strings.TrimSuffix(file, ".fatbin")
		if got := sha256.Sum256(images[name]); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s hashes to %x, SHA256SUMS says %s", file, got, sum)
		}
		delete(images, name)
	}
	for name := range images {
		t.Errorf("SHA256SUMS has no %s.fatbin", name)
	}
}
