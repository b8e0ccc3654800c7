package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compressions, by the bytes that their files begin with and by the ends of their names.
var (
	magics   = map[string]string{"gzip": "\x1f\x8b\x08", "zstd": "\x28\xb5\x2f\xfd"}
	suffixes = map[string]string{".gz": "gzip", ".zst": "zstd"}
)

// decompress makes Read return decompressed text, if the file begins like a compressed one or
// compress names a compression.
func (in *input) decompress(compress string) error {
	if compress == "none" {
		return nil
	}
	r := bufio.NewReaderSize(in.Reader, 64<<10)
	head, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return err
	}
	if name := compressionOf(string(head)); name != "" {
		return in.decode(name, r)
	}
	in.Reader = r
	return nil
}

// compressionOf returns the compression of a file by its first 4 bytes, or "". Zstd may begin with
// a frame to skip (pzstd): bytes 0x50 to 0x5F and those of skipMagic.
func compressionOf(head string) string {
	const skipMagic = "\x2a\x4d\x18"
	for name, magic := range magics {
		if strings.HasPrefix(head, magic) {
			return name
		}
	}
	if head != "" && head[0]>>4 == 5 && head[1:] == skipMagic {
		return "zstd"
	}
	return ""
}

func (in *input) decode(name string, r *bufio.Reader) error {
	in.file, in.size = nil, 0
	if name == "gzip" {
		z, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		z.Multistream(false)
		in.Reader = &members{z, r}
		in.closers = append(in.closers, z.Close)
		return nil
	}
	z, err := zstd.NewReader(r)
	if err != nil {
		return err
	}
	in.Reader = z
	in.closers = append(in.closers, func() error { z.Close(); return nil })
	return nil
}

// members reads the members of a gzip file. Zeros may follow them, which fill the blocks of a tape: gzip
// ignores these. Other bytes are an error: gzip warns of them, and ends with exit status 2.
type members struct {
	z    *gzip.Reader
	from *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err == io.EOF {
		err = m.next()
	}
	return n, err
}

// next begins the next member, if there is one. At the end the error is io.EOF.
func (m *members) next() error {
	if head, _ := m.from.Peek(2); string(head) == magics["gzip"][:2] {
		err := m.z.Reset(m.from)
		if err == io.EOF { // in the name or the comment
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			m.z.Multistream(false)
		}
		return err
	}
	for {
		switch b, err := m.from.ReadByte(); {
		case err != nil:
			return err
		case b != 0:
			return errors.New("gzip: other bytes follow the compressed ones")
		}
	}
}

// compressor returns w with what is written compressed: as compress says, or by the name of the output. It is nil if
// that is stored as it is.
func compressor(w io.Writer, compress, output string) (io.WriteCloser, error) {
	if compress == "auto" {
		compress = suffixes[strings.ToLower(filepath.Ext(output))]
	}
	switch compress {
	case "gzip":
		return gzip.NewWriter(w), nil
	case "zstd":
		return zstd.NewWriter(w)
	}
	return nil, nil
}

// compressing returns write with its output compressed, see compressor.
func compressing(compress, output string, write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z, err := compressor(w, compress, output)
		if z == nil && err == nil {
			return write(w)
		}
		if err != nil {
			return err
		}
		if err := write(z); err != nil {
			z.Close() // ends its goroutines
			return err
		}
		return z.Close()
	}
}
