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
	if err := f.inOrder(m.Shards); err != nil {
		return err
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

// inOrder fails if a shard begins before an earlier one ends. That is so where a runner has lost the plan
// after some blocks were routed, and has made another one of other runs for the rest.
func (f *manifestFn) inOrder(shards []Shard) error {
	order, err := lookupNamed(f.Config.Order)
	if err != nil {
		return err
	}
	var before *Shard
	for i := range shards {
		s := &shards[i]
		if s.Count == 0 {
			continue
		}
		if before != nil {
			c, err := order.compareEncoded(before.Last, s.First)
			if err != nil {
				return err
			}
			if c > 0 {
				return fmt.Errorf("shard %d begins before shard %d ends: they were routed by different plans; run the sort again", s.Part, before.Part)
			}
		}
		before = s
	}
	return nil
}
