package beamsort

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// worker is a machine of the simulation. Costs are those of README.md, measured for records of
// 24 bytes with a key of 8; recordBytes scales them for others.
var worker = struct {
	cores          float64
	network, store float64 // bytes per second
	source         float64 // ns of a core per record: emit, by Beam
	pack, shard    float64 // ns of a core per 24 bytes: two cores at the measured time
	route          float64
	shuffle        float64 // ns of a core per byte: prism's share of the time, write and read, twice
	sample         float64 // ns per sample, on one worker
	start          float64 // seconds: workers, stages
	straggler      float64 // the slowest worker's time by the mean
}{16, 1.25e9, 2e9, 240, 2 * 60, 2 * 47, 2 * 3, 19, 1000, 60, 1.2}

// simulate returns the seconds of a sort of records of 100 bytes.
func simulate(bytes, workers, shard float64) float64 {
	const recordBytes = 100
	records := bytes / recordBytes
	scale := float64(recordBytes) / 24
	core := records*(worker.source+scale*(worker.pack+worker.shard+worker.route)) + bytes*worker.shuffle
	cpu := core / 1e9 / worker.cores / workers
	// Blocks and pieces go over the network; input, blocks, pieces and shards to or from a store.
	network := 2 * bytes / worker.network / workers
	store := 6 * bytes / worker.store / workers
	plan := bytes / (shard / samplesPerShard) * worker.sample / 1e9
	return worker.start + plan + max(cpu, network, store)*worker.straggler
}

// TestSimulation holds the table in README.md to the model.
func TestSimulation(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []float64{1, 10, 40, 100, 1000} {
		row := fmt.Sprintf("| %.0f | %s | %s |", workers, minutes(simulate(1e12, workers, 256<<20)), minutes(simulate(1e14, workers, 4<<30)))
		if !strings.Contains(string(text), row) {
			t.Errorf("README.md has no row %s", row)
		}
	}
}

// minutes prints seconds.
func minutes(s float64) string {
	switch {
	case s < 600:
		return fmt.Sprintf("%.0f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
