// Package engine is the front door of Lacuna, an SQL engine inside a Go program, over Apache Arrow.
//
//	db, err := engine.Open(engine.Options{})
//	err = db.RegisterTable("readings", table) // an arrow.Table
//	result, err := db.Query(ctx, "SELECT station, avg(celsius) FROM readings GROUP BY ALL ORDER BY 1")
//	for batch, err := range result.All() { ... } // arrow.RecordBatch
//
// A DB holds tables and views by name and what its queries share: threads and memory. FROM also takes files: FROM 'readings.parquet'. Exec runs scripts
// of any statements; a Conn is a session with settings and temporary objects of its own. A Result is an array.RecordReader; the query runs while
// it is read. Data are copied neither on the way in nor, where the types agree, on the way out; whoever hands them in does not change them,
// whoever takes them out Retains what is kept. NULL is handled for every Arrow type as SQL wants it: in dictionaries, run-end-encoded arrays
// and unions too.
//
// Errors are *types.Error: an SQLSTATE, the place in the text, the column and row of the data. Report shows them with a caret. An error, and even
// a bug that panics, ends its query and no other.
//
// # A query's life
//
// plan/sql parses the text and binds it: names are looked up in package catalog, every expression gets its type and its function. plan
// rewrites the logical plan by rules and chooses the physical one, which EXPLAIN prints. engine/exec cuts that at its breakers and runs
// it on workers, a batch of a few thousand rows at a time; kernels compute on vectors of package types, kernels/asm on raw slices. The
// result leaves as Arrow record batches. A package imports lower floors only; layout_test.go has the list and proves it.
//
// # How to add
//
// One thing has one name on every floor: filter is engine/exec/filter.go, kernels/filter.go, kernels/asm/filter.go and the tests in
// testdata/slt/filter. Look for the nearest relative of what you add, and follow it through the files named here.
//
// ## A type
//
//	types/type.go               the Kind, its name, and a constructor if it has parameters; types/storage.go: how values lie in memory, one of
//	                            about 12 classes. A class that exists brings its kernels along; a new one has to be added to each of them.
//	types/arrow_types.go        which Arrow types mean it; types/arrow_export_types.go: which one it becomes, with metadata where that one has
//	                            another meaning first
//	types/import_fixed.go       and its neighbours, types/export_fixed.go likewise: only if the layout is not Arrow's
//	types/format.go             its text; types/value.go, types/value_build.go: as a Go value and back
//	types/arrowtest/            random_type.go and random_array.go: from then on the tests of all layouts have it
//	kernels/cast.go             CanCast, and a file cast_*.go; kernels/expr/coerce.go: what it becomes beside other types
//	plan/sql/bind_type.go       how SQL writes it
//	testdata/slt/types/         literals, casts, comparisons, order, groups, NULL
//
// ## A kernel
//
// A kernel is a verb on vectors: null-aware, any encoding, no errors by panic.
//
//	kernels/<verb>.go           the function, with Env first; the loops are generic over the element type only. Compute every slot, combine
//	                            validity as words; raise only for rows of Env.Active.
//	kernels/testdata/           <verb>.test, and a Go test over Variants (kernels/layouts_test.go): the same rows in every layout
//	kernels/bench_test.go       a benchmark: rows per second, with and without nulls
//
// Where the benchmark says so, the inner loop moves down:
//
//	kernels/asm/<verb>.go       checks lengths, calls the table for whole blocks, does the tail in Go
//	kernels/asm/<verb>_generic.go  the portable loop: the specification
//	kernels/asm/table.go        a field; kernels/asm/amd64.go and arm64.go fill it
//	kernels/asm/_gen/<verb>.go  the generator; go generate ./kernels/asm writes the .s file
//	kernels/asm/<verb>_test.go  every instruction set against the generic loop, with guard pages
//
// ## A function
//
//	kernels/scalar/<family>.go  an expr.Family: Bind picks the overload and says null policy, whether it can fail, and the kernel. Add it in the
//	                            file's register function; Example is run as a test.
//	kernels/scalar/testdata/    <family>.test
//	kernels/agg/<family>.go     an aggregate: the same, with states for many groups (kernels/agg/doc.go); its reference is in agg_test.go
//
// Nothing else: the binder finds functions by their names in the set that Open fills. Syntax of its own, such as EXTRACT, becomes a call in
// plan/sql/rewrite_call.go; an operator's text is in plan/sql/bind_expr.go.
//
// ## An operator
//
//	plan/node.go                the logical node; plan/physical.go: the physical one, with everything that execution must know
//	plan/explain.go             what EXPLAIN says of both; plan/build.go: from one to the other
//	plan/sql/bind_select.go     or its neighbours: from the syntax to the node
//	plan/rule_*.go              every rule that walks nodes: what it may push through or prune
//	engine/exec/<verb>.go       a streaming operator or a sink (pipeline.go has the contracts); engine/exec/compile.go puts it in
//	testdata/slt/<verb>/        its SQL, run in all modes
//
// ## A statement
//
//	plan/sql/ast.go, statement.go   its node and how it is read
//	plan/sql/command.go         what it does: a command, beside the plan of the rows that it works on
//	plan/sql/bind_statement.go  from the node to the command; bind_change.go for statements that change rows. What is wrong is said here, with its place
//	engine/command.go           does it. Rows are written by engine/exec/write.go to a catalog.Writer: all of them, or none
//	catalog/names.go            names; catalog/mem/store.go: tables that can be written
//	testdata/slt/<verb>/        its SQL
//
// ## A setting
//
//	engine/settings.go          an entry of allSettings: how it is read, checked and shown, and its default. A setting that changes what a statement
//	                            means goes into sql.Session
//	testdata/slt/set/           its SQL
//
// ## A rule
//
//	plan/rule_<name>.go         one function from plan to plan: same schema, same answer, same errors
//	plan/rule.go                its place in the list. Options.DisabledRules knows it by its name.
//	plan/sql/testdata/plan/     <name>.test, a golden of the plans before and after; it stands where SQL can be parsed. The slt tests run with
//	                            the optimizer on and off, and so compare answers.
//
// ## A source
//
//	catalog/<format>/           a package with a catalog.Format (a kind of file) or a catalog.Table (anything else). The contract is
//	                            catalog/table.go: morsels in source order, exact row counts, filters as advice, statistics with their
//	                            confidence. catalog/mem is the smallest one. All input is hostile: a fuzz target over damaged files.
//	catalog/files.go            is the one way to files
//	engine/formats.go           the list of formats; engine/db.go: Register, for tables that a program hands in
//	testdata/slt/<format>/      its SQL
package engine
