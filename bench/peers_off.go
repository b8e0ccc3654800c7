//go:build !peers

package main

// Without the tag peers the module builds from what every module proxy serves;
// README.md says how to add the other two.

const withPeers = false

func uint32Peers(*data[uint32]) []contender     { return nil }
func uint64Peers(*data[uint64]) []contender     { return nil }
func float32Peers(*data[float32]) []contender   { return nil }
func float64Peers(*data[float64]) []contender   { return nil }
func stringPeers(*data[string]) []contender     { return nil }
func rec24Peers(*data[rec24]) []contender       { return nil }
func rec24StablePeers(*data[rec24]) []contender { return nil }
func rec64Peers(*data[rec64]) []contender       { return nil }
func vec4Peers(*data[vec4]) []contender         { return nil }
func argsortPeers(*argsort) []contender         { return nil }
func entryPeers(*data[entry]) []contender       { return nil }
func topPeers(*data[rec24]) []contender         { return nil }
