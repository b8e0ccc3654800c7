package main

import (
	"strings"
	"testing"
)

// Messages of --debug name what a key means that may not be meant. Its marks are compared with those of sort among the
// command lines of TestLikeGNU and TestCommandLinesLikeGNU.
func TestDebugNotes(t *testing.T) {
	for args, want := range map[string]string{
		"":                 "",
		"-t, -k2,2":        "",
		"-k2b,2":           "",
		"-k1.2,1.3":        "",
		"-n":               "",
		"-n -k1,1":         "",
		"-k2,2":            "key 1 has the blanks before its field in it: b leaves them out",
		"-t, -k2 -k3,2":    "key 2 ends before it begins, so it decides nothing",
		"-t, -k2n":         "key 1 is a number and goes on after its field: end it with -k2,2",
		"-n -t, -k2r,2":    "'-n' has no effect: each key has options of its own",
		"-nr -t, -k2n,2":   "'-n' has no effect: each key has options of its own\n'-r' is for lines whose keys tie alone: each key has options of its own",
		"-r -t, -s -k2n,2": "",
		"+1 -2b":           "+1 -2b is an old form of a key: write -k2,2b\nkey 1 has the blanks before its field in it: b leaves them out",
	} {
		_, stderr, code := filesort("a,b\n", append(strings.Fields(args), "--debug", "-")...)
		stderr = strings.ReplaceAll(strings.Replace(stderr, "filesort: texts are compared byte by byte\n", "", 1), "filesort: ", "")
		if strings.TrimSuffix(stderr, "\n") != want || code != 0 {
			t.Errorf("%s: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// A mark is as wide as its key on a terminal, with -z and through the disk as well.
func TestDebugMarks(t *testing.T) {
	got, _, _ := filesort("b\t\x01é\n2K x\x00a\x00", "--debug", "-z", "-s", "-k1.2,1.3", "-k2h", "-")
	if want := "a\n ^ no match for key\n ^ no match for key\nb>\x01é\n2K x\n _\n  ^ no match for key\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	line := strings.Repeat("x", 999)
	got, disk := limited(t, 8<<20, strings.Repeat(line+"\n", 40_000), "--debug", "-r", "-k1.999")
	if want := strings.Repeat(line+"\n"+strings.Repeat(" ", 998)+"_\n"+strings.Repeat("_", 999)+"\n", 40_000); got != want || disk.Runs == 0 {
		t.Errorf("%d bytes, want %d, %d runs", len(got), len(want), disk.Runs)
	}
}
