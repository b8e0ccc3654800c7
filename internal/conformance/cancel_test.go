package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// Cancellation: the call returns within 50 ms of it, with the slice untouched
// and no goroutine left.

// prompt is the longest that a cancelled call may go on.
const prompt = 50 * time.Millisecond

// task is a sort to be cancelled: prepare restores its input and returns the
// call and a check that the input is untouched.
type task struct {
	name    string
	prepare func() (call func(opts ...sorter.Option) error, untouched func() string)
}

// taskOn makes a task that sorts a copy of in.
func taskOn[E comparable](name string, in []E, sort func(s []E, opts ...sorter.Option) error) task {
	s := make([]E, len(in))
	return task{name, func() (func(...sorter.Option) error, func() string) {
		copy(s, in)
		return func(opts ...sorter.Option) error { return sort(s, opts...) },
			func() string { return oracle.Diff(s, in, same[E]) }
	}}
}

// pairsTask makes a task that sorts a copy of keys with values, the positions of both.
func pairsTask[K orderedKey](name string, in []K) task {
	keys, values, numbered := make([]K, len(in)), make([]fill, len(in)), make([]fill, len(in))
	for i := range numbered {
		numbered[i].Pos = uint64(i)
	}
	return task{name, func() (func(...sorter.Option) error, func() string) {
		copy(keys, in)
		copy(values, numbered)
		return func(opts ...sorter.Option) error { return sorter.SortPairs(keys, values, opts...) },
			func() string {
				if d := oracle.Diff(keys, in, same[K]); d != "" {
					return "keys: " + d
				}
				if d := oracle.Diff(values, numbered, same[fill]); d != "" {
					return "values: " + d
				}
				return ""
			}
	}}
}

func tasks(n int) []task {
	var all []task
	for _, v := range verbs {
		all = append(all, taskOn(v.name, v.input(n), func(s []fill, opts ...sorter.Option) error { return v.run(s, price, opts...) }))
	}
	values := dist.Named("uniform").Draw(n, dist.Rand(1))
	urls := mapped(dist.Named("reversed").Draw(n, dist.Rand(1)), func(v uint64) string { return "https://" + decimal(v) })
	texts := mapped(dist.Named("zipf").Draw(n/2, dist.Rand(1)), prefixedString)
	nearly := dist.Named("nearly sorted").Draw(n, dist.Rand(1))
	all = append(all, orders(values)...)
	return append(all,
		taskOn("SortKeys of uint64", values, func(s []uint64, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }),
		taskOn("SortKeys of uint32", mapped(values, func(v uint64) uint32 { return uint32(v) }), func(s []uint32, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }),
		taskOn("SortKeys of uint8", mapped(values, func(v uint64) uint8 { return uint8(v) }), func(s []uint8, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }),
		taskOn("SortKeys of uint64 in place", values, func(s []uint64, opts ...sorter.Option) error {
			return sorter.SortKeys(s, append(opts, sorter.MemoryLimit(1<<20))...)
		}),
		taskOn("SortKeys of strings", texts, func(s []string, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }),
		taskOn("TopK of strings that tie at first", urls, func(s []string, opts ...sorter.Option) error {
			return sorter.TopK(s, 1000, func(s string) string { return s }, opts...)
		}),
		pairsTask("SortPairs of uint64", values),
		pairsTask("SortPairs of uint64, nearly sorted", nearly),
		pairsTask("SortPairs of strings", texts),
		taskOn("Sort, nearly sorted", nearly, func(s []uint64, opts ...sorter.Option) error {
			return sorter.Sort(s, func(v uint64) uint64 { return v }, opts...)
		}),
		taskOn("Sort of 200 bytes", draw(dist.Named("uniform"), n/4, func(v uint64, i int) [25]uint64 { return [25]uint64{v, uint64(i)} }),
			func(s [][25]uint64, opts ...sorter.Option) error {
				return sorter.Sort(s, func(e [25]uint64) uint64 { return e[0] }, opts...)
			}))
}

// orders makes a task of ordering codes for each algorithm that does so here.
func orders[K orderedKey](keys []K) (all []task) {
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if engine.OrdersCodes(a) && sorter.CPU().Runs(a) {
			all = append(all, taskOn(fmt.Sprintf("Order by %v", a), keys, func(s []K, opts ...sorter.Option) error {
				_, err := sorter.OrderKeys(s, append(opts, sorter.Use(a))...)
				return err
			}))
		}
	}
	return all
}

func TestCancel(t *testing.T) {
	testkit.SkipInstrumented(t)
	checkCancels(t, tasks(testkit.Pick(120_000, 300_000)), 4)
}

// TestCancelLarge has stages that would go on for longer than the promise if
// they did not check the context.
func TestCancelLarge(t *testing.T) {
	testkit.SkipUnlessLong(t)
	const n = 2_000_000
	values := mapped(dist.Named("uniform").Draw(n, dist.Rand(1)), func(v uint64) uint32 { return uint32(v >> 32) })
	key := func(v uint32) uint32 { return v }
	checkCancels(t, append(orders(values)[1:], // the steps of Bitonic, the first, are no longer than before
		taskOn("Sort", values, func(s []uint32, opts ...sorter.Option) error { return sorter.Sort(s, key, opts...) }),
		taskOn("SortKeys", values, func(s []uint32, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }),
		taskOn("Order", values, func(s []uint32, opts ...sorter.Option) error {
			_, err := sorter.Order(s, key, opts...)
			return err
		}),
		taskOn("TopK of half", values, func(s []uint32, opts ...sorter.Option) error { return sorter.TopK(s, n/2, key, opts...) }),
	), 4)
}

// checkCancels cancels every task at the given number of random moments.
func checkCancels(t *testing.T, tasks []task, moments int) {
	t.Helper()
	r := dist.Rand(uint64(time.Now().UnixNano())) // other moments every time, which errors name
	for _, task := range tasks {
		whole := time.Duration(1 << 62)
		for range 2 {
			call, _ := task.prepare()
			start := time.Now()
			if err := call(sorter.WithContext(context.Background())); err != nil {
				t.Fatalf("%s: %v", task.name, err)
			}
			whole = min(whole, time.Since(start))
		}
		for i := range moments {
			checkCancel(t, task, time.Duration(float64(whole)*(float64(i)+r.Float64())/float64(moments)))
		}
		// In place, keys are written from the start, which finishes.
		if !strings.Contains(task.name, "in place") {
			checkStops(t, task)
		}
	}
}

// checkStops has the context end between two questions to it, whenever these are.
func checkStops(t *testing.T, task task) {
	t.Helper()
	ctx := &testkit.Ending{Context: t.Context()}
	ctx.Left.Store(1)
	call, untouched := task.prepare()
	if err := call(sorter.WithContext(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v, want context.Canceled", task.name, err)
	}
	if d := untouched(); d != "" {
		t.Errorf("%s: cancelled, but changed: %s", task.name, d)
	}
}

// checkCancel cancels the task some time after its start, several times if it took
// long to stop.
func checkCancel(t *testing.T, task task, after time.Duration) {
	t.Helper()
	best := time.Duration(1 << 62)
	for range 5 {
		late, err := cancelOnce(t, task, after)
		if err == nil {
			return // done before the cancellation, or writing back
		}
		if best = min(best, late); best <= prompt {
			return
		}
	}
	t.Errorf("%s, cancelled after %v: returned after another %v at best, want %v", task.name, after, best, prompt)
}

// cancelOnce returns how long after the cancellation the task returned, or how long the
// process computed meanwhile if that was less, as on a busy machine, and its error,
// whose kind and consequences it checks.
func cancelOnce(t *testing.T, task task, after time.Duration) (late time.Duration, err error) {
	t.Helper()
	name := fmt.Sprintf("%s, cancelled after %v", task.name, after)
	call, untouched := task.prepare()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	crew := testkit.NewCrew()
	type moment struct {
		time time.Time
		cpu  time.Duration
	}
	cancelled := make(chan moment, 1)
	timer := time.AfterFunc(after, func() {
		cancelled <- moment{time.Now(), testkit.CPUTime()}
		cancel()
	})
	err = call(sorter.WithContext(ctx))
	returned := moment{time.Now(), testkit.CPUTime()}
	if !timer.Stop() {
		from := <-cancelled
		late = min(returned.time.Sub(from.time), returned.cpu-from.cpu)
	} else if err != nil {
		t.Fatalf("%s: %v before the cancellation", name, err)
	}
	crew.CheckAlone(t, name)
	if err == nil {
		return late, nil
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%s: %v, want context.Canceled", name, err)
	}
	if d := untouched(); d != "" {
		t.Fatalf("%s: %v, but changed: %s", name, err, d)
	}
	return late, err
}

// TestCancelInPlace cancels sorts without memory for a copy, at any question to the
// context: either nothing or everything has happened.
func TestCancelInPlace(t *testing.T) {
	n := scaled(700_000)
	values := dist.Named("uniform").Draw(n, dist.Rand(1))
	checkCancelInPlace(t, "SortKeys of uint64", values, slices.Sorted(slices.Values(values)), keysInPlace[uint64])
	small := mapped(values, func(v uint64) int16 { return int16(v) })
	checkCancelInPlace(t, "SortKeys of int16", small, slices.Sorted(slices.Values(small)), keysInPlace[int16])
	floats := mapped(values, func(v uint64) float32 { return float32(int32(v>>32)) / 1000 })
	checkCancelInPlace(t, "SortKeys of float32", floats, slices.Sorted(slices.Values(floats)), keysInPlace[float32])
	in := fills(n / 4)
	checkCancelInPlace(t, "Sort", in, byPrice(in), func(s []fill, opts ...sorter.Option) error {
		return sorter.Sort(s, price, append(append(opts, sorter.Stable()), inPlace(len(s), 0)...)...)
	})
}

func keysInPlace[K sorter.Key](s []K, opts ...sorter.Option) error {
	return sorter.SortKeys(s, append(opts, sorter.MemoryLimit(1<<17))...)
}

func checkCancelInPlace[E comparable](t *testing.T, name string, in, want []E, sort func(s []E, opts ...sorter.Option) error) {
	t.Helper()
	for _, questions := range []int64{0, 1, 2, 3, 30, 300, 1 << 40} {
		ctx := &testkit.Ending{Context: t.Context()}
		ctx.Left.Store(questions)
		s := slices.Clone(in)
		var st sorter.Stats
		err := sort(s, sorter.WithContext(ctx), sorter.Report(&st))
		name := fmt.Sprintf("%s, cancelled after %d questions", name, questions)
		switch {
		case errors.Is(err, context.Canceled) && questions < 1<<40:
			checkSame(t, name+": untouched", nil, s, in)
		case questions == 0:
			t.Errorf("%s: %v", name, err)
		default:
			checkSame(t, name, err, s, want)
			if st.Algorithm != "InPlace" {
				t.Errorf("%s: by %s", name, st.Algorithm)
			}
		}
	}
}

// TestCancelBeforeNames cancels sorts by a name that lies in the element after a number, at each of
// the first questions to the context: no number is read as a name.
func TestCancelBeforeNames(t *testing.T) {
	type player struct {
		No   int
		Name string
	}
	in := make([]player, 5000)
	for i := range in {
		in[i] = player{i + 1, fmt.Sprint("player of team ", i%7)}
	}
	name := func(p player) string { return p.Name }
	for _, by := range []sorter.Ordering[player]{
		sorter.By(sorter.Desc(name)),
		sorter.By(sorter.Asc(func(p player) int64 { return int64(p.No / 1000) }), sorter.Asc(name)),
	} {
		want := sortedStably(in, nil, by.Compare)
		for questions := range int64(200) {
			for _, workers := range []int{1, 3} {
				ctx := &testkit.Ending{Context: t.Context()}
				ctx.Left.Store(questions)
				s := slices.Clone(in)
				switch err := by.Sort(s, sorter.WithContext(ctx), sorter.Workers(workers)); {
				case err == nil:
					checkSame(t, "sorted names", nil, s, want)
				case !errors.Is(err, context.Canceled) || !slices.Equal(s, in):
					t.Fatalf("after %d questions: %v, changed: %v", questions, err, !slices.Equal(s, in))
				}
			}
		}
	}
}

// TestCancelled starts with a context that is over: nothing happens.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late, stop := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer stop()
	for _, n := range []int{10, 100, 5000, 50_000} {
		for _, task := range tasks(n) {
			for _, c := range []struct {
				ctx  context.Context
				want error
			}{{ctx, context.Canceled}, {late, context.DeadlineExceeded}} {
				call, untouched := task.prepare()
				if err := call(sorter.WithContext(c.ctx)); !errors.Is(err, c.want) {
					t.Errorf("%s, n=%d: %v, want %v", task.name, n, err, c.want)
				}
				if d := untouched(); d != "" {
					t.Errorf("%s, n=%d: %v, but changed: %s", task.name, n, c.want, d)
				}
			}
		}
	}
}

// TestCancelSlowKeys cancels sorts whose time is all in the key function.
func TestCancelSlowKeys(t *testing.T) {
	for _, each := range []time.Duration{5 * time.Microsecond, 100 * time.Microsecond, 2 * time.Millisecond} {
		n := int(400 * time.Millisecond / each)
		slow := func(f fill) float32 {
			for start := time.Now(); time.Since(start) < each; {
			}
			return f.Price
		}
		for _, v := range verbs {
			task := taskOn(fmt.Sprintf("%s with keys of %v", v.name, each), v.input(n), func(s []fill, opts ...sorter.Option) error {
				return v.run(s, slow, opts...)
			})
			checkCancel(t, task, 20*time.Millisecond)
		}
	}
}

// TestCancelFromKey cancels in the key function: at the latest when the call
// returns, either nothing or everything has happened.
func TestCancelFromKey(t *testing.T) {
	for _, n := range []int{10, 1000, 100_000} {
		in := fills(n)
		for _, at := range []int{0, n / 2, n - 1} {
			ctx, cancel := context.WithCancel(context.Background())
			s := slices.Clone(in)
			err := sorter.Sort(s, func(f fill) float32 {
				if f.Pos == uint64(at) {
					cancel()
				}
				return f.Price
			}, sorter.Stable(), sorter.WithContext(ctx))
			name := fmt.Sprintf("n=%d, cancelled by key %d", n, at)
			if err == nil {
				checkSame(t, name, nil, s, byPrice(in))
				continue
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			checkSame(t, name+": the slice", nil, s, in)
		}
	}
}
