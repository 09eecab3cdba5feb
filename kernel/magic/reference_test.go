package magic

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
)

var update = flag.Bool("update", false, "write the tables of docs/reference.md")

// The reference page has the keys and the verbs as the program has them.
func TestReferencePage_IsCurrent(t *testing.T) {
	const path = "../../docs/reference.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, part := range []struct{ name, table string }{{"keys", keyTable()}, {"verbs", verbTable()}} {
		before, rest, begins := strings.Cut(page, "<!-- "+part.name+" -->\n")
		_, after, ends := strings.Cut(rest, "<!-- end of "+part.name+" -->")
		if !begins || !ends {
			t.Fatalf("%s has no place for the %s", path, part.name)
		}
		page = before + "<!-- " + part.name + " -->\n\n" + part.table + "\n<!-- end of " + part.name + " -->" + after
	}
	if *update {
		err = os.WriteFile(path, []byte(page), 0o644)
	} else if page != string(text) {
		t.Errorf("%s is not of these keys and verbs: go test ./kernel/magic -run ReferencePage -update", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func keyTable() string {
	table := "| key | meaning | values | default |\n|---|---|---|---|\n"
	for _, key := range config.Keys() {
		name, standard := strings.TrimSpace("`"+key.Name+"` "+key.Symbol), key.Default(config.FsNet)
		if key.Live {
			name += " ●"
		}
		if paper := key.Default(config.Paper); paper != standard && key.Name != "protocol" {
			standard += "; paper: " + paper
		}
		table += row(name, key.Meaning, key.Accepted(), standard)
	}
	return table
}

func verbTable() string {
	table := "| verb | what it does |\n|---|---|\n"
	for _, v := range verbs() {
		table += row("`"+v.line()+"`", v.about)
	}
	return table
}

// row keeps Markdown from taking a cell for a border of the table or for HTML.
func row(cells ...string) string {
	for i, cell := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\n", " ").Replace(cell)
	}
	return fmt.Sprintf("| %s |\n", strings.Join(cells, " | "))
}
