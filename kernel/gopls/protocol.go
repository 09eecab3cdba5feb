package gopls

import (
	"strings"
	"unicode/utf16"
)

// File is one file of the package, as it would be now.
type File struct{ Name, Text string }

// Position is a place in a file: lines and Unicode characters, counted from 0.
type Position struct {
	File         string
	Line, Column int
}

// fileChanged is the protocol's number of that.
const fileChanged = 2

// place is the protocol's position: UTF-16 units.
type place struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start place `json:"start"`
	End   place `json:"end"`
}

// toWire counts in the protocol's units.
func toWire(files []File, at Position) place {
	units := 0
	for i, r := range []rune(lineOf(files, at.File, at.Line)) {
		if i == at.Column {
			break
		}
		units += utf16.RuneLen(r)
	}
	return place{at.Line, units}
}

// column counts in characters what the protocol gives in its units.
func column(line string, units int) int {
	n := 0
	for _, r := range line {
		if units <= 0 {
			break
		}
		units -= utf16.RuneLen(r)
		n++
	}
	return n
}

func lineOf(files []File, name string, line int) string {
	for _, f := range files {
		if f.Name != name {
			continue
		}
		for text := range strings.SplitSeq(f.Text, "\n") {
			if line == 0 {
				return text
			}
			line--
		}
	}
	return ""
}

// capabilities are those of a front end that shows a list and a text.
func capabilities() map[string]any {
	return map[string]any{
		"workspace": map[string]any{"configuration": true, "workspaceFolders": true,
			"didChangeWatchedFiles": map[string]any{"dynamicRegistration": false}},
		"textDocument": map[string]any{
			"hover": map[string]any{"contentFormat": []string{"markdown"}},
			"completion": map[string]any{
				"completionItem": map[string]any{"snippetSupport": false, "documentationFormat": []string{"plaintext"}},
			},
		},
	}
}

// settings leave out all that nobody looks at here.
func settings() map[string]any {
	return map[string]any{
		"hoverKind": "FullDocumentation", "linksInHover": false,
		"matcher": "CaseInsensitive", "deepCompletion": false, "completeFunctionCalls": false, "completionBudget": "700ms",
		"diagnosticsTrigger": "Save", "staticcheck": false, "vulncheck": "Off",
		"semanticTokens": false, "codelenses": map[string]bool{}, "expandWorkspaceToModule": false,
	}
}
