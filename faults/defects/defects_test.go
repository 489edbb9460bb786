package defects_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults/defects"
)

// asked are the mistakes that a suite must notice, at the least.
const asked = `published published-repaired no-claim claim-after-send-under-claim-first ack-on-receive
loser-acks-a-live-claim key-without-channel key-without-window claim-never-settles-after-a-crash
blind-retry-on-timeout client-side-retry-inside-the-sender no-re-read no-cut-off no-due-check
redrive-skips-checks expire-unguarded expire-at-reminder-time expire-only-with-reminder
limit-without-paging page-cursor-that-skips-ties since-last-run-sweep sweep-stops-at-first-publish-error
marks-published-before-publishing batch-retried-whole lease-shorter-than-the-provider-timeout
process-clock-decides local-time-arithmetic commit-error-taken-for-failure
zero-rows-taken-for-a-lost-claim retry-after-ignored retry-after-unbounded
one-poisoned-message-blocks-the-queue drop-everything missed-written-over-a-live-claim
drop-with-a-false-reason send-first-called-claim-first dedup-only-in-the-broker
message-key-that-never-changes claims-pruned-before-messages-can-no-longer-return
delayed-message-instead-of-a-sweep hold-looked-at-before-the-row retake-without-doubt
retake-past-the-keys-horizon release-that-deletes release-without-the-token late-sent-tied-to-the-token
own-repeat-re-reads-the-hold settle-by-key settle-that-matched-nothing-read-as-done
deadline-counted-from-the-reply no-such-hold-before-the-row renomination-slower-than-the-due-span
open-rows-not-nominated http-client-that-retries-by-itself
deadline-compared-outside-the-sender tokens-derived-from-the-message windows-that-come-back
ranges-over-a-map owed-outcome-forgotten owed-outcome-keeps-the-slot locked-row-waited-for`

func TestAllThatIsAskedIsThere(t *testing.T) {
	want, got := map[string]bool{}, map[string]bool{}
	for _, name := range strings.Fields(asked) {
		want[name] = true
	}
	for _, d := range defects.All() {
		if got[d.Name] {
			t.Errorf("%s is there twice", d.Name)
		}
		got[d.Name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestEveryDefectIsTold(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, d := range defects.All() {
		switch {
		case !name.MatchString(d.Name):
			t.Errorf("%q is no name of small letters and hyphens", d.Name)
		case d.Mistake == "" || strings.HasSuffix(d.Mistake, ".") || d.Seen == "" || d.New == nil:
			t.Errorf("%s: want a sentence without its full stop on the mistake, who makes it, and a pipeline", d.Name)
		}
	}
	if _, found := defects.Named("no-claim"); !found {
		t.Error("no-claim is not found by its name")
	}
	if _, found := defects.Named("no-clam"); found {
		t.Error("something is found by a name that nothing has")
	}
}
