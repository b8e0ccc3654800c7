//go:build suites

package main

// The engine's suites, for the sums of the modules that they need.
import _ "github.com/dolthub/go-mysql-server/enginetest"
