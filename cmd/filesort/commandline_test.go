//go:build linux

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Groups of arguments that sort knows, or refuses. OUT is one of a few names of outputs.
var argumentGroups = strings.Split(strings.TrimSpace(`
-o OUT|-oOUT|--output=OUT|--outp OUT|-o OUT -o OUT|-o ''|--output=|-o dangling|-o link|-o /dev/stdout|-o /proc/self/fd/1|-o no/folder
--st|--re|--rev|--un|--ze|--num|--hum|--ver|--mo|--ig|--ignore-c|--dic|--r|--ra|--random|--b|--f|--c|--ch|--ke 2|--key=2,2n|--sort=n|--sort h
--st=|--check=quiet|--check=silent|--check=diag|--check|-c|-C|-c -C|-cu|-Cs|-s|-u|-z|-r|-bf|-nr
+1|+0|+1n|+1.1|+2r|+0.2b|+ 1|++1|+x|+1x|+|+1.|+1 -2|+1n -2|+0 -1|+0.1 -0.3|+1 -2.1b|+1.1b -3r|+0 -0|+1 -2x|+1 -1.|+x -2|+1 -r|-r +1
-y5|-y 5|-yx|-y|-y x|-ny7
-k+1|-k 1,+2|-k+1.+2|-k +|-k1.1,1.+0|-k0|-k1.0|-k1,0|-k1x|-k ''|-k1,2n,3
--batch-size=2|--batch-size=16|--bat=+3|--batch-size=1|--batch-size=0|--batch-size=x|--batch-size=|--batch-size=2x|--batch-size 3
--random-source=file|--random-source=a --random-source=b|--random-source=|--compress-program=a --compress-program=b|--compress-program=gzip
-S1M|-S 1g|-S 50%|-S x|-S ''|--buf=2M|--parallel=2|--parallel=0|--parallel=+2|--par=x|--parallel=|-T .|-T. -T /tmp
-t, -k2|-t, -t:|-t, -t,|-t ''|-tab|-t '\0' -k2|-t: -k2,2n
--files0-from=names|--files0-from=empty|--files0-from=missing|--files0-from=bad|--files0-from=|--files0-from=names FILE
--|-x|--none|--stable=1x|--unique=x|--debu=1
--debug|--deb|--debug -s|--debug -u|--debug -c|--debug -o OUT|--debug -k2,2h|--debug -k 2b,3.1|--debug -g|--debug -M -k1.2|--debug -t, -k3,3n
`), "\n")

// randomArguments returns options and inputs of a random command line. NaN and words of --sort and --check that do not
// exist are none of them.
func randomArguments(r *rand.Rand, inputs []string) (args []string) {
	for range r.IntN(3) {
		choices := strings.Split(argumentGroups[r.IntN(len(argumentGroups))], "|")
		args = append(args, groupOf(r, choices[r.IntN(len(choices))])...)
	}
	if r.IntN(2) == 0 {
		args = append(args, randomOrder(r)...)
	}
	for _, name := range inputs {
		at := 0
		if r.IntN(2) == 0 {
			at = len(args)
		}
		args = slices.Insert(args, at, name)
	}
	if slices.Equal(args, []string{"-h"}) {
		return nil
	}
	return args
}

// groupOf returns the arguments of a group, at whose spaces quotes stand for an empty one.
func groupOf(r *rand.Rand, group string) (args []string) {
	for word := range strings.SplitSeq(group, " ") {
		word = strings.ReplaceAll(word, "''", "")
		args = append(args, strings.ReplaceAll(strings.Trim(word, "'"), "OUT", []string{"out", "out", "file", "old"}[r.IntN(4)]))
	}
	return args
}

// randomInputs adds inputs to both processes, and returns their names. A FIFO is named once: another writer is
// waited for.
func randomInputs(r *rand.Rand, eol string, both ...*process) (names []string) {
	for range r.IntN(4) {
		in := given{streamKinds[r.IntN(len(streamKinds))], randomLines(r, eol)}
		name := ""
		for _, p := range both {
			name = p.add(in)
		}
		names = append(names, name)
		if in.kind != "fifo" && in.kind != "unlinked" && r.IntN(5) == 0 {
			names = append(names, name)
		}
	}
	if r.IntN(12) == 0 {
		names = append(names, "missing")
	}
	return names
}

// furnish makes the files that argumentGroups mentions.
func (p *process) furnish(text string) {
	for name, text := range map[string]string{
		"file": text, "old": "old\n", "empty": "", "names": "file\x00empty\x00file\x00", "bad": "file\x00\x00file",
	} {
		expect(p.t, os.WriteFile(filepath.Join(p.command.Dir, name), []byte(text), 0o600))
	}
	expect(p.t, os.Symlink("created", filepath.Join(p.command.Dir, "dangling")))
	expect(p.t, os.Symlink("old", filepath.Join(p.command.Dir, "link")))
}

// notes are messages that are no errors.
var notes = regexp.MustCompile(`(?m)^filesort: (\S+( -\S+)? is an old form of a key: write -k\S+|texts are compared byte by byte|key \d+ .*|'-\w+' .*)\n`)

// Command lines give the output, the exit status and the files that they give with GNU sort.
func TestCommandLinesLikeGNU(t *testing.T) {
	gnuSort(t)
	program, err := exec.LookPath("sort")
	if err != nil {
		t.Fatal(err)
	}
	rounds := uint64(400)
	if testing.Short() {
		rounds = 100
	}
	for seed := range max(rounds, *draws) {
		r := rand.New(rand.NewPCG(seed, 3))
		eol := []string{"\n", "\n", "\x00"}[r.IntN(3)]
		ours, theirs := newFilesort(t), newProcess(t, program)
		file := randomLines(r, eol)
		ours.furnish(file)
		theirs.furnish(file)
		args := randomArguments(r, randomInputs(r, eol, ours, theirs))
		if eol == "\x00" {
			args = append([]string{"-z"}, args...)
		}
		want, theirError := theirs.run(args...)
		got, stderr := ours.run(args...)
		if got != want {
			t.Errorf("seed %d: %q\ngot  %q %s\nwant %q %s", seed, args, got, stderr, want, theirError)
		}
		if stderr = notes.ReplaceAllString(stderr, ""); (got.code == 2) != (stderr != "") && got.code != 1 {
			t.Errorf("seed %d: %q: exit %d, %q", seed, args, got.code, stderr)
		}
	}
}

// Arguments that sort does not take, or that we do not, are refused by their names.
func TestRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"--sort=random --random-source=missing": "no such file or directory",
		"-k1R --random-source=/dev/null":        "a random source has 16 bytes or more",
		"-by a -f":                              "-f and -by exclude each other",
		"-by a --sort=month":                    "-M and -by exclude each other",
		"-R -format csv":                        "-by is missing",
		"-by a,b:nullsfirst -R":                 `column "b": -R leaves no meaning to desc and nullsfirst`,
		"-R -seed 1 --random-source=x":          "-seed and -random-source exclude each other",
		"-shuffle -k2":                          "-shuffle and -k exclude each other",
		"-shuffle -by a":                        "-shuffle and -by exclude each other",
		"-shuffle -u":                           "-shuffle and -u exclude each other",
		"-shuffle -c":                           "-shuffle and -c exclude each other",
		"-shuffle --locale de":                  "-shuffle and -locale exclude each other",
		"-shuffle -seed x":                      "must be a number from 0 to",
		"-seed 1":                               "-shuffle or -R or -k is missing: -seed goes with it",
		"--debug -o x":                          "-debug and -o exclude each other",
		"--debug -c":                            "-debug and -c exclude each other",
		"--debug -by a":                         "-debug and -by exclude each other",
		"--debug -record 2":                     "-debug and -record exclude each other",
		"--debug --locale=de":                   "-debug and -locale exclude each other",
		"-T  x":                                 `invalid value "" of -T: it is empty`,
		"-o x -o y":                             `invalid value "y" of -o: it was "x" before`,
		"-t, -t;":                               `invalid value ";" of -t: it was "," before`,
		"-by a -by b":                           `invalid value "b" of -by: it was "a" before`,
		"-top 1 -top 2":                         `invalid value "2" of -top: it was "1" before`,
		"-record 4 -record 2":                   `invalid value "2" of -record: it was "4" before`,
		"-by a -no-header -header yes":          `invalid value "yes" of -header: it was "no" before`,
		"-by a -no-header=false":                "option '-no-header' takes no value",
		"-by a +1 -2":                           "+1 -2 and -by exclude each other",
		"-by a -format csv -format tsv":         `invalid value "tsv" of -format: it was "csv" before`,
		"-by ":                                  `invalid value "" of -by`,
		"-by a -header ":                        `invalid value "" of -header`,
		"-by a -format ":                        `invalid value "" of -format`,
		"--compress ":                           `invalid value "" of --compress`,
		"--files0-from ":                        `invalid value "" of --files0-from: it is empty`,
		"-stats=":                               "option '-stats' has an empty value",
	} {
		stdout, stderr, code := filesort("b\na\n", strings.Split(args, " ")...)
		if stdout != "" || code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q %q", args, code, stdout, stderr)
		}
	}
}
