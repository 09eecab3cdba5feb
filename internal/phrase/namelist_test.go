package phrase

import (
	"slices"
	"strings"
	"testing"
)

// Names are separated by commas, and a quoted name may have commas.
func TestNames_Quoted(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " , ": nil, "TP53, MYC,": {"TP53", "MYC"},
		`"PC(16:0,18:1)"`:            {"PC(16:0,18:1)"},
		`G1, "Sex, f/m" ,"a ""b"""`:  {"G1", "Sex, f/m", `a "b"`},
		`5"-nucleotidase,b"`:         {`5"-nucleotidase`, `b"`},
		"1,2-dichloroethane":         {"1", "2-dichloroethane"},
		`"TP53`:                      {`"TP53`},
		"a,\"b\nc\"":                 {"a", "b\nc"},
		"\"Sex, f/m\"\t,\"x\" ":      {"Sex, f/m", "x"},
		"gene one,gene two,'quoted'": {"gene one", "gene two", "'quoted'"},
	} {
		if got := Names(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Parts that are a known name only together are joined again.
func TestRejoin_KnownNames(t *testing.T) {
	known := []string{"G1", "PC(16:0,18:1)", "Sex, f/m", "a", "b", "a,b", "1,2,4-benzene"}
	for text, want := range map[string][]string{
		"PC(16:0,18:1),G1":    {"PC(16:0,18:1)", "G1"},
		"Sex, f/m":            {"Sex, f/m"},
		"a,b":                 {"a", "b"},
		"x,1,2,4-benzene,G1,": {"x", "1,2,4-benzene", "G1"},
		"PC(16:0,G1":          {"PC(16:0", "G1"},
	} {
		if got := Rejoin(Names(text), func(name string) bool { return slices.Contains(known, name) }); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Names are quoted where a command line needs it.
func TestTyped_Quotes(t *testing.T) {
	for want, names := range map[string][]string{
		"TP53,MYC": {"TP53", "MYC"}, `"Age years"`: {"Age years"}, `'"Sex, f/m",b'`: {"Sex, f/m", "b"},
		`"\"Sex, f's\""`: {"Sex, f's"}, `"PC(16:0)"`: {"PC(16:0)"}, `'$x'`: {"$x"},
	} {
		if got := Typed(names...); got != want {
			t.Errorf("%q: %s", names, got)
		}
	}
}

// What is written is read again, and nothing panics.
func FuzzSplit(f *testing.F) {
	f.Add(`PC(16:0,18:1),"Sex, f/m", 5"-x`)
	f.Fuzz(func(t *testing.T, text string) {
		names := Names(text)
		if again := Names(Join(names)); !slices.Equal(again, names) && !strings.Contains(text, "\r") {
			t.Errorf("%q: %q, %q", text, names, again)
		}
	})
}
