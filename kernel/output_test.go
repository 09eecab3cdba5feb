package kernel

import (
	"testing"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/widgets/chart"
)

// The last of two updates that follow closely is shown soon, also where nothing comes after it.
func TestAnUpdateThatWaitsIsShown(t *testing.T) {
	l := newLab(t)
	asked, err := l.front.Start("kernel_info_request", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &output{kernel: l.kernel, parent: asked.Request}
	for _, text := range []string{"1", "2", "3"} {
		o.Update("a", chart.Picture{Text: text})
	}
	err = asked.Until(l.context(), func(m jupyter.Message) bool {
		var shown jupyter.DisplayData
		return m.Header.Type == "update_display_data" && m.Decode(&shown) == nil && shown.Data["text/plain"] == "3"
	})
	if err != nil {
		t.Error(err)
	}
}
