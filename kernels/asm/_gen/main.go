// Command gen writes the AVX2 assembly of package asm with avo. It is a module of its own, so that avo is no dependency of
// Lacuna, and writes one verb a run:
//
//	go generate ./kernels/asm          writes *_amd64.s and stubs_*_amd64.go
//	kernels/asm/_gen/check.sh          fails if what is committed is not what the generator writes
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
)

var verb = flag.String("verb", "", "the kernels to write: compare, filter, sum, minmax, bits, gather cast, take or runs")

func main() {
	log.SetFlags(0)
	flag.Parse() // avo's own flags are registered too: -out, -stubs, -pkg
	build.ConstraintExpr("!purego")
	build.ConstraintExpr("!noasm")
	switch *verb {
	case "compare":
		compare()
	case "filter":
		filter()
	case "sum":
		sum()
	case "minmax":
		minmax()
	case "bits":
		bits()
	case "gather":
		gather()
	case "cast":
		cast()
	case "take":
		take()
	case "runs":
		runs()
	default:
		log.Fatalf("gen: unknown verb %q", *verb)
	}
	build.Generate()
}
