package ipywidgets_test

import (
	"fmt"

	"fsnetlab/widgets/ipywidgets"
)

// A slider and a text that follows it, in a row.
func Example() {
	channel := new(fakeChannel) // a kernel's
	m := ipywidgets.NewManager(channel, ipywidgets.Options{})
	slider := ipywidgets.NewIntSlider(m, ipywidgets.Range[int]{Value: 10, Max: 50, Description: "K"})
	text := ipywidgets.NewLabel(m, "10 features")
	slider.Value.OnChange(func(k int) { text.Value.Set(fmt.Sprint(k, " features")) })
	view := m.View(ipywidgets.NewHBox(m, slider, text), nil)
	fmt.Println(len(view.Data), "forms,", len(m.Comms()), "models")
	// Output: 2 forms, 8 models
}

func ExampleNewAny() {
	m := ipywidgets.NewManager(new(fakeChannel), ipywidgets.Options{})
	counter := ipywidgets.NewAny(m, ipywidgets.Module{
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
