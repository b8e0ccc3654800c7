package powerloss

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// node is a file or a folder as it is on the disk for certain.
type node struct {
	folder bool
	data   []byte           // of a file
	names  map[string]inode // of a folder
}

// state is the disk, and the changes that it may have.
type state struct {
	nodes   []node
	pending []change
	now     map[inode]map[string]inode // the names in folders as the process sees them
	said    []byte
}

// change is a call that is not durable.
type change struct {
	op
	number int // of the call
}

func newState() *state {
	s := &state{now: map[inode]map[string]inode{}}
	s.add(true)
	return s
}

// clone returns a state that changes by itself.
func (s *state) clone() *state {
	c := &state{said: slices.Clone(s.said), pending: slices.Clone(s.pending), now: map[inode]map[string]inode{}}
	for _, n := range s.nodes {
		n.data, n.names = slices.Clone(n.data), maps.Clone(n.names)
		c.nodes = append(c.nodes, n)
	}
	for dir, names := range s.now {
		c.now[dir] = maps.Clone(names)
	}
	return c
}

const root inode = 0

// add adds a file or a folder that has no name.
func (s *state) add(folder bool) inode {
	n := node{folder: folder}
	i := inode(len(s.nodes))
	if folder {
		n.names = map[string]inode{}
		s.now[i] = map[string]inode{}
	}
	s.nodes = append(s.nodes, n)
	return i
}

// find returns the file or folder of a path relative to the root, as the process sees it.
func (s *state) find(path string) (inode, bool) {
	at := root
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if name == "." || name == "" {
			continue
		}
		next, ok := s.now[at][name]
		if !ok {
			return 0, false
		}
		at = next
	}
	return at, true
}

// see changes the names that the process sees.
func (s *state) see(o op) {
	apply(o, func(dir inode) map[string]inode { return s.now[dir] })
}

// apply changes names.
func apply(o op, names func(inode) map[string]inode) {
	switch o.kind {
	case link:
		names(o.dir)[o.name] = o.file
	case unlink:
		delete(names(o.dir), o.name)
	case rename:
		delete(names(o.dir), o.name)
		names(o.target)[o.to] = o.file
	}
}

// do is the call of a number: a sync makes changes durable, any other change is pending.
func (s *state) do(o op, number int) {
	for o.kind != say && int(max(o.file, o.dir, o.target)) >= len(s.nodes) {
		panic("powerloss: a file that nobody made")
	}
	switch o.kind {
	case say:
		s.said = append(s.said, o.data...)
	case syncFile:
		s.settle(o.begun, func(c op) bool { return c.kind <= punch && c.file == o.file })
	case syncDir:
		s.settle(o.begun, func(c op) bool {
			return c.kind >= link && (c.dir == o.file || c.kind == rename && c.target == o.file)
		})
	default:
		s.pending = append(s.pending, change{o, number})
	}
}

// settle makes those of the first calls durable that are chosen.
func (s *state) settle(calls int, chosen func(op) bool) {
	rest := s.pending[:0]
	for _, c := range s.pending {
		if c.number < calls && chosen(c.op) {
			s.keep(c.op)
		} else {
			rest = append(rest, c)
		}
	}
	s.pending = rest
}

// keep changes the disk.
func (s *state) keep(o op) {
	if o.kind >= link {
		apply(o, func(dir inode) map[string]inode { return s.nodes[dir].names })
		return
	}
	s.nodes[o.file].data = changed(s.nodes[o.file].data, o)
}

// changed returns the bytes of a file after a call.
func changed(data []byte, o op) []byte {
	switch o.kind {
	case write:
		data = grown(data, o.off+int64(len(o.data)))
		copy(data[o.off:], o.data)
	case resize:
		data = grown(data, o.off)[:o.off]
	case reserve:
		data = grown(data, o.off)
	case punch:
		end := min(o.off+o.n, int64(len(data)))
		clear(data[min(o.off, end):end])
	}
	return data
}

// grown returns data with zeros up to a size.
func grown(data []byte, size int64) []byte {
	if more := size - int64(len(data)); more > 0 {
		data = append(data, make([]byte, more)...)
	}
	return data
}
