package engine

// MostFurther is the most codes after the first ones that an engine gets. Texts that tie in about 30 bytes are
// better compared with one of their run, as the library does, than word by word.
const MostFurther = 3

// Further is the codes after the first ones by which elements are ordered that tie in these: of the next columns, or
// of the next bytes of a text. An engine may order by as many of them as it likes, each for those that tie in
// all before, and leaves the rest of their ties to the library. It has ordered by all codes before, and
// marked in [Job.Ties] the elements that tie in them, whenever it calls Next.
type Further struct {
	// Next begins the next codes and returns their bits; 0 if there are none, or none that help. tied elements, in
	// runs, tie in those before. The engine calls it from the goroutine that called Order, outside of stages, and then
	// pulls each element exactly once, or fails.
	Next func(tied, runs int) (bits int)

	// Codes32 and Codes64 extract these codes on the terms of those of [Job].
	Codes32 func(dst []uint32, lo int)
	Codes64 func(dst []uint64, lo int)

	// Done records that elements are ordered by these codes, too, and that tied of them tie still. It precedes the first
	// Emit, and the next call of Next.
	Done func(tied int)
}
