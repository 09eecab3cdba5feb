package scene

import (
	"fmt"
	"strings"
)

// DarkRules are rules of a style sheet that give an SVG of a scene, where it stands in a page, the colours that the scene has on dark
// paper. The cells of a heat map, of class cell where their colours may be those of lines, keep theirs.
func DarkRules() string {
	var b strings.Builder
	for _, c := range append(categories(), Ink, Soft, Pale, Faint, Grey) {
		fmt.Fprintf(&b, "svg [fill=%q]:not(.cell){fill:%[2]s}svg [stroke=%[1]q]{stroke:%[2]s}\n", c.CSS(), c.darkened().CSS())
	}
	return b.String()
}
