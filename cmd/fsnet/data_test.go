package main

import (
	"strings"
	"testing"
)

func TestDataDescribesADataSetWithItsMemory(t *testing.T) {
	out, messages, status := command(t, "data", "ALLAML", "--k", "50", "--backend", "go")
	if status != 0 {
		t.Fatalf("status %d: %s", status, messages)
	}
	for _, words := range []string{"72 rows × 7129 features", "ALL (47), AML (25)", "K = 50, on go", "data as read, n×d", "at the peak"} {
		if !strings.Contains(out, words) {
			t.Errorf("nothing of %q in:\n%s", words, out)
		}
	}
}

func TestDataRefusesWhatItCannotDescribe(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"data", "nowhere.csv"}, "nowhere.csv"},
		{[]string{"data", "ALLAML", "--data", "ALLAML"}, "give one of them"},
		{[]string{"data", "ALLAML", "--k", "0"}, "below 1"},
	} {
		out, messages, status := command(t, test.args...)
		if status != 2 || out != "" || !strings.Contains(messages, test.says) {
			t.Errorf("%v: status %d, %q, %q", test.args, status, out, messages)
		}
	}
}

func TestDataWithoutANameListsTheBuiltIn(t *testing.T) {
	out, _, status := command(t, "data")
	if status != 0 || !strings.Contains(out, "ALLAML") || strings.Contains(out, "at the peak") {
		t.Errorf("status %d: %s", status, out)
	}
}

// A K above the features is one line, not a plan of the memory that it would take.
func TestTooLargeAKIsOneLine(t *testing.T) {
	for _, verb := range []string{"fit", "data"} {
		out, messages, status := command(t, verb, "ALLAML", "--k=200000", "--backend=go")
		if status != 2 || out != "" || messages != "k = 200000 is more than the 7129 features of ALLAML - use k=7129 or less\n" {
			t.Errorf("%s: status %d, %q%s", verb, status, out, messages)
		}
	}
}
