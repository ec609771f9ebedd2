package slt

import (
	"fmt"
	"regexp"
	"strings"
)

// Rewrite runs a file and returns its text with the actual results and error messages in place of those that do not match.
// Everything else, and each record that passes, stays byte for byte. Included files run, but only f is rewritten.
//
// A failure that a new result does not mend is left as it is and returned: a statement that should succeed and fails, or
// the other way round, a wrong number of columns, a label with two results, anything in an included file.
func (r Runner) Rewrite(f *File) (text string, failures []*Failure) {
	s := session{runner: r, labels: map[string]labelled{}}
	own := make(map[*Record]bool, len(f.Records))
	for i := range f.Records {
		own[&f.Records[i]] = true
	}
	var out strings.Builder
	copied := 0 // lines of f that are in out
	copyUpTo := func(end int) {
		for ; copied < end; copied++ {
			out.WriteString(f.lines[copied])
		}
	}
	s.run(f, 0, func(record *Record, o outcome) {
		missing := o.failure == nil && record.Expect == GiveRows && !record.HasResult
		switch {
		case own[record] && (o.stale || missing):
			copyUpTo(record.Line - 1)
			out.WriteString(f.replacement(record, o))
			copied = record.resultEnd
		case o.failure != nil:
			failures = append(failures, o.failure)
		}
	})
	copyUpTo(len(f.lines))
	return out.String(), failures
}

// replacement returns the lines of a record, from its directive on, with its actual outcome.
func (f *File) replacement(record *Record, o outcome) string {
	directive := f.lines[record.Line-1]
	body := strings.Join(f.lines[record.Line:record.sqlEnd], "")
	newline := "\n"
	if strings.HasSuffix(directive, "\r\n") {
		newline = "\r\n"
	}
	var section []string // below "----"
	switch record.Expect {
	case ChangeRows:
		directive = fmt.Sprintf("statement count %d%s", o.result.Affected, newline)
		return directive + body
	case GiveRows:
		section = o.table.lines(record)
	case Fail:
		word := strings.Fields(directive)[0]
		message := messageLines(o.err.Error())
		if record.Error != nil && len(message) == 1 {
			return fmt.Sprintf("%s error %s%s", word, regexp.QuoteMeta(message[0]), newline) + body
		}
		directive = word + " error" + newline
		section = message
	}
	if !strings.HasSuffix(body, "\n") {
		body += newline
	}
	text := directive + body + "----" + newline
	for _, line := range section {
		text += line + newline
	}
	return text
}
