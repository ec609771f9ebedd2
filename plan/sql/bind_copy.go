package sql

import (
	"path"
	"slices"
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// copyStatement binds COPY.
func (b *binder) copyStatement(n *Copy) (Command, plan.Node, error) {
	if n.From {
		return b.copyFrom(n)
	}
	return b.copyTo(n)
}

// exportOptions are the options of COPY ... TO that are the statement's own, DuckDB's.
func exportOptions() []catalog.Option {
	return []catalog.Option{
		{Name: "append", Type: types.Boolean},
		{Name: "file_extension", Type: types.Varchar},
		{Name: "file_size_bytes", Type: types.Varchar},
		{Name: "filename_pattern", Type: types.Varchar},
		{Name: "format", Type: types.Varchar},
		{Name: "hive_file_pattern", Type: types.Boolean},
		{Name: "overwrite", Type: types.Boolean},
		{Name: "overwrite_or_ignore", Type: types.Boolean},
		{Name: "partition_by", Type: types.ListOf(types.Varchar)},
		{Name: "per_thread_output", Type: types.Boolean},
		{Name: "preserve_order", Type: types.Boolean},
		{Name: "return_files", Type: types.Boolean},
		{Name: "return_stats", Type: types.Boolean},
		{Name: "use_tmp_file", Type: types.Boolean},
		{Name: "write_empty_file", Type: types.Boolean},
		{Name: "write_partition_columns", Type: types.Boolean},
	}
}

func (b *binder) copyTo(n *Copy) (Command, plan.Node, error) {
	query := n.Query
	if query == nil {
		items := []SelectItem{{Span: n.Span, Expr: &Star{Span: n.Table.Span}}}
		if len(n.Columns) > 0 {
			items = nil
			for _, c := range n.Columns {
				items = append(items, SelectItem{Span: c.Span, Expr: &Column{Span: c.Span, Parts: []Ident{c}}})
			}
		}
		query = &Query{Span: n.Span, Body: &Select{Span: n.Span, Items: items, From: &TableName{Span: n.Table.Span, Name: n.Table}}}
	}
	node, columns, err := b.query(query, nil)
	if err != nil {
		return nil, nil, err
	}
	format, err := b.copyFormat(n)
	if err != nil {
		return nil, nil, err
	}
	writable, ok := format.(catalog.WritableFormat)
	if !ok {
		return nil, nil, b.unsupported(n, "writing %s files", format.Name())
	}
	options, err := b.copyOptions(n, append(exportOptions(), writable.WriteOptions()...), "COPY TO a "+format.Name()+" file")
	if err != nil {
		return nil, nil, err
	}
	e := &Export{Path: n.Path, Offset: n.PathSpan.Start, Format: writable}
	if err := b.exportFiles(n, e, options); err != nil {
		return nil, nil, err
	}
	for _, x := range catalog.OptionOr(options, "partition_by", []any(nil)) {
		name, _ := x.(string)
		at := slices.IndexFunc(columns, func(c plan.Column) bool { return strings.EqualFold(c.Name, name) })
		switch {
		case at < 0:
			return nil, nil, b.errorAt(n.option("partition_by"), types.CodeUndefinedColumn, "partition_by names the column %q, which is not there", name)
		case slices.Contains(e.PartitionBy, at):
			return nil, nil, b.errorAt(n.option("partition_by"), types.CodeDuplicateColumn, "partition_by names the column %q twice", name)
		case columns[at].Type.IsNested():
			return nil, nil, b.unsupported(n.option("partition_by"), "partition_by of %s", columns[at].Type)
		}
		e.PartitionBy, e.Partitions = append(e.PartitionBy, at), append(e.Partitions, columns[at].Name)
	}
	inFiles := catalog.OptionOr(options, "write_partition_columns", false)
	for i, c := range columns {
		if !inFiles && slices.Contains(e.PartitionBy, i) {
			continue
		}
		if e.Columns.Index(c.Name) >= 0 {
			return nil, nil, b.errorAt(n, types.CodeDuplicateColumn, "the file would have two columns %q", c.Name).WithHint("Give one of them another name: AS.")
		}
		e.Columns, e.Positions = append(e.Columns, c.Field), append(e.Positions, i)
	}
	if len(e.Columns) == 0 {
		return nil, nil, b.errorAt(n.option("partition_by"), types.CodeInvalidParameter, "no column is left for the files").WithHint("Use WRITE_PARTITION_COLUMNS true.")
	}
	for _, o := range exportOptions() {
		delete(options, o.Name)
	}
	if options["compression"] == nil && slices.ContainsFunc(writable.WriteOptions(), func(o catalog.Option) bool { return o.Name == "compression" }) {
		// The reader goes by the same ending.
		name := n.Path
		if len(e.PartitionBy) > 0 {
			name = e.FileName
		}
		if c, err := catalog.CompressionOf(name, "auto"); err == nil && c != "none" {
			options["compression"] = c
		}
	}
	e.Options = options
	return e, node, nil
}

// exportFiles reads the options that say which files are written.
func (b *binder) exportFiles(n *Copy, e *Export, options catalog.Options) error {
	on := func(name string) bool { return catalog.OptionOr(options, name, false) }
	for _, name := range []string{"per_thread_output", "return_files", "return_stats"} {
		if on(name) {
			return b.unsupported(n.option(name), "option %s of COPY", name)
		}
	}
	for _, name := range []string{"hive_file_pattern", "use_tmp_file", "write_empty_file"} {
		if !catalog.OptionOr(options, name, true) {
			return b.unsupported(n.option(name), "COPY without %s", name)
		}
	}
	if options["file_size_bytes"] != nil {
		return b.unsupported(n.option("file_size_bytes"), "option file_size_bytes of COPY")
	}
	partitioned := options["partition_by"] != nil
	switch {
	case on("append") && on("overwrite"), on("append") && on("overwrite_or_ignore"), on("overwrite") && on("overwrite_or_ignore"):
		return b.errorAt(n.option("overwrite", "overwrite_or_ignore"), types.CodeSyntax, "OVERWRITE, OVERWRITE_OR_IGNORE and APPEND exclude each other")
	case partitioned && on("overwrite"):
		return b.unsupported(n.option("overwrite"), "OVERWRITE of directories").(*types.Error).WithHint("OVERWRITE_OR_IGNORE keeps files of other names.")
	case !partitioned && on("append"):
		return b.unsupported(n.option("append"), "APPEND to a file")
	}
	e.Overwrite = on("overwrite_or_ignore") || on("append")
	extension := strings.TrimPrefix(catalog.OptionOr(options, "file_extension", e.Format.Extensions()[0]), ".")
	pattern := catalog.OptionOr(options, "filename_pattern", "data_{i}")
	switch {
	case strings.ContainsAny(extension+pattern, `/\`):
		return b.errorAt(n.option("filename_pattern", "file_extension"), types.CodeInvalidParameter, "the name of a file has no slash")
	case on("append") && options["filename_pattern"] == nil:
		pattern = "data_{uuid}"
	case on("append") && !strings.Contains(pattern, "{uuid}"):
		return b.errorAt(n.option("filename_pattern"), types.CodeInvalidParameter, "with APPEND the names of files need {uuid}")
	case !strings.Contains(pattern, "{i}") && !strings.Contains(pattern, "{uuid}"):
		pattern += "{i}"
	}
	e.FileName = pattern + "." + extension
	return nil
}

// option gives the first option that is written by one of some names; the statement when none is.
func (n *Copy) option(names ...string) Node {
	for _, o := range n.Options {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(o.Name.Name, name) }) {
			return o.Name
		}
	}
	return n
}

// copyFrom binds COPY ... FROM, which adds the rows of a file to a table: the columns of CSV in their order, those of other files by their names.
func (b *binder) copyFrom(n *Copy) (Command, plan.Node, error) {
	t, o, err := b.target(n.Table)
	if err != nil {
		return nil, nil, err
	}
	checks, err := b.checks(n.Table, o.Name, t.Schema(), t.Definition())
	if err != nil {
		return nil, nil, err
	}
	columns, err := b.insertColumns(&Insert{Span: n.Span, Table: n.Table, Columns: n.Columns}, t, o.Name)
	if err != nil {
		return nil, nil, err
	}
	format, err := b.copyFormat(n)
	if err != nil {
		return nil, nil, err
	}
	known := append([]catalog.Option{{Name: "format", Type: types.Varchar}}, append(format.ReadOptions(), catalog.FileOptions()...)...)
	options, err := b.copyOptions(n, known, "COPY FROM a "+format.Name()+" file")
	if err != nil {
		return nil, nil, err
	}
	delete(options, "format")
	// Where a file's text is all that is known of its columns, the table says what they are, not a sample.
	told := slices.ContainsFunc(format.ReadOptions(), func(o catalog.Option) bool { return o.Name == "columns" })
	if told {
		fields := make([]types.FieldValue, len(columns))
		for i, c := range columns {
			f := t.Schema()[c]
			fields[i] = types.FieldValue{Name: f.Name, Value: f.Type.String()}
		}
		options["columns"] = fields
	}
	options["hive_partitioning"] = options["hive_partitioning"] == true
	rejects, err := b.rejects(n, options, "")
	if err != nil {
		return nil, nil, err
	}
	file, err := b.catalog.OpenFiles(b.ctx, catalog.FilesRequest{Format: format, Names: []string{n.Path}, Options: options, Type: b.namedType, Rejects: rejects})
	if err != nil {
		return nil, nil, b.located(n.PathSpan, err)
	}
	node, err := b.scan(n, file, "'"+n.Path+"'", "", "file", nil, &scope{})
	if err != nil {
		return nil, nil, err
	}
	given := node.Columns()
	if !told {
		if given, err = b.namedAlike(n, given, t.Schema(), columns, o.Name); err != nil {
			return nil, nil, err
		}
	}
	if len(given) != len(columns) {
		return nil, nil, b.errorAt(n.PathSpan, types.CodeSyntax, "COPY into %q needs %d columns but the file has %d", o.Name, len(columns), len(given))
	}
	if node, err = b.assigned(n, n.PathSpan.Start, node, given, t, columns); err != nil {
		return nil, nil, err
	}
	return &Change{Table: t, Write: plan.WriteRows{Verb: "Copy into", Name: o.Name, Columns: t.Schema(), Checks: checks}}, node, nil
}

// namedAlike gives the columns of a file that have the names of a table's columns, in the order of these. A file whose columns have names would be misread by
// position. Without a list of columns the file has all and no other.
func (b *binder) namedAlike(n *Copy, given []plan.Column, schema types.Schema, columns []int, table string) ([]plan.Column, error) {
	names := make([]string, len(given))
	for i, c := range given {
		names[i] = c.Name
	}
	alike := make([]plan.Column, len(columns))
	for i, c := range columns {
		at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, schema[c].Name) })
		if at < 0 {
			e := b.errorAt(n.PathSpan, types.CodeUndefinedColumn, "the file has no column %q of %q", schema[c].Name, table)
			if e.Hint = catalog.DidYouMean(schema[c].Name, names); e.Hint == "" {
				e.Hint = "Name the columns that it has: COPY " + table + " (...) FROM."
			}
			return nil, e
		}
		alike[i] = given[at]
	}
	for _, name := range names {
		if len(n.Columns) == 0 && findField(schema, name) < 0 {
			return nil, b.errorAt(n.PathSpan, types.CodeUndefinedColumn, "the file has a column %q, %q has none", name, table).
				WithHint("Name the columns that are to be read: COPY %s (...) FROM.", table)
		}
	}
	return alike, nil
}

// copyFormat gives the format that the option FORMAT names, or the path's ending; CSV without either, as PostgreSQL has it.
func (b *binder) copyFormat(n *Copy) (catalog.Format, error) {
	name := ""
	for _, o := range n.Options {
		if strings.EqualFold(o.Name.Name, "format") && len(o.Values) == 1 {
			if name = strings.ToLower(o.Values[0]); b.catalog.Format(name) == nil {
				return nil, b.unsupported(o.Name, "the format %s", o.Values[0])
			}
		}
	}
	if name == "" {
		if f := b.catalog.FormatOf(n.Path); f != nil {
			return f, nil
		}
		if ending := path.Ext(n.Path); ending != "" && ending != ".txt" && ending != ".gz" && ending != ".zst" {
			return nil, b.errorAt(n, types.CodeInvalidParameter, "no known file format for %q", n.Path).WithHint("Name it: (FORMAT csv).")
		}
		name = "csv"
	}
	f := b.catalog.Format(name)
	if f == nil {
		return nil, b.unsupported(n, "the format %s", name)
	}
	return f, nil
}

// copyOptions gives the options as their types want them.
func (b *binder) copyOptions(n *Copy, known []catalog.Option, of string) (catalog.Options, error) {
	o := optionReader{binder: b, known: known, of: of, options: catalog.Options{}}
	for _, given := range n.Options {
		option, ok := o.find(given.Name.Name)
		if !ok {
			return nil, o.unknown(given.Name)
		}
		if _, twice := o.options[option.Name]; twice {
			return nil, b.errorAt(given.Name, types.CodeSyntax, "option %s is given twice", option.Name)
		}
		x, err := b.copyValue(given, option)
		if err != nil {
			return nil, err
		}
		o.set(option.Name, x)
	}
	return o.options, nil
}

func (b *binder) copyValue(given CopyOption, option catalog.Option) (any, error) {
	typ := option.Type
	list := typ.Kind() == types.KindList
	if list {
		typ = typ.Elem().Type
	}
	if typ.Kind() == types.KindNull {
		return nil, b.unsupported(given.Name, "option %s of COPY", option.Name)
	}
	if len(given.Values) == 0 {
		if typ.Kind() != types.KindBoolean {
			return nil, b.errorAt(given.Name, types.CodeSyntax, "option %s needs a value", option.Name)
		}
		return true, nil
	}
	if given.List && !list {
		return nil, b.errorAt(given.Name, types.CodeSyntax, "option %s takes one value", option.Name)
	}
	values := make([]any, len(given.Values))
	for i, text := range given.Values {
		v, err := types.NewValue(types.Varchar, text)
		if err == nil {
			v, err = kernels.Cast(&kernels.Env{Rows: 1}, v, typ)
		}
		if err != nil {
			return nil, b.errorAt(given.Name, types.CodeInvalidParameter, "option %s must be %s, not %q", option.Name, typ, text)
		}
		values[i] = types.Value(v, 0)
	}
	if list {
		return values, nil
	}
	return values[0], nil
}
