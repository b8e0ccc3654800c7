package beamsort

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// ManifestFile is the contents of a manifest, see [Manifest].
type ManifestFile struct {
	Order  string
	Format string
	Count  int64   // elements of all shards
	Bytes  int64   // of their files
	Sum    uint64  // of Sum of all shards
	Shards []Shard // by number
}

// ReadManifest reads the manifest of a sort to a prefix.
func ReadManifest(ctx context.Context, prefix string) (*ManifestFile, error) {
	fs, err := filesystem.New(ctx, prefix)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	text, err := filesystem.Read(ctx, fs, manifestName(prefix))
	if err != nil {
		return nil, err
	}
	m := &ManifestFile{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("beamsort: %s: %w", manifestName(prefix), err)
	}
	return m, nil
}

func manifestName(prefix string) string { return prefix + "-manifest.json" }

// manifestFn writes the manifest of all shards.
type manifestFn struct{ Config config }

// ProcessElement compares the totals of the shards with those of the input, and writes the
// manifest.
func (f *manifestFn) ProcessElement(ctx context.Context, _ []byte, shards func(*Shard) bool, message []byte) error {
	return f.Config.fail("manifest", f.write(ctx, shards, message))
}

func (f *manifestFn) write(ctx context.Context, shards func(*Shard) bool, message []byte) error {
	in, parts, err := planTotals(message)
	if err != nil {
		return err
	}
	m := ManifestFile{Order: f.Config.Order, Format: f.Config.Format}
	var s Shard
	for shards(&s) {
		m.Shards = append(m.Shards, s)
		m.Count += s.Count
		m.Bytes += s.Bytes
		m.Sum += s.Sum
	}
	slices.SortFunc(m.Shards, func(a, b Shard) int { return int(a.Part - b.Part) })
	if int64(len(m.Shards)) != parts || m.Count != in.Count || m.Sum != in.Sum {
		return fmt.Errorf("%d shards have %d elements with the sum %x, but the input, for %d shards, had %d with the sum %x",
			len(m.Shards), m.Count, m.Sum, parts, in.Count, in.Sum)
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	_, err = writeFile(ctx, manifestName(f.Config.Prefix), f.Config.Direct, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	return err
}
