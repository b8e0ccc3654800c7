package beamsort

import "context"

// steps are those of a sort whose messages have no type. Their DoFns have no type parameter,
// so that a type of elements adds little code to a program.
type steps struct {
	plan interface {
		ProcessElement(ctx context.Context, _ []byte, samples func(*[]byte) bool, emit func([]byte)) error
	}
	route interface {
		ProcessElement(ctx context.Context, block, message []byte, emit func(int64, []byte)) error
	}
	shard interface {
		ProcessElement(ctx context.Context, part int64, pieces func(*[]byte) bool, message []byte, emit func(Shard)) error
	}
}

func (o *Ordering[T]) steps(c config) steps {
	return steps{
		plan:  &planFn[T]{Config: c, order: o},
		route: &routeFn[T]{Config: c, order: o, view: blockView[T]{order: o}},
		shard: &shardFn[T]{Config: c, order: o},
	}
}

// setUp finds the steps of an order on a worker.
func (c config) setUp(to *steps) error {
	o, err := lookupNamed(c.Order)
	if err != nil {
		return err
	}
	*to = o.steps(c)
	return nil
}

// planStep is the DoFn of planFn.
type planStep struct {
	Config config

	steps steps
}

// Setup finds the order.
func (f *planStep) Setup() error { return f.Config.setUp(&f.steps) }

// ProcessElement makes the plan.
func (f *planStep) ProcessElement(ctx context.Context, impulse []byte, samples func(*[]byte) bool, emit func([]byte)) error {
	return f.steps.plan.ProcessElement(ctx, impulse, samples, emit)
}

// routeStep is the DoFn of routeFn.
type routeStep struct {
	Config config

	steps steps
}

// Setup finds the order.
func (f *routeStep) Setup() error { return f.Config.setUp(&f.steps) }

// ProcessElement cuts a block.
func (f *routeStep) ProcessElement(ctx context.Context, block, message []byte, emit func(int64, []byte)) error {
	return f.steps.route.ProcessElement(ctx, block, message, emit)
}

// shardStep is the DoFn of shardFn.
type shardStep struct {
	Config config

	steps steps
}

// Setup finds the order.
func (f *shardStep) Setup() error { return f.Config.setUp(&f.steps) }

// ProcessElement sorts and writes a part.
func (f *shardStep) ProcessElement(ctx context.Context, part int64, pieces func(*[]byte) bool, message []byte, emit func(Shard)) error {
	return f.steps.shard.ProcessElement(ctx, part, pieces, message, emit)
}
