package powerloss

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// kind is what a call does.
type kind int

const (
	write    kind = iota // data at off
	resize               // to off bytes
	reserve              // at least off bytes: the rest is zeros
	punch                // n bytes at off are zeros
	syncFile             // all changes of the file are durable
	link                 // the folder gets a name of the file
	unlink               // the folder loses a name
	rename               // the name of a folder becomes another one of target
	syncDir              // all names of the folder are durable
	say                  // data to the standard output
)

var kinds = [...]string{"write", "resize", "reserve", "punch", "sync", "link", "unlink", "rename", "sync of folder", "output"}

// inode is a file or a folder.
type inode int

// op is a call that has ended.
type op struct {
	kind   kind
	begun  int   // calls that had ended when it began
	file   inode // that changes, or that is named
	dir    inode
	name   string
	target inode // of a rename
	to     string
	data   []byte
	off, n int64
	path   string // for people
}

func (o op) String() string {
	switch o.kind {
	case write:
		return fmt.Sprintf("write of %d bytes at %d to %s", len(o.data), o.off, o.path)
	case say:
		return fmt.Sprintf("output %q", o.data)
	}
	return kinds[o.kind] + " " + o.path
}

// Log is what a process did to the files of a folder.
type Log struct {
	dir    string
	begin  *state // before the process
	ops    []op
	failed bool // the process
}

// rootOf reads a folder: all that it holds is durable.
func rootOf(dir string) (*state, error) {
	s := newState()
	return s, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		parent, ok := s.find(filepath.Dir(rel))
		if !ok {
			return fmt.Errorf("no folder of %s", rel)
		}
		var data []byte
		if d.Type().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		} else if !d.IsDir() {
			return fmt.Errorf("%s is no file and no folder", path)
		}
		i := s.add(d.IsDir())
		s.nodes[i].data = data
		s.nodes[parent].names[d.Name()] = i
		s.now[parent][d.Name()] = i
		return nil
	})
}

// Sync is a call that makes a file or a folder durable.
type Sync struct {
	Path   string // below the folder
	number int    // of the call
}

// Syncs returns those of the process, in their sequence.
func (l *Log) Syncs() (all []Sync) {
	for i, o := range l.ops {
		if o.kind == syncFile || o.kind == syncDir {
			all = append(all, Sync{o.path, i})
		}
	}
	return all
}

// Without returns the log of a process that does the same without some syncs.
func (l *Log) Without(syncs ...Sync) *Log {
	less := *l
	less.ops = slices.Clone(l.ops)
	for _, s := range syncs {
		less.ops[s.number] = op{kind: say} // nothing
	}
	return &less
}
