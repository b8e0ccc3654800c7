package powerloss

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// survival is how much is on the disk of changes that are not durable.
type survival int

const (
	none   survival = iota
	all             // of them
	prefix          // of their sequence
	some            // any of them
	torn            // for files: any sectors or pages of any of them
	sizes           // for files: the size with all, but zeros in place of bytes written
)

// fates are how changes of names and of files survive: at first all pairs of the clear ones.
var fates = [...]struct{ names, files survival }{
	{none, none}, {all, all}, {all, none}, {none, all}, {all, sizes}, {all, torn}, {all, prefix}, {prefix, all},
	{prefix, none}, {some, all}, {some, some}, {prefix, torn}, {some, sizes}, {some, torn},
}

// disk returns the disk if the power is cut now. The number of a draw decides which changes it has.
func (s *state) disk(draw int, r *rand.Rand) *state {
	d := s.clone()
	fate := fates[draw%len(fates)]
	sequence := r.IntN(len(s.pending) + 1)
	ends, lost := map[inode]int{}, map[inode]float64{}
	for i, c := range s.pending {
		if c.kind >= link {
			if survives(fate.names, i < sequence, r.Float64() < 0.5) {
				d.keep(c.op)
			}
			continue
		}
		if _, ok := ends[c.file]; !ok {
			ends[c.file], lost[c.file] = r.IntN(len(s.pending)+1), r.Float64()
		}
		switch fate.files {
		case torn:
			d.tear(c.op, lost[c.file], r)
		case sizes:
			if c.kind == write {
				c.kind, c.off = reserve, c.off+int64(len(c.data))
			}
			d.keep(c.op)
		default:
			if survives(fate.files, i < ends[c.file], r.Float64() >= lost[c.file]) {
				d.keep(c.op)
			}
		}
	}
	return d
}

// survives reports whether a change is on the disk, by its place in the sequence or by chance.
func survives(how survival, inPrefix, byChance bool) bool {
	return how == all || how == prefix && inPrefix || how == some && byChance
}

// tear keeps some sectors or pages of a write, and with the same chance the size. Other changes are whole.
func (s *state) tear(o op, lost float64, r *rand.Rand) {
	if o.kind != write {
		if r.Float64() >= lost {
			s.keep(o)
		}
		return
	}
	if r.Float64() >= lost {
		s.keep(op{kind: reserve, file: o.file, off: o.off + int64(len(o.data))})
	}
	unit := int64(512)
	if r.IntN(2) == 0 {
		unit = 4096
	}
	for from := int64(0); from < int64(len(o.data)); {
		to := min((o.off+from)/unit*unit+unit-o.off, int64(len(o.data)))
		if r.Float64() >= lost {
			s.keep(op{kind: write, file: o.file, off: o.off + from, data: o.data[from:to]})
		}
		from = to
	}
}

// walk calls visit for all files and folders that have a name, in a fixed sequence.
func (s *state) walk(visit func(path string, n node) error) error {
	var in func(dir inode, path string) error
	in = func(dir inode, path string) error {
		for _, name := range slices.Sorted(maps.Keys(s.nodes[dir].names)) {
			i := s.nodes[dir].names[name]
			if err := visit(filepath.Join(path, name), s.nodes[i]); err != nil {
				return err
			}
			if s.nodes[i].folder {
				if err := in(i, filepath.Join(path, name)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return in(root, "")
}

// sum returns a number that disks with the same files have, and hardly others.
func (s *state) sum() uint64 {
	h := xxhash.New()
	_ = s.walk(func(path string, n node) error {
		fmt.Fprintf(h, "%s %v %d ", path, n.folder, len(n.data))
		_, _ = h.Write(n.data)
		return nil
	})
	return h.Sum64()
}

// place replaces all that a folder holds by the files of a disk.
func (s *state) place(dir string) error {
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range old {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return s.walk(func(path string, n node) error {
		path = filepath.Join(dir, path)
		if n.folder {
			return os.Mkdir(path, 0o777)
		}
		return os.WriteFile(path, n.data, 0o666)
	})
}

// show lists the files of a disk.
func (s *state) show(w io.Writer) {
	_ = s.walk(func(path string, n node) error {
		if !n.folder {
			fmt.Fprintf(w, "\n\t%s: %d bytes", path, len(n.data))
		}
		return nil
	})
	for _, c := range s.pending {
		fmt.Fprintf(w, "\n\tnot durable: %v", c)
	}
}

// Draws says how often the power is cut.
type Draws struct {
	Each    int    // disks at each moment; 0: one for each way in which changes survive
	Moments int    // at most, drawn of all; 0: all
	Seed    uint64 // of all draws
}

// Count is the number of moments at which the power was cut, of disks that were made, and of those of them that
// differ, on which look was called.
type Count struct{ Moments, Disks, Looks int }

// String lists the numbers.
func (c Count) String() string {
	return fmt.Sprintf("%d moments, %d disks, %d of them different", c.Moments, c.Disks, c.Looks)
}

// Cut cuts the power at moments of the process: before each call, and at the end. Each time the folder gets the files
// that a disk may have then, and look is called, with the output of the process so far, and whether it had ended. The
// first error of look ends it, and gets the moment and the files of the disk.
func (l *Log) Cut(draws Draws, look func(said string, ended bool) error) (n Count, err error) {
	each := cmp.Or(draws.Each, len(fates))
	at := rand.New(rand.NewPCG(draws.Seed, 1))
	s, seen := l.begin.clone(), map[string]bool{}
	for moment := 0; ; moment++ {
		ended := moment == len(l.ops)
		if draws.Moments == 0 || ended || at.Float64()*float64(len(l.ops)) < float64(draws.Moments) {
			n.Moments++
			for draw := range each {
				d := s.disk(draw, rand.New(rand.NewPCG(draws.Seed, uint64(moment*each+draw)+2)))
				n.Disks++
				key := fmt.Sprintf("%x %v %s", d.sum(), ended, d.said)
				if seen[key] {
					continue
				}
				seen[key] = true
				n.Looks++
				if err := d.place(l.dir); err != nil {
					return n, err
				}
				if err := look(string(d.said), ended && !l.failed); err != nil {
					return n, &lossError{l, d, moment, draw, draws.Seed, err}
				}
			}
		}
		if ended {
			return n, nil
		}
		s.do(l.ops[moment], moment)
	}
}

// lossError is an error of a look.
type lossError struct {
	log          *Log
	disk         *state
	moment, draw int
	seed         uint64
	err          error
}

func (e *lossError) Error() string {
	var b strings.Builder
	before := "the end"
	if e.moment < len(e.log.ops) {
		before = e.log.ops[e.moment].String()
	}
	fmt.Fprintf(&b, "%v\npower cut at moment %d of %d, before %s (draw %d, seed %d); the disk:", e.err, e.moment, len(e.log.ops), before, e.draw, e.seed)
	e.disk.show(&b)
	return b.String()
}

func (e *lossError) Unwrap() error { return e.err }
