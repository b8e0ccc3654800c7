package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// release is a tree that was written.
type release struct {
	dir     string // of the tree
	path    string // of the root module
	version string
	day     string // of the commit
	modules []*mod // those that a module requires come before it
}

// mod is a module of the tree.
type mod struct {
	dir   string // within the tree, with slashes; "." for the root
	path  string
	needs []string // paths of the modules of the tree that it requires
	file  *modfile.File
	zip   []byte // as proxies serve it, if it gets a tag
}

// local reports whether a module is for work on the repository: it is in the tree, and has no tag.
func (m *mod) local() bool {
	top, _, _ := strings.Cut(m.dir, "/")
	return m.dir == "beam/engines" || slices.Contains([]string{"bench", "examples", "internal", "mutants", "release"}, top)
}

// published returns the modules that get a tag, in the order of their tags.
func (r *release) published() []*mod {
	return slices.DeleteFunc(slices.Clone(r.modules), (*mod).local)
}

// tag returns the tag of a module's version, as the go command wants it.
func (m *mod) tag(version string) string {
	if m.dir == "." {
		return version
	}
	return m.dir + "/" + version
}

// write writes the files of a repository that git tracks to a folder, with the path of the root module replaced by
// another one. It refuses a tree with changes that are not committed, since a tag would not have them.
func write(repo, to, version, tree string) (*release, error) {
	if err := module.CheckPath(to); err != nil {
		return nil, err
	}
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return nil, fmt.Errorf("%q is no version such as v0.1.0", version)
	}
	if major := semver.Major(version); major != "v0" && major != "v1" {
		return nil, fmt.Errorf("version %s: the paths of modules would have to end in /%s", version, major)
	}
	if _, err := os.Stat(tree); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s exists", tree)
	}
	changes, err := git(repo, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		return nil, fmt.Errorf("changes that are not committed:\n%s", changes)
	}
	list, err := git(repo, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	from, err := pathOf(filepath.Join(repo, "go.mod"))
	if err != nil {
		return nil, err
	}
	day, err := git(repo, "log", "-1", "--format=%cs")
	if err != nil {
		return nil, err
	}
	r := &release{dir: tree, path: to, version: version, day: strings.TrimSpace(day)}
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		if err := r.copy(repo, name, from); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, r.finish()
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), nil
}

func pathOf(file string) (string, error) {
	data, err := os.ReadFile(file)
	return modfile.ModulePath(data), err
}

// copy copies a file, and replaces the path of the root module in texts.
func (r *release) copy(repo, name, from string) error {
	data, err := os.ReadFile(filepath.Join(repo, name))
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(repo, name))
	if err != nil {
		return err
	}
	if data, err = r.publish(name, data); err != nil {
		return err
	}
	if text := bytes.ReplaceAll(data, []byte(from), []byte(r.path)); utf8.Valid(data) && !bytes.Equal(text, data) {
		data = text
		if path.Ext(name) == ".go" { // imports come in another order
			if data, err = format.Source(text); err != nil {
				return err
			}
		}
	}
	if path.Base(name) == "go.mod" && !strings.Contains(name, "/testdata/") { // of a module of the tree
		if data, err = r.add(name, data); err != nil {
			return err
		}
	}
	to := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode())
}

// add adds the module of a go.mod file, and returns the file: modules of the tree are required with the version,
// and not replaced.
func (r *release) add(name string, data []byte) ([]byte, error) {
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, err
	}
	m := &mod{dir: path.Dir(name), path: file.Module.Mod.Path, file: file}
	for _, need := range slices.Clone(file.Require) {
		if !r.has(need.Mod.Path) {
			continue
		}
		m.needs = append(m.needs, need.Mod.Path)
		if err := file.AddRequire(need.Mod.Path, r.version); err != nil {
			return nil, err
		}
	}
	for _, old := range slices.Clone(file.Replace) {
		if !r.has(old.Old.Path) {
			return nil, fmt.Errorf("it replaces %s, which is not of this repository", old.Old.Path)
		}
		if err := file.DropReplace(old.Old.Path, old.Old.Version); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	r.modules = append(r.modules, m)
	return file.Format()
}

// has reports whether a path is one of the tree's modules.
func (r *release) has(of string) bool { return of == r.path || strings.HasPrefix(of, r.path+"/") }

// finish puts the modules in order, gives each a licence and the sums of those that it requires, and writes go.work.
func (r *release) finish() error {
	if err := r.arrange(); err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(r.dir, "LICENSE"))
	if err != nil {
		return err
	}
	work := new(modfile.WorkFile)
	work.Syntax = new(modfile.FileSyntax)
	newest := ""
	sums := map[string]string{} // lines of go.sum by path
	for _, m := range r.modules {
		dir := filepath.Join(r.dir, m.dir)
		if err := os.WriteFile(filepath.Join(dir, "LICENSE"), licence, 0o644); err != nil {
			return err
		}
		if err := addSums(filepath.Join(dir, "go.sum"), m.needs, sums); err != nil {
			return err
		}
		if !m.local() {
			if m.zip, err = r.pack(m); err != nil {
				return err
			}
			if sums[m.path], err = r.sum(m); err != nil {
				return err
			}
		}
		if semver.Compare("v"+m.file.Go.Version, "v"+newest) > 0 {
			newest = m.file.Go.Version
		}
		if err := work.AddUse("./"+strings.TrimPrefix(m.dir, "."), ""); err != nil {
			return err
		}
	}
	if err := work.AddGoStmt(newest); err != nil {
		return err
	}
	work.Cleanup()
	return os.WriteFile(filepath.Join(r.dir, "go.work"), modfile.Format(work.Syntax), 0o644)
}

// arrange puts each module after those that it requires.
func (r *release) arrange() error {
	slices.SortFunc(r.modules, func(a, b *mod) int { return strings.Compare(a.dir, b.dir) })
	var arranged []*mod
	placed := map[string]bool{}
	for len(arranged) < len(r.modules) {
		i := slices.IndexFunc(r.modules, func(m *mod) bool {
			return !placed[m.path] && !slices.ContainsFunc(m.needs, func(p string) bool { return !placed[p] })
		})
		if i < 0 {
			return errors.New("modules require each other in a circle")
		}
		placed[r.modules[i].path] = true
		arranged = append(arranged, r.modules[i])
	}
	r.modules = arranged
	return nil
}

// addSums adds the lines of modules to a go.sum file, in place of others of theirs.
func addSums(name string, needs []string, sums map[string]string) error {
	if len(needs) == 0 {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(data), "\n"), func(line string) bool {
		return line == "" || slices.ContainsFunc(needs, func(p string) bool { return strings.HasPrefix(line, p+" ") })
	})
	for _, p := range needs {
		lines = append(lines, strings.SplitAfter(strings.TrimSuffix(sums[p], "\n"), "\n")...)
		lines[len(lines)-1] += "\n"
	}
	slices.Sort(lines)
	return os.WriteFile(name, []byte(strings.Join(lines, "")), 0o644)
}
