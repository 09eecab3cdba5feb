package study

import (
	"slices"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	type item struct{ A, B int }
	type object struct {
		Name  string
		Items []item
	}
	for _, c := range []struct {
		items []item
		want  string
	}{
		{[]item{{1, 2}, {3, 4}}, "{\n  \"Name\": \"x\",\n  \"Items\": [\n    {\"A\":1,\"B\":2},\n    {\"A\":3,\"B\":4}\n  ]\n}\n"},
		{nil, "{\n  \"Name\": \"x\",\n  \"Items\": [\n  ]\n}\n"},
	} {
		got, err := listJSON(object{"x", []item{}}, c.items)
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
	if _, err := listJSON(object{"x", []item{}}, []any{func() {}}); err == nil {
		t.Error("a function is no JSON")
	}
}

func TestEveryItemIsInOnePart(t *testing.T) {
	for n := 1; n < 9; n++ {
		next := 0
		for i := 1; i <= n; i++ {
			from, to, ok := partOf(i, n, 5)
			if !ok || from != next || to < from {
				t.Errorf("part %d of %d is %d to %d after %d", i, n, from, to, next)
			}
			next = to
		}
		if next != 5 {
			t.Errorf("%d parts end at %d", n, next)
		}
	}
	for _, none := range [][2]int{{0, 3}, {4, 3}, {-1, 3}, {1, 0}, {1, 9e18}} {
		if _, _, ok := partOf(none[0], none[1], 5); ok {
			t.Errorf("there is a part %d of %d", none[0], none[1])
		}
	}
}

func TestJoined(t *testing.T) {
	digit := func(_, part string) bool { return part[0] >= '0' && part[0] <= '9' }
	if got := rejoin(strings.Split("hidden=64,32,lambda=1", ","), digit); !slices.Equal(got, []string{"hidden=64,32", "lambda=1"}) {
		t.Errorf("%q", got)
	}
}
