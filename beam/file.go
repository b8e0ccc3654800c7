package beamsort

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme

	"example.com/sorter/internal/durable"
)

// shardName returns the name of a shard.
func shardName(c *config, part, parts int64) string {
	return fmt.Sprintf("%s-%05d-of-%05d%s", c.Prefix, part, parts, c.Suffix)
}

// temporaryName returns a name that no pattern beginning with the prefix matches, in the same
// folder. It is random: two attempts to write one file do not meet.
func temporaryName(path string) string {
	at := strings.LastIndexAny(path, `/\`) + 1
	return fmt.Sprintf("%s.%s.%016x.tmp", path[:at], path[at:], rand.Uint64())
}

// fileBuffer joins small writes.
const fileBuffer = 256 << 10

// writeFile writes a file under a temporary name and renames it when it is complete. With direct,
// or where the file system has neither a rename nor a way to remove a file, it is written under its
// own name. After an error or a panic the temporary file is removed, where the file system can.
// A file of this machine survives a loss of power when writeFile returns.
func writeFile(ctx context.Context, path string, direct bool, write func(io.Writer) error) (bytes int64, err error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	if isLocal(path) {
		if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil { // as Beam does, which makes no names durable
			return 0, err
		}
	}
	if direct || !canRename(fs) {
		if bytes, err = writeTo(ctx, fs, path, write); err == nil {
			err = settle(path)
		}
		return bytes, err
	}
	name := temporaryName(path)
	done := false
	defer func() {
		if r, ok := fs.(filesystem.Remover); ok && !done {
			// The error in hand is the one to report, and the context may have ended.
			_ = r.Remove(context.WithoutCancel(ctx), name)
		}
	}()
	if bytes, err = writeTo(ctx, fs, name, write); err != nil {
		return 0, err
	}
	if err := filesystem.Rename(ctx, fs, name, path); err != nil {
		return 0, fmt.Errorf("rename to %s: %w", path, err)
	}
	done = true
	return bytes, settle(path)
}

// isLocal reports whether a path is one of this machine.
func isLocal(path string) bool { return !strings.Contains(path, "://") }

// settle makes the name of a file durable. Object stores do that themselves.
func settle(path string) error {
	if !isLocal(path) {
		return nil
	}
	return durable.SyncDir(filepath.Dir(path))
}

// canRename reports whether the file system has a rename, or the removal of which, with a copy,
// [filesystem.Rename] makes one.
func canRename(fs filesystem.Interface) bool {
	_, rename := fs.(filesystem.Renamer)
	_, remove := fs.(filesystem.Remover)
	return rename || remove
}

// writeTo writes a file. After an error its context is cancelled before it is closed, so
// that an object store does not take it for complete.
func writeTo(ctx context.Context, fs filesystem.Interface, name string, write func(io.Writer) error) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return 0, err
	}
	done := false
	defer func() {
		if !done {
			cancel()
			file.Close()
		}
	}()
	counted := &counter{to: file}
	buffered := bufio.NewWriterSize(counted, fileBuffer)
	if err := write(buffered); err != nil {
		return 0, err
	}
	if err := buffered.Flush(); err != nil {
		return 0, err
	}
	if f, ok := file.(interface{ Sync() error }); ok { // as *os.File
		if err := f.Sync(); err != nil {
			return 0, err
		}
	}
	done = true
	return counted.bytes, file.Close()
}

// counter counts the bytes that were written.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}
