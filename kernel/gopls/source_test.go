package gopls

import "testing"

func TestDeclaration(t *testing.T) {
	const text = "package p\n\n// A is.\ntype (\n\t// B is\n\t// a type.\n\tB struct {\n\t\tX int // of it\n\t}\n\tC int\n)\n\n" +
		"// one to two\nconst (\n\tOne = iota\n\tTwo\n)\n\n// F does.\nfunc F() {\n\tx := 1\n\t_ = x\n}\n\nvar v, w = 1, 2\n"
	for line, want := range map[int]string{
		7:  "// B is\n\t// a type.\ntype B struct {\n\t\tX int // of it\n\t}",
		8:  "// B is\n\t// a type.\ntype B struct {\n\t\tX int // of it\n\t}",
		10: "type C int",
		16: "// one to two\nconst (\n\tOne = iota\n\tTwo\n)",
		20: "// F does.\nfunc F() {\n\tx := 1\n\t_ = x\n}",
		21: "// F does.\nfunc F() {\n\tx := 1\n\t_ = x\n}",
		25: "var v, w = 1, 2",
		2:  "", 99: "", -1: "",
	} {
		if got := declaration(text, line); got != want {
			t.Errorf("line %d is of %q, want %q", line, got, want)
		}
	}
	if got := declaration("package p\nfunc F() {", 2); got != "func F() {" {
		t.Errorf("of a file that is being written it is %q", got)
	}
	if got := declaration("package p\n\n//line made.y:90\nvar x = 1\nvar y = 2\n", 5); got != "var y = 2" {
		t.Errorf("of a file that was made of another one it is %q", got)
	}
	if got := declaration("nothing", 1); got != "" {
		t.Errorf("of no Go it is %q", got)
	}
}
