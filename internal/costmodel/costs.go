package costmodel

import (
	"fmt"

	"example.com/sorter/internal/engine"
)

// Costs is the costs of sorts on the device and on the CPU engine: those that were measured,
// and those that are expected where none were. [Expect] makes it. The zero value has the
// expectations of the zero Facts.
type Costs struct {
	codes   *sortTimes              // nil: not measured
	payload *payload                // nil: not measured
	samples [engine.Samples]*ratios // nil: not measured

	expectedCodes   *sortTimes
	expectedPayload *payload

	seen *Seen // nil: nothing
}

// Recording returns c with the times of the program's own sorts, which s goes on to record.
func (c Costs) Recording(s *Seen) Costs {
	c.seen = s
	return c
}

// Missing reports whether a number that work w depends on is not measured yet.
func (c Costs) Missing(w engine.Work) bool {
	return c.codes == nil || w.Payload > 0 && c.payload == nil || w.Sample != engine.Mixed && c.samples[w.Sample] == nil
}

// known returns the costs by which work is judged.
func (c Costs) known() (*sortTimes, *payload) {
	if c.expectedCodes == nil {
		c = c.with(Expect(Facts{}))
	}
	m, p := c.expectedCodes, c.expectedPayload
	if c.codes != nil {
		m = c.codes
	}
	if c.payload != nil {
		p = c.payload
	}
	return m, p
}

// with returns c with the expectations and the recorded sorts of e.
func (c Costs) with(e Costs) Costs {
	c.expectedCodes, c.expectedPayload, c.seen = e.expectedCodes, e.expectedPayload, e.seen
	return c
}

const (
	// MaxMovedSize is the largest element, in bytes, that the device moves while nothing is
	// measured. 2026-11, H200: 24-byte elements take 0.7 of the time of a gather, 64-byte
	// elements the same time.
	MaxMovedSize = 48
)

// MovesElements reports whether the device moves n elements of the given size faster than the host
// gathers them through an order. It is false below least bytes in all.
func (c Costs) MovesElements(size, n, least int) bool {
	switch {
	case size*n < least:
		return false
	case c.payload == nil:
		return size <= MaxMovedSize
	}
	return c.payload.movesElements(uintptr(size), n)
}

// String returns the measurements as text, or the expectations where there are none; "" for
// the zero value.
func (c Costs) String() string {
	if c == (Costs{}) {
		return ""
	}
	m, p := c.known()
	codes, payload := m.String(), p.String()
	if c.codes == nil {
		codes = "expected: " + codes
	}
	if c.payload == nil {
		payload = "expected: " + payload
	}
	text := codes + "; " + payload
	for s, r := range c.samples {
		if r != nil {
			text += fmt.Sprintf("; %v codes:%v", engine.Sample(s), r)
		}
	}
	return text
}
