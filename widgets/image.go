package widgets

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"reflect"

	"fsnetlab/fsnet/errs"
)

const (
	// maxPixels bounds a picture before it is encoded. More pixels don't fit
	// into a notebook's output, even if they compress well.
	maxPixels = 50_000_000

	plotWidth, plotHeight = 432.0, 288.0 // points, 6 by 4 inches
)

// pngForms returns the forms of a PNG file. It decodes only the size. It
// returns an error if the file isn't a PNG or is larger than maxBytes.
func pngForms(file []byte) (map[string]any, error) {
	if len(file) > maxBytes {
		return nil, tooLarge(PNG(nil), len(file))
	}

	size, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, errs.New(errs.Request, "give the bytes of a PNG file", "a widgets.PNG of %d bytes is not a PNG picture", len(file))
	}

	return map[string]any{mimePNG: file, mimeText: fmt.Sprintf("the picture has %d × %d pixels", size.Width, size.Height)}, nil
}

// imageForms returns the forms of a picture, encoded as PNG. For an empty
// picture it returns a line of text. More than maxPixels pixels are an error.
func imageForms(picture image.Image) (map[string]any, error) {
	size := picture.Bounds().Size()
	if pixels := int64(size.X) * int64(size.Y); size.X <= 0 || size.Y <= 0 {
		return map[string]any{mimeText: "an empty picture"}, nil
	} else if pixels > maxPixels {
		return nil, errs.New(errs.Request, "make it smaller, or write it to a file",
			"a picture of %d × %d pixels is too large for a notebook, which takes %d million pixels", size.X, size.Y, maxPixels/1_000_000)
	}

	var file bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, picture); err != nil {
		return nil, err
	}

	return pngForms(file.Bytes())
}

// plotForms draws a value that has gonum/plot's method WriterTo(width, height
// vg.Length, format string) (io.WriterTo, error). It finds the method by name,
// so that a cell without plots doesn't link gonum. It skips formats that the
// cell doesn't link. If no format remains, it returns an error. isPlot is false
// for values without such a method.
func plotForms(value any) (forms map[string]any, isPlot bool, err error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return nil, false, nil
	}

	method := v.MethodByName("WriterTo")
	if !method.IsValid() {
		return nil, false, nil
	}

	t := method.Type()
	if t.IsVariadic() || t.NumIn() != 3 || t.NumOut() != 2 || t.In(0).Kind() != reflect.Float64 || t.In(1).Kind() != reflect.Float64 ||
		t.In(2).Kind() != reflect.String {
		return nil, false, nil
	}

	forms = map[string]any{}
	var failed error
	for _, format := range []struct{ name, mime string }{{"svg", mimeSVG}, {"png", mimePNG}} {
		out := method.Call([]reflect.Value{
			reflect.ValueOf(plotWidth).Convert(t.In(0)), reflect.ValueOf(plotHeight).Convert(t.In(1)), reflect.ValueOf(format.name).Convert(t.In(2)),
		})

		if problem, _ := out[1].Interface().(error); problem != nil {
			failed = problem
			continue
		}

		writer, ok := out[0].Interface().(io.WriterTo)
		if !ok {
			return nil, false, nil
		}

		var file bytes.Buffer
		if _, err := writer.WriteTo(&file); err != nil {
			return nil, true, errs.Wrap(err, errs.Failed, "look at its data", "a %T cannot be drawn", value)
		}
		forms[format.mime] = file.Bytes()
	}

	if len(forms) == 0 {
		return nil, true, errs.New(errs.Failed, `import _ "gonum.org/v1/plot/vg/vgsvg" in the cell`, "a %T cannot be drawn: %v", value, failed)
	}

	forms[mimeText] = fmt.Sprintf("a plot (%T)", value)
	return forms, true, nil
}
