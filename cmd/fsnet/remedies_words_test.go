package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestRemedies_WordsExist ensures that every command, option, key, line of a
// cell and variable that a remedy of tests/remedies.tsv names exists, so
// that who follows it isn't told that there is no such thing.
func TestRemedies_WordsExist(t *testing.T) {
	top := filepath.Join("..", "..")
	commands, options := map[string]bool{}, map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { options["--"+f.Name] = true })
		}
		for _, inner := range c.Commands() {
			commands[strings.TrimPrefix(inner.CommandPath(), "fsnet ")] = true
			walk(inner)
		}
	}
	walk(newRootCommand())

	pages := ""
	for _, name := range []string{"docs/reference.md", "docs/go.md", "docs/methods.md", "docs/install.md", "docs/data.md", "install.sh"} {
		pages += readFile(t, filepath.Join(top, name))
	}
	scripts, err := filepath.Glob(filepath.Join(top, "install", "*.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts of the installer: %v", err)
	}
	installer := readFile(t, filepath.Join(top, "install.sh"))
	for _, name := range scripts {
		installer += readFile(t, name)
	}

	// Remedies that other programs or packages follow, and a setting of mrmr.
	otherPrograms := regexp.MustCompile(`jupyter |plink2|qiime |biom |write_h5ad|mrmr:`)
	has := func(text, pattern string) bool { return regexp.MustCompile(pattern).MatchString(text) }
	kinds := []struct {
		name    string
		pattern *regexp.Regexp
		exists  func(word, remedy string) bool
	}{
		{"option", regexp.MustCompile(`(?:^|[^\w-])(--[a-z][a-z-]*[a-z])`), func(word, remedy string) bool {
			switch {
			case strings.Contains(remedy, "install.sh"):
				return strings.Contains(installer, word)
			case word == "--name" || otherPrograms.MatchString(remedy):
				return true
			}
			return options[word] || options[strings.ReplaceAll(word, "-", "_")]
		}},
		{"command", regexp.MustCompile(`(?:^|[^%\w/.-])fsnet ([a-z]+)\b[^,:]`), func(word, _ string) bool {
			return commands[word] || slices.Contains([]string{"in", "on", "wrote"}, word) // the program fsnet
		}},
		{"verb", regexp.MustCompile(`%fsnet ([a-z]+)`), func(word, _ string) bool {
			return word == "line" || word == "lines" || has(pages, "%fsnet "+word+`\b`) || has(pages, "`"+word+`\b`)
		}},
		{"line", regexp.MustCompile(`(?:^|[^%\w])(%%?[a-z]{2,})\b`), func(word, _ string) bool { return has(pages, regexp.QuoteMeta(word)+`\b`) }},
		{"key", regexp.MustCompile(`(?:^|[\s(:])([a-z][a-z_]+)=`), func(word, remedy string) bool {
			return otherPrograms.MatchString(remedy) || has(pages, `\b`+word+`=`) || has(pages, "`"+word+"`") || options["--"+word] || options["--"+strings.ReplaceAll(word, "_", "-")]
		}},
		{"variable", regexp.MustCompile(`\b(FSNET_[A-Z_]+)\b`), func(word, _ string) bool { return strings.Contains(pages, word) }},
	}

	named := map[string]int{}
	var wrong []string
	for line := range strings.Lines(readFile(t, filepath.Join(top, "tests", "remedies.tsv"))) {
		remedy := strings.Split(line, "\t")[1]
		for _, kind := range kinds {
			for _, match := range kind.pattern.FindAllStringSubmatch(remedy, -1) {
				if named[kind.name]++; !kind.exists(match[1], remedy) {
					wrong = append(wrong, kind.name+" "+match[1]+": "+remedy)
				}
			}
		}
	}
	slices.Sort(wrong)
	if len(wrong) > 0 {
		t.Errorf("%d words of remedies do not exist:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
	for _, kind := range kinds {
		if named[kind.name] == 0 {
			t.Errorf("no remedy names a %s: the pattern %s finds nothing", kind.name, kind.pattern)
		}
	}
	t.Logf("checked %v", named)
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
