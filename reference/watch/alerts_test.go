package watch_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m, "holdsweep", "holdworker")) }

// exported are the metrics of the programs as they run: each with the labels of its series, and
// their values.
type exported map[string]map[string]map[string]bool

func (e exported) scrape(t *testing.T, p *programtest.Process) {
	t.Helper()
	_, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for name, family := range families {
		names := []string{name}
		if family.GetType().String() == "HISTOGRAM" {
			names = []string{name + "_bucket", name + "_sum", name + "_count"}
		}
		for _, n := range names {
			if e[n] == nil {
				e[n] = map[string]map[string]bool{"le": {}}
			}
			for _, series := range family.GetMetric() {
				for _, label := range series.GetLabel() {
					if e[n][label.GetName()] == nil {
						e[n][label.GetName()] = map[string]bool{}
					}
					e[n][label.GetName()][label.GetValue()] = true
				}
			}
		}
	}
}

// programs runs both, without any work, so that what is exported is what is there from the start.
func programs(t *testing.T) exported {
	t.Helper()
	d := programtest.Migrated(t)
	nobody := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(nobody.Close)
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	env := []string{
		"SEATHOLD_DATABASE_URL=" + d.DSN, "SEATHOLD_METRICS_LISTEN=127.0.0.1:0", "SEATHOLD_LISTEN=127.0.0.1:0", "SEATHOLD_POLL_EVERY=50ms",
		"SEATHOLD_EMAIL_URL=" + nobody.URL, "SEATHOLD_EMAIL_SECRET=" + secret, "SEATHOLD_SMS_URL=" + nobody.URL, "SEATHOLD_SMS_SECRET=" + secret,
	}
	all := exported{}
	once := programtest.Start(t, "holdsweep", env, "once")
	if code, _ := once.Wait(); code != 0 {
		t.Fatalf("holdsweep once: exit code %d", code)
	}
	for _, p := range []*programtest.Process{
		programtest.Start(t, "holdsweep", env, "serve"), programtest.Start(t, "holdworker", env),
	} {
		p.Await(1, programtest.Line{"msg": "program.ready", "ready": true})
		programtest.Eventually(t, func() error {
			all.scrape(t, p)
			if all["seathold_queue_messages"] == nil || all["seathold_last_sweep_found"] == nil {
				return os.ErrNotExist // not looked at yet
			}
			return nil
		})
	}
	return all
}

var (
	metricName = regexp.MustCompile(`seathold_[a-z_]+`)
	selector   = regexp.MustCompile(`(seathold_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(=~|=)\s*"([^"]*)"`)
	grouping   = regexp.MustCompile(`by \(([^)]*)\)`)
	alertName  = regexp.MustCompile(`(?m)^      - alert: (\w+)$`)
)

// rule is one alert of the file.
type rule struct{ name, expr, text string }

// rules reads what of the file it has to, by its layout.
func rules(t *testing.T, file string) []rule {
	t.Helper()
	var all []rule
	starts := alertName.FindAllStringSubmatchIndex(file, -1)
	for i, at := range starts {
		end := len(file)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		text := file[at[0]:end]
		_, after, _ := strings.Cut(text, "\n        expr: ")
		expr, _, _ := strings.Cut(after, "\n")
		if strings.TrimSpace(expr) == "" || strings.HasPrefix(expr, "|") {
			t.Fatalf("alert %s has no expr on one line, which is what this test reads", file[at[2]:at[3]])
		}
		all = append(all, rule{file[at[2]:at[3]], expr, text})
	}
	return all
}

func TestAlertsAreOnWhatIsExported(t *testing.T) {
	file, err := os.ReadFile("alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	all, have := rules(t, string(file)), programs(t)
	if len(all) < 20 {
		t.Fatalf("%d rules were read", len(all))
	}
	names := map[string]bool{}
	for _, r := range all {
		if names[r.name] {
			t.Errorf("%s is there twice", r.name)
		}
		names[r.name] = true
		for _, finding := range r.check(have) {
			t.Errorf("%s: %s", r.name, finding)
		}
	}
	for _, article := range []string{"SeatholdFoundNotPublished", "SeatholdAddConsumers", "SeatholdCollisions", "SeatholdNoSweepForTwoPeriods"} {
		if !names[article] {
			t.Errorf("there is no alert %s", article)
		}
	}
	// Metrics that the descriptions tell operators to look at are there, too.
	for _, name := range metricName.FindAllString(string(file), -1) {
		if have[name] == nil && have[name+"_count"] == nil {
			t.Errorf("%s is not exported", name)
		}
	}
}

// check holds the metrics, labels and values of an expression to what is exported.
func (r rule) check(have exported) []string {
	var findings []string
	labels := map[string]bool{}
	for _, s := range selector.FindAllStringSubmatch(r.expr, -1) {
		series := have[s[1]]
		if series == nil {
			findings = append(findings, s[1]+" is not exported")
			continue
		}
		for label := range series {
			labels[label] = true
		}
		for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
			values := []string{m[3]}
			if m[2] == "=~" {
				values = strings.Split(m[3], "|")
			}
			for _, v := range values {
				if !series[m[1]][v] {
					findings = append(findings, s[1]+" has no series with "+m[1]+"="+v+", only "+strings.Join(slices.Sorted(maps.Keys(series[m[1]])), ", "))
				}
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(r.expr, -1) {
		for _, label := range strings.Split(g[1], ",") {
			if !labels[strings.TrimSpace(label)] {
				findings = append(findings, "nothing in it has the label "+label)
			}
		}
	}
	if strings.Count(r.expr, "(") != strings.Count(r.expr, ")") {
		findings = append(findings, "its parentheses don't match")
	}
	for _, want := range []string{"severity: ", "summary: ", "description: "} {
		if !strings.Contains(r.text, want) {
			findings = append(findings, "it has no "+want)
		}
	}
	return findings
}

// TestAlertCheckBites shows that the check finds what it is for.
func TestAlertCheckBites(t *testing.T) {
	have := exported{"seathold_claims_total": {"le": {}, "answer": {"busy": true}}}
	const rest = "severity: summary: description: "
	for expr, want := range map[string]string{
		`sum(seathold_claim_total) > 0`:                       "seathold_claim_total is not exported",
		`sum(seathold_claims_total{answer="bussy"}) > 0`:      "no series with answer=bussy, only busy",
		`sum(seathold_claims_total{answer=~"busy|late"}) > 0`: "no series with answer=late, only busy",
		`sum by (channel) (seathold_claims_total) > 0`:        "nothing in it has the label channel",
		`sum((seathold_claims_total{answer="busy"}) > 0`:      "parentheses",
	} {
		if got := strings.Join((rule{"x", expr, rest}).check(have), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: findings %q, want %q", expr, got, want)
		}
	}
	if got := (rule{"x", `sum by (answer) (seathold_claims_total{answer="busy"}) > 0`, rest}).check(have); got != nil {
		t.Errorf("a good rule has findings: %q", got)
	}
}
