package host

import (
	"strings"

	"fsnetlab/fsnet/fault"
)

const nameLength = 64

// checkName accepts what can name a directory everywhere: letters, digits, dot, dash and underscore, beginning with a letter or digit.
func checkName(name string) error {
	const remedy = "take letters, digits, . _ -, beginning with a letter or digit, at most 64 of them"
	switch {
	case name == "":
		return fault.New(fault.Request, remedy, "the session has no name")
	case len(name) > nameLength:
		return fault.New(fault.Request, remedy, "the session's name %.20q… is %d bytes long", name, len(name))
	}
	for i, c := range name {
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alphanumeric && (i == 0 || !strings.ContainsRune("._-", c)) {
			return fault.New(fault.Request, remedy, "the session's name %q contains %q", name, c)
		}
	}
	return nil
}

func join(words []string) string { return strings.Join(words, ", ") }
