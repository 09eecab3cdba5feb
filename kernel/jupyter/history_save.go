package jupyter

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/fault"
)

// AllCells wants every cell.
func AllCells(int) bool { return true }

// CellNumbers reads which cells are wanted, such as 2-5,7.
func CellNumbers(text string) (wanted func(count int) bool, err error) {
	type span struct{ from, to int }
	var list []span
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 1 || to < from {
			return nil, fault.New(fault.Request, "write them like 2-5,7", "%.60q are not numbers of cells", text)
		}
		list = append(list, span{from, to})
	}
	return func(count int) bool {
		return slices.ContainsFunc(list, func(s span) bool { return s.from <= count && count <= s.to })
	}, nil
}

// Save writes the cells that are wanted to a file that is not there yet, and gives how many there were. Kind NotFound: none.
func (h *History) Save(path string, wanted func(count int) bool) (cells int, err error) {
	var text strings.Builder
	for _, cell := range h.Find(HistoryRequest{Access: "range"}) {
		if wanted(cell.Count) {
			fmt.Fprintf(&text, "// cell [%d]\n%s\n\n", cell.Count, strings.TrimRight(cell.Code, "\n"))
			cells++
		}
	}
	if cells == 0 {
		return 0, fault.New(fault.NotFound, "use the numbers beside the cells", "none of these cells was run")
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		if _, err = file.WriteString(text.String()); err == nil {
			err = file.Close()
		} else {
			file.Close() //nolint:errcheck // the first error counts
		}
	}
	if err != nil {
		return 0, fault.Wrap(err, fault.Failed, "name another file, or remove that one first", "%s is not written", path)
	}
	return cells, nil
}
