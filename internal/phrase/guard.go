package phrase

import "strings"

// Guard puts an apostrophe before text that a spreadsheet would treat as a
// formula, or that begins with an apostrophe.
func Guard(text string) string {
	if strings.IndexAny(text, "=+-@\t\r\n'＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
