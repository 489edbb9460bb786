package httpbroker

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/broker"
)

// queue is one queue, and what the broker doesn't keep of its messages.
type queue struct {
	broker *broker.Hosted
	posted map[string]posted
}

// posted is what is known of a message by its id.
type posted struct {
	hold reference.HoldID
	// text says that the payload is a JSON string, of which the broker has the content.
	text bool
}

// named gives the queue of that name, a new one if it is new.
func (s *Server) named(name string) (*queue, error) {
	if q := s.queues[name]; q != nil {
		return q, nil
	}
	switch {
	case name == "":
		return nil, refusal{http.StatusBadRequest, "queue is missing"}
	case len(s.queues) >= queuesMax:
		return nil, refusal{http.StatusInsufficientStorage, fmt.Sprintf("there are %d queues, and no more", queuesMax)}
	}
	q := &queue{broker.NewHosted(s.config.Clock.Now, s.config.Profile), map[string]posted{}}
	s.queues[name] = q
	return q, nil
}

func (s *Server) publish(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Queue   string          `json:"queue"`
		Payload json.RawMessage `json:"payload"`
		Delay   int64           `json:"delay_seconds"`
	}
	if !s.read(w, r, &request) {
		return
	}
	e := reference.Entry{Key: r.Header.Get("Idempotency-Key"), Payload: request.Payload, Delay: time.Duration(request.Delay) * time.Second}
	p := posted{text: len(e.Payload) > 0 && e.Payload[0] == '"'}
	var content string
	switch {
	case len(e.Payload) == 0:
		refuse(w, http.StatusBadRequest, "payload is missing")
		return
	case request.Delay < 0 || request.Delay > int64(reference.DelayMax/time.Second):
		refuse(w, http.StatusBadRequest, fmt.Sprintf("delay_seconds is not from 0 to %d", reference.DelayMax/time.Second))
		return
	case p.text && json.Unmarshal(e.Payload, &content) == nil:
		e.Payload = []byte(content)
	}
	if m, err := reference.DecodeMessage(e.Payload); err == nil {
		p.hold = m.Window.Hold
	}
	m := faults.Moment{Point: faults.SweepPublish, Role: roleSweep, Hold: p.hold}
	s.do(w, r, m, func() (hit, []byte, error) {
		q, err := s.named(request.Queue)
		if err != nil {
			return hit{}, nil, err
		}
		in := s.strike(m, faults.In)
		result, err := s.post(r, q, e, p, in)
		if err != nil {
			return hit{}, nil, err
		}
		return in, fmt.Appendf(nil, `{"message_id":%s,"duplicate":%t}`, quoted(result.MessageID), result.Duplicate), nil
	})
}

// post hands an entry to the broker, with what the faults do to it there.
func (s *Server) post(r *http.Request, q *queue, e reference.Entry, p posted, in hit) (reference.Published, error) {
	m := faults.Moment{Point: faults.SweepPublish, Role: roleSweep, Hold: p.hold}
	if in.Postpone {
		e.Delay += in.Later
	}
	if in.Poison {
		e.Payload, p.text = append([]byte("\x00poison "), e.Payload...), true
	}
	if in.Lose {
		s.lost++
		id := fmt.Sprintf("lost-%d", s.lost)
		if e.Key != "" {
			q.broker.Remember(e.Key, id)
		}
		return reference.Published{MessageID: id}, nil
	}
	result, err := q.add(r, e, p)
	if after := s.strike(m, faults.After); err == nil && after.Duplicate {
		_, err = q.add(r, reference.Entry{Payload: e.Payload, Delay: after.Later}, p)
	}
	return result, err
}

func (q *queue) add(r *http.Request, e reference.Entry, p posted) (reference.Published, error) {
	if len(q.posted) >= messagesMax {
		return reference.Published{}, refusal{http.StatusInsufficientStorage, fmt.Sprintf("there are %d messages, and no more", messagesMax)}
	}
	results, err := q.broker.Publish(r.Context(), []reference.Entry{e})
	switch {
	case err != nil:
		return reference.Published{}, err
	case errors.Is(results[0].Err, reference.ErrInvalid):
		return reference.Published{}, refusal{http.StatusBadRequest, results[0].Err.Error()}
	case results[0].Err == nil && !results[0].Duplicate:
		q.posted[results[0].MessageID] = p
	}
	return results[0], results[0].Err
}

func (s *Server) consume(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Queue       string `json:"queue"`
		Max         int    `json:"max"`
		MaxMessages int    `json:"max_messages"`
		Visibility  int64  `json:"visibility_timeout"`
	}
	if !s.read(w, r, &request) {
		return
	}
	most := max(request.Max, request.MaxMessages)
	if most == 0 {
		most = 1
	}
	if request.Max < 0 || request.MaxMessages < 0 || most > 100 || request.Visibility < 0 || request.Visibility > 12*3600 {
		refuse(w, http.StatusBadRequest, "max is not from 1 to 100, or visibility_timeout not from 1 second to 12 hours")
		return
	}
	m := faults.Moment{Point: faults.WorkerReceive, Role: roleWorker}
	s.do(w, r, m, func() (hit, []byte, error) {
		q, err := s.named(request.Queue)
		if err != nil {
			return hit{}, nil, err
		}
		got, err := q.broker.Receive(r.Context(), most, 0)
		if err != nil {
			return hit{}, nil, err
		}
		var in hit
		data := []byte(`{"messages":[`)
		for i, d := range got {
			if request.Visibility > 0 {
				err = errors.Join(err, q.broker.Nack(r.Context(), d, time.Duration(request.Visibility)*time.Second))
			}
			m.Hold = q.posted[d.MessageID].hold
			struck := s.strike(m, faults.In)
			in.add(struck.Effect)
			if after := s.strike(m, faults.After); after.Duplicate {
				err = errors.Join(err, q.broker.Nack(r.Context(), d, after.Later))
			}
			if i > 0 {
				data = append(data, ',')
			}
			data = append(data, q.message(d)...)
		}
		return in, append(data, `]}`...), err
	})
}

// message is a delivery as JSON. It is put together by hand, so that the payload stays as it is.
func (q *queue) message(d reference.Delivery) []byte {
	payload := d.Payload
	if q.posted[d.MessageID].text {
		payload = quoted(string(payload))
	}
	return fmt.Appendf(nil, `{"message_id":%s,"payload":%s,"receives":%d}`, quoted(d.MessageID), payload, d.Receives)
}

func (s *Server) ack(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Queue     string `json:"queue"`
		MessageID string `json:"message_id"`
	}
	if !s.read(w, r, &request) {
		return
	}
	if request.MessageID == "" {
		refuse(w, http.StatusBadRequest, "message_id is missing")
		return
	}
	m := faults.Moment{Point: faults.WorkerAck, Role: roleWorker}
	s.mu.Lock()
	if q := s.queues[request.Queue]; q != nil {
		m.Hold = q.posted[request.MessageID].hold
	}
	s.mu.Unlock()
	s.do(w, r, m, func() (hit, []byte, error) {
		q, err := s.named(request.Queue)
		if err != nil {
			return hit{}, nil, err
		}
		in := s.strike(m, faults.In)
		if err := q.broker.Ack(r.Context(), reference.Delivery{MessageID: request.MessageID}); err != nil {
			return hit{}, nil, err
		}
		delete(q.posted, request.MessageID)
		return in, []byte("{}"), nil
	})
}
