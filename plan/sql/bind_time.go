package sql

import (
	"strings"
	"time"

	"github.com/lacunadb/lacuna/kernels/expr"
	"github.com/lacunadb/lacuna/types"
)

// clockFunctions are the functions without arguments that say what time it is, by what they give of it.
var clockFunctions = map[string]types.Type{
	"now": types.TimestampTZ, "current_timestamp": types.TimestampTZ, "get_current_timestamp": types.TimestampTZ, "transaction_timestamp": types.TimestampTZ,
	"current_date": types.Date, "today": types.Date, "localtimestamp": types.Timestamp, "current_localtimestamp": types.Timestamp,
	"current_time": types.Time, "get_current_time": types.Time, "localtime": types.Time, "current_localtime": types.Time,
}

// clock binds now() and its relatives: the time at which the statement was bound, the same wherever it is asked for in one statement.
func (b *binder) clock(n *Call, result types.Type) (*expr.Expr, error) {
	if len(n.Args) > 0 {
		return nil, b.errorAt(n, types.CodeUndefinedFunction, "%s takes no arguments", n.Name.Parts[0].Name)
	}
	if b.now.IsZero() {
		b.now = time.Now()
	}
	v, err := types.NewValue(types.TimestampTZ, b.now)
	if err != nil {
		return nil, err
	}
	e := expr.NewConstant(v)
	if result.Kind() == types.KindTime { // of the local timestamp
		e = b.cast(n, e, types.Timestamp, false)
	}
	return b.cast(n, e, result, false), nil
}

// atTimeZone binds x AT TIME ZONE zone.
func (b *binder) atTimeZone(n *AtTimeZone, c *exprContext) (*expr.Expr, error) {
	x, err := b.expr(n.Operand, c)
	if err != nil {
		return nil, err
	}
	zone, err := b.expr(n.Zone, c)
	if err != nil {
		return nil, err
	}
	return b.applyTo(n, "timezone", zone, x)
}

// intervalMakers are the functions that make an interval of a number of units.
var intervalMakers = map[string]string{
	"MICROSECOND": "to_microseconds", "MILLISECOND": "to_milliseconds", "SECOND": "to_seconds", "MINUTE": "to_minutes", "HOUR": "to_hours", "DAY": "to_days",
	"WEEK": "to_weeks", "MONTH": "to_months", "QUARTER": "to_quarters", "YEAR": "to_years", "DECADE": "to_decades", "CENTURY": "to_centuries", "MILLENNIUM": "to_millennia",
}

// interval binds INTERVAL 'text' [unit], INTERVAL number unit and INTERVAL (expression) unit.
func (b *binder) interval(n *Interval, c *exprContext) (*expr.Expr, error) {
	e, err := b.expr(n.Value, c)
	if err != nil {
		return nil, err
	}
	if e.Op != expr.Constant || e.IsNullConstant() || !e.Literal {
		maker := intervalMakers[n.Unit]
		switch {
		case maker != "" && e.Type.Kind() == types.KindDecimal:
			return b.applyTo(n, maker, b.cast(n, e, types.Double, false))
		case maker != "":
			return b.applyTo(n, maker, e)
		case n.Unit == "" && e.Type.Kind() == types.KindVarchar:
			return b.cast(n, e, types.Interval, false), nil
		}
		return nil, b.unsupported(n, "an INTERVAL of this value")
	}
	text := types.Text(e.Value, 0)
	if n.Unit != "" {
		if strings.Contains(n.Unit, " ") {
			return nil, b.unsupported(n, "INTERVAL with %s", n.Unit)
		}
		text += " " + strings.ToLower(n.Unit)
	}
	v, err := b.textLiteral(n, text, types.Interval)
	if err != nil {
		return nil, err
	}
	v.Literal = false // its type is written
	return v, nil
}
