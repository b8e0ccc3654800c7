//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"strings"

	"example.com/sorter/internal/gpu/bucket"
)

// attempts counts attempts at the bucket sort.
type attempts struct {
	made bucket.Attempts
	seen [bucket.Quantiles + 1][2]int64
}

// since names the spreadings that sorts have tried since the last call, and the share that was lost of
// each, if any.
func (a *attempts) since() string {
	var list []string
	for way := range a.seen {
		begun, failed := a.made.Of(bucket.Spreading(way))
		was := a.seen[way]
		a.seen[way] = [2]int64{begun, failed}
		switch begun, failed := begun-was[0], failed-was[1]; {
		case failed > 0:
			list = append(list, fmt.Sprintf("%v, %d of %d lost", bucket.Spreading(way), failed, begun))
		case begun > 0:
			list = append(list, bucket.Spreading(way).String())
		}
	}
	return strings.Join(list, "; ")
}
