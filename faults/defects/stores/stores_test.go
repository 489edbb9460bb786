package stores

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var (
	begin  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	hold   = reference.Hold{ID: "h1", Learner: "ann", Section: "s", ExpiresAt: begin.Add(12 * time.Minute), Zone: "Europe/Berlin", State: reference.Held, Channels: reference.Channels}
	mail   = reference.Reminder{Window: hold.Window(), Channel: reference.Email}
	inTime = begin.Add(10 * time.Minute)
)

// trial is one database, the reference's or a defect's.
type trial struct {
	defect.Store
	raw *memory.Store
	now time.Time
}

func open(t *testing.T, d *defect.Defect, h reference.Hold, rows ...reference.Row) *trial {
	t.Helper()
	s := &trial{now: inTime}
	s.raw = memory.NewStore(func() time.Time { return s.now })
	s.Store = s.raw
	if d != nil {
		s.Store = d.New(1).Store(s.raw)
	}
	if err := s.raw.Load([]reference.Hold{h}, rows); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *trial) claim(t *testing.T, r reference.Reminder, token reference.Token) reference.Answer {
	t.Helper()
	claim, err := s.Claim(context.Background(), reference.ClaimRequest{
		Reminder: r, Token: token, MessageID: "m1", Lead: 3 * time.Minute, Cutoff: 30 * time.Second,
		Lease: 20 * time.Second, SendTimeout: 10 * time.Second, Order: reference.ClaimFirst,
	})
	if err != nil {
		t.Fatal(err)
	}
	return claim.Answer
}

func (s *trial) settle(t *testing.T, token reference.Token, o reference.Outcome) reference.SettleAnswer {
	t.Helper()
	answer, err := s.Settle(context.Background(), reference.Settlement{Reminder: mail, Token: token, Outcome: o})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func (s *trial) expire(t *testing.T, w reference.Window) reference.Expiry {
	t.Helper()
	answer, _, err := s.Expire(context.Background(), w, "m2")
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func (s *trial) outcomes() string {
	_, rows := s.raw.Snapshot()
	text := ""
	for _, r := range rows {
		text += string(r.Channel) + "=" + r.Outcome.String() + " "
	}
	return text
}

func changed(change func(*reference.Hold)) reference.Hold {
	h := hold
	change(&h)
	return h
}

func row(change func(*reference.Row)) reference.Row {
	r := reference.Row{Reminder: mail, Token: "t0", LeaseUntil: inTime.Add(10 * time.Second), FirstClaimedAt: inTime}
	change(&r)
	return r
}

var (
	live   = row(func(*reference.Row) {})
	lapsed = row(func(r *reference.Row) { r.LeaseUntil = inTime.Add(-time.Second) })
	sent   = row(func(r *reference.Row) { r.Outcome, r.SettledAt = reference.Outcome{Verdict: reference.Sent}, inTime })
	free   = row(func(r *reference.Row) { r.Token, r.LeaseUntil, r.NotBefore = "", time.Time{}, inTime })
)

// TestOneAnswerDiffers shows of each defect a case in which its database answers otherwise than the
// reference's does, and that in the plain case it answers the same.
func TestOneAnswerDiffers(t *testing.T) {
	rejected := reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected}
	accepted := reference.Outcome{Verdict: reference.Sent}
	for _, c := range []struct {
		defect    defect.Defect
		hold      reference.Hold
		rows      []reference.Row
		ask       func(t *testing.T, s *trial) any
		want, bad any
	}{
		{noClaim, hold, []reference.Row{live}, claimBy("t1"), reference.Busy, reference.Granted},
		{claimAfterSend, hold, nil, claimTwice, reference.Busy, reference.Granted},
		{keyWithoutChannel, hold, []reference.Row{sent}, claimSMS, reference.Granted, reference.Settled},
		{keyWithoutWindow, changed(func(h *reference.Hold) { h.ExpiresAt = begin.Add(13 * time.Minute) }), []reference.Row{sent}, claimNow, reference.Granted, reference.Settled},
		{claimNeverSettles, hold, []reference.Row{lapsed}, claimBy("t1"), reference.SettledHere, reference.Busy},
		{noReRead, changed(func(h *reference.Hold) { h.State = reference.Cancelled }), nil, claimBy("t1"), reference.Closed, reference.Granted},
		{zeroRowsTakenForALostClaim, hold, []reference.Row{live}, claimBy("t0"), reference.Granted, reference.Busy},
		{dropEverything, hold, nil, claimBy("t1"), reference.Granted, reference.SettledHere},
		{holdBeforeTheRow, changed(func(h *reference.Hold) { h.State = reference.Confirmed }), []reference.Row{lapsed}, claimBy("t1"), reference.SettledHere, reference.Closed},
		{ownRepeatReReadsTheHold, changed(func(h *reference.Hold) { h.State = reference.Confirmed }), []reference.Row{live}, claimBy("t0"), reference.Granted, reference.Closed},
		{noSuchHoldBeforeTheRow, changed(func(h *reference.Hold) { h.State = reference.Confirmed }), []reference.Row{lapsed}, claimBy("t1"), reference.SettledHere, reference.NoHold},
		{expireUnguarded, changed(func(h *reference.Hold) { h.State = reference.Confirmed }), nil, expireNow, reference.ExpiryDone, reference.ExpiredNow},
		{expireAtReminderTime, hold, nil, expireNow, reference.ExpiryEarly, reference.ExpiredNow},
		{expireOnlyWithReminder, changed(func(h *reference.Hold) { h.ExpiresAt = inTime }), nil, expireNow, reference.ExpiredNow, reference.ExpiryDone},
		{localTimeArithmetic, hold, nil, claimBy("t1"), reference.Granted, reference.Early},
		{settleByKey, hold, []reference.Row{live}, settleBy("t1", rejected), reference.NotYours, reference.Recorded},
		{lateSentTiedToTheToken, hold, []reference.Row{live}, settleBy("t1", accepted), reference.Recorded, reference.NotYours},
	} {
		t.Run(c.defect.Name, func(t *testing.T) {
			if got := c.ask(t, open(t, nil, c.hold, c.rows...)); got != c.want {
				t.Errorf("the reference answers %v, want %v", got, c.want)
			}
			if got := c.ask(t, open(t, &c.defect, c.hold, c.rows...)); got != c.bad {
				t.Errorf("the defect answers %v, want %v", got, c.bad)
			}
		})
	}
}

func claimBy(token reference.Token) func(*testing.T, *trial) any {
	return func(t *testing.T, s *trial) any { return s.claim(t, mail, token) }
}

func claimTwice(t *testing.T, s *trial) any {
	s.claim(t, mail, "t1")
	return s.claim(t, mail, "t2")
}

func claimSMS(t *testing.T, s *trial) any {
	return s.claim(t, reference.Reminder{Window: mail.Window, Channel: reference.SMS}, "t1")
}

// claimNow claims the email of the window that the hold is in.
func claimNow(t *testing.T, s *trial) any {
	h, err := s.Get(context.Background(), hold.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s.claim(t, reference.Reminder{Window: h.Window(), Channel: reference.Email}, "t1")
}

func settleBy(token reference.Token, o reference.Outcome) func(*testing.T, *trial) any {
	return func(t *testing.T, s *trial) any { return s.settle(t, token, o) }
}

func expireNow(t *testing.T, s *trial) any {
	h, err := s.Get(context.Background(), hold.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s.expire(t, h.Window())
}

// TestOneRowDiffers does the same for those whose answers are right, and whose rows are not.
func TestOneRowDiffers(t *testing.T) {
	over := changed(func(h *reference.Hold) { h.ExpiresAt = inTime })
	atOver := row(func(r *reference.Row) { r.ExpiresAt = inTime })
	release := func(token reference.Token) func(*testing.T, *trial) {
		return func(t *testing.T, s *trial) {
			if err := s.Release(context.Background(), reference.Release{Reminder: mail, Token: token}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		defect    defect.Defect
		hold      reference.Hold
		row       reference.Row
		do        func(*testing.T, *trial)
		want, bad string
	}{
		{
			missedWrittenOverALiveClaim, over, atOver,
			func(t *testing.T, s *trial) { s.expire(t, over.Window()) },
			"email=open sms=dropped(missed) ", "email=dropped(missed) sms=dropped(missed) ",
		},
		{releaseThatDeletes, hold, live, release("t0"), "email=open ", ""},
		{
			releaseWithoutTheToken, hold, live,
			func(t *testing.T, s *trial) {
				release("t1")(t, s)
				s.claim(t, mail, "t1")
				s.settle(t, "t1", reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected})
			},
			"email=open ", "email=dropped(rejected) ",
		},
		{
			claimsPruned, hold, sent,
			func(t *testing.T, s *trial) {
				s.now = s.now.Add(prunedAfter)
				if err := s.RecordSweep(context.Background(), reference.Report{ID: "t9"}); err != nil {
					t.Fatal(err)
				}
			},
			"email=sent ", "",
		},
	} {
		t.Run(c.defect.Name, func(t *testing.T) {
			got := map[string]string{}
			for name, d := range map[string]*defect.Defect{"reference": nil, "defect": &c.defect} {
				s := open(t, d, c.hold, c.row)
				c.do(t, s)
				got[name] = s.outcomes()
			}
			if diff := cmp.Diff(map[string]string{"reference": c.want, "defect": c.bad}, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWindowsThatComeBack(t *testing.T) {
	summer, winter := time.Date(2026, 11, 1, 5, 30, 0, 0, time.UTC), time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC)
	if a, b := wall("America/New_York", summer), wall("America/New_York", winter); !a.Equal(b) {
		t.Errorf("the clock on the wall shows %s and %s, want one time", a, b)
	}
	if a, b := wall("UTC", summer), wall("UTC", winter); a.Equal(b) {
		t.Errorf("in UTC the clock on the wall shows %s twice", a)
	}
}

func TestRowIsLeftForWhoDoesNotHaveIt(t *testing.T) {
	s := open(t, &releaseThatDeletes, hold, free)
	if err := s.Release(context.Background(), reference.Release{Reminder: mail, Token: "t1"}); err != nil {
		t.Fatal(err)
	}
	if got, want := s.outcomes(), "email=open "; got != want {
		t.Errorf("rows %q, want %q", got, want)
	}
}
