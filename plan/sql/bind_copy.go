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
		{Name: "format", Type: types.Varchar},
		{Name: "overwrite_or_ignore", Type: types.Boolean},
		{Name: "partition_by", Type: types.ListOf(types.Varchar)},
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
	e := &Export{Path: n.Path, Offset: n.PathSpan.Start, Format: writable, Overwrite: catalog.OptionOr(options, "overwrite_or_ignore", false)}
	for _, x := range catalog.OptionOr(options, "partition_by", []any(nil)) {
		name, _ := x.(string)
		at := slices.IndexFunc(columns, func(c plan.Column) bool { return strings.EqualFold(c.Name, name) })
		switch {
		case at < 0:
			return nil, nil, b.errorAt(n, types.CodeUndefinedColumn, "partition_by names the column %q, which is not there", name)
		case slices.Contains(e.PartitionBy, at):
			return nil, nil, b.errorAt(n, types.CodeDuplicateColumn, "partition_by names the column %q twice", name)
		case columns[at].Type.IsNested():
			return nil, nil, b.unsupported(n, "partition_by of %s", columns[at].Type)
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
		return nil, nil, b.errorAt(n, types.CodeInvalidParameter, "no column is left for the files").WithHint("Use WRITE_PARTITION_COLUMNS true.")
	}
	for _, o := range exportOptions() {
		delete(options, o.Name)
	}
	e.Options = options
	return e, node, nil
}

// copyFrom binds COPY ... FROM, which adds the rows of a file to a table: its columns in their order.
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
	if format.Name() == "csv" && options["columns"] == nil {
		// The table says what the columns are, not a sample.
		fields := make([]types.FieldValue, len(columns))
		for i, c := range columns {
			f := t.Schema()[c]
			fields[i] = types.FieldValue{Name: f.Name, Value: f.Type.String()}
		}
		options["columns"] = fields
	}
	options["hive_partitioning"] = options["hive_partitioning"] == true
	file, err := b.catalog.OpenFiles(b.ctx, catalog.FilesRequest{Format: format, Names: []string{n.Path}, Options: options, Type: b.namedType})
	if err != nil {
		return nil, nil, b.located(n, err)
	}
	node, err := b.scan(n, file, "'"+n.Path+"'", "", "file", nil, &scope{})
	if err != nil {
		return nil, nil, err
	}
	given := node.Columns()
	if len(given) != len(columns) {
		return nil, nil, b.errorAt(n, types.CodeSyntax, "COPY into %q needs %d columns but the file has %d", o.Name, len(columns), len(given))
	}
	if node, err = b.assigned(n, n.PathSpan.Start, node, given, t, columns); err != nil {
		return nil, nil, err
	}
	return &Change{Table: t, Write: plan.WriteRows{Verb: "Copy into", Name: o.Name, Columns: t.Schema(), Checks: checks}}, node, nil
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
