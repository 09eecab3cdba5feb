package jupyter

import (
	"strings"
	"testing"
	"time"
)

// Whatever is published, in large or in small messages, Jupyter Server's count
// stays below its limits.
func TestPublisher_StaysBelowServerLimits(t *testing.T) {
	for name, size := range map[string]func(i int) int{
		"large messages": func(int) int { return 300_000 },
		"small messages": func(int) int { return 300 },
		"displays":       func(int) int { return 0 },
		"all kinds":      func(i int) int { return i * 7919 % 100_000 },
	} {
		var r rate
		now, begun, total := time.Unix(0, 0), time.Unix(0, 0), 0
		var at []time.Time
		var bytes []int
		first, sum := 0, 0 // of the last three seconds
		for i := range 10_000 {
			for r.exceeded(now) {
				now = now.Add(paceLook)
			}
			r.add(now, size(i))
			at, bytes = append(at, now), append(bytes, size(i))
			total += size(i)
			for sum += size(i); now.Sub(at[first]) >= 3*time.Second; first++ {
				sum -= bytes[first]
			}
			if messages := i + 1 - first; messages > 3000 || sum > 3_000_000 {
				t.Fatalf("%s: %d messages of %d bytes in three seconds", name, messages, sum)
			}
		}
		if took := now.Sub(begun).Seconds(); took > max(float64(total)/750_000, 10_000/750.) {
			t.Errorf("%s: %d bytes take %.0f s", name, total, took)
		}
	}
}

// Only the messages that the server counts are counted, and an idle status
// starts a new count.
func TestPublisher_PacesOnlyWhatIsCounted(t *testing.T) {
	p := &Publisher{rate: &rate{}}
	publish := func(kind string, content any) {
		m := NewMessage("", kind, content)
		p.Publish(m)
	}
	text := strings.Repeat("x", maxStream)
	publish("display_data", DisplayData{Data: map[string]any{"text/plain": text}})
	publish("comm_open", map[string]any{})
	publish("execute_input", map[string]any{"code": text})
	publish("status", Status{State: "busy"})
	if p.isTooFast(time.Now()) || len(p.rate.list) != 1 {
		t.Errorf("%d messages and %d bytes are counted", len(p.rate.list), p.rate.bytes)
	}
	publish("stream", Stream{Name: "stdout", Text: text})
	if !p.isTooFast(time.Now()) {
		t.Errorf("%d bytes of a stream are not too many", p.rate.bytes)
	}
	publish("status", Status{State: "idle"})
	if p.isTooFast(time.Now()) {
		t.Error("an idle status does not begin anew")
	}
}
