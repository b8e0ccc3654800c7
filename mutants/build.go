package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Plan is what a build leaves for runs.
type Plan struct {
	Mutants  []Mutant
	All      map[string]int // mutants of a package, of which Mutants may have a sample
	Seed     uint64
	Binaries []Binary
}

// Binary is the tests of a package, with all mutants.
type Binary struct {
	Name   string // of the file
	Folder string // where it runs, in the module
	Tests  string // a regular expression
	Of     string // packages whose mutants they are for, a regular expression
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// list calls go list.
func list(root string, args ...string) (all []listed, err error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles"}, args...)...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); err {
		case nil:
			all = append(all, p)
		case io.EOF:
			return all, nil
		default:
			return nil, err
		}
	}
}

// build mutates packages and compiles their tests.
func build(args []string) error {
	flags := flag.NewFlagSet("build", flag.ExitOnError)
	out := flags.String("o", "", "folder of the binaries and the plan")
	root := flags.String("root", "..", "the module")
	seed := flags.Uint64("seed", 1, "of the sample")
	also := flags.String("also", "internal/conformance", "a package whose tests run on all mutants that survive those of their own package; empty for none")
	tests := flags.String("tests", "^(TestDrawnCalls|TestWaysOff)$", "the tests of that package")
	users := flags.String("users", "", "package=user, separated by commas: the tests of the user are for mutants of the package, too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	to, err := filepath.Abs(*out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, "source"), 0o777); err != nil {
		return err
	}
	b := &builder{root: *root, out: to, plan: Plan{All: map[string]int{}, Seed: *seed}, overlay: map[string]string{}, next: 1}
	var folders []string
	for _, arg := range flags.Args() { // folder, or folder=most mutants, drawn by the seed
		folder, most, _ := strings.Cut(arg, "=")
		folders, b.sample = append(folders, folder), 0
		if most != "" {
			if b.sample, err = strconv.Atoi(most); err != nil {
				return err
			}
		}
		if err := b.mutate(folder); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	if err := writeJSON(filepath.Join(to, "plan.json"), b.plan); err != nil {
		return err
	}
	for _, folder := range folders {
		of := "^" + folder + "$"
		for _, pair := range strings.Split(*users, ",") {
			if name, user, _ := strings.Cut(pair, "="); user == folder {
				of += "|^" + name + "$"
			}
		}
		if err := b.compile(folder, allTests, of); err != nil {
			return err
		}
	}
	if *also != "" {
		if err := b.prune(*also, *tests); err != nil {
			return err
		}
		if err := b.compile(*also, *tests, ""); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(to, "plan.json"), b.plan)
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

type builder struct {
	root, out string
	plan      Plan
	overlay   map[string]string
	sample    int
	next      int
}

// mutate writes the mutated files of a package.
func (b *builder) mutate(folder string) error {
	all, err := list(b.root, "-export", "-deps", "./"+folder)
	if err != nil {
		return err
	}
	own, exports := all[len(all)-1], map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	set := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	for _, name := range own.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(own.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	pkg, err := config.Check(own.ImportPath, set, files, info)
	if err != nil {
		return err
	}
	count := 0
	each := func(keep func() bool, done func(m *mutator, path string) error) error {
		for i, f := range files {
			path := filepath.Join(own.Dir, own.GoFiles[i])
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			m := &mutator{file: set.File(f.Pos()), source: string(source), info: info, pkg: pkg, next: b.next, keep: keep, folder: folder, name: own.GoFiles[i]}
			m.functions(f)
			if err := done(m, path); err != nil {
				return err
			}
		}
		return nil
	}
	before, again := map[string]int{}, []int{}
	err = each(func() bool { count++; return true }, func(m *mutator, _ string) error {
		for _, x := range m.found {
			again = append(again, before[x.Key()])
			before[x.Key()]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.plan.All[folder] = count
	chosen := map[int]bool{}
	for _, i := range rand.New(rand.NewPCG(b.plan.Seed, 0)).Perm(count) {
		if b.sample == 0 || len(chosen) < b.sample {
			chosen[i] = true
		}
	}
	numbers := slices.Sorted(maps.Keys(chosen))
	at, first := -1, len(b.plan.Mutants)
	err = each(func() bool { at++; return chosen[at] }, func(m *mutator, path string) error {
		b.next = m.next
		for i := range m.found {
			m.found[i].Again = again[numbers[len(b.plan.Mutants)-first+i]]
		}
		b.plan.Mutants = append(b.plan.Mutants, m.found...)
		return b.write(path, m.result())
	})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d of %d mutants\n", folder, len(chosen), count)
	return b.write(filepath.Join(own.Dir, "zz_mutants.go"), "package "+pkg.Name()+helpers)
}

// write writes a file that stands for that at path.
func (b *builder) write(path, text string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	to := filepath.Join(b.out, "source", strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "_"))
	b.overlay[path] = to
	return os.WriteFile(to, []byte(text), 0o666)
}

// compile compiles the tests of a package, without cgo: the binary runs where there is nothing.
func (b *builder) compile(folder, tests, of string) error {
	overlay := filepath.Join(b.out, "overlay.json")
	if err := writeJSON(overlay, map[string]any{"Replace": b.overlay}); err != nil {
		return err
	}
	binary := Binary{strings.ReplaceAll(folder, "/", "_") + ".test", folder, tests, of}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-trimpath", "-ldflags=-s -w", "-gcflags=all=-dwarf=false", "-gcflags=example.com/sorter/internal/conformance=-dwarf=false -l", "-overlay", overlay, "-o", filepath.Join(b.out, binary.Name), "./"+folder)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.Stdout = b.root, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off"), os.Stderr, os.Stdout
	b.plan.Binaries = append(b.plan.Binaries, binary)
	return cmd.Run()
}

// helpers are the functions that mutants call. The environment has the number of the mutant, or the name
// of a file that gets the numbers of mutants that are reached.
const helpers = `

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantID    = mutantNumber()
	mutantTrace = mutantFile()
	mutantSeen  sync.Map
)

func mutantNumber() int { n, _ := strconv.Atoi(os.Getenv("MUTANT")); return n }

func mutantFile() *os.File {
	name := os.Getenv("MUTANT_TRACE")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		panic(err)
	}
	return f
}

func mutantIs(id int) bool { return mutantID == id || mutantTrace != nil && mutantReached(id) }

func mutantReached(id int) bool {
	if _, seen := mutantSeen.Load(id); !seen {
		if _, seen := mutantSeen.LoadOrStore(id, true); !seen {
			mutantTrace.WriteString(strconv.Itoa(id) + "\n")
		}
	}
	return false
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func mutantAddSub[T mutantInteger](id int, a, b T) T    { if mutantIs(id) { return a - b }; return a + b }
func mutantSubAdd[T mutantInteger](id int, a, b T) T    { if mutantIs(id) { return a + b }; return a - b }
func mutantMulAdd[T mutantInteger](id int, a, b T) T    { if mutantIs(id) { return a + b }; return a * b }
func mutantQuoMul[T mutantInteger](id int, a, b T) T    { if mutantIs(id) { return a * b }; return a / b }
func mutantRemMul[T mutantInteger](id int, a, b T) T    { if mutantIs(id) { return a * b }; return a % b }
func mutantAndOr[T mutantInteger](id int, a, b T) T     { if mutantIs(id) { return a | b }; return a & b }
func mutantOrAnd[T mutantInteger](id int, a, b T) T     { if mutantIs(id) { return a & b }; return a | b }
func mutantXorAnd[T mutantInteger](id int, a, b T) T    { if mutantIs(id) { return a & b }; return a ^ b }
func mutantAndNotAnd[T mutantInteger](id int, a, b T) T { if mutantIs(id) { return a & b }; return a &^ b }
func mutantShlShr[T, U mutantInteger](id int, a T, b U) T { if mutantIs(id) { return a >> b }; return a << b }
func mutantShrShl[T, U mutantInteger](id int, a T, b U) T { if mutantIs(id) { return a << b }; return a >> b }
func mutantMore[T mutantInteger](id int, a T) T          { if mutantIs(id) { return a + 1 }; return a }
func mutantError(id int, err error) error                 { if mutantIs(id) { return nil }; return err }
`

// allTests are the tests of a package that mutants are of, as go test runs them: fuzz tests with their seeds.
const allTests = "^(Test|Fuzz|Example)"
