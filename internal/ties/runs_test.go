package ties

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// request asks for runs by some numbers of columns.
func request(columns ...int) (asked *call.Marks) {
	for _, c := range slices.Backward(columns) {
		asked = &call.Marks{Columns: c, Runs: new(perm.Runs), Next: asked}
	}
	return asked
}

// bytesOf returns columns of bytes, eight of which are a word.
func bytesOf(n int) (cols []extract.Column) {
	for range n {
		cols = append(cols, extract.Self[uint8]())
	}
	return cols
}

// TestMarkedWords has a word end with each group of columns whose runs are asked for, and memory for the ties of these.
func TestMarkedWords(t *testing.T) {
	const columns, n = 10, 33
	for set := range 1 << (columns + 1) {
		var asked []int
		ends := map[int]bool{columns: true}
		for c := range columns + 1 {
			if set>>c&1 != 0 {
				asked = append(asked, c)
				ends[c] = true
			}
		}
		words := MarkedWords(request(asked...), bytesOf(columns), sortkey.Order{})
		marks := NewMarks(request(asked...), n, words)
		if len(asked) == 0 || len(asked) == 1 && asked[0] == 0 {
			if marks != nil {
				t.Fatalf("runs by %d: memory for ties", asked)
			}
		}
		at, left := 0, 0
		for i := range words {
			at += words[i].Columns()
			if left += words[i].Columns(); left < 8 && !ends[at] || left > 8 {
				t.Fatalf("runs by %d: a word ends after column %d", asked, at)
			}
			left = 0
			wanted := slices.Contains(asked, at)
			if marks != nil && (len(marks) != len(words) || (len(marks[i]) > 0) != wanted || wanted && len(marks[i]) != engine.TieWords(n)) {
				t.Fatalf("runs by %d: %d words for the ties by %d columns", asked, len(marks[i]), at)
			}
			if last := lastWord(words, &call.Marks{Columns: at}); ends[at] && last != i {
				t.Fatalf("runs by %d: word %d is the last of %d columns, want %d", asked, last, at, i)
			}
		}
		if at != columns {
			t.Fatalf("runs by %d: %d columns", asked, at)
		}
		if all := NewMarks(request(call.AllColumns), n, words); len(all[len(words)-1]) != engine.TieWords(n) {
			t.Fatal("no memory for ties by all columns")
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("runs by more columns than there are")
		}
	}()
	MarkedWords(request(columns+1), bytesOf(columns), sortkey.Order{})
}

// TestPutRuns delivers runs by no column: segments, and each row before and after them.
func TestPutRuns(t *testing.T) {
	for n := range 40 {
		for lo := 0; lo <= n; lo += 1 + lo/2 {
			for hi := lo; hi <= n; hi += 1 + hi/3 {
				middle := (lo + hi) / 2
				offsets, asked := []int{lo, middle, hi}, request(0, 1, 0, 1)
				words := MarkedWords(asked, bytesOf(2), sortkey.Order{})
				marks := NewMarks(asked, n, words)
				for i := 0; i < n; i += 3 {
					marks[0].Set(i) // the first place ties with none
				}
				if n > 0 {
					marks[0][0] &^= 1
				}
				PutRuns(asked, marks, words, n, offsets)
				for m := asked; m != nil; m = m.Next {
					if m.Runs.Rows() != n {
						t.Fatalf("runs of %d rows, want %d", m.Runs.Rows(), n)
					}
				}
				if n == 0 {
					continue
				}
				for i := range n {
					inside := i > lo && i < hi && i != middle
					if asked.Runs.Begins(i) == inside || asked.Next.Next.Runs.Begins(i) == inside {
						t.Fatalf("%d rows, segments at %d: a run begins at %d: %t", n, offsets, i, inside)
					}
					if begins := i == 0 || i%3 != 0; asked.Next.Runs.Begins(i) != begins || asked.Next.Next.Next.Runs.Begins(i) != begins {
						t.Fatalf("%d rows: a run by ties begins at %d: %t", n, i, i%3 == 0)
					}
				}
			}
		}
	}
	asked := request(0)
	PutRuns(asked, nil, nil, 3, nil)
	if asked.Runs.Len() != 3 {
		t.Errorf("%d runs of 3 rows without segments", asked.Runs.Len())
	}
	PutRuns(nil, nil, nil, 3, nil)
	asked = request(1, 0)
	if PutRuns(asked, nil, MarkedWords(asked, bytesOf(2), sortkey.Order{}), 0, nil); asked.Runs.Rows() != 0 || asked.Next.Runs.Rows() != 0 {
		t.Error("runs of no rows")
	}
}

// TestMarkSorted marks ties in pieces, of several workers.
func TestMarkSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 100 {
		codes, ctx, env := make([]uint64, 1+r.IntN(4*engine.Block)), &testkit.Ending{Context: t.Context()}, new(engine.Env)
		for i := range codes[1:] {
			codes[i+1] = codes[i] + r.Uint64N(2)
		}
		tied := make(engine.Ties, engine.TieWords(len(codes)))
		ctx.Left.Store(r.Int64N(2) * 100)
		env.Loop.Workers, env.Loop.Ctx = 1+r.IntN(3), ctx
		if err := MarkSorted(env, codes, tied); (err != nil) != (ctx.Left.Load() < 0) {
			t.Fatalf("error %v", err)
		} else if err != nil {
			continue
		}
		for i := range codes {
			if want := i > 0 && codes[i-1] == codes[i]; tied.Tied(i) != want {
				t.Fatalf("%d codes, %d workers: place %d tied %t", len(codes), env.Loop.Workers, i, !want)
			}
		}
	}
}

// TestRefineSortedGives gives the codes back, which an order no longer needs.
func TestRefineSortedGives(t *testing.T) {
	const n = 5000
	env, keys := new(engine.Env), make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%08d", i)
	}
	input, words := extract.InputOf(cpu.PayloadOf(keys)), extract.Words([]extract.Column{extract.Self[string]()}, sortkey.Order{})
	codes := scratch.Take[uint64](&env.Arena, n)
	words[0].Open(input, env)
	for lo := 0; lo < n; lo += engine.Block {
		hi := min(lo+engine.Block, n)
		extract.Source64(input, &words[0])(codes[lo:hi], lo)
	}
	if err := RefineSorted(env, input, words, ascending32(n), codes, nil); err != nil || env.Arena.Used() != WorkBytes(0) {
		t.Errorf("error %v, %d bytes are held", err, env.Arena.Used())
	}
}

// TestJoinRuns joins the runs of parts that begin anywhere.
func TestJoinRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 3000 {
		sizes := []int{r.IntN(1 + r.IntN(150)), r.IntN(1 + r.IntN(150))}
		n := sizes[0] + sizes[1]
		columns, before := []int{0, 1, 2, 3, call.AllColumns}, []int{0, 1}
		asked := request(columns...)
		want := make([][]bool, len(columns))
		for i := range want {
			want[i] = make([]bool, n+1)
			for at, size := range sizes {
				if size > 0 {
					want[i][at*sizes[0]] = true
				}
			}
			if columns[i] == 0 {
				clear(want[i][1:])
			}
		}
		var parts []PartMarks
		for p, size := range sizes {
			own := request(1, 2, 3-before[p])
			words := MarkedWords(own, bytesOf(3-before[p]), sortkey.Order{})
			part := PartMarks{Marks: make(Marks, len(words)), Words: words, At: p * sizes[0], Rows: size, Before: before[p]}
			for w := range words {
				part.Marks[w] = make(engine.Ties, engine.TieWords(size))
				for k := range part.Marks[w] {
					part.Marks[w][k] = r.Uint32() & (r.Uint32() | r.Uint32()) // bits after the last row are any
				}
				if size > 0 {
					part.Marks[w][0] &^= 1
				}
				for i := range size {
					if part.Marks[w].Tied(i) {
						continue
					}
					for c, columns := range columns {
						if columns == w+1+before[p] || columns == call.AllColumns && w+1 == len(words) {
							want[c][part.At+i] = true
						}
					}
				}
			}
			parts = append(parts, part)
		}
		JoinRuns(asked, n, parts...)
		for i, m := 0, asked; m != nil; i, m = i+1, m.Next {
			if m.Runs.Rows() != n {
				t.Fatalf("runs of %d rows, want %d", m.Runs.Rows(), n)
			}
			for at := range n {
				if m.Runs.Begins(at) != want[i][at] {
					t.Fatalf("parts of %d rows: a run by %d columns begins at %d: %t", sizes, m.Columns, at, !want[i][at])
				}
			}
		}
	}
}

// TestBytes holds bounds to the sums of their parts.
func TestBytes(t *testing.T) {
	const element = 40
	one := extract.Words([]extract.Column{extract.Self[uint64]()}, sortkey.Order{})
	text := extract.Words([]extract.Column{extract.Self[string]()}, sortkey.Order{})
	two := extract.Words([]extract.Column{extract.Self[uint64](), extract.Self[uint32]()}, sortkey.Order{})
	for _, n := range []int{0, 1, 100, largeTie, largeTie + 1, 1 << 20} {
		for workers := range 5 {
			if Bytes(workers, element, one, n) != 0 || MarkBytes(n, one) != 0 || PairsBytes(workers, one, n) != 0 || LargeTieBytes(one, n) != 0 {
				t.Errorf("memory for ties of whole keys")
			}
			shares := scratch.Shares(n, workers, largeTie, 8)
			for i, words := range [][]extract.Word{text, two} {
				spaces, each := int64(workers), int64(unsafe.Sizeof(Worker{}))
				if n > largeTie {
					spaces = 2 * int64(workers)
				}
				if i > 0 {
					each += scratch.Size(extract.Piece, element)
				}
				name := fmt.Sprintf("%d elements, %d workers, %d words", n, workers, len(words))
				if got, want := Bytes(workers, element, words, n), spaces*each+shares; got != want {
					t.Errorf("%s: %d bytes, want %d", name, got, want)
				}
				if got, want := MarkBytes(n, words), scratch.Size(engine.TieWords(n), 4); got != want {
					t.Errorf("%s: %d bytes for marks, want %d", name, got, want)
				}
				if got, want := PairsBytes(workers, words, n), bucket.PairsBytes(n, workers); got != want {
					t.Errorf("%s: %d bytes for pairs, want %d", name, got, want)
				}
				large := int64(0)
				if n > largeTie {
					large = scratch.Size(n, 4) + cpu.InPlaceBytes(n, 8)
				}
				if got := LargeTieBytes(words, n); got != large {
					t.Errorf("%s: %d bytes for a large run, want %d", name, got, large)
				}
				large = scratch.Size(n, 4) + cpu.OrderBytes(n, workers, 8) + Bytes(workers, element, words, n) + bucket.PairsBytes(n, workers)
				if got := largeBytes(workers, element, words, n); got != large {
					t.Errorf("%s: %d bytes for a large run out of place, want %d", name, got, large)
				}
			}
		}
	}
}

// TestWorkspaces counts the workspaces of a breaker as it holds them.
func TestWorkspaces(t *testing.T) {
	for workers := range 4 {
		env := new(engine.Env)
		env.Loop.Workers = workers
		breaker := New(env, extract.Input{}, nil)
		if len(breaker.Work) != max(1, workers) || env.Arena.Used() != WorkBytes(workers) || WorkBytes(workers) != int64(len(breaker.Work))*workerBytes {
			t.Errorf("%d workers: %d workspaces, %d bytes", workers, len(breaker.Work), env.Arena.Used())
		}
		first := breaker.spareWorker()
		breaker.spareWorker()
		breaker.spare.Put(first)
		if again := breaker.spareWorker(); again != first || env.Arena.Used() != WorkBytes(workers)+2*workerBytes {
			t.Errorf("%d bytes for two workspaces", env.Arena.Used()-WorkBytes(workers))
		}
		breaker = New(env, noRows, []extract.Word{{Full: &levels{codes: [][]uint64{make([]uint64, 9)}}}})
		src, used := breaker.source(ascending32(9), firstLevel), env.Arena.Used()
		for range 3 {
			src(make([]uint64, 4), 5)
		}
		if env.Arena.Used() != used+workerBytes {
			t.Errorf("%d bytes for a source", env.Arena.Used()-used)
		}
		if err := (&Refiner[uint64]{Breaker: breaker}).Finish(context.Canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}
