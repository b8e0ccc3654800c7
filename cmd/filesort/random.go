package main

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
)

// salt is the random bytes of an order of -R.
type salt [md5.Size]byte

// newSalt returns the salt of a seed, if there is one, that of a file, which is read as sort does, or one of the system.
func (cl *commandLine) newSalt() (*salt, error) {
	s, name := new(salt), cl.source
	switch {
	case cl.given["-seed"]:
		s.plant(cl.seed)
		return s, nil
	case name == "":
		rand.Read(s[:])
		return s, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err = io.ReadFull(f, s[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: a random source has %d bytes or more", name, len(s))
	}
	return s, err
}

// digest returns the place of a text in the order of -R, which is that of sort: by the MD5 sum of the salt and the text.
func (s *salt) digest(text string) [md5.Size]byte {
	var memory [256]byte
	return md5.Sum(append(append(memory[:0], s[:]...), text...))
}

// plant makes s that of a seed. Those of two seeds differ.
func (s *salt) plant(seed uint64) {
	binary.BigEndian.PutUint64(s[:], mix(seed))
	binary.BigEndian.PutUint64(s[8:], mix(seed+weyl))
}

// scatter puts the digest of a text before the key of its value, which begins at from.
func (s *salt) scatter(key []byte, from int, text string) []byte {
	digest := s.digest(text)
	return slices.Insert(key, from, digest[:]...)
}

// weyl is the step of a sequence whose mixed values are random.
const weyl = 0x9E3779B97F4A7C15

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014): one to one.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// shuffled appends the place of row n of an input in a random order. No two rows of an input have the same.
func shuffled(dst []byte, seed uint64, input int, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, mix(mix(mix(seed)+weyl*uint64(input+1))+weyl*uint64(n)))
}

// randomSeed returns a seed of the system.
func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint64(b[:])
}

func (cl *commandLine) setSeed(value string) (err error) {
	if cl.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
		return errors.New("must be a number from 0 to 18446744073709551615")
	}
	return nil
}
