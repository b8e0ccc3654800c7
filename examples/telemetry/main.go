// Command telemetry reports each sort of a process: as a line of log/slog, as a span and as two histograms
// of OpenTelemetry. A service gives its own providers in place of those that print.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"example.com/sorter"
)

func main() {
	if err := run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "telemetry:", err)
		os.Exit(1)
	}
}

type order struct {
	Customer string
	Total    float64
}

// run sorts some orders and writes spans and histograms to out, lines of the log to log.
func run(out, log io.Writer) error {
	ctx := context.Background()
	spans, err := stdouttrace.New(stdouttrace.WithWriter(out))
	if err != nil {
		return err
	}
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	sums, err := stdoutmetric.New(stdoutmetric.WithWriter(out))
	if err != nil {
		return err
	}
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(sums)))
	if err := observe(slog.New(slog.NewTextHandler(log, nil)), traces.Tracer("sorter"), metrics.Meter("sorter")); err != nil {
		return err
	}
	defer sorter.Observe(nil)

	orders := make([]order, 1_000_000)
	for i := range orders {
		orders[i] = order{fmt.Sprintf("customer %d", rand.IntN(10_000)), float64(rand.IntN(100_000)) / 100}
	}
	if err := sorter.Sort(orders, func(o order) float64 { return o.Total }); err != nil {
		return err
	}
	if err := sorter.Sort(orders, func(o order) string { return o.Customer }, sorter.Stable()); err != nil {
		return err
	}
	if err := traces.Shutdown(ctx); err != nil {
		return err
	}
	return metrics.Shutdown(ctx)
}

// observe reports all calls of the process from now on. The report comes when a call has ended: its span begins
// where the call began. It is of no trace of the caller, whose context the report does not have.
func observe(log *slog.Logger, tracer trace.Tracer, meter metric.Meter) error {
	elements, err := meter.Int64Histogram("sorter.elements", metric.WithUnit("{element}"), metric.WithDescription("elements of a call"))
	if err != nil {
		return err
	}
	duration, err := meter.Float64Histogram("sorter.duration", metric.WithUnit("s"), metric.WithDescription("time of a call"))
	if err != nil {
		return err
	}
	sorter.Observe(func(st *sorter.Stats) {
		ctx, end := context.Background(), time.Now()
		at := metric.WithAttributes(attribute.String("algorithm", st.Algorithm), attribute.String("engine", st.Engine))
		elements.Record(ctx, int64(st.Elements), at)
		duration.Record(ctx, st.Total.Seconds(), at)

		start := end.Add(-st.Total)
		ctx, span := tracer.Start(ctx, "sort", trace.WithTimestamp(start), trace.WithAttributes(
			attribute.String("algorithm", st.Algorithm), attribute.String("engine", st.Engine), attribute.String("shape", st.Shape),
			attribute.Int("elements", st.Elements), attribute.Int("workers", st.Workers), attribute.Int64("scratch", st.Scratch)))
		for _, stage := range st.Stages { // one after another
			_, part := tracer.Start(ctx, stage.Name, trace.WithTimestamp(start))
			start = start.Add(stage.Time)
			part.End(trace.WithTimestamp(start))
		}
		span.End(trace.WithTimestamp(end))

		log.Info("sort", "elements", st.Elements, "algorithm", st.Algorithm, "shape", st.Shape, "workers", st.Workers, "scratch", st.Scratch, "took", st.Total)
	})
	return nil
}
