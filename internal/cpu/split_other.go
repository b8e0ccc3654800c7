//go:build !amd64

package cpu

// splits is false: there are no vector instructions here.
func splits() bool { return false }

func splitVectors[C Code](codes, above []C, pivot C) (less, more int) { panic("cpu: no vectors") }

func sortShort[C Code](codes []C) { panic("cpu: no vectors") }
