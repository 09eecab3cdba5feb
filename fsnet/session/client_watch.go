package session

import (
	"context"
	"encoding/json"
)

// Watch implements [Service].
func (c *Client) Watch(ctx context.Context, name string, request WatchRequest, tell func(Update)) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // whoever ended it knows it
	}
	box := &mailbox{news: make(chan struct{}, 1)}
	number := c.open(box)
	defer c.shut(number)
	answers, err := c.send("watch", WatchParams{Session: name, Watch: number, WatchRequest: request})
	if err != nil {
		return err
	}
	for {
		select {
		case a := <-answers:
			if err := a.decode("watch", nil); err != nil {
				return err
			}
			answers = nil // updates tell the rest
		case <-box.news:
			c.mu.Lock()
			update, there, failure := box.take()
			c.mu.Unlock()
			if there {
				tell(update)
			}
			if failure != nil || there && update.Status.State == Closed {
				return failure
			}
		case <-ctx.Done():
			go c.unwatch(number, answers)
			return nil
		case <-c.ended:
			return c.lost
		}
	}
}

// unwatch waits for the answer to watch, which the end of the watch must not overtake.
func (c *Client) unwatch(number int64, answers <-chan answer) {
	if answers != nil {
		<-answers
	}
	c.send("unwatch", UnwatchParams{Watch: number}) //nolint:errcheck // where the connection is lost, so is the watch
}

// mailbox is where the updates of one watch arrive, guarded by the client's mutex: the reader of the connection waits for nobody.
type mailbox struct {
	news    chan struct{}
	update  Update
	there   bool
	failure error
}

func (b *mailbox) take() (update Update, there bool, failure error) {
	update, there, failure = b.update, b.there, b.failure
	b.update, b.there = Update{}, false
	return update, there, failure
}

func (c *Client) open(box *mailbox) (number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++ // no number is used twice
	c.watches[c.last] = box
	return c.last
}

func (c *Client) shut(number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, number)
}

// put takes in a notification. One that cannot be read, or whose watch has ended, is of nobody.
func (c *Client) put(params json.RawMessage) {
	var p UpdateParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	box := c.watches[p.Watch]
	if box == nil {
		return
	}
	if p.Update != nil {
		if box.there {
			box.update = p.Update.after(box.update)
		} else {
			box.update, box.there = *p.Update, true
		}
	}
	if p.Error != nil {
		box.failure = p.Error
	}
	select {
	case box.news <- struct{}{}:
	default:
	}
}
