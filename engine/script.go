package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// A script is a text of several statements, separated by semicolons, which run one after the other. It stops at the first error, whose place is one in the
// script; statements before it have had their effect.
//
// Values for its parameters are those of the whole script: $1, $name and :name mean the same in each statement, and each ? takes the next value. A statement
// gets what it has parameters for; a value that none has is an error before the first statement runs, as is then whatever cannot be parsed.

// Exec runs the statements of a script and throws their rows away.
func (c *Conn) Exec(ctx context.Context, script string, args ...any) error {
	return c.Script(ctx, script, func(r *Result) error {
		for r.Next() {
		}
		return r.Err()
	}, args...)
}

// Script is Exec with the results given to a function, which need not Release them and may return an error to end the script.
func (c *Conn) Script(ctx context.Context, script string, each func(*Result) error, args ...any) error {
	parts, err := splitScript(script, args)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := c.scriptStatement(ctx, p, each); err != nil {
			return inScript(err, script, p.start)
		}
	}
	return nil
}

func (c *Conn) scriptStatement(ctx context.Context, p scriptPart, each func(*Result) error) error {
	result, err := c.query(ctx, p.text, p.values)
	if err != nil {
		return err
	}
	defer result.Release()
	return each(result)
}

// QueryScript runs the statements of a script and gives the rows of the last one; those of the others are thrown away. A script without a statement is an
// error, as for Query.
func (c *Conn) QueryScript(ctx context.Context, script string, args ...any) (*Result, error) {
	parts, err := splitScript(script, args)
	if err != nil {
		return nil, err
	}
	if len(parts) < 2 {
		return c.Query(ctx, script, args...)
	}
	last := parts[len(parts)-1]
	for _, p := range parts[:len(parts)-1] {
		err := c.scriptStatement(ctx, p, func(r *Result) error {
			for r.Next() {
			}
			return r.Err()
		})
		if err != nil {
			return nil, inScript(err, script, p.start)
		}
	}
	// Blank, not cut off: the place of an error, also of one while the rows are read, is one in the script.
	blank := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, script[:last.start])
	return c.query(ctx, blank+last.text, last.values)
}

// scriptPart is a statement of a script with its values.
type scriptPart struct {
	text   string
	start  int // in the script
	values map[string]*types.Vector
}

func splitScript(script string, args []any) ([]scriptPart, error) {
	spans, err := sql.Split(script)
	if err != nil {
		return nil, err
	}
	values, err := parameterValues(args)
	if err != nil {
		return nil, err
	}
	parts := make([]scriptPart, len(spans))
	for i, span := range spans {
		parts[i] = scriptPart{text: script[span.Start:span.End], start: span.Start, values: values}
	}
	if len(values) == 0 || len(parts) < 2 {
		return parts, nil
	}
	statements, err := sql.ParametersOf(script)
	if err != nil {
		return nil, err
	}
	marks := 0 // of the statements before
	for i := range parts {
		own := map[string]*types.Vector{}
		for k, name := range statements[i].Names {
			in := name // the name in the script
			if number, err := strconv.Atoi(name); err == nil && number <= statements[i].Marks {
				in = strconv.Itoa(marks + number)
				statements[i].Names[k] = in
			}
			if v := values[in]; v != nil {
				own[name] = v
			}
		}
		parts[i].values = own
		marks += statements[i].Marks
	}
	return parts, surplusError(values, statements)
}

// inScript gives an error about a statement as one about the script in which the statement begins at an offset.
func inScript(err error, script string, start int) error {
	var e *types.Error
	if !errors.As(err, &e) || e.Position.Line <= 0 {
		return err
	}
	moved := *e
	moved.Source = script
	moved.Position = types.PositionAt(script, start+e.Position.Offset)
	return &moved
}
