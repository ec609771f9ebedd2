package catalog

import (
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// FilesRequest names files to be read as one table.
type FilesRequest struct {
	// Format is the files' format; nil goes by the ending of the first name.
	Format Format
	// Names are paths or patterns of *, ?, [...] and **. The files of a pattern come sorted; a pattern without a file is an error.
	Names []string
	// Options are those of the format and of FileOptions.
	Options Options
	// Type reads the name of a type.
	Type func(name string) (types.Type, error)
	// Rejects takes what is left out because errors are ignored; nil drops it.
	Rejects Rejects
}

// FileOptions are the options that files of every format have, DuckDB's: filename adds a column with each row's file, hive_partitioning columns
// for the key=value directories that all the paths have (it is on unless it is switched off), of the types that hive_types gives them, or of the one that
// their values look like unless hive_types_autocast is false, and union_by_name gives the table the columns of all
// files, and the types that hold the values of all, in the place of those of the first file.
func FileOptions() []Option {
	return []Option{
		{Name: "filename", Type: types.Null},
		{Name: "hive_partitioning", Type: types.Boolean},
		{Name: "hive_types", Type: types.Null},
		{Name: "hive_types_autocast", Type: types.Boolean},
		{Name: "union_by_name", Type: types.Boolean},
	}
}

// OpenFiles opens files as one table: in the order of their names, and of their rows. Columns are matched by name. A file without a column of the first
// one is an error, unless they are united by name; a column of another type is cast to that of the first, and values that cannot be are errors
// when they are read.
func (c *Catalog) OpenFiles(ctx context.Context, request FilesRequest) (Table, error) {
	paths, err := c.expand(ctx, request.Names)
	if err != nil {
		return nil, err
	}
	format := request.Format
	if format == nil {
		if format, err = c.formatFor(request.Names[0]); err != nil {
			return nil, err
		}
	}
	l := &fileList{paths: paths, tables: make([]Table, len(paths))}
	own := Options{}
	for name, value := range request.Options {
		if !slices.ContainsFunc(FileOptions(), func(o Option) bool { return o.Name == name }) {
			own[name] = value
		}
	}
	open := OpenRequest{Files: c.Files, Path: paths[0], Options: own, Type: request.Type, Rejects: request.Rejects}
	if l.tables[0], err = format.Open(ctx, open); err != nil {
		return nil, err
	}
	byName := OptionOr(request.Options, "union_by_name", false)
	if !byName {
		open.Like = l.tables[0]
	}
	if err := l.openOthers(ctx, format, open); err != nil {
		return nil, err
	}
	if err := l.unite(byName); err != nil {
		return nil, err
	}
	if err := l.addFilename(request.Options["filename"]); err != nil {
		return nil, err
	}
	if err := l.addPartitions(request); err != nil {
		return nil, err
	}
	if len(paths) == 1 && len(l.virtual) == 0 {
		return l.tables[0], nil
	}
	return l, nil
}

// Inspect runs a table function about files on all that names mean, paths and patterns.
func (c *Catalog) Inspect(ctx context.Context, f FileFunction, names []string) (Table, error) {
	paths, err := c.expand(ctx, names)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, path := range paths {
		own, err := f.Rows(ctx, c.Files, path)
		if err != nil {
			return nil, err
		}
		rows = append(rows, own...)
	}
	return NewRows(f.Schema, rows)
}

// FileFunction gives the table function of a name that a format has for its files; false for none.
func (c *Catalog) FileFunction(name string) (FileFunction, bool) {
	for _, format := range c.formats {
		if inspector, ok := format.(Inspector); ok {
			for _, f := range inspector.FileFunctions() {
				if f.Name == name {
					return f, true
				}
			}
		}
	}
	return FileFunction{}, false
}

// expand gives the files that names mean.
func (c *Catalog) expand(ctx context.Context, names []string) ([]string, error) {
	var paths []string
	for _, name := range names {
		if !strings.ContainsAny(name, "*?[") {
			paths = append(paths, name)
			continue
		}
		found, err := c.Files.Glob(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0:
			return nil, types.Errorf(types.CodeUndefinedFile, "no files match %q", name)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return nil, types.Errorf(types.CodeInvalidParameter, "no file is named")
	}
	return paths, nil
}

// fileList is several files as one table, or one file with columns that its path gives.
type fileList struct {
	paths  []string
	tables []Table
	schema types.Schema
	// source has for each file the column of it that each column of the schema is, or -1: the file does not have it, or it is virtual.
	source [][]int
	// virtual are the columns behind those of the files, the same for all rows of one: a constant for each file.
	virtual [][]*types.Vector
	same    bool // no column of a file is cast
}

// openers is how many files are opened at a time.
const openers = 8

// openOthers opens all files but the first.
func (l *fileList) openOthers(ctx context.Context, format Format, request OpenRequest) error {
	errs := make([]error, len(l.paths))
	var work sync.WaitGroup
	turns := make(chan struct{}, openers)
	for i := 1; i < len(l.paths) && ctx.Err() == nil; i++ {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			r := request
			r.Path = l.paths[i]
			l.tables[i], errs[i] = format.Open(ctx, r)
		})
	}
	work.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// unite makes the schema and finds its columns in each file.
func (l *fileList) unite(byName bool) error {
	l.schema, l.same = slices.Clone(l.tables[0].Schema()), true
	if byName {
		if err := l.widen(); err != nil {
			return err
		}
	}
	for i, t := range l.tables {
		of := make([]int, len(l.schema))
		for c, f := range l.schema {
			of[c] = columnNamed(t.Schema(), f.Name)
			switch {
			case of[c] >= 0:
				own := t.Schema()[of[c]]
				l.same = l.same && own.Type.Equal(f.Type)
				l.schema[c].Nullable = l.schema[c].Nullable || own.Nullable
			case byName:
				l.schema[c].Nullable = true
			default:
				return types.Errorf(types.CodeUndefinedColumn, "file %q has no column %s, which file %q has", l.paths[i], types.QuoteIdent(f.Name), l.paths[0]).
					WithHint("With union_by_name = true it is NULL there.")
			}
		}
		l.source = append(l.source, of)
	}
	return nil
}

// widen gives the schema the columns of all files, and types that all have values of.
func (l *fileList) widen() error {
	for i, t := range l.tables[1:] {
		for _, f := range t.Schema() {
			at := columnNamed(l.schema, f.Name)
			if at < 0 {
				l.schema = append(l.schema, f)
				continue
			}
			have := l.schema[at].Type
			if have.Equal(f.Type) {
				continue
			}
			typ, err := expr.CommonTypeOf(expr.Arg{Type: have}, expr.Arg{Type: f.Type})
			if err != nil {
				if have.IsNested() || f.Type.IsNested() {
					return types.Errorf(types.CodeDatatypeMismatch, "column %s is %s in file %q and was %s before", types.QuoteIdent(f.Name), f.Type, l.paths[i+1], have)
				}
				typ = types.Varchar // which every value has
			}
			l.schema[at].Type = typ
		}
	}
	return nil
}

func columnNamed(schema types.Schema, name string) int {
	if i := schema.Index(name); i >= 0 {
		return i
	}
	return slices.IndexFunc(schema, func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
}

// nullPartition is what Hive writes for NULL.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// partitionsOf gives the key=value parts of a path, by key.
func partitionsOf(file string) (keys, values []string) {
	parts := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
	for _, part := range parts[:len(parts)-1] {
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" {
			continue
		}
		if unescaped, err := url.PathUnescape(key); err == nil {
			key = unescaped
		}
		if unescaped, err := url.PathUnescape(value); err == nil {
			value = unescaped
		}
		at, _ := slices.BinarySearch(keys, key)
		keys, values = slices.Insert(keys, at, key), slices.Insert(values, at, value)
	}
	return keys, values
}

// addPartitions makes columns of the keys that all paths have: of the types that the statement gives, else BIGINT, DATE or TIMESTAMP when all values are,
// else VARCHAR. A column of the files of that name stays behind the one of the path.
func (l *fileList) addPartitions(request FilesRequest) error {
	given, err := partitionTypes(request)
	if err != nil {
		return err
	}
	if !OptionOr(request.Options, "hive_partitioning", true) {
		if len(given) > 0 {
			return types.Errorf(types.CodeInvalidParameter, "hive_types needs hive_partitioning, which is off")
		}
		return nil
	}
	keys, _ := partitionsOf(l.paths[0])
	all := make([][]string, len(l.paths))
	for i, p := range l.paths {
		own, values := partitionsOf(p)
		if !slices.Equal(own, keys) {
			keys = nil
			break
		}
		all[i] = values
	}
	guess := OptionOr(request.Options, "hive_types_autocast", true)
	for k, key := range keys {
		texts := make([]any, len(all))
		for i := range all {
			if all[i][k] != nullPartition {
				texts[i] = all[i][k]
			}
		}
		values, err := types.FromValues(nil, types.Varchar, texts)
		if err != nil {
			return types.Errorf(types.CodeInvalidUTF8, "the values of the partition %s are not valid UTF-8", types.QuoteIdent(key))
		}
		if typ, ok := given[strings.ToLower(key)]; ok {
			delete(given, strings.ToLower(key))
			env := &kernels.Env{Rows: len(texts)}
			cast, err := kernels.Cast(env, values, typ)
			if err != nil {
				if e := new(types.Error); errors.As(err, &e) && e.Row >= 0 {
					return types.Errorf(types.CodeInvalidText, "file %q: the value %q of partition %s is not a %s", l.paths[e.Row], texts[e.Row], types.QuoteIdent(key), typ)
				}
				return err
			}
			values = kernels.Decode(env, cast)
		} else if guess {
			values = partitionColumn(values)
		}
		l.addVirtual(key, values)
	}
	for name := range given {
		return types.Errorf(types.CodeUndefinedColumn, "hive_types names %s, which is no partition of all the files", types.QuoteIdent(name))
	}
	return nil
}

// partitionTypes gives the types of hive_types, by lower-case key.
func partitionTypes(request FilesRequest) (map[string]types.Type, error) {
	option, ok := request.Options["hive_types"]
	if !ok {
		return nil, nil
	}
	fields, ok := option.([]types.FieldValue)
	if !ok || request.Type == nil {
		return nil, types.Errorf(types.CodeInvalidParameter, "hive_types must be a struct of names and types").WithHint("hive_types = {'year': 'INTEGER'}")
	}
	given := map[string]types.Type{}
	for _, f := range fields {
		name, ok := f.Value.(string)
		if !ok {
			return nil, types.Errorf(types.CodeInvalidParameter, "a type must be given by its name, such as 'INTEGER', not by %v", f.Value)
		}
		typ, err := request.Type(name)
		if err != nil {
			return nil, err
		}
		given[strings.ToLower(f.Name)] = typ
	}
	return given, nil
}

// partitionColumn gives texts as values of the narrowest type that all have.
func partitionColumn(v *types.Vector) *types.Vector {
	for _, typ := range []types.Type{types.BigInt, types.Date, types.Timestamp} {
		env := &kernels.Env{Rows: v.Len(), Try: true}
		cast, err := kernels.Cast(env, v, typ)
		if err != nil || types.NullCount(nil, cast) != types.NullCount(nil, v) || types.NullCount(nil, v) == v.Len() {
			continue
		}
		// Only where the text is the value's own: 007 and 1.0 are texts.
		back, err := kernels.Cast(env, cast, types.Varchar)
		if err == nil && types.EqualWith(back, v, types.EqualOptions{IgnoreEncoding: true}) {
			return kernels.Decode(env, cast)
		}
	}
	return v
}

// addVirtual adds a column of one value for each file.
func (l *fileList) addVirtual(name string, values *types.Vector) {
	constants := make([]*types.Vector, len(l.paths))
	for i := range constants {
		constants[i] = types.NewConstant(values.Slice(nil, i, i+1), 1)
	}
	if at := columnNamed(l.schema, name); at >= 0 {
		l.schema = slices.Delete(slices.Clone(l.schema), at, at+1)
		for i := range l.source {
			l.source[i] = slices.Delete(slices.Clone(l.source[i]), at, at+1)
		}
		if first := len(l.schema) + 1 - len(l.virtual); at >= first {
			l.virtual = slices.Delete(l.virtual, at-first, at-first+1)
		}
	}
	l.schema = append(l.schema, types.Field{Name: name, Type: values.Type(), Nullable: types.NullCount(nil, values) > 0})
	l.virtual = append(l.virtual, constants)
	for i := range l.source {
		l.source[i] = append(slices.Clone(l.source[i]), -1)
	}
}

// addFilename adds the column that the option filename asks for: true, or its name.
func (l *fileList) addFilename(option any) error {
	name, ok := option.(string)
	switch option {
	case nil, false:
		return nil
	case true:
		name, ok = "filename", true
	}
	if !ok || name == "" {
		return types.Errorf(types.CodeInvalidParameter, "filename must be true, false or the name of a column")
	}
	paths := make([]any, len(l.paths))
	for i, p := range l.paths {
		paths[i] = p
	}
	values, err := types.FromValues(nil, types.Varchar, paths)
	if err != nil {
		return err
	}
	l.addVirtual(name, values)
	return nil
}

// constant gives the value of a column that a file does not have itself: the path's, or NULL.
func (l *fileList) constant(file, column int) *types.Vector {
	if v := column - (len(l.schema) - len(l.virtual)); v >= 0 {
		return l.virtual[v][file]
	}
	return types.NewNull(l.schema[column].Type, 1)
}

// Schema gives the columns.
func (l *fileList) Schema() types.Schema { return l.schema }

// Statistics adds up those of the files; bounds are known where all files know them.
func (l *fileList) Statistics() Statistics {
	total := Statistics{RowsConfidence: Exact, Columns: make([]ColumnStatistics, len(l.schema))}
	for i, t := range l.tables {
		s := t.Statistics()
		total.Rows += s.Rows
		total.RowsConfidence, total.Source = min(total.RowsConfidence, s.RowsConfidence), s.Source
		for c := range l.schema {
			own := ColumnStatistics{}
			if at := l.source[i][c]; at >= 0 && at < len(s.Columns) && l.same {
				own = s.Columns[at]
			} else if at < 0 {
				v := l.constant(i, c)
				own = ColumnStatistics{BoundsConfidence: Exact, NullsConfidence: s.RowsConfidence}
				if v.MayHaveNulls() {
					own.Nulls = s.Rows
				} else {
					own.Min, own.Max = v, v
				}
			}
			if i == 0 {
				total.Columns[c] = own
				total.Columns[c].Distinct, total.Columns[c].DistinctConfidence = 0, Unknown
				continue
			}
			total.Columns[c].add(own)
		}
	}
	return total
}

// add takes in the statistics of more rows. How many values are distinct is not known any more.
func (s *ColumnStatistics) add(o ColumnStatistics) {
	s.Nulls += o.Nulls
	s.NullsConfidence = min(s.NullsConfidence, o.NullsConfidence)
	s.BoundsConfidence = min(s.BoundsConfidence, o.BoundsConfidence)
	if s.BoundsConfidence == Unknown {
		s.Min, s.Max = nil, nil
		return
	}
	if o.Min != nil && (s.Min == nil || Less(o.Min, s.Min)) {
		s.Min = o.Min
	}
	if o.Max != nil && (s.Max == nil || Less(s.Max, o.Max)) {
		s.Max = o.Max
	}
}

// Applies accepts what all files apply. Where a file casts a column its filters cannot be handed on.
func (l *fileList) Applies(filter *expr.Expr) bool {
	return l.same && !slices.ContainsFunc(l.tables, func(t Table) bool { return !t.Applies(filter) })
}

// formatFor gives the format of a file by the ending of its name, under that of a compression.
func (c *Catalog) formatFor(name string) (Format, error) {
	if f := c.formatOf(name); f != nil {
		return f, nil
	}
	endings, functions := []string{}, []string{}
	for _, f := range c.formats {
		endings = append(endings, f.Extensions()...)
		functions = append(functions, "read_"+f.Name())
	}
	return nil, types.Errorf(types.CodeUndefinedTable, "no known file format for %q", name).
		WithHint("Known endings are %s. Files of other names are read by %s.", strings.Join(endings, ", "), strings.Join(functions, ", "))
}

// FormatOf gives the format of a file by the ending of its name, under that of a compression; nil for none.
func (c *Catalog) FormatOf(name string) Format { return c.formatOf(name) }

// Format gives a format by its name; nil for none.
func (c *Catalog) Format(name string) Format {
	for _, f := range c.formats {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

// uncompressedName gives a name without the ending of a compression.
func uncompressedName(name string) string {
	if ending := fileEnding(name); compressionEndings[ending] != "" {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}
