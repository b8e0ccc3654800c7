package beamsort

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// metrics of all sorts of a pipeline; Beam keeps them apart by step.
var (
	recordsPacked = beam.NewCounter("beamsort", "records_packed")
	bytesPacked   = beam.NewCounter("beamsort", "bytes_packed")
	runsPacked    = beam.NewCounter("beamsort", "runs")
	blocksPacked  = beam.NewCounter("beamsort", "blocks")
	samplesTaken  = beam.NewCounter("beamsort", "samples")
	pieces        = beam.NewCounter("beamsort", "pieces")
	records       = beam.NewCounter("beamsort", "records")
	bytesWritten  = beam.NewCounter("beamsort", "bytes")
	spilledBytes  = beam.NewCounter("beamsort", "spilled_bytes")
	shardsWritten = beam.NewCounter("beamsort", "shards")
	partBytes     = beam.NewDistribution("beamsort", "part_bytes")
	valuesPerKey  = beam.NewDistribution("beamsort", "values_per_key")
)
