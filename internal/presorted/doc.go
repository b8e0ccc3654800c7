// Package presorted finds inputs that are in some order: ascending, descending, rotated, runs, few elements out of place,
// all equal. It moves their elements without a sort of all.
//
// A [Survey] of codes, or a [Check] by whole keys, counts where neighbours step up and down, block by block. From these
// marks [Find] makes [Moves]: an order as segments that move as a whole, and strays that move one by one. Callers
// supply the steps between neighbours, a comparison of two elements, a sort of strays by codes, and a [Mover].
// Lists of up to [NearLen] elements have [SortNear] and [Near] instead, which allocate nothing.
package presorted
