package repl

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/magic"
)

func TestCompletionContinuesWhatWasTyped(t *testing.T) {
	workIn(t)
	for _, name := range []string{"my cohort.csv", "plain.csv"} {
		if err := os.WriteFile(name, []byte("a,b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := options(nil, os.Stdout, os.Stderr)
	o.Programs = []magic.Program{{Name: "compare", Flags: []magic.Flag{{Name: "methods", Values: []string{"anova", "mrmr"}}}}}
	r, err := start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.end()
	for text, want := range map[string]string{
		"sel":                        "ection ",
		"%fsnet sel":                 "ection ",
		"qu":                         "it ",
		"open x data=pla":            "in.csv ",
		"open x data=my":             `" cohort.csv" `,
		`open x data="my`:            ` cohort.csv" `,
		"set lamb":                   "da=",
		"run settl":                  "ed ",
		"help tau_en":                "d ",
		"open x protocol=pape":       "",
		"nonsense x":                 "",
		"matrix of=so":               "ft ",
		"compare ALL":                "AML ",
		"compare pla":                "in.csv ",
		"compare ALLAML meth":        "ods=",
		"compare x methods=fsnet,mr": "mr ",
	} {
		rest, shared := completer{r}.Do([]rune(text), len([]rune(text)))
		got := ""
		if len(rest) == 1 {
			got = string(rest[0])
		}
		if want != "" && got != want {
			t.Errorf("%q goes on with %q, want %q", text, got, want)
		}
		for _, added := range rest {
			if l, err := parseLine(text + string(added)); err != nil || l.empty() {
				t.Errorf("%q: %q is no line: %v", text, text+string(added), err)
			}
		}
		if word := text[strings.LastIndexByte(text, ' ')+1:]; len(rest) > 0 && shared != len(word) {
			t.Errorf("%q shares %d characters with its candidates, not %d", text, shared, len(word))
		}
	}
	if matches, _ := r.candidates(t.Context(), []rune("")); !slices.Contains(matches, "open") || !slices.Contains(matches, "quit") {
		t.Errorf("an empty line may become %q", matches)
	}
	if r.link.ID() != 0 {
		t.Error("typing started a host")
	}
}
