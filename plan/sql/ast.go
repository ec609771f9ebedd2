package sql

// The syntax tree. Parse builds it and nobody changes it afterwards: the binder, the printer and a plan cache may share
// one tree between goroutines. It says what was written, not what it means: names are not resolved, types not checked.
//
// Conventions: a nil pointer or interface means "not written"; a nil slice and an empty one mean the same. Names keep
// their spelling and say whether they were quoted; folding case is the binder's business. Keywords are stored as
// constants or in upper case.

// Span is a range of bytes of the SQL text given to Parse: from Start up to, not including, End. Every node embeds its
// own, so that an error can point at it and a column can be named after it.
type Span struct {
	Start, End int
}

// Range returns the span itself; it makes every node that embeds a Span a Node.
func (s Span) Range() Span { return s }

// place sets the span of a node under construction.
func (s *Span) place(at Span) { *s = at }

// Node is any part of a syntax tree that has a place in the SQL text.
type Node interface {
	Range() Span
}

// Ident is one name, or one part of a dotted name.
type Ident struct {
	Span
	Name   string // without quotes
	Quoted bool   // "name" or `name` in the source
}

// ObjectName is a dotted name of a table, view, schema, function or type: up to three parts, catalog.schema.object.
type ObjectName struct {
	Span
	Parts []Ident
}

// Statement is one SQL statement. The types are Query, Explain, CreateTable, CreateView, CreateSchema, Drop, Insert,
// Update, Delete, Describe, Show, Set and Reset, all as pointers.
type Statement interface {
	Node
	statement()
}

// Query is a whole query expression: WITH, a body, ORDER BY and LIMIT. It stands as a statement, as a subquery, as a CTE
// and as a parenthesised operand of a set operation.
type Query struct {
	Span
	With    *With
	Body    QueryBody
	OrderBy []OrderItem
	Limit   *Limit
}

// QueryBody is what a query's ORDER BY and LIMIT apply to: *Select, *SetOperation, *Values, or a parenthesised *Query.
type QueryBody interface {
	Node
	queryBody()
}

// With is a WITH clause.
type With struct {
	Span
	Recursive bool
	CTEs      []CTE
}

// CTE is one common table expression of a WITH clause.
type CTE struct {
	Span
	Name         Ident
	Columns      []Ident // optional column names
	Materialized Materialization
	Query        *Query
}

// Materialization is the hint of a CTE.
type Materialization uint8

// The hints of a CTE.
const (
	MaterializeDefault Materialization = iota
	Materialized
	NotMaterialized
)

// Select is SELECT ... FROM ... WHERE ..., without ORDER BY and LIMIT. "FROM t" alone is SELECT * FROM t, and so is
// "TABLE t".
type Select struct {
	Span
	Distinct   bool
	DistinctOn []Expr // DISTINCT ON (...); Distinct is then true too
	Items      []SelectItem
	From       TableExpr // nil without FROM; a comma is a CrossJoin
	Where      Expr
	GroupBy    *GroupBy
	Having     Expr
	Windows    []WindowDef
	Qualify    Expr
	Sample     *Sample // USING SAMPLE
}

// SelectItem is one entry of a select list. Its Expr may be a *Star.
type SelectItem struct {
	Span
	Expr  Expr
	Alias *Ident
}

// SetOperator is UNION, INTERSECT or EXCEPT.
type SetOperator uint8

// The set operators.
const (
	Union SetOperator = iota
	Intersect
	Except
)

// SetOperation combines two query bodies. INTERSECT binds tighter than UNION and EXCEPT; the tree has that applied.
// A chain of thousands leans to the left.
type SetOperation struct {
	Span
	Op          SetOperator
	All         bool
	ByName      bool
	Left, Right QueryBody
}

// Values is VALUES (...), (...). Parse does not check that the rows have equal length.
type Values struct {
	Span
	Rows [][]Expr // within INSERT an element may be *Default
}

// GroupBy is a GROUP BY clause.
type GroupBy struct {
	Span
	All      bool // GROUP BY ALL; Elements is then empty
	Elements []GroupElement
}

// GroupKind tells the kinds of GROUP BY elements apart.
type GroupKind uint8

// The kinds of GROUP BY elements.
const (
	GroupExprs  GroupKind = iota // one expression, a parenthesised list, or the empty set (): see Exprs
	GroupRollup                  // ROLLUP (...): see Elements, all of kind GroupExprs
	GroupCube                    // CUBE (...): likewise
	GroupSets                    // GROUPING SETS (...): Elements of any kind
)

// GroupElement is one element of a GROUP BY clause. An integer literal as the only expression is the ordinal of a select
// item: the binder's rule, not the parser's.
type GroupElement struct {
	Span
	Kind     GroupKind
	Exprs    []Expr
	Elements []GroupElement
}

// Direction is ASC, DESC or neither.
type Direction uint8

// The sort directions.
const (
	DirectionDefault Direction = iota
	Ascending
	Descending
)

// NullOrder is NULLS FIRST, NULLS LAST or neither.
type NullOrder uint8

// The placements of nulls in a sort order.
const (
	NullsDefault NullOrder = iota
	NullsFirst
	NullsLast
)

// OrderItem is one item of ORDER BY. COLLATE is part of its expression.
type OrderItem struct {
	Span
	All       bool // ORDER BY ALL; Expr is then nil
	Expr      Expr
	Direction Direction
	Nulls     NullOrder
}

// Limit is LIMIT, OFFSET and FETCH of one query. At least one of Count and Offset is not nil.
type Limit struct {
	Span
	Count   Expr // nil: all rows
	Percent bool // Count is a percentage of the rows
	Offset  Expr
}

// SampleUnit says what the amount of a sample counts.
type SampleUnit uint8

// The units of a sample's amount.
const (
	SamplePercent SampleUnit = iota
	SampleRows
)

// Sample is TABLESAMPLE on a table expression, or USING SAMPLE on a whole select.
type Sample struct {
	Span
	Method string // upper case: BERNOULLI, SYSTEM, RESERVOIR; empty if not written
	Amount string // the number as written
	Unit   SampleUnit
	Seed   string // REPEATABLE (seed): the number as written; empty if not written
}

// TableExpr is what may stand in FROM: *TableName, *TableFile, *TableFunction, *DerivedTable, *Join, *AliasedJoin.
type TableExpr interface {
	Node
	tableExpr()
}

// TableAlias is AS name (column, ...). The columns may be fewer than the table has.
type TableAlias struct {
	Span
	Name    Ident
	Columns []Ident
}

// TableName is a table, view or CTE by name.
type TableName struct {
	Span
	Name   ObjectName
	Alias  *TableAlias
	Sample *Sample
}

// TableFile is a file or a glob as a table: FROM 'file.parquet'.
type TableFile struct {
	Span
	Path   string
	Alias  *TableAlias
	Sample *Sample
}

// TableFunction is a function call as a table: FROM read_csv('x.csv'), LATERAL unnest(t.list) WITH ORDINALITY.
type TableFunction struct {
	Span
	Call       *Call
	Lateral    bool // LATERAL was written; a table function may look left without it
	Ordinality bool
	Alias      *TableAlias
	Sample     *Sample
}

// DerivedTable is a parenthesised query, or VALUES, as a table.
type DerivedTable struct {
	Span
	Query   *Query
	Lateral bool
	Alias   *TableAlias
	Sample  *Sample
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin
	SemiJoin
	AntiJoin
	PositionalJoin
)

// Join joins two table expressions. A chain of joins leans to the left. Exactly one of On, Using and Natural is set for
// the kinds that take a condition, none for cross and positional joins.
type Join struct {
	Span
	Kind        JoinKind
	Natural     bool
	AsOf        bool
	Left, Right TableExpr
	On          Expr
	Using       []Ident
}

// AliasedJoin is a parenthesised join with a name of its own: (a JOIN b USING (x)) AS j. Parentheses without an alias
// leave no node behind.
type AliasedJoin struct {
	Span
	Table  TableExpr
	Alias  *TableAlias
	Sample *Sample
}

// Explain is EXPLAIN [ANALYZE] [(FORMAT x)] statement.
type Explain struct {
	Span
	Analyze   bool
	Format    string // upper case; empty if not written
	Statement Statement
}

// CreateTable is CREATE TABLE with column definitions, AS a query, or both.
type CreateTable struct {
	Span
	OrReplace, Temporary, IfNotExists bool
	Name                              ObjectName
	Columns                           []ColumnDef
	Constraints                       []*Constraint // of the table; those of a column stand with it
	As                                *Query
	WithNoData                        bool // AS query WITH NO DATA
}

// ColumnDef is one column of CREATE TABLE.
type ColumnDef struct {
	Span
	Name        Ident
	Type        *TypeName // nil in CREATE TABLE t (a, b) AS ..., and for a generated column without a type
	Constraints []*Constraint
}

// ConstraintKind tells constraints apart.
type ConstraintKind uint8

// The kinds of constraints of tables and columns.
const (
	ConstraintNotNull ConstraintKind = iota
	ConstraintNull
	ConstraintDefault
	ConstraintCheck
	ConstraintPrimaryKey
	ConstraintUnique
	ConstraintForeignKey
	ConstraintGenerated // GENERATED ALWAYS AS (expr)
)

// Constraint is a constraint of a column or a table.
type Constraint struct {
	Span
	Kind       ConstraintKind
	Name       *Ident
	Expr       Expr       // of DEFAULT, CHECK, GENERATED
	Columns    []Ident    // of a table's PRIMARY KEY, UNIQUE, FOREIGN KEY
	RefTable   ObjectName // of FOREIGN KEY / REFERENCES
	RefColumns []Ident
}

// CreateView is CREATE VIEW.
type CreateView struct {
	Span
	OrReplace, Temporary, IfNotExists bool
	Name                              ObjectName
	Columns                           []Ident
	Query                             *Query
}

// CreateSchema is CREATE SCHEMA.
type CreateSchema struct {
	Span
	IfNotExists bool
	Name        ObjectName
}

// ObjectKind is the kind of object that a DROP names.
type ObjectKind uint8

// The kinds of objects.
const (
	ObjectTable ObjectKind = iota
	ObjectView
	ObjectSchema
)

// Drop is DROP TABLE, VIEW or SCHEMA.
type Drop struct {
	Span
	Kind     ObjectKind
	IfExists bool
	Names    []ObjectName
	Cascade  bool
}

// Insert is INSERT INTO. VALUES is a Query with a Values body.
type Insert struct {
	Span
	Table         ObjectName
	Alias         *Ident
	Columns       []Ident
	ByName        bool   // INSERT INTO t BY NAME query
	Query         *Query // nil with DEFAULT VALUES
	DefaultValues bool
}

// Copy is COPY query TO 'file', COPY t [(columns)] TO 'file' and COPY t [(columns)] FROM 'file', with options.
type Copy struct {
	Span
	Query    *Query     // COPY (query) TO
	Table    ObjectName // without a query
	Columns  []Ident
	From     bool
	Path     string
	PathSpan Span
	Options  []CopyOption
}

// CopyOption is an option of COPY: a name and texts, whatever they were written as.
type CopyOption struct {
	Span
	Name   Ident
	Values []string // none for a name alone, which means true
	List   bool     // written in parentheses
}

// Update is UPDATE t SET column = value, ... FROM ... WHERE ... .
type Update struct {
	Span
	Table       ObjectName
	Alias       *Ident
	Assignments []Assignment
	From        TableExpr // tables beside the one updated; nil without FROM
	Where       Expr
}

// Assignment is one column = value of an Update.
type Assignment struct {
	Span
	Column Ident
	Value  Expr // may be *Default
}

// Delete is DELETE FROM t USING ... WHERE ... .
type Delete struct {
	Span
	Table ObjectName
	Alias *Ident
	Using TableExpr // tables beside the one deleted from; nil without USING
	Where Expr
}

// Describe is DESCRIBE of a table or a query. Exactly one of Table and Query is set.
type Describe struct {
	Span
	Table TableExpr
	Query *Query
}

// ShowKind tells what SHOW shows.
type ShowKind uint8

// The things that SHOW shows.
const (
	ShowTables    ShowKind = iota // SHOW TABLES [FROM schema]
	ShowAllTables                 // SHOW ALL TABLES
	ShowColumns                   // SHOW COLUMNS FROM table, SHOW table
	ShowSchemas
	ShowDatabases
	ShowSettings // SHOW ALL
)

// Show is SHOW. Whether "SHOW name" means a setting or a table is for the binder: it arrives as ShowColumns.
type Show struct {
	Span
	Kind ShowKind
	Name ObjectName // of the table, setting or schema; without parts if not written
}

// Scope is the scope of SET and RESET.
type Scope uint8

// The scopes of SET and RESET.
const (
	ScopeDefault Scope = iota
	ScopeLocal
	ScopeSession
	ScopeGlobal
	ScopeVariable // SET VARIABLE x = ...
)

// Set is SET name = value or SET name TO value. A bare word as value arrives as an unqualified *Column, DEFAULT as *Default.
type Set struct {
	Span
	Scope  Scope
	Name   Ident
	Values []Expr // one; more only for a list as in search_path
}

// Reset is RESET name.
type Reset struct {
	Span
	Scope Scope
	Name  Ident // RESET ALL: the unquoted name ALL
}

func (*Query) statement()        {}
func (*Explain) statement()      {}
func (*CreateTable) statement()  {}
func (*CreateView) statement()   {}
func (*CreateSchema) statement() {}
func (*Drop) statement()         {}
func (*Insert) statement()       {}
func (*Copy) statement()         {}
func (*Update) statement()       {}
func (*Delete) statement()       {}
func (*Describe) statement()     {}
func (*Show) statement()         {}
func (*Set) statement()          {}
func (*Reset) statement()        {}

func (*Query) queryBody()        {}
func (*Select) queryBody()       {}
func (*SetOperation) queryBody() {}
func (*Values) queryBody()       {}

func (*TableName) tableExpr()     {}
func (*TableFile) tableExpr()     {}
func (*TableFunction) tableExpr() {}
func (*DerivedTable) tableExpr()  {}
func (*Join) tableExpr()          {}
func (*AliasedJoin) tableExpr()   {}
