// Package tracing shows the stages of sorts in traces and in profiles. It is apart from package sorter, so that programs
// without it have none of its code.
package tracing

import (
	"context"
	"runtime/pprof"
	"runtime/trace"

	"example.com/sorter/internal/engine"
)

// Stages shows the stages of all sorts of the process in traces and profiles, until it is called with false. They are
// regions of runtime/trace, "sorter: " and their names, while a trace is taken. Stages of calls with a context, see sorter.WithContext, have the pprof label sorter.stage
// as well, beside the labels of the context, which the calling goroutine has afterwards.
//
// Calls that sorter.Stats calls "Small" have no stages. A stage takes about a microsecond more. Stages that run are not changed.
// It may be called at any time.
func Stages(on bool) {
	if on {
		engine.Watch(watch)
	} else {
		engine.Watch(nil)
	}
}

// watch runs a stage as a region and, if it has a context, with a label. The goroutines that the stage starts inherit
// that.
func watch(ctx context.Context, name string, stage func()) {
	if ctx == nil {
		defer trace.StartRegion(context.Background(), "sorter: "+name).End()
		stage()
		return
	}
	defer trace.StartRegion(ctx, "sorter: "+name).End()
	pprof.Do(ctx, pprof.Labels("sorter.stage", name), func(context.Context) { stage() })
}
