package jobs

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

// TestPipelines runs all pipelines on prism and checks their outputs.
func TestPipelines(t *testing.T) {
	dir := t.TempDir()
	records, lines := filepath.Join(dir, "records"), filepath.Join(dir, "lines")
	if err := WriteRecords(records, 6000); err != nil {
		t.Fatal(err)
	}
	if err := WriteLines(lines, 6000); err != nil {
		t.Fatal(err)
	}
	for what := range pipelines {
		j := Job{What: what, Runner: "prism", In: records, Out: filepath.Join(dir, "of-"+what, "x"), Shards: 3, Temp: dir}
		if what == "lines" {
			j.In = lines
		}
		text, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		if err := Run(string(text)); err != nil {
			t.Fatal(err)
		}
		if n, err := Check(context.Background(), j); n != 6000 || err != nil {
			t.Errorf("%s: %d elements, %v", what, n, err)
		}
		checkNotices(t, j)
	}
}

// checkNotices fails unless Check notices a change of a byte in the middle of the first file.
func checkNotices(t *testing.T, j Job) {
	files, err := filepath.Glob(j.Out + "-00000-of-*")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(files[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(context.Background(), j); err == nil {
		t.Errorf("%s: a changed byte was not noticed", j.What)
	}
}
