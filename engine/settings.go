package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zones of SET TimeZone, wherever the program runs

	"github.com/lacunadb/lacuna/catalog"
	"github.com/lacunadb/lacuna/engine/exec"
	"github.com/lacunadb/lacuna/kernels"
	"github.com/lacunadb/lacuna/plan"
	"github.com/lacunadb/lacuna/plan/sql"
	"github.com/lacunadb/lacuna/types"
)

// settings are those of one session; not changed once they are published.
type settings struct {
	batchRows     int
	optimizerOff  bool
	disabledRules []string
	nullOrder     string // a key of nullOrders
	zone          *time.Location
}

func initialSettings(o *Options) *settings {
	return &settings{
		batchRows: o.BatchRows, optimizerOff: o.OptimizerOff, disabledRules: o.DisabledRules, nullOrder: nullsLast, zone: time.UTC,
	}
}

// optimizer makes the optimizer of one statement.
func (s *settings) optimizer(ids *plan.IDs) *plan.Optimizer {
	disabled := make(map[string]bool, len(s.disabledRules))
	for _, name := range s.disabledRules {
		disabled[name] = true
	}
	return &plan.Optimizer{IDs: ids, Off: s.optimizerOff, Disabled: disabled}
}

// The names of default_null_order. They are DuckDB's.
const (
	nullsLast  = "nulls_last"
	nullsFirst = "nulls_first"
)

// nullOrders says of each default_null_order whether nulls come first.
var nullOrders = map[string]func(descending bool) bool{
	nullsLast:                         func(bool) bool { return false },
	nullsFirst:                        func(bool) bool { return true },
	"nulls_first_on_asc_last_on_desc": func(descending bool) bool { return !descending },
	"nulls_last_on_asc_first_on_desc": func(descending bool) bool { return descending },
}

// nullOrderAliases are other ways of writing them.
var nullOrderAliases = map[string]string{
	"sqlite": "nulls_first_on_asc_last_on_desc", "mysql": "nulls_first_on_asc_last_on_desc", "postgres": "nulls_last_on_asc_first_on_desc",
	"last": nullsLast, "first": nullsFirst, "nulls last": nullsLast, "nulls first": nullsFirst,
}

// setting is one that SET and RESET change and SHOW shows.
type setting struct {
	name        string
	aliases     []string
	typ         types.Type
	global      bool // of the database, else of a session
	description string
	get         func(c *Conn, s *settings) any
	// set gives s, or the database, the value; nil is the default. Errors need not name the setting.
	set func(c *Conn, s *settings, value *types.Vector) error
}

// allSettings are sorted by name.
var allSettings = []*setting{
	{
		name: "batch_size", typ: types.BigInt, description: "How many rows are processed at a time",
		get: func(_ *Conn, s *settings) any { return int64(s.batchRows) },
		set: func(c *Conn, s *settings, v *types.Vector) (err error) {
			s.batchRows, err = integerSetting(v, c.db.options.BatchRows, maxBatchRows)
			return err
		},
	},
	{
		name: "default_null_order", aliases: []string{"null_order"}, typ: types.Varchar,
		description: "Where ORDER BY puts nulls without NULLS FIRST or LAST: " + strings.Join(nullOrderNames(), ", "),
		get:         func(_ *Conn, s *settings) any { return s.nullOrder },
		set: func(_ *Conn, s *settings, v *types.Vector) error {
			name := nullsLast
			if v != nil {
				name = strings.ToLower(strings.TrimSpace(types.Text(v, 0)))
			}
			if full, ok := nullOrderAliases[name]; ok {
				name = full
			}
			if nullOrders[name] == nil {
				return oneOf(nullOrderNames())
			}
			s.nullOrder = name
			return nil
		},
	},
	{
		name: "disabled_rules", typ: types.Varchar, description: "Rules of the optimizer that do not run, separated by commas: " + strings.Join(plan.OptionalRules(), ", "),
		get: func(_ *Conn, s *settings) any { return strings.Join(s.disabledRules, ",") },
		set: func(c *Conn, s *settings, v *types.Vector) error {
			s.disabledRules = c.db.options.DisabledRules
			if v == nil {
				return nil
			}
			s.disabledRules = nil
			for name := range strings.SplitSeq(types.Text(v, 0), ",") {
				name = strings.ToLower(strings.TrimSpace(name))
				switch {
				case name == "":
				case !slices.Contains(plan.OptionalRules(), name):
					return oneOf(plan.OptionalRules())
				default:
					s.disabledRules = append(s.disabledRules, name)
				}
			}
			return nil
		},
	},
	{
		name: "memory_limit", aliases: []string{"max_memory"}, typ: types.Varchar, global: true,
		description: "How many bytes all queries and tables together may hold, such as 4GB or 80%",
		get:         func(c *Conn, _ *settings) any { return bytesText(c.db.budget.Limit()) },
		set: func(c *Conn, _ *settings, v *types.Vector) error {
			limit := c.db.options.MemoryLimit
			if v != nil {
				var err error
				if limit, err = bytesOf(types.Text(v, 0)); err != nil {
					return err
				}
			}
			c.db.budget.SetLimit(limit)
			return nil
		},
	},
	{
		name: "optimizer", typ: types.Boolean, description: "Whether the optimizer runs more than the rules that bring a plan to its normal form",
		get: func(_ *Conn, s *settings) any { return !s.optimizerOff },
		set: func(c *Conn, s *settings, v *types.Vector) error {
			s.optimizerOff = c.db.options.OptimizerOff
			if v == nil {
				return nil
			}
			on, err := booleanSetting(v)
			s.optimizerOff = !on
			return err
		},
	},
	{
		name: "threads", aliases: []string{"worker_threads"}, typ: types.BigInt, global: true, description: "How many workers run at a time, over all queries",
		get: func(c *Conn, _ *settings) any { return int64(c.db.scheduler.Load().Size()) },
		set: func(c *Conn, _ *settings, v *types.Vector) error {
			n, err := integerSetting(v, c.db.options.Threads, maxThreads)
			if err == nil {
				c.db.scheduler.Store(exec.NewScheduler(n))
			}
			return err
		},
	},
	{
		name: "TimeZone", typ: types.Varchar, description: "The time zone of TIMESTAMP WITH TIME ZONE, such as Europe/Madrid",
		get: func(_ *Conn, s *settings) any { return s.zone.String() },
		set: func(_ *Conn, s *settings, v *types.Vector) error {
			s.zone = time.UTC
			if v == nil {
				return nil
			}
			zone, err := time.LoadLocation(types.Text(v, 0))
			if err != nil || types.Text(v, 0) == "" {
				return types.Errorf(types.CodeInvalidParameter, "it is no known time zone")
			}
			s.zone = zone
			return nil
		},
	},
}

// maxThreads bounds the setting threads.
const maxThreads = 1 << 10

func nullOrderNames() []string {
	names := make([]string, 0, len(nullOrders))
	for name := range nullOrders {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// findSetting finds a setting by its name or an alias, in any case.
func findSetting(name string) (*setting, error) {
	var names []string
	for _, s := range allSettings {
		for _, n := range append([]string{s.name}, s.aliases...) {
			if strings.EqualFold(n, name) {
				return s, nil
			}
			names = append(names, n)
		}
	}
	e := types.Errorf(types.CodeInvalidConfig, "unrecognized configuration parameter %q", name)
	e.Hint = catalog.DidYouMean(name, names)
	return nil, e
}

// value gives the present value of a setting as a constant, and whether there is one of that name.
func (c *Conn) value(name string) (*types.Vector, bool) {
	s, err := findSetting(name)
	if err != nil {
		return nil, false
	}
	v, err := types.NewValue(s.typ, s.get(c, c.settings.Load()))
	return v, err == nil
}

// set does SET and RESET.
func (c *Conn) set(o *sql.SetOption) error {
	if o.All {
		for _, s := range allSettings {
			if err := c.assign(s, nil); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := findSetting(o.Name)
	switch {
	case err != nil:
		return err
	case o.Scope == sql.ScopeSession && s.global:
		return types.Errorf(types.CodeInvalidParameter, "setting %q is one of the whole database", s.name).WithHint("Use SET GLOBAL.")
	case o.Scope == sql.ScopeGlobal && !s.global:
		return types.Errorf(types.CodeInvalidParameter, "setting %q is one of a session", s.name).WithHint("Use SET SESSION.")
	case o.Value != nil && o.Value.MayHaveNulls():
		return types.Errorf(types.CodeInvalidParameter, "setting %q cannot be NULL", s.name)
	}
	err = c.assign(s, o.Value)
	if e, ok := err.(*types.Error); ok {
		e.Message = fmt.Sprintf("invalid value %q for setting %q: %s", types.Text(o.Value, 0), s.name, e.Message)
	}
	return err
}

// assign gives a setting a value; nil is the default.
func (c *Conn) assign(s *setting, value *types.Vector) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	next := *c.settings.Load()
	if err := s.set(c, &next, value); err != nil {
		return err
	}
	c.settings.Store(&next)
	return nil
}

func oneOf(names []string) error {
	return types.Errorf(types.CodeInvalidParameter, "it must be one of %s", strings.Join(names, ", "))
}

// integerSetting reads a value from 1 to most; nil gives the default.
func integerSetting(v *types.Vector, initial, most int) (int, error) {
	if v == nil {
		return initial, nil
	}
	var n int64
	number, err := kernels.Cast(&kernels.Env{}, v, types.BigInt)
	if err == nil {
		n = types.ValuesOf[int64](kernels.Decode(&kernels.Env{}, number))[0]
	}
	if err != nil || n < 1 || n > int64(most) {
		return 0, types.Errorf(types.CodeInvalidParameter, "it must be a number from 1 to %d", most)
	}
	return int(n), nil
}

func booleanSetting(v *types.Vector) (bool, error) {
	switch strings.ToLower(types.Text(v, 0)) {
	case "true", "on", "1", "yes":
		return true, nil
	case "false", "off", "0", "no":
		return false, nil
	}
	return false, types.Errorf(types.CodeInvalidParameter, "it must be true or false")
}

// byteUnits are powers of 1000 and, with an i, of 1024.
var byteUnits = map[string]float64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// bytesOf reads a size: a number and a unit, or a percentage of the default limit's memory.
func bytesOf(text string) (int64, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ% ")
	unit := strings.ToLower(strings.TrimSpace(text[len(digits):]))
	n, err := strconv.ParseFloat(digits, 64)
	scale, known := byteUnits[unit]
	if unit == "%" {
		scale, known = float64(exec.MachineMemory())/100, true
	}
	if size := n * scale; err == nil && known && size >= 1 && size < math.MaxInt64 {
		return int64(size), nil
	}
	return 0, types.Errorf(types.CodeInvalidParameter, "it must be a size such as 4GB, 512MiB or 80%%")
}

// bytesText gives a size in the largest unit that leaves a digit before the point.
func bytesText(n int64) string {
	for _, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		if scale := byteUnits[strings.ToLower(unit)]; float64(n) >= scale {
			return strconv.FormatFloat(math.Round(float64(n)/scale*10)/10, 'f', 1, 64) + " " + unit
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
