package read

import (
	"slices"

	"fsnetlab/fsnet/dataset/parse"
)

// tell keeps a column that a key names for what it tells of the rows.
func (r *Frame) tell(name string, texts []string) {
	if r.Described == nil {
		r.Described = map[string][]string{}
	}
	texts = slices.Clone(texts)
	for i, text := range texts {
		if texts[i] = parse.Clean(text); parse.IsMissing(texts[i]) {
			texts[i] = ""
		}
	}
	r.Described[name] = texts
}

// rowColumns are the names of the columns that tell something else of the rows, each once.
func rowColumns(q query) []string {
	var names []string
	for _, c := range q.RowColumns() {
		if !slices.Contains(names, c.Column) {
			names = append(names, c.Column)
		}
	}
	return names
}
