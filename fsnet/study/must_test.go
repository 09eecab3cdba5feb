package study

// must is for what a test needs: its error ends it.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
