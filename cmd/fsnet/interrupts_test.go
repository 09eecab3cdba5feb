package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/study"
)

// canceling is where progress is printed to. It interrupts the command after some lines.
type canceling struct {
	bytes.Buffer
	after  int
	cancel context.CancelFunc
}

func (c *canceling) Write(p []byte) (int, error) {
	if c.after--; c.after < 0 {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// runInterrupted runs a command and interrupts it at its first line of progress.
func runInterrupted(t *testing.T, line string) (out, messages string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &canceling{cancel: cancel}
	root := newRootCommand()
	root.SetArgs(strings.Fields(line))
	root.SetOut(&stdout)
	root.SetErr(stderr)
	err = root.ExecuteContext(ctx)
	return stdout.String(), stderr.String(), err
}

// An interrupted command ends with status 130, shows people what it has, and
// leaves no result that looks finished: none for programs, and no file except
// the count of looks at the test rows.
func TestCommands_Interrupts(t *testing.T) {
	inCohort(t)
	before := names(t, ".")
	loud := func(line string) string { return strings.Replace(line, " -q", "", 1) }
	for line, wants := range map[string]string{
		"fit ALLAML --epochs=300 --json --stop=never --output=o.json --save=m.safetensors": "_at | selectors settled; interrupted before its end\n | interrupted at step | no file was written",
		loud("fit"+ofCohort) + " --k=3 --replicas=50 --workers=2 --json":                   "selected in | stability | interrupted with  |  of 50 replicas done",
		"bench --d 20 --k 3 --json --backend=go":                                           "planted-20",
		loud("stability"+ofCohort) + " --k=2 --pairs=20 --json":                            "interrupted with  |  of 40 half-samples done",
	} {
		out, messages, err := runInterrupted(t, line)
		if errs.ExitStatus(err) != 130 || out != "" && !strings.HasPrefix(line, "stability") {
			t.Errorf("%s: status %d, it printed %q", line, errs.ExitStatus(err), out)
		}
		for want := range strings.SplitSeq(wants, " | ") {
			if text := messages + errs.Of(err).Error(); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", line, want, text)
			}
		}
	}
	if after := names(t, "."); !slices.Equal(after, append([]string{".fsnet"}, before...)) {
		t.Errorf("it wrote %v", after)
	}
	if state := append(names(t, ".fsnet"), names(t, ".fsnet/runs")...); !slices.Equal(state, []string{".gitignore", "looks", "runs"}) { // what it shows of test rows is counted
		t.Errorf("it wrote %v into .fsnet", state)
	}
}

// An interrupted comparison prints and keeps the rows that are done. The same
// command continues, even after half a row, to the rows of an uninterrupted
// one. Another plan leaves the file alone.
func TestCompare_Continues(t *testing.T) {
	inCohort(t)
	const file = "rows.jsonl"
	read := func(name string) (rows []study.Row) {
		t.Helper()
		text, err := os.ReadFile(name)
		if err == nil {
			rows, _, err = study.ReadRows(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			rows[i] = rows[i].Timeless()
		}
		return rows
	}
	args := strings.Fields(fourOnHalf + " --k=2 --csv -o " + file)
	done(t, instead(args, "-o", "whole.jsonl")...)
	out, _, err := runInterrupted(t, strings.Join(instead(args, "--quiet=false"), " "))
	kept := len(read(file))
	if errs.ExitStatus(err) != 130 || !strings.Contains(err.Error(), " of 8 fits done - run the same command again to continue with "+file) ||
		kept == 0 || kept == 8 || strings.Count(out, "\n") != kept+1 {
		t.Fatalf("%v: %d rows, printed\n%s", err, kept, out)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"dataset":"coh`)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, messages, status := command(t, args...); status != 0 || messages != file+" ended in the middle of a row, which is cut away: \"{\\\"dataset\\\":\\\"coh\"\n" {
		t.Errorf("status %d: %s", status, messages)
	}
	whole := read("whole.jsonl")
	equal := func(a, b study.Row) bool {
		x, _ := a.Line()
		y, _ := b.Line()
		return bytes.Equal(x, y)
	}
	if got := read(file); !slices.EqualFunc(got, whole, equal) {
		t.Errorf("it continued to\n%+v\nnot\n%+v", got, whole)
	}
	for _, other := range []string{"--seed=5", "--methods=svm"} {
		if out, messages, status := command(t, instead(args, other)...); status != 2 || out != "" || !strings.Contains(messages, file) {
			t.Errorf("%s: status %d, %s", other, status, messages)
		}
	}
	if got := read(file); !slices.EqualFunc(got, whole, equal) {
		t.Error("a file that was refused has changed")
	}
}
