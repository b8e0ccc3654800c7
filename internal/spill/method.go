package spill

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Method is how a block is stored.
type Method uint8

// The methods. They are part of the format of kept runs.
const (
	Raw Method = iota
	S2
	Zstd
	methods = iota
)

// worthwhile reports whether a compressed block saves enough: an eighth, which is more than it
// takes to decompress it from any disk that compression pays on.
func worthwhile(stored, plain int) bool { return stored <= plain-plain/8 }

const (
	leastPacked = 128       // bytes of a block that is compressed at least
	mostPacked  = 128 << 10 // and at most: more than zstd keeps without a window

	s2Bytes          = 80 << 10 // of the table of an encoder, of blocks up to mostPacked
	zstdEncoderBytes = 1 << 20  // tables, literals, sequences and output; see TestCoderMemory
	zstdDecoderBytes = 256 << 10
)

// encoder compresses blocks. It is for one goroutine.
type encoder struct {
	buf  []byte // of the compressed block
	zstd *zstd.Encoder
}

// scratchBytes returns the size of a buffer for any compressed form of a block.
func scratchBytes(block int) int { return block + block/6 + 64 }

// block compresses p, or returns p as Raw if that does not pay. The bytes are valid until the next
// call.
func (c *encoder) block(p []byte, m Method) ([]byte, Method) {
	if m == Raw || len(p) < leastPacked || len(p) > mostPacked {
		return p, Raw
	}
	if cap(c.buf) < scratchBytes(len(p)) {
		c.buf = make([]byte, scratchBytes(len(p)))
	}
	var packed []byte
	if m == S2 {
		packed = s2.Encode(c.buf[:cap(c.buf)], p)
	} else {
		packed = c.encoder().EncodeAll(p, c.buf[:0])
	}
	if !worthwhile(len(packed), len(p)) {
		return p, Raw
	}
	return packed, m
}

func (c *encoder) encoder() *zstd.Encoder {
	if c.zstd == nil {
		// The options are constants: there is no error. Checksums are those of the run.
		c.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), zstd.WithWindowSize(mostPacked), zstd.WithLowerEncoderMem(true))
	}
	return c.zstd
}

// decoder decompresses blocks. It is for one goroutine.
type decoder struct{ zstd *zstd.Decoder }

var errLength = errors.New("wrong length of a decompressed block")

// block decompresses src to dst, whose length is that of the block. It writes nothing past it.
func (c *decoder) block(dst, src []byte, m Method) error {
	var got []byte
	var err error
	switch m {
	case Raw:
		got = src
		copy(dst, src)
	case S2:
		if n, failed := s2.DecodedLen(src); failed != nil || n != len(dst) {
			return errors.Join(errLength, failed)
		}
		got, err = s2.Decode(dst, src)
	case Zstd:
		got, err = c.decoder().DecodeAll(src, dst[:0:len(dst)])
	default:
		return fmt.Errorf("unknown method %d", m)
	}
	if err == nil && len(got) != len(dst) {
		err = errLength
	}
	return err
}

func (c *decoder) decoder() *zstd.Decoder {
	if c.zstd == nil {
		c.zstd, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(mostPacked), zstd.WithDecodeAllCapLimit(true), zstd.IgnoreChecksum(true))
	}
	return c.zstd
}
