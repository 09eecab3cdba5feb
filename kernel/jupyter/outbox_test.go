package jupyter

import (
	"sync"
	"testing"
)

// What is posted before the end is sent before it.
func TestTheLastMessagesAreSent(t *testing.T) {
	o := &outbox{most: mostWaiting}
	o.news = sync.NewCond(&o.mu)
	for _, text := range []string{"a", "b"} {
		o.post([][]byte{[]byte(text)})
	}
	o.end()
	if batch := o.next(); len(batch) != 3 || string(batch[0][0]) != "a" || string(batch[1][0]) != "b" || batch[2] != nil {
		t.Errorf("%q, want a, b and the end", batch)
	}
}
