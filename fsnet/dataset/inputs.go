package dataset

import "fsnetlab/fsnet/config"

// Inputs returns the files that a configuration reads, whether they exist or
// not: the data unless they are built in, the annotations, and the files of
// features. Relative paths start at dir.
func Inputs(c config.Config, dir string) []string {
	var list []string
	for _, key := range []string{"data", "annotations", "must", "never", "cost", "feature_groups"} {
		text := c.Text(key)
		if text == "" || key == "data" && findBuiltin(text) != nil {
			continue
		}
		path := Locate(text, dir)
		if file, is := featureFile(text, dir); is { // the text may be quoted
			path = file
		}
		list = append(list, path)
	}
	return list
}
