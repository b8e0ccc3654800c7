package beamsort

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// role says which other process of a test this one is: a job server, or a program that submits a
// job.
const role = "BEAMSORT_TEST_ROLE"

// serve runs the other processes of tests. It reports whether this is one.
func serve() bool {
	switch os.Getenv(role) {
	case "server":
		_, err := prism.CreateJobServer(context.Background(), prism.Options{Port: mustPort()})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("serving")
		io.Copy(io.Discard, os.Stdin) // until the test ends
	case "submitter":
		beam.Init()
		p, s := beam.NewPipelineWithRoot()
		Sort(s, beam.ParDo(s, &someRowsFn{5000}, beam.Impulse(s)), byU64, To(flag.Arg(0)), Shards(4), Manifest())
		if _, err := beam.Run(context.Background(), "universal", p); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		return false
	}
	return true
}

// someRowsFn emits someRows(N).
type someRowsFn struct{ N int }

func (f *someRowsFn) ProcessElement(_ []byte, emit func(row)) {
	for _, r := range someRows(f.N) {
		emit(r)
	}
}

func init() { beam.RegisterType(reflect.TypeFor[someRowsFn]()) }

func mustPort() (port int) {
	fmt.Sscan(os.Getenv("BEAMSORT_TEST_PORT"), &port)
	return port
}

// freePort returns a port that nobody listened on.
func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// TestPortableRunner submits a job to a runner in a second process, over gRPC, from a third one
// whose DoFns run in itself: the loopback environment, as with the job servers of Flink and Spark.
func TestPortableRunner(t *testing.T) {
	port := freePort(t)
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), role+"=server", fmt.Sprintf("BEAMSORT_TEST_PORT=%d", port))
	server.Stderr = io.Discard
	stop, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Wait()
	defer stop.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "serving\n" {
		t.Fatal(line, err)
	}

	prefix := filepath.Join(t.TempDir(), "part")
	submitter := exec.Command(os.Args[0], fmt.Sprintf("--endpoint=localhost:%d", port), "--environment_type=LOOPBACK", prefix)
	submitter.Env = append(os.Environ(), role+"=submitter")
	if text, err := submitter.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := ReadManifest(ctx, prefix)
	if err != nil || len(m.Shards) != 4 {
		t.Fatal(m, err)
	}
	rows := someRows(5000)
	same(t, rows, decoded(t, byU64, contents(t, m)), func(a, b row) int { return cmp.Compare(a.U64, b.U64) }, rowID)
	if !slices.IsSortedFunc(m.Shards, func(a, b Shard) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("paths are not in order")
	}
}
