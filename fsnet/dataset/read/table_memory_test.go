package read

import (
	"fmt"
	"strings"
	"testing"
)

func tableOf(t *testing.T, text string) (*table, error) {
	t.Helper()
	file, err := openText("a.csv", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return textTable(t.Context(), "a.csv", file)
}

func TestRoomIsMadeOnce(t *testing.T) {
	for _, lines := range []int{1, 2, 50} {
		var text strings.Builder
		text.WriteString("sample,g1,g2,g3,label\n")
		for i := range lines {
			fmt.Fprintf(&text, "s%02d,1.25,2.50,-0.75,%c\n", i, 'a'+rune(i%2))
		}
		table, err := tableOf(t, text.String())
		if err == nil {
			err = table.start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if cells := table.lines.Estimate(3); cells < 3*lines || cells > 3*(lines+lines/16+2) {
			t.Errorf("%d lines of 3 numbers: room for %d", lines, cells)
		}
		rest := 0
		for {
			if _, err := table.next(); err != nil {
				break
			}
			rest++
		}
		if rest != lines {
			t.Errorf("after the estimate %d of %d lines are read", rest, lines)
		}
	}
}

// A first line of data that is much shorter than the others must not make room without bounds.
func TestRoomIsBoundedByTheFile(t *testing.T) {
	text := "a,b,c,label\n" + strings.Repeat("1,2,3,u\n1.0000000000000,2.000000000000000,3.00000000000000,v\n", 100)
	table, err := tableOf(t, text)
	if err == nil {
		err = table.start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if cells := table.lines.Estimate(3); cells < 600 || cells > len(text)/2+1 {
		t.Errorf("room for %d numbers in %d bytes", cells, len(text))
	}
}
