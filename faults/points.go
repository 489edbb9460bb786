package faults

// Who makes calls, and what answers them.
const (
	roleWorker   = "worker"
	roleSweep    = "sweep"
	roleLearner  = "learner"
	roleOperator = "operator"
	portStore    = "store"
	portQueue    = "queue"
	portProvider = "provider"
	whoCron      = "cron"
)

// call is one row of the table of points.
type call struct {
	point Point
	short string
	// role makes the call, and port answers it. An operator may also do what a learner does.
	role, port string
	// writes says that it is a statement which a driver could run twice unnoticed.
	writes bool
	// hold and channel say that the call concerns one hold, and one channel of it.
	hold, channel bool
	// locks says that it needs the hold's row, alone or in share.
	locks bool
}

var calls = []call{
	{SweepDue, "due", roleSweep, portStore, false, false, false, false},
	{SweepPublish, "publish", roleSweep, portQueue, true, true, false, false},
	{SweepBackstop, "backstop", roleSweep, portStore, true, false, false, false},
	{SweepRecord, "record", roleSweep, portStore, true, false, false, false},
	{WorkerReceive, "receive", roleWorker, portQueue, true, true, false, false},
	{WorkerClaim, "claim", roleWorker, portStore, true, true, true, true},
	{ProviderSend, "send", roleWorker, portProvider, false, true, true, false},
	{WorkerSettle, "settle", roleWorker, portStore, true, true, true, false},
	{WorkerRelease, "release", roleWorker, portStore, true, true, true, false},
	{WorkerExpire, "expire", roleWorker, portStore, true, true, false, true},
	{WorkerAck, "ack", roleWorker, portQueue, true, true, false, false},
	{WorkerNack, "nack", roleWorker, portQueue, true, true, false, false},
	{WorkerDeadLetter, "dead-letter", roleWorker, portQueue, true, true, false, false},
	{HoldCreate, "create", roleLearner, portStore, true, true, false, false},
	{HoldConfirm, "confirm", roleLearner, portStore, true, true, false, true},
	{HoldCancel, "cancel", roleLearner, portStore, true, true, false, true},
	{HoldExtend, "extend", roleLearner, portStore, true, true, false, true},
}

// Short is the point's name in scenarios, such as claim; empty if there is no such point.
func (p Point) Short() string { return callOf(p).short }

// Port is what answers the call: store, queue or provider.
func (p Point) Port() string { return callOf(p).port }

// LocksHold says that the call needs the hold's row, alone or in share.
func (p Point) LocksHold() bool { return callOf(p).locks }

// PointNamed gives the point of a short name.
func PointNamed(short string) (Point, bool) {
	for _, c := range calls {
		if c.short == short {
			return c.point, true
		}
	}
	return "", false
}

// Points are all points, in the order of the pipeline.
func Points() []Point {
	all := make([]Point, len(calls))
	for i, c := range calls {
		all[i] = c.point
	}
	return all
}

func callOf(p Point) call {
	for _, c := range calls {
		if c.point == p {
			return c
		}
	}
	return call{}
}

// madeBy says whether role could make the call.
func (c call) madeBy(role string) bool {
	return c.role == role || c.role == roleLearner && role == roleOperator
}

// roleOf is the role of somebody who may be named by name: sweep#7 is a sweep, w1 a worker.
func roleOf(who string) string {
	switch {
	case who == roleSweep || who == roleLearner || who == roleOperator:
		return who
	case isSweepRun(who):
		return roleSweep
	}
	return roleWorker
}
