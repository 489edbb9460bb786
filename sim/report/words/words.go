package words

import (
	"fmt"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// Names of port calls, as traces spell them.
const (
	sweepDue      = trace.What(faults.SweepDue)
	sweepPublish  = trace.What(faults.SweepPublish)
	sweepBackstop = trace.What(faults.SweepBackstop)
	sweepRecord   = trace.What(faults.SweepRecord)
	receive       = trace.What(faults.WorkerReceive)
	claim         = trace.What(faults.WorkerClaim)
	send          = trace.What(faults.ProviderSend)
	settle        = trace.What(faults.WorkerSettle)
	release       = trace.What(faults.WorkerRelease)
	expire        = trace.What(faults.WorkerExpire)
	ack           = trace.What(faults.WorkerAck)
	nack          = trace.What(faults.WorkerNack)
	deadLetter    = trace.What(faults.WorkerDeadLetter)
	holdCreate    = trace.What(faults.HoldCreate)
	holdConfirm   = trace.What(faults.HoldConfirm)
	holdCancel    = trace.What(faults.HoldCancel)
	holdExtend    = trace.What(faults.HoldExtend)
)

// Answers that decide how an event is told, besides those that reference declares.
const (
	accepted    = "accepted"
	repeated    = "repeat"
	duplicate   = "duplicate"
	refused     = "refused"
	rejected    = "rejected"
	notAccepted = "not-accepted"
	tooLate     = "too-late"
	released    = "released"
	acked       = "acked"
	whole       = "whole"
)

// slowSend is from how long on a send's start is told besides its effect.
const slowSend = time.Second

// phrase words one kind of event: what somebody does, and what came of it.
type phrase struct {
	act, answer func(voice, trace.Event) string
}

var phrases = map[trace.What]phrase{
	trace.SweepStart: {say("starts"), none},
	sweepDue:         {due, none},
	sweepPublish: {func(v voice, e trace.Event) string {
		text := fmt.Sprintf("publishes %s %s", e.Kind, v.hold(e))
		if e.Answer == accepted && e.Message != "" {
			text += " as " + v.message(e)
		}
		return text
	}, publishAnswer},
	sweepBackstop:  {backstop, backstopAnswer},
	sweepRecord:    {say("records its report"), none},
	trace.SweepEnd: {sweepEnd, func(v voice, e trace.Event) string { return v.count(e.N) + " published" }},

	receive: {func(v voice, e trace.Event) string {
		if e.NoEffect && e.Message == "" {
			return "asks for a message"
		}
		text := "receives " + v.about(e)
		if e.N > 1 {
			text += " for the " + v.nth(e.N) + " time"
		}
		if !e.Until.IsZero() {
			text += "," + v.after("invisible until", e.Until)
		}
		return text
	}, none},
	claim:   {func(v voice, e trace.Event) string { return "claims " + v.reminder(e) }, claimAnswer},
	send:    {func(v voice, e trace.Event) string { return "sends " + v.reminder(e) }, sendAnswer},
	settle:  {func(v voice, e trace.Event) string { return "settles " + v.reminder(e) }, settleAnswer},
	release: {func(v voice, e trace.Event) string { return "releases " + v.reminder(e) }, releaseAnswer},
	expire:  {func(v voice, e trace.Event) string { return "expires " + v.hold(e) }, expireAnswer},
	ack:     {func(v voice, e trace.Event) string { return "acks " + v.message(e) }, ackAnswer},
	nack: {func(v voice, e trace.Event) string {
		return "nacks " + v.message(e) + v.after("until", e.Until)
	}, ackAnswer},
	deadLetter: {func(v voice, e trace.Event) string { return "dead-letters " + v.message(e) }, plainAnswer},

	trace.Accepted: {func(v voice, e trace.Event) string { return "accepts " + v.reminder(e) }, none},
	trace.Collapsed: {func(v voice, e trace.Event) string {
		return "remembers the key of " + v.reminder(e) + " and accepts nothing new"
	}, none},
	trace.Reply: {func(v voice, e trace.Event) string { return "gets no receipt for " + v.reminder(e) }, none},

	holdCreate: {func(v voice, e trace.Event) string {
		return "creates " + v.hold(e) + v.after("until", e.Window)
	}, holdAnswer},
	holdConfirm: {func(v voice, e trace.Event) string { return "confirms " + v.hold(e) }, holdAnswer},
	holdCancel:  {func(v voice, e trace.Event) string { return "cancels " + v.hold(e) }, holdAnswer},
	holdExtend: {func(v voice, e trace.Event) string {
		return "extends " + v.id(e) + v.after("from", e.Window) + v.after("to", e.Until)
	}, holdAnswer},

	trace.NodeCrash:   {say("crashes"), none},
	trace.NodeRestart: {say("restarts"), none},
	trace.NodeStall:   {func(v voice, e trace.Event) string { return "stalls" + v.after("until", e.Until) }, none},
	trace.FaultBegin:  {faultPeriod("begins"), none},
	trace.FaultEnd:    {faultPeriod("ends"), none},

	trace.BrokerLost: {func(v voice, e trace.Event) string { return "loses " + v.about(e) }, none},
	trace.BrokerDead: {func(v voice, e trace.Event) string {
		text := "dead-letters " + v.about(e)
		if e.N > 0 {
			text += " after " + v.count(e.N) + " receives"
		}
		return text
	}, plainAnswer},
	trace.BrokerGone: {func(v voice, e trace.Event) string {
		if e.Message == "" {
			return fmt.Sprintf("purges the queue of %s messages", v.count(e.N))
		}
		return "removes " + v.about(e)
	}, plainAnswer},
	trace.Redriven: {func(v voice, e trace.Event) string { return "redrives " + v.about(e) }, none},

	trace.CronPaused:  {cron("is paused", "pauses cron"), none},
	trace.CronResumed: {cron("resumes", "resumes cron"), none},
	trace.CronTimedOut: {func(_ voice, e trace.Event) string {
		if e.Answer == "" {
			return "stops waiting for the sweep"
		}
		return "stops waiting for " + e.Answer
	}, none},

	trace.Healed: {say("heals: the last fault is over"), none},
	trace.Ended:  {say("ends"), none},
	trace.Replay: {say("delivers every message again"), none},
}

// sentence says what happened, what its caller saw if that differs, and the fault that struck.
func (v voice) sentence(e trace.Event) string {
	p, known := phrases[e.What]
	if !known {
		p = phrase{say(string(e.What)), plainAnswer}
	}
	return fate(p.act(v, e), p.answer(v, e), e)
}

// fate adds to what somebody does what came of it.
func fate(act, answer string, e trace.Event) string {
	text := act
	switch {
	case e.NoEffect:
		text += ": no effect"
	case answer != "":
		text += ": " + answer
	}
	if e.Err != "" && !seesAnswer(e) {
		text += ", sees: " + seen(e)
	}
	if e.Fault != "" && e.What != trace.FaultBegin && e.What != trace.FaultEnd && e.What != trace.NodeRestart {
		text += "  <- " + FaultLine(e.Fault)
	}
	return text
}

// seesAnswer says that what the caller saw is the answer, as an error.
func seesAnswer(e trace.Event) bool {
	switch e.Answer {
	case refused:
		return e.Fault == ""
	case rejected, notAccepted, tooLate:
		return true
	}
	return false
}

// seen leaves out of an error what the line says anyhow.
func seen(e trace.Event) string {
	text := strings.TrimPrefix(e.Err, string(e.What)+": ")
	text = strings.TrimPrefix(text, faults.ErrInjected.Error()+": ")
	return strings.TrimSuffix(text, ": "+faults.ErrInjected.Error())
}

func say(text string) func(voice, trace.Event) string {
	return func(voice, trace.Event) string { return text }
}

func none(voice, trace.Event) string { return "" }

func plainAnswer(_ voice, e trace.Event) string { return e.Answer }

func cron(itself, by string) func(voice, trace.Event) string {
	return func(_ voice, e trace.Event) string {
		if e.Who == "cron" {
			return itself
		}
		return by
	}
}

func faultPeriod(verb string) func(voice, trace.Event) string {
	return func(_ voice, e trace.Event) string {
		if e.Who == "fault" {
			return verb + ": " + strings.TrimPrefix(e.Fault, "fault ")
		}
		return verb + ": " + FaultLine(e.Fault)
	}
}

// backstop is told once for every hold that was expired, and once for the call.
func backstop(v voice, e trace.Event) string {
	if e.Hold == "" {
		return "looks for overdue holds"
	}
	return "expires " + v.hold(e) + " as backstop"
}

func backstopAnswer(v voice, e trace.Event) string {
	switch {
	case e.Hold != "":
		return ""
	case e.N == 0:
		return "none"
	}
	return v.count(e.N)
}

func due(v voice, e trace.Event) string {
	switch {
	case e.NoEffect:
		return "looks for what is due to " + string(e.Kind)
	case e.N == 0:
		return "finds nothing to " + string(e.Kind)
	}
	return fmt.Sprintf("finds %s to %s", v.count(e.N), e.Kind)
}

func sweepEnd(_ voice, e trace.Event) string {
	if e.Answer == whole || e.Answer == "" {
		return "ends"
	}
	return "ends " + e.Answer
}

func publishAnswer(v voice, e trace.Event) string {
	switch {
	case e.Answer == accepted:
		return ""
	case e.Answer == refused && e.Err != "":
		return refused + ", " + lastReason(e.Err)
	case e.Answer == duplicate && e.Message != "":
		return "duplicate of " + v.message(e)
	}
	return e.Answer
}

func claimAnswer(v voice, e trace.Event) string {
	switch reference.Answer(e.Answer) {
	case reference.Granted:
		text := "granted" + v.after("until", e.Until)
		if e.Doubt != "" {
			text += fmt.Sprintf(" as a retake (%s)", e.Doubt)
		}
		return text
	case reference.Settled:
		return "already settled as " + e.Outcome.String()
	case reference.SettledHere:
		return "settled here as " + e.Outcome.String()
	case reference.Busy:
		return "busy" + v.after("until", e.Until)
	case reference.NoHold:
		return "no such hold"
	case reference.Ahead:
		return "ahead of its commit"
	case reference.Early:
		return "early" + v.after("until", e.Until)
	case reference.Late:
		return "late, past the cut-off"
	}
	return e.Answer
}

func sendAnswer(v voice, e trace.Event) string {
	text := e.Answer
	switch e.Answer {
	case repeated:
		text = "repeat, accepted before under its key"
	case notAccepted:
		text = "not accepted, may be asked again" + v.after("from", e.Until)
	case tooLate:
		text = "too late to start"
	}
	if !e.Start.IsZero() && e.At.Sub(e.Start) >= slowSend {
		text += ", started " + v.clock(e.Start)
	}
	return text
}

func settleAnswer(_ voice, e trace.Event) string {
	switch reference.SettleAnswer(e.Answer) {
	case reference.AlreadyFinal:
		return "already final as " + e.Outcome.String()
	case reference.NotYours:
		return "not its claim any more"
	case reference.Gone:
		return "hold and row are gone"
	case reference.Recorded:
		return e.Outcome.String()
	}
	return e.Answer
}

func releaseAnswer(v voice, e trace.Event) string {
	if e.Answer != released && e.Answer != "" {
		return "nothing to release"
	}
	text, sep := "", ""
	if !e.Until.IsZero() {
		text, sep = "not before "+v.clock(e.Until), ", "
	}
	if e.Doubt != "" {
		text += sep + "may have been accepted (" + string(e.Doubt) + ")"
	}
	return text
}

func expireAnswer(v voice, e trace.Event) string {
	switch reference.Expiry(e.Answer) {
	case reference.ExpiredNow:
		return ""
	case reference.ExpiryDone:
		return "nothing to be done"
	case reference.ExpiryEarly:
		return "too early" + v.after("until", e.Until)
	case reference.ExpiryAhead:
		return "ahead of its commit"
	}
	return e.Answer
}

func ackAnswer(_ voice, e trace.Event) string {
	switch e.Answer {
	case "not-ours":
		return "receipt not valid any more"
	case "late":
		return "late, it was delivered again"
	}
	return ""
}

func holdAnswer(_ voice, e trace.Event) string {
	if e.Answer != refused {
		return ""
	}
	if e.Err == "" || e.Fault != "" {
		return refused
	}
	return refused + ", " + lastReason(e.Err)
}

// lastReason leaves out what was tried on what, which the line says already.
func lastReason(err string) string {
	if i := strings.LastIndex(err, ": "); i >= 0 {
		return err[i+2:]
	}
	return err
}
