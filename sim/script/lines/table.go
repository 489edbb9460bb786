package lines

import "slices"

// Entry is one row of a table while it is read: where its cells go, in the order in which they are
// read, and what to do then. Done is told whether every cell could be read.
type Entry struct {
	Columns []Setting
	Done    func(r Row, ok bool)
}

// Table reads the indented lines of a directive: a line of column names, and a row under it for
// each thing. Needs are columns that must be there.
func (f *File) Table(d *Directive, needs []string, begin func() Entry) {
	f.Settings(d.Verb.Text, d.Words, nil)
	if len(d.Rows) < 2 {
		f.Fail(d.End(), "", "%s needs an indented line of column names, and a line for each of them under it", d.Verb.Text)
		return
	}
	columns, ok := f.columnNames(d, begin(), needs)
	if !ok {
		return
	}
	for _, r := range d.Rows[1:] {
		if n := len(r.Cells); n != len(columns) {
			f.Fail(r.Cells[min(n-1, len(columns))].Pos, "", "the row has %d cells under %d columns", n, len(columns))
			continue
		}
		e := begin()
		e.Done(r, f.cells(r, columns, e))
	}
}

// columnNames checks a table's first line.
func (f *File) columnNames(d *Directive, e Entry, needs []string) ([]string, bool) {
	var known, columns []string
	for _, c := range e.Columns {
		known = append(known, c.Key)
	}
	before := len(f.Errs)
	for _, c := range d.Rows[0].Cells {
		if !slices.Contains(known, c.Text) {
			f.FailWith(c.Pos, UnknownWord("column", c.Text, known))
		}
		if slices.Contains(columns, c.Text) {
			f.Fail(c.Pos, "", "column %s is there already", c.Text)
		}
		columns = append(columns, c.Text)
	}
	for _, needed := range needs {
		if !slices.Contains(columns, needed) && len(f.Errs) == before {
			f.Fail(d.Rows[0].Cells[0].Pos, "", "%s needs a column %s", d.Verb.Text, needed)
		}
	}
	return columns, len(f.Errs) == before
}

// cells reads a row's cells in the order of the settings, not of the columns: some need others.
func (f *File) cells(r Row, columns []string, e Entry) bool {
	before := len(f.Errs)
	for _, c := range e.Columns {
		at := slices.Index(columns, c.Key)
		if at < 0 {
			continue
		}
		if err := c.Set(r.Cells[at].Text); err != nil {
			f.FailWith(r.Cells[at].Pos, err)
		}
	}
	return len(f.Errs) == before
}
