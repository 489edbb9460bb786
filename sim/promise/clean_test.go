package promise

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

func wantClean(t *testing.T, run trace.Run) {
	t.Helper()
	for _, v := range Check(run) {
		t.Errorf("%s %s, event %d: %s", v.Promise, v.Class, v.Seq, v.Sentence)
	}
}

func TestCleanRuns(t *testing.T) {

	for name, tellIt := range map[string]func(*story) trace.Run{
		"happy-day": func(s *story) trace.Run {
			return s.at("12:07").reminded("h1").at("12:10").expired("h1").end("12:25")
		},
		"nothing-to-do-yet": func(s *story) trace.Run { return s.end("12:05") },
		"no-end": func(s *story) trace.Run {
			s.open = true
			return s.at("12:07").end("13:00")
		},
		"crash-between-claim-and-send": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			end := s.fault("crash worker after=claim on=h1", 1, "h1", "")
			s.add(trace.Event{What: trace.NodeCrash, Who: "w1"})
			end()
			s.after(5 * time.Second).add(trace.Event{What: trace.NodeRestart, Who: "w1"})
			s.at("12:08").receive("w2", reference.Remind, "h1", m)
			s.add(trace.Event{What: "worker.claim", Who: "w2", Slot: 1, Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: unknownLapse})
			s.remind("w2", "h1", sms).ack("w2", m)
			return s.at("12:10").expired("h1").end("12:25")
		},
		"throttled-past-the-cut-off": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.fault("throttle provider channel=email retry-after=1h", 0, "", email)
			s.send("w1", "h1", email, tok, "not-accepted").last().Until = clock("13:07")
			s.settle("w1", "h1", email, tok, throttled).remind("w1", "h1", sms).ack("w1", m)
			return s.at("12:10").expired("h1").end("12:25")
		},
		"throttled-and-tried-again": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.fault("throttle provider channel=email retry-after=60s", 0, "", email)
			s.send("w1", "h1", email, tok, "not-accepted").last().Until = clock("12:08")
			s.release("w1", "h1", email, tok, "", "12:08").remind("w1", "h1", sms)
			s.at("12:08").receive("w1", reference.Remind, "h1", m).remind("w1", "h1", email).ack("w1", m)
			return s.at("12:10").expired("h1").end("12:25")
		},
		"a-person-ends-the-window-between-grant-and-send": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.person("hold.confirm", "h1", "done").after(time.Millisecond).person("hold.confirm", "h1", "done")
			s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome)
			s.add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h1", Channel: sms, Token: "t9", Answer: "closed"}).ack("w1", m)
			return s.at("12:10:01").person("hold.extend", "h1", "refused").end("12:25")
		},
		"late-sent-replaces-unknown": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			end := s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).fault("stall w1 by=90s", 1, "", "")
			s.add(trace.Event{What: trace.NodeStall, Who: "w1", Until: clock("12:08:30")})
			m2 := s.at("12:08").publish(reference.Remind, "h1")
			s.receive("w2", reference.Remind, "h1", m2)
			s.add(trace.Event{What: "worker.claim", Who: "w2", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: unknownLapse})
			s.remind("w2", "h1", sms).ack("w2", m2).at("12:08:30")
			end()
			s.settle("w1", "h1", email, tok, sentOutcome)
			s.add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h1", Channel: sms, Token: "t10", Answer: "settled", Outcome: sentOutcome})
			s.add(trace.Event{What: "worker.ack", Who: "w1", Message: m, Answer: "late"})
			return s.at("12:10").expired("h1").end("12:25")
		},
		"redriven-hours-later": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			s.add(trace.Event{What: trace.BrokerDead, Message: m, Who: "broker"})
			s.at("12:08").reminded("h1").at("12:10").expired("h1")
			s.at("15:07").add(trace.Event{What: trace.Redriven, Message: m, Who: "operator"})
			s.receive("w1", reference.Remind, "h1", m)
			for _, c := range reference.Channels {
				s.add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h1", Channel: c, Token: "t9", Answer: "settled", Outcome: sentOutcome})
			}
			return s.ack("w1", m).end("15:30")
		},
		"expired-while-a-claim-is-open": func(s *story) trace.Run {
			m := s.at("12:09:19").publish(reference.Remind, "h1")
			s.fault("pause cron", 0, "", "")
			tok := s.receive("w1", reference.Remind, "h1", m).at("12:09:29").claim("w1", "h1", email)
			s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
			s.fault("stall w1 by=2m", 0, "", "")
			s.add(trace.Event{What: trace.NodeStall, Who: "w1", Until: clock("12:11:29")})
			s.at("12:10").expired("h1").at("12:11:29").settle("w1", "h1", email, tok, sentOutcome)
			s.add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h1", Channel: sms, Token: "t9", Answer: "settled", Outcome: missed})
			return s.ack("w1", m).end("12:25")
		},
		"timeout-without-keys": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.fault("ambiguous provider in=send on=h1 channel=email", 0, "h1", email)
			s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
			s.after(10 * time.Second).add(trace.Event{What: trace.Reply, Who: "w1", Hold: "h1", Channel: email, Token: tok, Err: "timeout"})
			s.settle("w1", "h1", email, tok, unknownTimeou).remind("w1", "h1", sms).ack("w1", m)
			return s.at("12:10").expired("h1").end("12:25")
		},
		"timeout-with-keys-and-a-second-try": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.fault("ambiguous provider in=send", 0, "", "")
			s.send("w1", "h1", email, tok, "accepted").last().Err = "timeout"
			s.accept("h1", email, tok).release("w1", "h1", email, tok, reference.Timeout, "").remind("w1", "h1", sms)
			tok = s.after(5*time.Second).receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.last().Doubt = reference.Timeout
			s.send("w1", "h1", email, tok, "repeat").add(trace.Event{What: trace.Collapsed, Who: "email", Hold: "h1", Channel: email})
			return s.settle("w1", "h1", email, tok, sentOutcome).ack("w1", m).at("12:10").expired("h1").end("12:25")
		},
		"a-retake-rejected-after-doubt": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.fault("ambiguous provider in=send", 0, "", "")
			s.send("w1", "h1", email, tok, "unknown").release("w1", "h1", email, tok, reference.Timeout, "").remind("w1", "h1", sms)
			tok = s.after(5*time.Second).receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.last().Doubt = reference.Timeout
			s.send("w1", "h1", email, tok, "rejected")
			return s.settle("w1", "h1", email, tok, rejected).ack("w1", m).at("12:10").expired("h1").end("12:25")
		},
		"extended-after-its-reminder": func(s *story) trace.Run {
			s.at("12:07").reminded("h1").at("12:08").extend("h1", "12:10", "12:30").extend("h1", "12:10", "12:30")
			return s.end("12:20")
		},
		"cancelled-after-it-ran-out": func(s *story) trace.Run {
			return s.at("12:07").reminded("h1").at("12:10:10").person("hold.cancel", "h1", "done").end("12:25")
		},
		"no-such-hold": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h9")
			s.receive("w1", reference.Remind, "h9", m).add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h9", Channel: email, Token: "t9", Answer: "no-hold"})
			s.add(trace.Event{What: "worker.dead-letter", Who: "w1", Message: m}).reminded("h1")
			return s.at("12:10").expired("h1").end("12:25")
		},
		"created-between-no-hold-and-dead-letter": func(s *story) trace.Run {
			s.at("12:01").publish(reference.Remind, "h2")
			s.last().Window = clock("12:16")
			s.receive("w1", reference.Remind, "h2", "m1").last().Window = clock("12:16")
			s.add(trace.Event{What: "worker.claim", Who: "w1", Slot: 1, Hold: "h2", Channel: email, Window: clock("12:16"), Token: "t9", Message: "m1", Answer: "no-hold"})
			s.add(trace.Event{What: "hold.create", Who: "learner", Hold: "h2", Window: clock("12:16"), Answer: "done"})
			s.add(trace.Event{What: "worker.dead-letter", Who: "w1", Slot: 1, Message: "m1"})
			return s.at("12:07").reminded("h1").at("12:10").expired("h1").end("12:12")
		},
		"created-in-the-run": func(s *story) trace.Run {
			s.at("12:01").add(trace.Event{What: "hold.create", Who: "learner", Hold: "h2", Window: clock("12:16"), Answer: "done"})
			s.at("12:07").reminded("h1").at("12:10").expired("h1").at("12:12")
			return s.person("hold.cancel", "h2", "done").end("12:25")
		},
		"missed-in-an-outage-and-freed-by-the-backstop": func(s *story) trace.Run {
			end := s.at("12:06").fault("outage queue from=12:06 until=12:30", 1, "", "")
			s.at("12:20").add(trace.Event{What: "sweep.backstop", Who: "sweep#20", Hold: "h1", Answer: "expired"}).at("12:30")
			end()
			return s.end("12:45")
		},
		"poisoned-and-set-aside": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			s.last().Fault = "poison queue in=publish on=h1"
			s.fault("poison queue in=publish on=h1", 0, "h1", "")
			s.receive("w1", reference.Remind, "h1", m).add(trace.Event{What: "worker.dead-letter", Who: "w1", Message: m})
			return s.at("12:08").reminded("h1").at("12:10").expired("h1").end("12:25")
		},
		"delivered-again-after-the-end": func(s *story) trace.Run {
			run := s.at("12:07").reminded("h1").at("12:10").expired("h1").end("12:25")
			s.add(trace.Event{What: trace.Replay, Who: "run"}).receive("w1", reference.Remind, "h1", "m1").ack("w1", "m1")
			run.Events = s.run.Events
			run.ReplayHolds, run.ReplayRows = run.Holds, run.Rows
			return run
		},
		"struck-before-any-effect": func(s *story) trace.Run {
			s.at("12:06").person("hold.confirm", "h1", "done").last().NoEffect = true
			s.at("12:07").reminded("h1").accept("h1", email, "t1").last().NoEffect = true
			return s.at("12:10").expired("h1").end("12:25")
		},
		"settled-since-by-a-receipt": func(s *story) trace.Run {
			m := s.at("12:07").publish(reference.Remind, "h1")
			t1 := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", email)
			s.send("w1", "h1", email, t1, "accepted").accept("h1", email, t1)
			s.fault("stall w1 by=30s", 0, "", "")
			s.add(trace.Event{What: trace.NodeStall, Who: "w1", Until: clock("12:07:30")})
			t2 := s.at("12:07:30").receive("w2", reference.Remind, "h1", m).claim("w2", "h1", email)
			s.last().Doubt = reference.Lapsed
			s.settle("w1", "h1", email, t1, sentOutcome).send("w2", "h1", email, t2, "repeat")
			s.add(trace.Event{What: trace.Collapsed, Who: "email", Hold: "h1", Channel: email})
			s.add(trace.Event{What: "worker.settle", Who: "w2", Hold: "h1", Channel: email, Token: t2, Outcome: sentOutcome, Answer: "already-final"})
			s.remind("w1", "h1", sms).ack("w1", m)
			return s.at("12:10").expired("h1").end("12:25")
		},
	} {
		t.Run(name, func(t *testing.T) { wantClean(t, tellIt(tell(t, "h1"))) })
	}
}

func TestStats(t *testing.T) {
	s := tell(t, "h1", "h2")
	s.at("12:07").reminded("h2")
	m := s.publish(reference.Remind, "h1")
	tok := s.receive("w1", reference.Remind, "h1", m).claim("w1", "h1", reference.Email)
	s.person("hold.confirm", "h1", "done").send("w1", "h1", reference.Email, tok, "accepted").accept("h1", reference.Email, tok)
	s.settle("w1", "h1", reference.Email, tok, sentOutcome).ack("w1", m)
	got := Judge(s.at("12:10").expired("h2").end("12:25"))
	if want := (Stats{Sends: 3, Accepted: 3, SendsAfterChange: 1}); got.Stats != want || got.Violations != nil {
		t.Errorf("%+v, want %+v", got, want)
	}
}
