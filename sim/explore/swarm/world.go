package swarm

import (
	"fmt"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
)

// policy is what the world's lines say of durations.
type policy struct {
	reference.Policy
	every, jitter time.Duration
	keys          [2]time.Duration
	dedup         time.Duration
	retention     time.Duration
}

const drawsMax = 30 // of a policy that passes its own check

// draws a policy that production would start with.
func (m *maker) drawPolicy() {
	for i := range drawsMax {
		m.policy = policyOf(m.draw("policy", fmt.Sprint(i)), m.draw("queue", fmt.Sprint(i)))
		if m.profile == "fifo" {
			m.policy.dedup = 5 * time.Minute
		}
		if m.policy.ok() {
			return
		}
	}
	m.policy = policy{Policy: reference.DefaultPolicy(), every: time.Minute, dedup: 24 * time.Hour, retention: 30 * 24 * time.Hour}
}

func policyOf(d, q draw) policy {
	p := policy{Policy: reference.DefaultPolicy(), every: pick(d, time.Minute, time.Minute, 30*time.Second, 20*time.Second, 2*time.Minute)}
	if d.in(1, 2) {
		p.Lead = pick(d, 90*time.Second, 2*time.Minute, 5*time.Minute, 10*time.Minute)
		p.Cutoff = pick(d, 0, 10*time.Second, 30*time.Second, time.Minute)
		p.SendTimeout = pick(d, 2*time.Second, 5*time.Second, 10*time.Second)
		p.StoreTimeout = pick(d, time.Second, 5*time.Second)
		p.LockTimeout = p.StoreTimeout / 5
		p.Lease = p.SendTimeout + pick(d, time.Second, 10*time.Second, 30*time.Second)
		p.Renominate = pick(d, 10*time.Second, 20*time.Second, 30*time.Second)
		p.SweepBudget = pick(d, 5*time.Second, 20*time.Second, 50*time.Second)
		p.Backstop = pick(d, 2*time.Minute, 5*time.Minute, 10*time.Minute)
	}
	p.Page = pick(d, 1, 2, 3, 500)
	if d.in(1, 5) {
		p.Order = reference.SendFirst
	}
	if d.in(1, 6) {
		p.jitter = 3 * time.Second
	}
	p.Visibility = p.Lease + pick(q, time.Second, 10*time.Second, 40*time.Second, 3*time.Minute)
	p.MaxReceives = pick(q, 1, 2, 3, 10, 10)
	p.dedup = pick(q, 0, 10*time.Second, 2*time.Minute, 24*time.Hour, 24*time.Hour)
	p.retention = pick(q, 20*time.Minute, time.Hour, 30*24*time.Hour, 30*24*time.Hour)
	for i := range p.keys {
		p.keys[i] = pick(q, 0, 0, 10*p.SendTimeout, 20*p.SendTimeout, 24*time.Hour)
	}
	return p
}

// ok says that production would start with it.
func (p policy) ok() bool {
	check := p.Policy
	check.SweepPeriod = p.every + p.jitter
	if check.Check(len(reference.Channels)) != nil {
		return false
	}
	for i, c := range reference.Channels {
		if check.CheckKeys(c, p.keys[i]) != nil {
			return false
		}
	}
	return true
}

// seedsMax bounds the seeds of tie-breaks, which only have to differ.
const seedsMax = 1_000_000

func (m *maker) world() {
	m.drawPolicy()
	d, p := m.draw("world", "world"), m.policy
	for i := range d.between(1, 3) {
		m.workers = append(m.workers, fmt.Sprintf("w%d", i+1))
	}
	m.line("world start=%s seed=%d workers=(%s) slots=%d restart=%s",
		pick(d, "2026-03-02T12:00:00Z", "2026-03-08T06:55:00Z", "2026-10-25T00:50:00Z", "2026-12-31T23:50:00Z"),
		1+d.Below(seedsMax), strings.Join(m.workers, ", "), pick(d, 1, 1, 1, 2, 3), pick(d, "5s", "5s", "1s", "30s", "2m"))
	m.line("policy lead=%s cutoff=%s send-timeout=%s store-timeout=%s lock-timeout=%s lease=%s order=%s page=%d renominate=%s budget=%s backstop=%s",
		dur(p.Lead), dur(p.Cutoff), dur(p.SendTimeout), dur(p.StoreTimeout), dur(p.LockTimeout), dur(p.Lease), p.Order, p.Page, dur(p.Renominate), dur(p.SweepBudget), dur(p.Backstop))
	for _, w := range m.workers {
		if n := m.draw("node "+w, "skew"); n.in(1, 8) {
			m.line("node %s skew=%s", w, pick(n, "+2s", "-2s", "+10m", "-10m"))
		}
	}
	m.line("cron every=%s timeout=%s retries=%d jitter=%s", dur(p.every), pick(d, "60s", "60s", "3s"), pick(d, 0, 0, 2), dur(p.jitter))
	q := m.draw("queue", "queue")
	hosted := fmt.Sprintf(" dedup=%s retention=%s latency=%s", dur(p.dedup), dur(p.retention), pick(q, "0s", "0s", "0s", "10ms", "2s"))
	if m.profile == "table" {
		hosted = ""
	}
	m.line("queue profile=%s visibility=%s max-receives=%d%s", m.profile, dur(p.Visibility), p.MaxReceives, hosted)
	for i, c := range reference.Channels {
		v := m.draw("provider "+string(c), "provider")
		keys := "none"
		if p.keys[i] > 0 {
			keys = dur(p.keys[i])
		}
		latency := pick(v, 200*time.Millisecond, 200*time.Millisecond, 0, time.Second, p.SendTimeout/2, p.SendTimeout)
		m.line("provider %s keys=%s latency=%s", c, keys, dur(latency))
	}
}

func dur(d time.Duration) string { return faults.FormatDuration(d) }
