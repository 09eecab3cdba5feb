package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// pagesProgram is a root with a command that is offered, one of its own, and one that is not offered.
func pagesProgram() *cobra.Command {
	nothing := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "fsnet", Short: "Feature selection"}
	runs := &cobra.Command{Use: "runs", Short: "Look after runs"}
	runs.AddCommand(&cobra.Command{Use: "list", Short: "List them", Run: nothing})
	root.AddCommand(runs, &cobra.Command{Use: "worker", Short: "Of no interest", Hidden: true, Run: nothing}, newPagesCommand(),
		newVersionCommand())
	root.SetOut(io.Discard)
	return root
}

func generate(t *testing.T, option string) string {
	t.Helper()
	dir := t.TempDir()
	root := pagesProgram()
	root.SetArgs([]string{"pages", option, dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readPage(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each command that is offered has a manual page, the same each time, and
// internal commands have none.
func TestPages_ManPages(t *testing.T) {
	share := generate(t, "--share")
	for _, name := range []string{"fsnet", "fsnet-runs", "fsnet-runs-list", "fsnet-version", "fsnet-completion-bash"} {
		if page := readPage(t, share, "man", "man1", name+".1"); !strings.HasPrefix(page, ".nh\n.TH") {
			t.Errorf("%s: %.40q", name, page)
		}
	}
	for _, name := range []string{"fsnet-worker.1", "fsnet-pages.1"} {
		if _, err := os.Stat(filepath.Join(share, "man", "man1", name)); err == nil {
			t.Errorf("%s is offered", name)
		}
	}
	if again := generate(t, "--share"); readPage(t, again, "man", "man1", "fsnet.1") != readPage(t, share, "man", "man1", "fsnet.1") {
		t.Error("the same program has another page the second time")
	}
}

// The completion for bash parses, and asks the program.
func TestPages_CompletionIsShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT TESTED: there is no bash")
	}
	share := generate(t, "--share")
	if said, err := exec.Command(bash, "-n", filepath.Join(share, "bash-completion", "completions", "fsnet")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	for _, name := range []string{"zsh/site-functions/_fsnet", "fish/vendor_completions.d/fsnet.fish"} {
		if !strings.Contains(readPage(t, share, name), "__complete") {
			t.Errorf("%s asks the program nothing", name)
		}
	}
}

// The page of commands has all commands that are offered, and no link within
// the documentation.
func TestPages_Commands(t *testing.T) {
	commands := readPage(t, generate(t, "--reference"), "commands.md")
	if !strings.Contains(commands, "## fsnet runs list\n") || strings.Contains(commands, "worker") || strings.Contains(commands, ".md)") {
		t.Error(commands)
	}
}
