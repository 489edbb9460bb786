package promise

import (
	"slices"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// row changes the final table's row of h1's email.
func (s *story) row(change func(*reference.Row)) *story {
	s.rows = func(rows []reference.Row) []reference.Row {
		change(&rows[slices.IndexFunc(rows, func(r reference.Row) bool { return r.Channel == email })])
		return rows
	}
	return s
}

// before puts a row of h1's email into the table before the run.
func (s *story) before(r reference.Row) *story {
	r.Reminder = reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: clock("12:10")}, Channel: email}
	s.run.Setup.Rows = append(s.run.Setup.Rows, r)
	return s
}

func (s *story) settledHere(at string, o reference.Outcome) *story {
	return s.at(at).add(trace.Event{What: claimed, Who: "w2", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: o})
}

var details = map[string]struct {
	tell func(*story) trace.Run
	want Class
}{
	// What was there before the run.
	"final-before": {func(s *story) trace.Run { return s.before(reference.Row{Outcome: missed}).missed() }, Class{}},
	"sent-again-though-sent-before": {func(s *story) trace.Run {
		tok := s.before(reference.Row{Outcome: sentOutcome}).at("12:07").claim("w1", "h1", email)
		return s.send("w1", "h1", email, tok, "repeat").missed()
	}, sentAgain},
	"claimed-before": {func(s *story) trace.Run {
		s.before(reference.Row{Token: "t0", LeaseUntil: clock("12:00:10"), FirstClaimedAt: clock("11:59:50")})
		return s.settledHere("12:08", unknownLapse).missed()
	}, Class{}},
	"asked-to-wait-before": {func(s *story) trace.Run {
		return s.before(reference.Row{NotBefore: clock("12:07:30"), FirstClaimedAt: clock("11:59:50")}).trouble("12:08", "12:08").missed()
	}, Class{}},
	"free-before-and-not-asked-to-wait": {func(s *story) trace.Run {
		s.before(reference.Row{FirstClaimedAt: clock("11:59:50")}).trouble("12:07:30", "12:07:30")
		return s.settledHere("12:08", throttled).missed()
	}, falseReason},
	"left-open-from-before": {func(s *story) trace.Run {
		s.hold("h2", "12:10", reference.Cancelled, email)
		s.run.Setup.Rows = []reference.Row{{Reminder: reference.Reminder{Window: reference.Window{Hold: "h2", ExpiresAt: clock("12:10")}, Channel: email}, Token: "t0", LeaseUntil: clock("12:00:10")}}
		return s.sent().freedAt("12:10", "12:25")
	}, leftOpen},

	// Trouble.
	"a-call-outlasts-the-period-of-its-fault": {func(s *story) trace.Run {
		s.foreign("12:06", "12:06:30", "", "").at("12:07:11").add(trace.Event{What: received, Who: "w1", Message: "m1", Kind: reference.Remind, Fault: "maybe error + lock store on="})
		return s.missed()
	}, Class{}},
	"a-call-struck-by-a-fault-that-is-over": {func(s *story) trace.Run {
		s.foreign("12:06", "12:06:30", "", "").at("12:07:11").add(trace.Event{What: received, Who: "w1", Message: "m1", Kind: reference.Remind, Fault: "another"})
		return s.missed()
	}, missedNoExcuse},
	"a-slow-queue-concerns-everybody": {func(s *story) trace.Run { return s.slowCall("maybe slow queue on=h2", "worker.ack").missed() }, Class{}},
	"a-slow-store-concerns-its-hold":  {func(s *story) trace.Run { return s.slowCall("slow store on=h2", "worker.claim").missed() }, delayed},
	"a-failing-queue-its-hold":        {func(s *story) trace.Run { return s.slowCall("error queue on=h2", "sweep.publish").missed() }, delayed},
	"faults-of-one-line-end-in-order": {func(s *story) trace.Run {
		begin := func(h reference.HoldID) { s.add(trace.Event{What: trace.FaultBegin, Fault: "slow", Hold: h}) }
		end := func(h reference.HoldID) { s.add(trace.Event{What: trace.FaultEnd, Fault: "slow", Hold: h}) }
		s.at("12:06")
		begin("h1")
		begin("h2")
		s.at("12:06:30")
		end("")
		s.at("12:09")
		end("")
		return s.missed()
	}, delayed},
	"faults-of-one-line-end-by-hold": {func(s *story) trace.Run {
		s.at("12:06").add(trace.Event{What: trace.FaultBegin, Fault: "slow", Hold: "h1"}).add(trace.Event{What: trace.FaultBegin, Fault: "slow", Hold: "h2"})
		s.at("12:06:30").add(trace.Event{What: trace.FaultEnd, Fault: "slow", Hold: "h2"})
		return s.at("12:09").add(trace.Event{What: trace.FaultEnd, Fault: "slow", Hold: "h1"}).missed()
	}, Class{}},
	"down-from-crash-to-restart": {func(s *story) trace.Run {
		s.at("12:06").add(trace.Event{What: trace.NodeCrash, Who: "w1"}).at("12:07:11").add(trace.Event{What: trace.NodeRestart, Who: "w1"})
		return s.missed()
	}, Class{}},
	"a-crash-without-restart-is-an-instant": {func(s *story) trace.Run {
		return s.at("12:06").add(trace.Event{What: trace.NodeCrash, Who: "sweep#6"}).missed()
	}, missedNoExcuse},
	"a-restart-without-crash": {func(s *story) trace.Run {
		s.at("12:01").add(trace.Event{What: trace.NodeCrash, Who: "w1"}).add(trace.Event{What: trace.NodeRestart, Who: "w1"})
		return s.at("12:09").add(trace.Event{What: trace.NodeRestart, Who: "w1"}).missed()
	}, missedNoExcuse},
	"stalled-until-less-than-b": {func(s *story) trace.Run {
		return s.at("12:06").add(trace.Event{What: trace.NodeStall, Who: "w1", Until: clock("12:07:11")}).missed()
	}, Class{}},

	// The provider's word.
	"timeout-by-a-late-reply": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
		s.add(trace.Event{What: trace.Reply, Who: "w1", Hold: "h1", Channel: email, Err: "timeout"})
		return s.settle("w1", "h1", email, tok, unknownTimeou).missed()
	}, Class{}},
	"timeout-though-the-reply-came": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "rejected")
		s.add(trace.Event{What: trace.Reply, Who: "w1", Hold: "h1", Channel: email})
		return s.settle("w1", "h1", email, tok, unknownTimeou).missed()
	}, falseReason},
	"no-connection-is-no-acceptance": {func(s *story) trace.Run {
		tok := s.trouble("12:07:30", "12:07:30").at("12:08").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "").last().NoEffect = true
		return s.settle("w1", "h1", email, tok, throttled).missed()
	}, Class{}},
	"a-struck-acceptance-is-none": {func(s *story) trace.Run {
		s.sent().accept("h1", email, "t1").last().NoEffect = true
		s.add(trace.Event{What: trace.Collapsed, Hold: "h1", Channel: email, NoEffect: true})
		return s.missed()
	}, Class{}},
	"a-struck-repeat-is-none": {func(s *story) trace.Run {
		s.at("12:07").add(trace.Event{What: trace.Collapsed, Hold: "h1", Channel: email, NoEffect: true})
		return s.trouble("12:08", "12:08").missed()
	}, Class{}},
	"lapsed-as-the-lease-ended": {func(s *story) trace.Run { return s.lapseAt("12:07:20", "12:07:20") }, Class{}},
	"not-lapsed-before":         {func(s *story) trace.Run { return s.lapseAt("12:07:19.999999", "12:07:10") }, falseReason},
	"retaken-after-a-lapse": {func(s *story) trace.Run {
		s.at("12:07").claim("w1", "h1", email)
		s.add(trace.Event{What: trace.NodeCrash, Who: "w1"})
		tok := s.at("12:07:20").claim("w2", "h1", email)
		s.last().Doubt = reference.Lapsed
		return s.send("w2", "h1", email, tok, "rejected").settle("w2", "h1", email, tok, rejected).missed()
	}, Class{}},
	"released-and-then-recorded-as-lapsed": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.add(trace.Event{What: trace.NodeCrash, Who: "w1"}).release("w1", "h1", email, tok, "", "")
		return s.settledHere("12:08", unknownLapse).missed()
	}, falseReason},
	"a-release-that-found-nothing": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.add(trace.Event{What: trace.NodeCrash, Who: "w1"}).release("w1", "h1", email, tok, "", "").last().Answer = "nothing"
		return s.settledHere("12:08", unknownLapse).missed()
	}, Class{}},
	"a-release-without-answer-goes-by-the-token": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.release("w1", "h1", email, tok, "", "").last().Answer = ""
		return s.trouble("12:08", "12:08").missed()
	}, Class{}},
	"a-release-by-another-token": {func(s *story) trace.Run {
		s.at("12:07").claim("w1", "h1", email)
		s.add(trace.Event{What: trace.NodeCrash, Who: "w1"}).release("w1", "h1", email, "t7", "", "").last().Answer = ""
		return s.settledHere("12:08", unknownLapse).missed()
	}, Class{}},
	"the-first-doubt-stays": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.last().Doubt = reference.Lapsed
		s.send("w1", "h1", email, tok, "unknown").release("w1", "h1", email, tok, reference.Timeout, "")
		s.row(func(r *reference.Row) { r.Outcome = unknownTimeou })
		return s.settledHere("12:08", unknownLapse).missed()
	}, tableDisagrees},

	"an-error-of-the-store-is-no-timeout": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.last().Err = "reset"
		return s.settle("w1", "h1", email, tok, unknownTimeou).missed()
	}, falseReason},
	"an-answered-send-is-no-excuse": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		return s.send("w1", "h1", email, tok, "rejected").settledHere("12:08", unknownLapse).missed()
	}, unknownNoExcuse},
	"a-release-that-was-struck": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.release("w1", "h1", email, tok, "", "").last().NoEffect = true
		return s.settledHere("12:08", unknownLapse).missed()
	}, Class{}},
	"the-same-outcome-again-under-doubt": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "unknown").release("w1", "h1", email, tok, reference.Timeout, "")
		tok = s.claim("w1", "h1", email)
		s.last().Doubt = reference.Timeout
		s.send("w1", "h1", email, tok, "rejected").settle("w1", "h1", email, tok, rejected)
		return s.settle("w1", "h1", email, tok, rejected).missed()
	}, Class{}},
	"unknown-replaced-by-dropped": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "rejected").settle("w1", "h1", email, tok, unknownTimeou)
		return s.settle("w1", "h1", email, tok, rejected).missed()
	}, replaced},

	// Grants and sends.
	"granted-without-a-hold": {func(s *story) trace.Run {
		s.sent().add(trace.Event{What: claimed, Who: "w1", Hold: "h9", Channel: email, Token: "t9", Answer: "granted", Until: clock("12:07:20")})
		s.rows = func(rows []reference.Row) []reference.Row {
			return append(slices.DeleteFunc(rows, func(r reference.Row) bool { return r.Hold == "h9" }), reference.Row{
				Reminder: reference.Reminder{Window: reference.Window{Hold: "h9", ExpiresAt: clock("12:10")}, Channel: email}, Token: "t9", NotBefore: clock("13:00")})
		}
		return s.missed()
	}, closedWindow},
	"granted-for-a-window-that-was-left": {func(s *story) trace.Run {
		return s.sent().at("12:08").extend("h1", "12:10", "12:40").remind("w1", "h1", sms).end("12:09")
	}, closedWindow},
	"granted-at-the-due-time": {func(s *story) trace.Run { return s.at("12:07").remind("w1", "h1", email).missed() }, Class{}},
	"granted-just-before-the-cut-off": {func(s *story) trace.Run {
		tok := s.at("12:09:29.999999").claim("w1", "h1", email)
		return s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome).missed()
	}, Class{}},
	"started-just-within-the-lease": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.at("12:07:19.999999").send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
		return s.settle("w1", "h1", email, tok, sentOutcome).missed()
	}, Class{}},
	"started-before-its-grant": {func(s *story) trace.Run {
		tok := s.at("12:07:10").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "accepted").last().Start = clock("12:07:09")
		return s.accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome).missed()
	}, noGrant},
	"start-not-told": {func(s *story) trace.Run {
		tok := s.at("12:07:10").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "accepted").last().Start = time.Time{}
		return s.accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome).missed()
	}, Class{}},
	"started-after-an-outcome-of-its-own": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "unknown").settle("w1", "h1", email, tok, unknownTimeou)
		return s.send("w1", "h1", email, tok, "unknown").missed()
	}, claimLost},
	"started-after-another-took-the-row": {func(s *story) trace.Run {
		t1 := s.at("12:07").claim("w1", "h1", email)
		t2 := s.claim("w2", "h1", email)
		s.send("w1", "h1", email, t1, "rejected").send("w2", "h1", email, t2, "accepted").accept("h1", email, t2)
		return s.settle("w2", "h1", email, t2, sentOutcome).missed()
	}, claimLost},
	"a-repeated-grant-is-no-new-one": {func(s *story) trace.Run {
		tok := s.at("12:07").claim("w1", "h1", email)
		s.person(confirmed, "h1", "done").at("12:07:05").claim("w1", "h1", email)
		s.last().Token, s.last().Until = tok, clock("12:07:20")
		return s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome).end("12:25")
	}, Class{}},
	"struck-before-it-was-granted": {func(s *story) trace.Run {
		s.at("12:06").claim("w1", "h1", email)
		s.last().NoEffect = true
		return s.sent().missed()
	}, Class{}},
	"too-late-is-no-start": {func(s *story) trace.Run {
		s.sent().at("12:09:30").send("w1", "h1", email, "t7", "too-late")
		return s.missed()
	}, Class{}},

	// People.
	"confirmed-without-a-hold": {func(s *story) trace.Run { return s.sent().person(confirmed, "h9", "done").missed() }, leftTwice},
	"confirmed-after-it-ended": {func(s *story) trace.Run {
		return s.sent().at("12:10").expired("h1").person(confirmed, "h1", "done").end("12:25")
	}, leftTwice},
	"extended-after-it-ended": {func(s *story) trace.Run {
		return s.sent().at("12:10").expired("h1").extend("h1", "12:10", "12:10").end("12:25")
	}, leftTwice},
	"expired-though-confirmed": {func(s *story) trace.Run {
		return s.sent().person(confirmed, "h1", "done").at("12:10").expired("h1").end("12:25")
	}, overwroteConfirm},
	"expired-twice":      {func(s *story) trace.Run { return s.sent().at("12:10").expired("h1").expired("h1").end("12:25") }, leftTwice},
	"backstop-too-early": {func(s *story) trace.Run { return s.sent().backstop("12:09:59") }, expiredEarly},
	"backstop":           {func(s *story) trace.Run { return s.sent().backstop("12:10") }, Class{}},
	"cancelled-twice": {func(s *story) trace.Run {
		return s.sent().person(cancelled, "h1", "done").person(cancelled, "h1", "done").end("12:25")
	}, Class{}},
	"refused": {func(s *story) trace.Run {
		return s.sent().at("12:10").person(confirmed, "h1", "refused").expired("h1").end("12:25")
	}, Class{}},
	"created-with-one-channel": {func(s *story) trace.Run { return s.sent().createdOnce("12:12") }, Class{}},
	"created-again": {func(s *story) trace.Run {
		s.sent().add(trace.Event{What: created, Hold: "h1", Answer: "done"})
		return s.missed()
	}, Class{}},
	"created-and-not-accounted": {func(s *story) trace.Run { return s.sent().createdOnce("") }, noOutcome},

	// Acknowledgements.
	"acked-with-a-free-row":      {func(s *story) trace.Run { return s.ackWith("12:07:30", true) }, ackedSoon},
	"acked-with-a-claim":         {func(s *story) trace.Run { return s.ackWith("12:07:30", false) }, ackedSoon},
	"acked-late-with-a-claim":    {func(s *story) trace.Run { return s.ackedBy("late") }, ackedSoon},
	"not-acked-at-all":           {func(s *story) trace.Run { return s.ackedBy("not-ours") }, messageLost},
	"acked-past-the-cut-off":     {func(s *story) trace.Run { return s.ackNothing("12:09:30") }, Class{}},
	"acked-before-the-cut-off":   {func(s *story) trace.Run { return s.ackNothing("12:09:29.999999") }, ackedSoon},
	"expire-acked-while-held":    {func(s *story) trace.Run { return s.sent().ackExpire("12:10", "") }, ackedSoon},
	"expire-acked-when-extended": {func(s *story) trace.Run { return s.sent().ackExpire("12:10", "12:40") }, Class{}},
	"acked-without-a-hold":       {func(s *story) trace.Run { return s.sent().ackFor("h9").missed() }, Class{}},
	"set-aside-and-not-ours":     {func(s *story) trace.Run { return s.setAside("not-ours", reference.Remind) }, messageLost},
	"set-aside-unread":           {func(s *story) trace.Run { return s.setAside("not a message", "") }, Class{}},
	"an-unknown-message-set-off": {func(s *story) trace.Run { s.sent().ack("w1", "m9"); return s.missed() }, Class{}},
	"refused-by-the-broker": {func(s *story) trace.Run {
		s.sent().publish(reference.Remind, "h1")
		s.last().Answer = "refused"
		return s.missed()
	}, Class{}},
	"published-without-an-effect": {func(s *story) trace.Run {
		s.sent().publish(reference.Remind, "h1")
		s.last().NoEffect = true
		return s.missed()
	}, Class{}},
	"purged-one": {func(s *story) trace.Run {
		m := s.sent().publish(reference.Remind, "h1")
		s.add(trace.Event{What: trace.BrokerGone, Message: m})
		return s.missed()
	}, Class{}},
	"published-after-a-purge": {func(s *story) trace.Run {
		s.sent().add(trace.Event{What: trace.BrokerGone, N: 3}).publish(reference.Remind, "h1")
		return s.missed()
	}, messageLost},

	// Tables.
	"a-row-that-nobody-wrote": {func(s *story) trace.Run {
		s.rows = func(rows []reference.Row) []reference.Row {
			return append(rows, reference.Row{Reminder: reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: clock("12:40")}, Channel: email}, Token: "t9", LeaseUntil: clock("13:00")})
		}
		return s.sent().missed()
	}, tableDisagrees},
	"a-row-that-is-gone": {func(s *story) trace.Run {
		s.rows = func([]reference.Row) []reference.Row { return nil }
		return s.sent().at("12:08").person(cancelled, "h1", "done").end("12:25")
	}, tableDisagrees},
	"another-token": {func(s *story) trace.Run {
		s.at("12:07").claim("w1", "h1", email)
		return s.row(func(r *reference.Row) { r.Token = "t9" }).end("12:07:10")
	}, tableDisagrees},
	"another-state": {func(s *story) trace.Run {
		s.holds = func(h []reference.Hold) []reference.Hold { h[0].State = reference.Held; return h }
		return s.sent().missed()
	}, tableDisagrees},
	"another-window": {func(s *story) trace.Run {
		s.holds = func(h []reference.Hold) []reference.Hold { h[0].ExpiresAt = clock("12:11"); return h }
		return s.sent().missed()
	}, tableDisagrees},
	"a-hold-that-is-gone": {func(s *story) trace.Run {
		s.holds = func([]reference.Hold) []reference.Hold { return nil }
		return s.sent().missed()
	}, tableDisagrees},
	"a-hold-that-nobody-made": {func(s *story) trace.Run {
		s.holds = func(h []reference.Hold) []reference.Hold {
			return append(h, reference.Hold{ID: "h9", State: reference.Held, ExpiresAt: clock("12:40")})
		}
		return s.sent().missed()
	}, tableDisagrees},
}

func TestDetails(t *testing.T) {
	for name, c := range details {
		t.Run(name, func(t *testing.T) { wantClass(t, c.tell(alone(t)), c.want) })
	}
}

// slowCall is trouble of h2 that ends with a call that it struck.
func (s *story) slowCall(line string, what trace.What) *story {
	end := s.at("12:06").fault(line, 1, "h2", "")
	s.at("12:08")
	e := trace.Event{What: what, Who: "w1", Hold: "h2", Message: "m1", Kind: reference.Remind, Answer: "refused", Fault: line}
	if what == claimed {
		e.Message, e.Kind, e.Channel, e.Token = "", "", email, "t9"
	}
	s.add(e)
	end()
	return s
}

func (s *story) lapseAt(at, crash string) trace.Run {
	s.at("12:07").claim("w1", "h1", email)
	s.at(crash).add(trace.Event{What: trace.NodeCrash, Who: "w1"})
	return s.settledHere(at, unknownLapse).missed()
}

func (s *story) backstop(at string) trace.Run {
	return s.at(at).add(trace.Event{What: backstop, Who: "sweep#9", Hold: "h1", Answer: "expired"}).end("12:25")
}

// createdOnce has h2 made, with an email only by the final table, and expired in time; its row is
// there unless told otherwise.
func (s *story) createdOnce(until string) trace.Run {
	s.holds = func(h []reference.Hold) []reference.Hold { h[1].Channels = []reference.Channel{email}; return h }
	if until == "" {
		s.rows = func(rows []reference.Row) []reference.Row {
			return slices.DeleteFunc(rows, func(r reference.Row) bool { return r.Hold == "h2" })
		}
	} else {
		s.rows = func(rows []reference.Row) []reference.Row {
			return slices.DeleteFunc(rows, func(r reference.Row) bool { return r.Hold == "h2" && r.Channel == sms })
		}
	}
	s.at("12:08").add(trace.Event{What: created, Who: "learner", Hold: "h2", Answer: "done"})
	return s.at("12:10").expired("h1").expired("h2").end("12:25")
}

// ackWith acknowledges h1's message then, with an open row.
func (s *story) ackWith(at string, free bool) trace.Run {
	m := s.taken()
	tok := s.claim("w1", "h1", email)
	if free {
		s.release("w1", "h1", email, tok, "", "")
	}
	s.person(confirmed, "h1", "done").at(at).ack("w1", m)
	return s.end("12:08")
}

func (s *story) ackedBy(answer string) trace.Run {
	m := s.taken()
	s.claim("w1", "h1", email)
	s.ack("w1", m).last().Answer = answer
	return s.end("12:08")
}

func (s *story) ackNothing(at string) trace.Run {
	m := s.trouble("12:08", "12:08").publish(reference.Remind, "h1")
	return s.at(at).ack("w1", m).missed()
}

// ackExpire acknowledges a message to expire h1, which was perhaps extended.
func (s *story) ackExpire(at, extendedTo string) trace.Run {
	if extendedTo != "" {
		s.at("12:08").extend("h1", "12:10", extendedTo)
	}
	m := s.at(at).publish(reference.Expire, "h1")
	s.ack("w1", m)
	if extendedTo != "" {
		return s.end("12:25")
	}
	return s.missed()
}

func (s *story) ackFor(h reference.HoldID) *story {
	m := s.publish(reference.Remind, h)
	return s.ack("w1", m)
}

func (s *story) setAside(answer string, k reference.Kind) trace.Run {
	m := s.sent().publish(reference.Remind, "h1")
	s.receive("w1", k, "h1", m).add(trace.Event{What: deadLettered, Who: "w1", Message: m, Answer: answer})
	return s.missed()
}
