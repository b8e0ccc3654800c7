package spill

import (
	"fmt"
	"io"
	"sync"
)

// memory is a disk of one file in memory. It refuses calls that break the contract of File: of addresses and
// lengths that are not aligned, of pages without space, of holes where there is none.
type memory struct {
	mu    sync.Mutex
	data  []byte
	space map[int64]int64 // reserved and not punched, by page
	room  int64
	fail  func(op string, off, n int64) error // nil: nothing fails
	short int                                 // bytes that a write leaves out

	reserved, holes [][2]int64 // calls: offset and number of bytes
	writes          []int      // their numbers of bytes
	lost            bool       // a call of Punch failed
	closed          int
}

func newMemory() *memory { return &memory{space: map[int64]int64{}} }

func (m *memory) call(op string, off, n int64) error {
	if m.fail == nil {
		return nil
	}
	return m.fail(op, off, n)
}

func (m *memory) Create(string) (File, error) { return m, m.call("create", 0, 0) }

func (m *memory) Open(_ string, size int64) (File, error) {
	if size > int64(len(m.data)) {
		return nil, io.ErrUnexpectedEOF
	}
	m.data = m.data[:size]
	return m, m.call("create", 0, size)
}

func (m *memory) Replace(string, []byte) error { return nil }

func (m *memory) Room(string) int64 { return m.room }

func (m *memory) Sync() error { return m.call("sync", 0, 0) }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.call("write", off, int64(len(p))); err != nil {
		return 0, err
	}
	if off%Align != 0 || len(p)%Align != 0 || !aligned(p) || len(p) == 0 {
		return 0, fmt.Errorf("%d bytes at %d are not aligned", len(p), off)
	}
	m.writes = append(m.writes, len(p))
	if end := off + int64(len(p)); end > int64(len(m.data)) {
		m.data = append(m.data, make([]byte, end-int64(len(m.data)))...)
	}
	for page := off; page < off+int64(len(p)); page += Align {
		if m.space[page] != 1 {
			return 0, fmt.Errorf("page %d has no space", page/Align)
		}
	}
	return copy(m.data[off:], p[:max(len(p)-m.short, 0)]), nil
}

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if err := m.call("read", off, int64(len(p))); err != nil {
		return 0, err
	}
	if off%Align != 0 || len(p)%Align != 0 || !aligned(p) {
		return 0, fmt.Errorf("%d bytes at %d are not aligned", len(p), off)
	}
	n := copy(p, m.data[min(off, int64(len(m.data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memory) Reserve(off, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved = append(m.reserved, [2]int64{off, n})
	if err := m.call("reserve", off, n); err != nil {
		return err
	}
	for page := off; page < off+n; page += Align {
		if m.space[page] != 0 && !m.lost || page%Align != 0 {
			return fmt.Errorf("space at %d is taken", page)
		}
		m.space[page] = 1
	}
	return nil
}

func (m *memory) Punch(off, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holes = append(m.holes, [2]int64{off, n})
	if err := m.call("punch", off, n); err != nil {
		m.lost = true
		return err
	}
	for page := off; page < off+n; page += Align {
		if m.space[page] != 1 {
			return fmt.Errorf("page at %d has no space", page)
		}
		delete(m.space, page)
	}
	return nil
}

func (m *memory) Close() error {
	m.closed++
	return m.call("close", 0, 0)
}
