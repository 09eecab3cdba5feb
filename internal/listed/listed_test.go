package listed

import "testing"

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
		got, err := JSON(object{"x", []item{}}, c.items)
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
	if _, err := JSON(object{"x", []item{}}, []any{func() {}}); err == nil {
		t.Error("a function is no JSON")
	}
}
