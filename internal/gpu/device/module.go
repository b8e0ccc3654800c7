package device

import (
	"example.com/sorter/internal/cuda"
)

// Shared is the most shared memory that a block of the modules' kernels takes.
func Shared(modules []*Module) (most int) {
	for _, m := range modules {
		for _, shared := range m.Kernels {
			most = max(most, shared)
		}
	}
	return most
}

// Load loads the modules that are not loaded yet and looks up their kernels.
func (d *Device) Load(modules []*Module) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range modules {
		if _, loaded := d.modules[m]; loaded {
			continue
		}
		loaded, err := d.LoadModule(m.Image)
		if err != nil {
			return err
		}
		for name, shared := range m.Kernels {
			if d.funcs[name], err = d.kernel(loaded, name, shared); err != nil {
				return FirstError(err, d.Unload(loaded))
			}
		}
		d.modules[m] = loaded
	}
	return nil
}

// kernel looks up a kernel that needs the given shared memory.
func (d *Device) kernel(m cuda.Module, name string, shared int) (cuda.Func, error) {
	f, err := d.Function(m, name)
	if err == nil && shared > 48<<10 {
		err = d.SetSharedLimit(f, shared)
	}
	return f, err
}

// function returns a kernel of a loaded module.
func (d *Device) function(name string) cuda.Func {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.funcs[name]
}
