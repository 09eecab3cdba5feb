package ipywidgets

// Value is one entry of a control's state, in its Go type.
type Value[T any] struct {
	model *Model
	key   string
	to    func(any) T
	from  func(T) any
}

func valueOf[T any](w *Model, name string) Value[T] {
	return Value[T]{model: w, key: name, to: func(v any) T { t, _ := v.(T); return t }, from: func(t T) any { return t }}
}

// Get is the value of now.
func (v Value[T]) Get() T { return v.to(v.model.get(v.key)) }

// Set changes the value and shows it everywhere. One that does not fit changes nothing and is reported.
func (v Value[T]) Set(value T) { v.model.set(map[string]any{v.key: v.from(value)}) }

// OnChange is called when a person has changed the value. Set does not call it.
func (v Value[T]) OnChange(handler func(T)) {
	v.model.onChange(v.key, func(value any) { handler(v.to(value)) })
}
