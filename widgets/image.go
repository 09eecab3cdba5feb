package widgets

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"reflect"

	"fsnetlab/fsnet/errs"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	// mostPixels bounds a picture before it is written: more do not fit into a notebook's output, however they are compressed.
	mostPixels = 50_000_000

	plotWidth, plotHeight = 432.0, 288.0 // points, 6 by 4 inches
)

// pngForms is a PNG file, looked at as far as its size.
func pngForms(file []byte) (map[string]any, error) {
	if len(file) > mostBytes {
		return nil, tooLarge(PNG(nil), len(file))
	}
	if !bytes.HasPrefix(file, []byte(pngSignature)) || len(file) < 24 {
		return nil, errs.New(errs.Request, "give the bytes of a PNG file", "a widgets.PNG of %d bytes is not a PNG picture", len(file))
	}
	width, height := binary.BigEndian.Uint32(file[16:]), binary.BigEndian.Uint32(file[20:])
	return map[string]any{mimePNG: file, mimeText: fmt.Sprintf("the picture has %d × %d pixels", width, height)}, nil
}

// imageForms is a picture as PNG. The package image/png would do it, and would bring its decoder into every cell that uses this package.
func imageForms(picture image.Image) (map[string]any, error) {
	size := picture.Bounds().Size()
	if pixels := int64(size.X) * int64(size.Y); size.X <= 0 || size.Y <= 0 {
		return map[string]any{mimeText: "an empty picture"}, nil
	} else if pixels > mostPixels {
		return nil, errs.New(errs.Request, "make it smaller, or write it to a file",
			"a picture of %d × %d pixels is too large for a notebook, which takes %d million pixels", size.X, size.Y, mostPixels/1_000_000)
	}
	var file bytes.Buffer
	if err := writePNG(&file, picture); err != nil {
		return nil, err
	}
	return pngForms(file.Bytes())
}

// writePNG writes a picture with eight bits a channel: red, green, blue and opacity.
func writePNG(to *bytes.Buffer, picture image.Image) error {
	bounds := picture.Bounds()
	var pixels bytes.Buffer
	compressed, err := zlib.NewWriterLevel(&pixels, zlib.BestSpeed)
	if err != nil {
		return err
	}
	row := make([]byte, 1+4*bounds.Dx())
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		row[0] = 1 // each byte is the difference to the pixel on its left
		var left [4]byte
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c, _ := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			now := [4]byte{c.R, c.G, c.B, c.A}
			for i := range now {
				row[1+4*(x-bounds.Min.X)+i] = now[i] - left[i]
			}
			left = now
		}
		if _, err := compressed.Write(row); err != nil {
			return err
		}
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(bounds.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(bounds.Dy()))
	header = append(header, 8, 6, 0, 0, 0) // bits, red to opacity, and the only methods there are
	to.WriteString(pngSignature)
	chunk(to, "IHDR", header)
	chunk(to, "IDAT", pixels.Bytes())
	chunk(to, "IEND", nil)
	return nil
}

func chunk(to *bytes.Buffer, name string, data []byte) {
	part := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	part = append(append(part, name...), data...)
	to.Write(binary.BigEndian.AppendUint32(part, crc32.ChecksumIEEE(part[4:])))
}

// plotForms draws what has gonum/plot's method WriterTo(width, height vg.Length, format string) (io.WriterTo, error). The method is found
// by its name, so that a cell without plots does not link gonum. A format that the cell has not linked is left out.
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
