package process

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// begin starts a shell that says when it is ready.
func begin(t *testing.T, script string) *Process {
	t.Helper()
	cmd := exec.Command("sh", "-c", script+"\necho ready\nread line")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cmd.Stdout = writer
	p, err := Start(cmd)
	writer.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	if _, err := bufio.NewReader(reader).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return p
}

func find(t *testing.T, id int) Info {
	t.Helper()
	list, err := List()
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	for _, p := range list {
		if p.ID == id {
			p.Detail()
			return p
		}
	}
	t.Fatalf("process %d is not among %d", id, len(list))
	return Info{}
}

func TestListTellsWhatAnInterruptDoes(t *testing.T) {
	for script, ignores := range map[string]bool{"": false, "trap '' INT": true, "trap 'exit' INT": false, "trap '' TERM": false} {
		process := begin(t, script)
		p := find(t, process.ID())
		if p.Ignores != ignores || (p.Catches && ignores) || (script == "trap 'exit' INT" && !p.Catches) {
			t.Errorf("%q ignores %t, catches %t", script, p.Ignores, p.Catches)
		}
		if chain := Ancestry(p.ID); p.Parent != os.Getpid() || len(chain) < 2 || chain[0] != p.Key() || chain[1].ID != os.Getpid() {
			t.Errorf("%+v, %+v", p, chain)
		}
		process.Stop(0)
		list, err := List()
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range list {
			if other.Key() == p.Key() {
				t.Errorf("a process that has ended is listed: %+v", other)
			}
		}
	}
}

func BenchmarkList(b *testing.B) {
	for b.Loop() {
		if _, err := List(); err != nil {
			b.Skip("NOT TESTED: ", err)
		}
	}
}
