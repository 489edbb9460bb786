package settings

import "time"

// The kinds of queue.
const (
	QueuePostgres = "postgres"
	QueueRest     = "rest"
)

// Queue is where messages wait.
type Queue struct {
	Queue        string            `default:"postgres" enum:"postgres,rest" help:"postgres: a table beside the holds. rest: a hosted queue over HTTP."`
	QueuePoll    time.Duration     `default:"0s" help:"How often a waiting worker looks for a message; 0 is 200ms with postgres and 2s with rest, where each look may cost money."`
	QueueURL     Endpoint          `name:"queue-url" placeholder:"URL" help:"rest: the service, such as https://queue.example.com."`
	QueueName    string            `placeholder:"NAME" help:"rest: the queue's name."`
	QueueToken   Secret            `name:"queue-token-file" placeholder:"PATH" help:"rest: the bearer token for it."`
	QueuePaths   map[string]string `mapsep:"," placeholder:"CALL=PATH,…" help:"rest: other paths of calls: publish, consume, ack."`
	QueueFields  map[string]string `mapsep:"," placeholder:"FIELD=NAME,…" help:"rest: other names of fields: queue, payload, delay, max, message-id, visibility, ok, data, messages, duplicate, receives. visibility is sent only if it is named."`
	QueueText    bool              `help:"rest: send every payload as a string."`
	QueueTimeout time.Duration     `default:"5s" help:"rest: how long a call may take."`
	QueueProbe   time.Duration     `default:"5m" help:"rest: how often one call is made after the service wanted payment (402), to see whether that is over; 0 is never."`
}

// Check refuses what can't be together.
func (q Queue) Check() error {
	rest := q.Queue == QueueRest
	for _, s := range []struct {
		name        string
		set, needed bool
	}{
		{"queue-url", q.QueueURL != "", true}, {"queue-name", q.QueueName != "", true}, {"queue-token", q.QueueToken != "", true},
		{"queue-paths", len(q.QueuePaths) > 0, false}, {"queue-fields", len(q.QueueFields) > 0, false}, {"queue-text", q.QueueText, false},
	} {
		switch {
		case rest && s.needed && !s.set:
			return refuse(setBy(s.name), "queue is rest, and %s is not set", s.name)
		case !rest && s.set:
			return refuse("set "+envOf("queue")+"=rest, or unset "+envOf(s.name), "%s is set, and queue is %s", s.name, q.Queue)
		}
	}
	if q.QueuePoll < 0 {
		return refuse("0 is the default", "queue-poll is %s and must not be negative", q.QueuePoll)
	}
	if !rest {
		return nil
	}
	if err := q.QueueURL.Check(); err != nil {
		return refuse("such as https://queue.example.com", "queue-url: %v", err)
	}
	return nil
}
