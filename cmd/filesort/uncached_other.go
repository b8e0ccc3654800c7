//go:build !linux

package main

func (in *input) readPastCache() {}
