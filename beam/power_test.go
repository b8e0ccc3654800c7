package beamsort

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"example.com/sorter/internal/powerloss"
	"example.com/sorter/internal/testkit"
)

// powerJobs sort rows to shards in the folder "out".
var powerJobs = map[string]func(dir string) error{
	"renamed": func(dir string) error { return sortToShards(dir) },
	"direct":  func(dir string) error { return sortToShards(dir, Direct()) },
}

func powerPrefix(dir string) string { return filepath.Join(dir, "out", "part") }

func sortToShards(dir string, opts ...Option) error {
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	beam.Init()
	p, s := beam.NewPipelineWithRoot()
	Sort(s, beam.ParDo(s, &someRowsFn{300}, beam.Impulse(s)), byU64, append(opts, To(powerPrefix(dir)), Shards(3), Manifest())...)
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		return err
	}
	fmt.Println("sorted")
	return nil
}

// TestPowerLoss cuts the power during a sort: a shard is whole, or not under its name, unless it is written there
// directly. Where there is a manifest, all shards are whole, and there is one once the sort has ended.
func TestPowerLoss(t *testing.T) {
	for job := range powerJobs {
		t.Run(job, func(t *testing.T) {
			dir := t.TempDir()
			l := powerloss.RecordJob(t, dir, job)
			manifest, err := ReadManifest(ctx, powerPrefix(dir))
			if err != nil || len(manifest.Shards) != 3 {
				t.Fatal(manifest, err)
			}
			whole := map[string]string{}
			for _, shard := range manifest.Shards {
				text, err := os.ReadFile(shard.Path)
				if err != nil || int64(len(text)) != shard.Bytes {
					t.Fatal(err)
				}
				whole[shard.Path] = string(text)
			}
			met := map[bool]int{}
			look := func(said string, _ bool) error {
				m, err := ReadManifest(ctx, powerPrefix(dir))
				if met[err == nil]++; err != nil && (strings.Contains(said, "sorted") || job == "renamed" && !errors.Is(err, fs.ErrNotExist)) {
					return err
				}
				if err == nil && fmt.Sprint(m) != fmt.Sprint(manifest) {
					return fmt.Errorf("the manifest is %v", m)
				}
				for path, want := range whole {
					got, failed := os.ReadFile(path)
					if missing := errors.Is(failed, fs.ErrNotExist); string(got) != want && (err == nil || job == "renamed" && !missing) {
						return fmt.Errorf("%s has %d bytes of %d, and the manifest %v", filepath.Base(path), len(got), len(want), err)
					}
				}
				return nil
			}
			n, err := l.Cut(powerloss.Draws{Moments: testkit.Pick(40, 0)}, look)
			if t.Log(n, met); err != nil || met[true] == 0 || met[false] == 0 {
				t.Fatal(err)
			}
			powerloss.CheckSyncs(t, l, "", powerloss.Draws{}, look)
		})
	}
}
