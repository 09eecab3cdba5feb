package still

import (
	"context"
	"time"

	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// Line stands below each picture.
const Line = "a live view as it stood here: run its cell again to go on with it"

// Bundle is the picture as what stands beside a live view for readers without widgets, and in its place when its kernel has gone.
func Bundle(p chart.Picture) ipywidgets.Bundle {
	if noted, err := p.Note(Line); err == nil { // else the picture alone is better than none
		p = noted
	}
	p.VegaLite = nil
	return ipywidgets.Bundle{Data: p.Bundle(), Metadata: p.Metadata()}
}

// askLimit is how long a picture may wait for its session.
const askLimit = time.Second

// Ask asks a session for what a picture shows. After the end of life nobody is asked: the picture is drawn from what is known.
func Ask[T any](life context.Context, question func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := context.WithTimeout(life, askLimit)
	defer cancel()
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return question(ctx)
}
