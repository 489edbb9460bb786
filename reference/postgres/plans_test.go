package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// fill puts in what a busy deployment has: 100,000 held holds over the next hours, 20,000 that are
// over, rows for what is due, some of them open, and a backlog in the queue.
const fill = `
insert into seat_holds (hold_id, learner_id, section_id, expires_at, state)
select 'h' || n, 'l' || n, 's' || n % 1000,
	date_trunc('second', clock_timestamp()) + (n - 20000) * interval '1 second',
	case when n < 20000 then 'expired' else 'held' end
from generate_series(1, 120000) n;
insert into reminders (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at, outcome, settled_at)
select hold_id, expires_at, channel, 't', expires_at, expires_at, case when state = 'expired' then 'sent' end,
	case when state = 'expired' then expires_at end
from seat_holds, unnest(channels) as of (channel)
where expires_at < clock_timestamp() + interval '2 minutes';
insert into queue_messages (message_key, payload, published_at, visible_at, publish_token)
select 'k' || n, '{"v":1}', clock_timestamp(), clock_timestamp() + (n - 50000) * interval '1 second', 't'
from generate_series(1, 100000) n;
insert into queue_dead_letters (message_id, payload, published_at, reason, receives, dead_at)
select 1000000 + n, '{"v":1}', clock_timestamp(), 'why', 10, clock_timestamp() + n * interval '1 second'
from generate_series(1, 50000) n;
analyze`

// uses are index conditions that a plan must have, by the names of the indexes that may serve them.
type uses map[string][]string

const (
	holdKey     = "seat_holds_pkey"
	holdsHeld   = "seat_holds_held"
	rowKey      = "reminders_pkey"
	rowsOpen    = "reminders_open"
	eitherRow   = rowKey + "|" + rowsOpen // where a row is named and must be open, both do
	messageID   = "queue_messages_pkey"
	messageKey  = "queue_messages_key"
	visibleAt   = "queue_messages_visible"
	deadID      = "queue_dead_letters_pkey"
	deadInOrder = "queue_dead_letters_order"
)

// hot are the statements whose plans matter, with arguments as they come.
var hot = []struct {
	name, statement string
	arguments       []string
	uses            uses
}{
	{"claim", claimFresh, args("h20100", at0, "email", "t1", "20s", "m", "3m", "30s", null), uses{holdKey: {"hold_id ="}}},
	{"lock-hold", lockHold, args("h20100"), uses{holdKey: {"hold_id ="}}},
	{"read-row", readRow, args("h20100", at0, "email", null), uses{rowKey: {"hold_id =", "window_expires_at =", "channel ="}}},
	{"settle-sent", settleSent, args("h20100", at0, "email", "p", "m", null), uses{rowKey: {"hold_id =", "window_expires_at =", "channel ="}}},
	{"settle-other", settleOther, args("h20100", at0, "email", "t", "dropped", "missed", "m", null),
		uses{eitherRow: {"hold_id =", "window_expires_at ="}}},
	{"release", release, args("h20100", at0, "email", "t", "timeout", null, null), uses{eitherRow: {"hold_id =", "window_expires_at ="}}},
	{"expire", expire, args(null, "m", "h20100", at0), uses{holdKey: {"hold_id ="}}},
	{"expire-overdue", expireOverdue, args(null, null, "10m", "500"), uses{holdsHeld: {"expires_at <="}, holdKey: {"hold_id = ANY"}}},
	{"due-to-expire", dueToExpire, args(null, "0001-01-01 00:00:00Z", "", "500"),
		uses{holdsHeld: {"expires_at <=", "ROW(expires_at, hold_id) >"}}},
	{"due-to-expire-next-page", dueToExpire, args(null, at0, "h20100", "500"),
		uses{holdsHeld: {"expires_at <=", "ROW(expires_at, hold_id) >"}}},
	{"due-to-remind", dueToRemind, args(null, "0001-01-01 00:00:00Z", "", "500", "3m", "30s"), uses{
		holdsHeld: {"expires_at <=", "expires_at >", "ROW(expires_at, hold_id) >"}, rowKey: {"hold_id =", "window_expires_at ="},
		rowsOpen: {"ROW(window_expires_at, hold_id) >"}, holdKey: {"hold_id ="},
	}},
	{"confirm", confirmHold, args("h20100", null), uses{holdKey: {"hold_id ="}}},
	{"extend", extendHold, args("h20100", null, at0, at0), uses{holdKey: {"hold_id ="}}},
	{"publish", publish, args(null, "{k7,x1,x2,x3}", "{a,b,c,d}", "{0s,0s,0s,0s}", "t"), uses{messageKey: {"message_key ="}}},
	{"receive", receive, args(null, "10", "10", "60s", "t"), uses{visibleAt: {"visible_at <="}, messageID: {"message_id = ANY"}}},
	{"ack", ack, args("7", "r"), uses{messageID: {"message_id ="}}},
	{"nack", nack, args(null, "5s", "7", "r"), uses{messageID: {"message_id ="}}},
	{"dead-letter", deadLetter, args(null, "why", "7", "r"), uses{messageID: {"message_id ="}}},
	{"next-visible", nextVisible, nil, uses{visibleAt: {"visible_at IS NOT NULL"}}},
	{"list-dead-letters", listDeadLetters, args(at0, "7", "100"), uses{deadInOrder: {"ROW(dead_at, message_id) >"}}},
	{"redrive", redrive, args(null, "{1000001,1000002}", "t"), uses{deadID: {"message_id = ANY"}}},
}

const (
	at0  = "2026-03-02 12:10:00Z"
	null = "null"
)

// args are literals: the clock is always null, as in production.
func args(values ...string) []string {
	for i, v := range values {
		if v != null {
			values[i] = "'" + v + "'"
		}
	}
	return values
}

// node is a node of a plan, as explain (format json) gives it.
type node struct {
	Type      string `json:"Node Type"`
	Relation  string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Plans     []node
}

func (n node) walk(visit func(node)) {
	visit(n)
	for _, below := range n.Plans {
		below.walk(visit)
	}
}

// TestPlans explains the hot statements as they are run, with a clock of NULL, both as planned for
// their arguments and as planned for any.
func TestPlans(t *testing.T) {
	db := migrated(t)
	if _, err := db.Exec(fill); err != nil {
		t.Fatal(err)
	}
	connection, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := connection.ExecContext(t.Context(), "set plan_cache_mode = "+mode); err != nil {
			t.Fatal(err)
		}
		for _, h := range hot {
			t.Run(h.name+"/"+mode, func(t *testing.T) {
				conditions := map[string]string{}
				root := explainPlan(t, connection, h.statement, h.arguments)
				root.walk(func(n node) {
					if n.Type == "Seq Scan" {
						t.Errorf("reads all of %s", n.Relation)
					}
					if strings.HasSuffix(n.Type, "Index Scan") || strings.HasSuffix(n.Type, "Index Only Scan") {
						conditions[n.Index] += n.Condition
					}
				})
				for indexes, terms := range h.uses {
					condition := ""
					for index := range strings.SplitSeq(indexes, "|") {
						condition += conditions[index]
					}
					for _, term := range terms {
						if !strings.Contains(condition, term) {
							t.Errorf("index %s is used with condition %q, which lacks %s", indexes, condition, term)
						}
					}
				}
				if t.Failed() {
					text, _ := json.MarshalIndent(root, "", " ")
					t.Logf("%s", text)
				}
			})
		}
	}
}

func explainPlan(t *testing.T, c *sql.Conn, statement string, arguments []string) node {
	t.Helper()
	ctx := context.Background()
	execute := "execute hot"
	if len(arguments) > 0 {
		execute += "(" + strings.Join(arguments, ", ") + ")"
	}
	if _, err := c.ExecContext(ctx, "prepare hot as "+statement); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := c.ExecContext(ctx, "deallocate hot"); err != nil {
			t.Error(err)
		}
	}()
	var text string
	if err := c.QueryRowContext(ctx, fmt.Sprintf("explain (format json) %s", execute)).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal([]byte(text), &plans); err != nil || len(plans) != 1 {
		t.Fatalf("plan %s: %v", text, err)
	}
	return plans[0].Plan
}
