package repl

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/atomicfile"
	"fsnetlab/widgets/chart"
)

// saved is the output of a line whose picture goes to a file: progress is shown, the last picture kept.
type saved struct {
	*screen
	last chart.Picture
}

func (s *saved) Display(p chart.Picture) { s.last = p }
func (s *saved) Result(p chart.Picture)  { s.last = p }
func (s *saved) Page(p chart.Picture)    { s.last = p }

func (s *saved) Update(id string, p chart.Picture) {
	s.last = p
	s.screen.Update(id, p)
}

// write saves a picture in the form that the file's name asks for.
func (r *repl) write(s *saved, file string) error {
	picture := s.last
	picture.Text = forTerminal(picture.Text)
	content, err := picture.As(file)
	if err != nil {
		return err
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.directory, path)
	}
	if err := atomicfile.Write(path, content); err != nil {
		return fault.NotWritten(err)
	}
	r.screen.settle()
	r.screen.say(fmt.Sprintf("wrote %s (%s)", r.screen.link(file, fileURL(path)), size(len(content))))
	return nil
}

func fileURL(path string) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return (&url.URL{Scheme: "file", Host: host, Path: path}).String()
}

func size(n int) string {
	if n < 10_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d kB", (n+500)/1000)
}

// hintAtSaving says once how a picture that was shown as text is had as one.
func (r *repl) hintAtSaving() {
	if verb := r.screen.takePicture(); verb && !r.hinted && r.screen.terminal() {
		r.hinted = true
		r.screen.hint("VERB > FILE.png saves it as a picture")
	}
}
