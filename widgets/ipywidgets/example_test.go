package ipywidgets_test

import (
	"fmt"

	"fsnetlab/widgets/ipywidgets"
)

func ExampleNewModel() {
	m := ipywidgets.NewManager(new(fakeChannel), ipywidgets.Options{})
	counter := ipywidgets.NewModel(m, ipywidgets.Module{
		Name: "counter",
		ESM:  `export default { render({ model, el }) { el.onclick = () => { model.set("n", model.get("n") + 1); model.save_changes() } } }`,
	}, map[string]ipywidgets.Entry{"n": {Value: 0, Person: true, Check: func(v any) error {
		if n, ok := v.(float64); !ok || n < 0 {
			return fmt.Errorf("is %v, which is no count", v)
		}
		return nil
	}}})
	counter.OnChange("n", func(n any) { fmt.Println(n) })
	counter.Set(map[string]any{"n": 3})
	fmt.Println(counter.Get("n"))
	// Output: 3
}
