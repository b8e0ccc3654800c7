// Package beamsort sorts collections of Apache Beam that are larger than a machine: a global sort
// to numbered files, the sorted values of each key, and the first k elements. It runs on the
// runners of Beam's Go SDK: prism in process, and clusters of Flink and Spark, on which it is tested.
//
//	var byPrice = beamsort.Register("trades by price", beamsort.Fixed[Trade](),
//		sorter.Asc(func(t Trade) float32 { return t.Price }))
//
//	shards := beamsort.Sort(s, trades, byPrice, beamsort.To("gs://bucket/sorted/trades"))
//
// # Register
//
// A pipeline runs in other processes than the one that builds it, and functions cannot be sent to
// them. So an order has a name, and every process registers it before beam.Init: in a variable at
// package level, or in an init function. Elements need no coder of Beam for [Sort]; they are
// encoded by the codec of their order.
//
// # Sort
//
// Elements never go through the shuffle one by one. A step that Beam fuses with the source packs
// them into sorted runs, of which it emits blocks and a sample. From all samples come the
// splitters. A second step cuts each block at the splitters, Beam groups the pieces by part, and
// the last step sorts a part with package extsort, on disk where memory does not suffice, and
// writes a shard.
//
// A splitter is a key and a share: elements that tie with it are spread over the parts on both
// sides of it, so a key that is heavier than a shard fills several. Shards are in order:
// all elements of a shard come before or tie with those of the next. Ties keep their order within
// a run only; add a column where their order matters.
//
// A shard is written under a temporary name and renamed when it is complete. A bundle that Beam
// runs again, after a failure or beside a slow one, writes the same shard once more: readers see
// one or the other, and never a part of it. [Manifest] lists all shards and is written last. [Sweep]
// removes the temporary files of killed workers.
//
// # Values
//
// [ForEachKey] calls a function with each key and its values in order. They are sorted by package
// extsort after Beam has grouped them, and handed to the function one by one, so neither has to
// fit in memory. [SortValues] returns them as slices, which have to.
//
// # Metrics
//
// Counters and distributions of Beam, in the namespace beamsort: records, blocks and runs that
// were packed, samples, pieces, records and bytes that were written, spilled_bytes on disk,
// part_bytes, of which the maximum is the largest part, shards, and values_per_key. They advance
// while a step runs.
//
// # Limits
//
// Collections are bounded and in the global window. [Fixed] writes elements as they are in memory,
// so all workers have to be of one byte order and word size. Pairs and results of [TopK],
// [TopPerKey], [SortValues] and [ForEachKey] go through Beam's own coders. Those of v2.77.0 mix up types
// whose package and name are equal, so a pipeline has one such type there.
package beamsort
