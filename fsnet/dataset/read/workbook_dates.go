package read

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"
)

// readStyles finds out which styles of cells show a date.
func (b *workbook) readStyles() error {
	own := map[int]bool{} // formats of the file's own
	inCells := false
	return b.decode("xl/styles.xml", func(_ *xmlDecoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			if id, err := strconv.Atoi(xmlAttribute(e, "numFmtId")); err == nil {
				own[id] = showsDate(xmlAttribute(e, "formatCode"))
			}
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if inCells {
				id, err := strconv.Atoi(xmlAttribute(e, "numFmtId"))
				known := id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
				b.dates = append(b.dates, err == nil && (known || own[id]))
			}
		}
		return nil
	})
}

// showsDate says whether a format such as "yyyy-mm-dd" shows a date: it has a letter of one outside quotes and brackets.
func showsDate(code string) bool {
	quoted, bracketed, escaped := false, false, false
	for _, r := range code {
		switch {
		case escaped:
			escaped = false
		case r == '\\' || r == '_' || r == '*':
			escaped = true
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '[':
			bracketed = true
		case r == ']':
			bracketed = false
		case !bracketed && strings.ContainsRune("ymdhsYMDHS", r):
			return true
		}
	}
	return false
}

// date writes the number of a day as a date.
func (b *workbook) date(value string) string {
	days, err := strconv.ParseFloat(value, 64)
	if err != nil || math.Abs(days) > 3e6 {
		return value
	}
	const day = 86400
	seconds := math.Round((days - float64(b.base)) * day)
	at := time.Unix(int64(seconds), 0).UTC()
	if days == math.Trunc(days) {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
