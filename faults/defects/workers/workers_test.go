package workers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var begin = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// ports are a worker's, with answers made up in advance and a record of what was asked.
type ports struct {
	asked   []string
	claim   reference.Claim
	settled reference.SettleAnswer
	send    []error
	clock   *clock.Mock
}

func (p *ports) note(what string) { p.asked = append(p.asked, what) }

func (p *ports) Claim(_ context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	p.note("claim by " + string(q.Token))
	return p.claim, nil
}

func (p *ports) Settle(_ context.Context, s reference.Settlement) (reference.SettleAnswer, error) {
	p.note("settle " + s.Outcome.String())
	return p.settled, nil
}

func (p *ports) Release(context.Context, reference.Release) error {
	p.note("release")
	return nil
}

func (p *ports) Expire(context.Context, reference.Window, string) (reference.Expiry, time.Duration, error) {
	return reference.ExpiredNow, 0, nil
}

func (p *ports) Send(context.Context, reference.Notice) (reference.Receipt, error) {
	p.note("send")
	var err error
	if len(p.send) > 0 {
		err, p.send = p.send[0], p.send[1:]
	}
	return reference.Receipt{}, err
}

func (p *ports) KeyHorizon() time.Duration { return 0 }

func (p *ports) Receive(context.Context, int, time.Duration) ([]reference.Delivery, error) {
	return nil, nil
}

func (p *ports) Ack(context.Context, reference.Delivery) error {
	p.note("ack")
	return nil
}

func (p *ports) Nack(_ context.Context, _ reference.Delivery, after time.Duration) error {
	p.note("nack " + after.String())
	return nil
}

func (p *ports) DeadLetter(context.Context, reference.Delivery, string) error {
	p.note("dead-letter")
	return nil
}

func (p *ports) Wait(_ context.Context, d time.Duration) error {
	p.clock.Add(d)
	return nil
}

func (p *ports) NewToken() reference.Token { return "t1" }

// handle has a worker handle one message, and gives what it asked. Made is the worker's making.
func (p *ports) handle(t *testing.T, d *defect.Defect) []string {
	t.Helper()
	p.clock = clock.NewMock()
	p.clock.Set(begin)
	w := &reference.Worker{
		Store: p, Queue: p, Routes: []reference.Route{{Channel: reference.Email, Sender: p}},
		Clock: p.clock, Waiter: p, Tokens: p, Policy: reference.DefaultPolicy(),
	}
	if d != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel() // the loop ends at once, and leaves the worker as the defect makes it
		if err := d.New(1).Work(over, over, w); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	payload, err := reference.Message{Kind: reference.Remind, Window: reference.Window{Hold: "h1", ExpiresAt: begin.Add(2 * time.Minute)}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Handle(context.Background(), reference.Delivery{MessageID: "m1", Payload: payload})
	return p.asked
}

var (
	granted  = reference.Claim{Answer: reference.Granted, LeaseLeft: 20 * time.Second, TimeLeft: time.Minute}
	errReset = errors.New("connection reset")
	errSlow  = context.DeadlineExceeded
	errWait  = &reference.NotAcceptedError{After: 30 * time.Second, Err: errors.New("429")}
)

// TestOneCallDiffers shows of each defect what its worker asks where the reference's asks something
// else.
func TestOneCallDiffers(t *testing.T) {
	claim, send, ack := "claim by t1", "send", "ack"
	for _, c := range []struct {
		defect    defect.Defect
		ports     ports
		want, bad []string
	}{
		{
			loserAcksALiveClaim, ports{claim: reference.Claim{Answer: reference.Busy, Wait: 7 * time.Second}},
			[]string{claim, "nack 7s"}, []string{claim, ack},
		},
		{
			blindRetryOnTimeout, ports{claim: granted, settled: reference.Recorded, send: []error{errSlow}},
			[]string{claim, send, "settle unknown(timeout)", ack}, []string{claim, send, "release", "nack 5s"},
		},
		{
			clientSideRetryInsideTheSender, ports{claim: granted, settled: reference.Recorded, send: []error{errSlow, errSlow, errSlow, nil}},
			[]string{claim, send, "settle unknown(timeout)", ack}, []string{claim, send, send, send, "settle unknown(timeout)", ack},
		},
		{
			httpClientThatRetriesByItself, ports{claim: granted, settled: reference.Recorded, send: []error{errReset, nil}},
			[]string{claim, send, "settle unknown(timeout)", ack}, []string{claim, send, send, "settle sent", ack},
		},
		{
			dropWithAFalseReason, ports{claim: granted, settled: reference.Recorded, send: []error{errReset}},
			[]string{claim, send, "settle unknown(timeout)", ack}, []string{claim, send, "settle dropped(rejected)", ack},
		},
		{
			retryAfterIgnored, ports{claim: granted, settled: reference.Recorded, send: []error{errWait}},
			[]string{claim, send, "release", "nack 30s"}, []string{claim, send, "release", "nack 5s"},
		},
		{
			retryAfterUnbounded, ports{claim: granted, settled: reference.Recorded, send: []error{errWait}},
			[]string{claim, send, "release", "nack 30s"}, []string{claim, send, send, "settle sent", ack},
		},
		{
			settleThatMatchedNothingReadAsDone, ports{claim: granted, settled: reference.NotYours},
			[]string{claim, send, "settle sent", "nack 5s"}, []string{claim, send, "settle sent", ack},
		},
		{
			sendFirstCalledClaimFirst, ports{claim: granted, settled: reference.Recorded, send: []error{errSlow}},
			[]string{claim, send, "settle unknown(timeout)", ack}, []string{claim, send, "release", "nack 5s"},
		},
	} {
		t.Run(c.defect.Name, func(t *testing.T) {
			right, wrong := c.ports, c.ports
			if diff := cmp.Diff(c.want, right.handle(t, nil)); diff != "" {
				t.Errorf("the reference (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.bad, wrong.handle(t, &c.defect)); diff != "" {
				t.Errorf("the defect (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTokensDerivedFromTheMessage(t *testing.T) {
	m := &messageTokens{message: "m1"}
	first, second := m.NewToken(), m.NewToken()
	m.made = 0 // it is delivered again
	if again := m.NewToken(); first != again || first == second {
		t.Errorf("tokens %s, %s and then %s, want the first one again", first, second, again)
	}
}
