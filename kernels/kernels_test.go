package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	for _, m := range []struct {
		name, want string
		image      []byte
	}{{"order", orderHash, Order}, {"radix_small", radixSmallHash, RadixSmall}, {"bucket", bucketHash, Bucket}, {"bucket_u32", bucketU32Hash, BucketU32}, {"bucket_u64", bucketU64Hash, BucketU64}, {"keys", keysHash, Keys}, {"octaves", octavesHash, Octaves}, {"strided", stridedHash, Strided}, {"numbered", numberedHash, Numbered}, {"radix", radixHash, Radix}, {"bitonic", bitonicHash, Bitonic}, {"samplesort", samplesortHash, SampleSort}, {"merge", mergeHash, Merge}, {"route", routeHash, Route}, {"gather", gatherHash, Gather}, {"values", valuesHash, Values}, {"encode", encodeHash, Encode}, {"segments", segmentsHash, SegmentSort}} {
		sum := sha256.Sum256(m.image)
		if got := hex.EncodeToString(sum[:]); got != m.want {
			t.Errorf("%s.fatbin hashes to %s, constants.go says %s", m.name, got, m.want)
		}
	}
}
