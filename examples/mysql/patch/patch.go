// Package patch makes a copy of go-mysql-server that sorts by package rowsort.
//
// The copy comes from the module cache. A second go.mod puts it in the place of the original:
// commands given -modfile build the patched engine, and without it the original.
package patch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module = "example.com/sorter/examples/mysql"
	engine = "github.com/dolthub/go-mysql-server"
)

// Engine is the patched copy.
type Engine struct {
	Root    string // of this module
	ModFile string // for the option -modfile of the go command
}

// work is the folder of the copy in the module's root. The dot hides it from ./... patterns.
const work = ".engine"

// Make brings the copy up to date and returns it. It fails, naming the file and the line that it
// misses, if an edit does not fit.
func Make() (*Engine, error) {
	root, err := list("-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return nil, err
	}
	origin, err := list("-f", "{{.Module.Dir}}", engine) // of the package: that downloads the module
	if err != nil {
		return nil, err
	}
	e := &Engine{Root: root, ModFile: filepath.Join(root, work, "patched.mod")}
	target := filepath.Join(root, work, filepath.Base(origin))
	for _, step := range []func() error{
		func() error { return copyTree(target, origin) },
		func() error { return apply(target, origin, edits) },
		func() error { return e.writeModule(target) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// list runs go list and returns its line.
func list(args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", strings.Join(args, " "), err)
	}
	return string(bytes.TrimSpace(out)), nil
}

// copyTree copies origin to target unless that is there. An interrupted copy is made again.
func copyTree(target, origin string) error {
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	part := target + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(origin)); err != nil {
		return err
	}
	return os.Rename(part, target)
}

// apply edits files of origin and writes them to target where they differ from its files.
func apply(target, origin string, edits []edit) error {
	texts := map[string]string{}
	for _, e := range edits {
		if _, ok := texts[e.File]; !ok {
			text, err := os.ReadFile(filepath.Join(origin, e.File))
			if err != nil {
				return err
			}
			texts[e.File] = string(text)
		}
		text, err := e.apply(texts[e.File])
		if err != nil {
			return err
		}
		texts[e.File] = text
	}
	for file, text := range texts {
		if err := update(filepath.Join(target, file), text); err != nil {
			return err
		}
	}
	return nil
}

// update writes text to file unless that is its content.
func update(file, text string) error {
	if old, err := os.ReadFile(file); err == nil && string(old) == text {
		return nil
	}
	// The module cache is read-only, and so are copies of its files.
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o666)
}

// apply returns text with the edit made.
func (e edit) apply(text string) (string, error) {
	lines := strings.Split(text, "\n")
	at := 0
	find := func(part string) error {
		for ; at < len(lines); at++ {
			if strings.Contains(lines[at], part) {
				return nil
			}
		}
		return fmt.Errorf("%s: no line with %q after one with %q: the patch is for another version of the engine", e.File, part, e.After)
	}
	if err := find(e.After); err != nil {
		return "", err
	}
	if err := find(e.From); err != nil {
		return "", err
	}
	from := at
	if err := find(e.Through); err != nil {
		return "", err
	}
	edited := append([]string{}, lines[:from]...)
	if e.With != "" {
		edited = append(edited, e.With)
	}
	return strings.Join(append(edited, lines[at+1:]...), "\n"), nil
}

// writeModule writes the go.mod and the go.sum that put target in the engine's place.
func (e *Engine) writeModule(target string) error {
	mod, err := os.ReadFile(filepath.Join(e.Root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(e.Root, "go.sum"))
	if err != nil {
		return err
	}
	if err := update(e.ModFile, fmt.Sprintf("%s\nreplace %s => %s\n", mod, engine, target)); err != nil {
		return err
	}
	return update(strings.TrimSuffix(e.ModFile, ".mod")+".sum", string(sum))
}

// Package returns the import path of a folder of the engine.
func Package(folder string) string { return engine + "/" + folder }
