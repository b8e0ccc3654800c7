//go:build !linux

package main

import "os"

type syncing struct{ *os.File }
