package sql

import (
	"strings"

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/types"
)

// readAliases are the names of read_<format> functions that are not made of the format's name.
var readAliases = map[string]string{
	"parquet_scan": "parquet", "read_csv_auto": "csv", "read_json_auto": "json", "read_ndjson": "json", "read_ndjson_auto": "json", "read_ipc": "arrow",
}

// readFormat gives the format that a table function reads; nil when it reads none.
func (b *binder) readFormat(name string) catalog.Format {
	format := strings.TrimPrefix(name, "read_")
	if alias := readAliases[name]; alias != "" {
		format = alias
	} else if format == name {
		return nil
	}
	return b.catalog.Format(format)
}

// readFiles binds read_csv('a.csv', header = true) and its like. Arguments are constants: a path or a list of them, and options by name.
func (b *binder) readFiles(t *TableFunction, name string, format catalog.Format, s *scope) (plan.Node, error) {
	request := catalog.FilesRequest{Format: format, Type: b.namedType}
	var positional []Expr
	var given []string // options, as written
	o := optionReader{binder: b, known: append(format.ReadOptions(), catalog.FileOptions()...), of: name}
	for _, a := range t.Call.Args {
		label, value := a.Name, a.Expr
		if eq, ok := a.Expr.(*Binary); ok && label == nil && eq.Op == "=" {
			if c, ok := eq.Left.(*Column); ok && len(c.Parts) == 1 {
				label, value = &c.Parts[0], eq.Right // header = true, as DuckDB has it
			}
		}
		if label == nil {
			positional = append(positional, value)
			continue
		}
		if err := o.read(*label, value); err != nil {
			return nil, err
		}
		given = append(given, label.Name+" = "+b.source(value))
	}
	if len(positional) != 1 {
		return nil, b.errorAt(t.Call, types.CodeUndefinedFunction, "%s takes a path or a list of paths, and options by name", name)
	}
	if strings.Contains(name, "ndjson") {
		o.set("format", "newline_delimited")
	}
	request.Options = o.options
	var err error
	if request.Rejects, err = b.rejects(t.Call, o.options, strings.Join(given, ", ")); err != nil {
		return nil, err
	}
	if request.Names, err = b.paths(positional[0]); err != nil {
		return nil, err
	}
	table, err := b.catalog.OpenFiles(b.ctx, request)
	if err != nil {
		return nil, b.located(t.Call, err)
	}
	return b.scan(t, table, b.source(t.Call), "", name, t.Alias, s)
}

// rejects starts to collect faults where options ask for it.
func (b *binder) rejects(n Node, o catalog.Options, arguments string) (catalog.Rejects, error) {
	_, table := o["rejects_table"]
	_, scan := o["rejects_scan"]
	if !catalog.OptionOr(o, "store_rejects", table || scan) || b.session.Rejects == nil {
		if table || scan {
			return nil, b.errorAt(n, types.CodeInvalidParameter, "rejects_table and rejects_scan need store_rejects")
		}
		return nil, nil
	}
	if !catalog.OptionOr(o, "ignore_errors", true) {
		return nil, b.errorAt(n, types.CodeInvalidParameter, "store_rejects needs ignore_errors, which is false")
	}
	limit := catalog.OptionOr(o, "rejects_limit", int64(0))
	if limit < 0 {
		return nil, b.errorAt(n, types.CodeInvalidParameter, "rejects_limit must not be negative: %d", limit)
	}
	errors, scans := catalog.OptionOr(o, "rejects_table", "reject_errors"), catalog.OptionOr(o, "rejects_scan", "reject_scans")
	if errors == "" || scans == "" || strings.EqualFold(errors, scans) {
		return nil, b.errorAt(n, types.CodeInvalidParameter, "rejects_table and rejects_scan must name two tables")
	}
	return b.session.Rejects(errors, scans, limit, arguments), nil
}

// paths evaluates a constant path or list of paths.
func (b *binder) paths(n Expr) ([]string, error) {
	value, err := b.constantOption(n, types.ListOf(types.Varchar), false)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, b.errorAt(n, types.CodeInvalidParameter, "a path is NULL")
	}
	list, _ := value.([]any)
	var paths []string
	for _, p := range list {
		path, ok := p.(string)
		if !ok {
			return nil, b.errorAt(n, types.CodeInvalidParameter, "a path is NULL")
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return nil, b.errorAt(n, types.CodeInvalidParameter, "no path is given")
	}
	return paths, nil
}

// globFiles binds glob('*.csv'): the files that a pattern, or each of a list of patterns, matches.
func (b *binder) globFiles(t *TableFunction, s *scope) (plan.Node, error) {
	if len(t.Call.Args) != 1 || t.Call.Args[0].Name != nil {
		return nil, b.errorAt(t.Call, types.CodeUndefinedFunction, "glob takes a pattern or a list of patterns")
	}
	patterns, err := b.paths(t.Call.Args[0].Expr)
	if err != nil {
		return nil, err
	}
	node := &plan.Values{Output: []plan.Column{{ID: b.ids.New(), Field: types.Field{Name: "file", Type: types.Varchar, Nullable: true}}}}
	for _, pattern := range patterns {
		found, err := b.catalog.Files.Glob(b.ctx, pattern)
		if err != nil {
			return nil, b.located(t.Call, err)
		}
		for _, path := range found {
			value, err := types.FromValues(nil, types.Varchar, []any{path})
			if err != nil {
				return nil, b.located(t.Call, err)
			}
			node.Rows = append(node.Rows, []*expr.Expr{expr.NewConstant(value)})
		}
	}
	return b.addRelation(t, node, node.Output, "", "glob", t.Alias, s)
}

// inspectFiles binds parquet_metadata('a.parquet') and its like: what a format knows about files.
func (b *binder) inspectFiles(t *TableFunction, f catalog.FileFunction, s *scope) (plan.Node, error) {
	if len(t.Call.Args) != 1 || t.Call.Args[0].Name != nil {
		return nil, b.errorAt(t.Call, types.CodeUndefinedFunction, "%s takes a path or a list of paths", f.Name)
	}
	names, err := b.paths(t.Call.Args[0].Expr)
	if err != nil {
		return nil, err
	}
	table, err := b.catalog.Inspect(b.ctx, f, names)
	if err != nil {
		return nil, b.located(t.Call, err)
	}
	return b.scan(t, table, b.source(t.Call), "", f.Name, t.Alias, s)
}

// optionReader reads options of a format.
type optionReader struct {
	*binder
	known   []catalog.Option
	of      string // what has the options, for messages
	options catalog.Options
}

// read takes one option.
func (o *optionReader) read(name Ident, value Expr) error {
	option, ok := o.find(name.Name)
	if !ok {
		return o.unknown(name)
	}
	if _, given := o.options[option.Name]; given {
		return o.errorAt(name, types.CodeSyntax, "option %s is given twice", option.Name)
	}
	x, err := o.constantOption(value, option.Type, true)
	if err != nil {
		return err
	}
	o.set(option.Name, x)
	return nil
}

func (o *optionReader) unknown(name Ident) error {
	names := make([]string, len(o.known))
	for i, k := range o.known {
		names[i] = k.Name
	}
	e := o.errorAt(name, types.CodeInvalidParameter, "%s has no option %q", o.of, name.Name)
	e.Hint = catalog.DidYouMean(strings.ToLower(name.Name), names)
	if e.Hint == "" {
		e.Hint = "The options are " + strings.Join(names, ", ") + "."
	}
	return e
}

func (o *optionReader) find(name string) (catalog.Option, bool) {
	for _, k := range o.known {
		for _, n := range append([]string{k.Name}, k.Aliases...) {
			if strings.EqualFold(n, name) {
				return k, true
			}
		}
	}
	return catalog.Option{}, false
}

func (o *optionReader) set(name string, value any) {
	if value == nil {
		return
	}
	if o.options == nil {
		o.options = catalog.Options{}
	}
	o.options[name] = value
}

// constantOption evaluates a constant as a type: a LIST takes a single element too, and NULL any value. With words a name stands for its text, so that
// types need no quotes, as in DuckDB.
func (b *binder) constantOption(n Expr, typ types.Type, words bool) (any, error) {
	c := &exprContext{scope: &scope{}, clause: "an option"}
	if words {
		c.alias = func(name string) (*expr.Expr, error) {
			text, err := types.NewValue(types.Varchar, name)
			return expr.NewConstant(text), err
		}
	}
	e, err := b.expr(n, c)
	if err != nil {
		return nil, err
	}
	single := typ.Kind() == types.KindList && e.Type.Kind() != types.KindList && e.Type.Kind() != types.KindArray
	if single {
		typ = typ.Elem().Type
	}
	if typ.Kind() != types.KindNull {
		if !kernels.CanCast(e.Type, typ) {
			return nil, b.errorAt(n, types.CodeDatatypeMismatch, "the option must be %s, not %s", typ, e.Type)
		}
		e = b.cast(n, e, typ, false)
	}
	if folded := expr.Fold(e); folded.Op != expr.Constant {
		if e.Op == expr.Parameter {
			return nil, b.errorAt(n, types.CodeUndefinedParameter, "an option needs the value of its parameter when the statement is bound")
		}
		if _, err := expr.Evaluate(e); err != nil {
			return nil, b.located(n, err)
		}
		return nil, b.errorAt(n, types.CodeInvalidParameter, "an option must be a constant")
	} else {
		e = folded
	}
	value := types.Value(e.Value, 0)
	if single && value != nil {
		return []any{value}, nil
	}
	return value, nil
}

// namedType reads the name of a type as an option gives it.
func (b *binder) namedType(text string) (types.Type, error) {
	statements, err := Parse("SELECT CAST(NULL AS " + text + ")")
	if err == nil && len(statements) == 1 {
		if q, ok := statements[0].(*Query); ok {
			if s, ok := q.Body.(*Select); ok && len(s.Items) == 1 {
				if c, ok := s.Items[0].Expr.(*Cast); ok {
					typ, err := b.typeOf(c.Type)
					if err == nil {
						return typ, nil
					}
				}
			}
		}
	}
	return types.Null, types.Errorf(types.CodeInvalidConfig, "type %q does not exist", text)
}
