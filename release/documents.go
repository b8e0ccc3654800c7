package main

import (
	"bytes"
	"fmt"
	"strings"
)

// change is a passage of a document that holds until there is a version, and the one in its place afterwards, with %p for
// the path of the root module, %v for the version, %n for its number, and %d for the day.
type change struct{ before, after string }

// documents are the changes by file. A passage that has neither form fails a release: a user would read that the module
// cannot be had.
var documents = map[string][]change{
	"README.md": {
		{"`example.com/sorter` is a placeholder: the module has no public home yet, so `go get` does not\n" +
			"find it. In a module of yours that imports it, with a clone beside it:\n\n" +
			"    go mod edit -require example.com/sorter@v0.0.0 -replace example.com/sorter=../sorter\n" +
			"    go mod tidy\n",
			"In a module of yours, and `go mod tidy` once it imports further packages:\n\n    go get %p@%v\n"},
		{"In the clone, try a larger one, and run the tests", "In a clone, try a larger one, and run the tests"},
		{"because of their dependencies; a program requires and replaces each as\nwell:", "because of their dependencies, with the same version:"},
		{"Nothing is released. This is the second version of the public surface: `Ordering` and `Rows` carry what takes\n" +
			"several keys, and root functions are for one key. Until v1", "This is %v. Until v1"},
	},
	"CHANGELOG.md": {
		{"## [Unreleased]\n\nWhat v0.1.0 will have. No version is released.\n", "## [%n] - %d\n"},
	},
}

// publish returns a document as it is from the release on.
func (r *release) publish(name string, data []byte) ([]byte, error) {
	fill := strings.NewReplacer("%p", r.path, "%v", r.version, "%n", strings.TrimPrefix(r.version, "v"), "%d", r.day)
	for _, c := range documents[name] {
		after := []byte(fill.Replace(c.after))
		if n := bytes.Count(data, []byte(c.before)); n != 1 && !bytes.Contains(data, after) {
			return nil, fmt.Errorf("it has %d times the passage that a release replaces: %q", n, c.before)
		}
		data = bytes.Replace(data, []byte(c.before), after, 1)
	}
	return data, nil
}
