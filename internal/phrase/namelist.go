package phrase

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
)

// Names returns the names in a list, without surrounding blanks. It skips empty
// names.
func Names(text string) (names []string) {
	for _, name := range Fields(text, ',') {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Fields returns all fields of a line, without surrounding blanks and quotes. A
// quoted field may contain the separator. Unmatched quotes are ordinary
// characters.
func Fields(text string, separator rune) []string {
	if !strings.Contains(text, `"`) {
		return trimFields(strings.Split(text, string(separator)))
	}
	if separator == ',' {
		text = strings.TrimSpace(text)
		for _, blank := range []string{" ", "\t"} { // between a quoted name and the comma
			for strings.Contains(text, `"`+blank+",") {
				text = strings.ReplaceAll(text, `"`+blank+",", `",`)
			}
		}
	}
	for _, lazy := range []bool{false, true} { // A quote inside an unquoted name is an ordinary character.
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.LazyQuotes, r.TrimLeadingSpace, r.FieldsPerRecord = separator, lazy, separator != '\t', -1
		records, err := r.ReadAll()
		if errors.Is(err, csv.ErrQuote) || lazy && err != nil {
			break
		}
		if err != nil {
			continue
		}
		if len(records) > 0 {
			return trimFields(slices.Concat(records...))
		}
	}
	return trimFields(strings.Split(text, string(separator)))
}

// trimFields removes the blanks around fields, in place.
func trimFields(fields []string) []string {
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// Join writes a list that [Names] reads.
func Join(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		if list[i] = name; strings.ContainsAny(name, ",\"\n\r") {
			list[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(list, ",")
}

// Rejoin undoes the splitting of names that contain commas but were typed
// without quotes. If a word is not known by itself, it is joined with the next
// ones into a known name.
func Rejoin(words []string, known func(name string) bool) []string {
	var names []string
	for len(words) > 0 {
		name, used := words[0], 1
		for n := 2; used == 1 && n <= len(words) && !known(name); n++ {
			for _, comma := range []string{",", ", "} {
				if long := strings.Join(words[:n], comma); known(long) {
					name, used = long, n
				}
			}
		}
		names, words = append(names, name), words[used:]
	}
	return names
}

// Word returns text as one word of a command line or magic line, quoted if
// necessary.
func Word(text string) string {
	switch special := strings.ContainsAny(text, "\"\\$`!"); {
	case text != "" && !special && !strings.ContainsAny(text, " \t'=;&|<>()*?[]#~{}"):
		return text
	case !special:
		return `"` + text + `"`
	case !strings.Contains(text, "'"):
		return "'" + text + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
}

// Typed returns names as one comma-separated word for a message.
func Typed(names ...string) string { return Word(Join(names)) }
