package beamsort

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// temporaryRest is what follows the prefix in the name of a temporary file of a shard or a manifest.
var temporaryRest = regexp.MustCompile(`^-(\d{5,}-of-\d{5,}.*|manifest\.json)\.[0-9a-f]{16}\.tmp$`)

// Sweep removes the temporary files that killed workers have left beside the shards of a prefix, and
// returns their number. Call it when no sort to this prefix runs: a sort whose temporary file is
// removed fails. Its cost is a listing of names that begin with a dot and the prefix.
func Sweep(ctx context.Context, prefix string) (removed int, err error) {
	if prefix == "" {
		return 0, errors.New(`beamsort: Sweep of the prefix ""`)
	}
	fs, err := filesystem.New(ctx, prefix)
	if err != nil {
		return 0, err
	}
	defer fs.Close()
	at := strings.LastIndexAny(prefix, `/\`) + 1
	hidden := prefix[:at] + "." + prefix[at:]
	names, err := fs.List(ctx, plain.ReplaceAllString(hidden, "?")+"-*")
	if err != nil {
		return 0, fmt.Errorf("beamsort: Sweep of %s: %w", prefix, err)
	}
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, hidden)
		if !ok && isLocal(prefix) { // listed without "./" and the like
			rest, ok = strings.CutPrefix(name, filepath.Join(filepath.Dir(hidden), filepath.Base(hidden)))
		}
		if !ok || !temporaryRest.MatchString(rest) {
			continue
		}
		remover, ok := fs.(filesystem.Remover)
		if !ok {
			return removed, fmt.Errorf("beamsort: Sweep of %s: its file system removes no files", prefix)
		}
		if err := remover.Remove(ctx, name); err != nil {
			return removed, fmt.Errorf("beamsort: Sweep of %s: %w", prefix, err)
		}
		removed++
	}
	return removed, nil
}

// plain are the characters of a name that mean something in a pattern. A question mark in their place
// matches them, and others, which Sweep passes over.
var plain = regexp.MustCompile(`[][*?\\^{}]`)
