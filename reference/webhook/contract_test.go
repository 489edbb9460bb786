package webhook_test

import (
	"bufio"
	"encoding/json"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

// TestContract holds the examples of the package comment to what is sent, byte by byte.
func TestContract(t *testing.T) {
	request, response := examples(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sent := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		var text strings.Builder
		r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c, &text)))
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
		}
		if err == nil {
			_, err = io.WriteString(c, strings.ReplaceAll(response, "\n", "\r\n"))
		}
		if err == nil {
			sent <- text.String()
		}
		close(sent)
	}()
	clk := clock.NewMock()
	clk.Set(time.Date(2026, 3, 2, 12, 7, 20, 0, time.UTC))
	n := notice()
	n.StartBy = reference.StartWithin(clk.Now(), time.Minute)
	s := open(t, "http://"+l.Addr().String()+"/nudges", func(c *webhook.Config) {
		c.Clock, c.KeyHorizon, c.Connect = clk, 24*time.Hour, once.Config{IdleTimeout: -1}
	})
	receipt, err := s.Send(background, n)
	if err != nil || receipt.Ref != "msg_8842" {
		t.Errorf("receipt %+v, %v; want that of the example", receipt, err)
	}
	got := strings.ReplaceAll(<-sent, "\r\n", "\n")
	got = strings.ReplaceAll(got, l.Addr().String(), "provider.example")
	got = strings.ReplaceAll(got, "Connection: close\n", "")
	head, text, _ := strings.Cut(got, "\n\n")
	lines := strings.Split(head, "\n")
	slices.Sort(lines[1:])
	if d := cmp.Diff(request, strings.Join(lines, "\n")+"\n\n"+indented(t, text)); d != "" {
		t.Errorf("the example of the package comment (-comment +sent):\n%s", d)
	}
}

// indented is how the comment shows a body, for nobody can read it in a line.
func indented(t *testing.T, text string) string {
	var fields json.RawMessage = []byte(text)
	out, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// examples gives the first two blocks of code in the package comment.
func examples(t *testing.T) (request, response string) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	code := false
	for line := range strings.Lines(f.Doc.Text()) {
		text, indent := strings.CutPrefix(line, "\t")
		switch {
		case indent && !code:
			blocks = append(blocks, text)
			code = true
		case indent || line == "\n" && code:
			blocks[len(blocks)-1] += strings.TrimPrefix(line, "\t")
		default:
			code = false
		}
	}
	if len(blocks) < 2 {
		t.Fatalf("%d examples in the package comment", len(blocks))
	}
	return strings.TrimSpace(blocks[0]), strings.TrimSpace(blocks[1])
}

func TestSignatures(t *testing.T) {
	const other once.Secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	var header http.Header
	var text []byte
	p := newRecorder(t, func(r *http.Request) {
		header = r.Header
		text, _ = io.ReadAll(r.Body)
	})
	if _, err := open(t, p, func(c *webhook.Config) { c.Secrets = []once.Secret{other, secret} }).Send(background, notice()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []once.Secret{secret, other} {
		verifier, err := standardwebhooks.NewWebhook(string(s))
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(text, header); err != nil {
			t.Error(err)
		}
		if verifier.Verify(append(text, ' '), header) == nil {
			t.Error("a body that was changed is verified")
		}
	}
}

func TestLocalTime(t *testing.T) {
	type local struct {
		Timezone, Date, Time, Words string
		Expires                     string `json:"expires_at"`
		Unknown                     bool   `json:"zone_unknown"`
	}
	utc := local{"UTC", "2026-03-29", "01:10", "Sun 29 Mar 2026, 01:10 UTC", "2026-03-29T01:10:00Z", true}
	known := utc
	known.Unknown = false
	for _, c := range []struct {
		zone string
		want local
	}{
		{"Europe/Berlin", local{"Europe/Berlin", "2026-03-29", "03:10", "Sun 29 Mar 2026, 03:10 CEST", "2026-03-29T03:10:00+02:00", false}}, // ten minutes after the gap
		{"America/New_York", local{"America/New_York", "2026-03-28", "21:10", "Sat 28 Mar 2026, 21:10 EDT", "2026-03-28T21:10:00-04:00", false}},
		{"Asia/Kathmandu", local{"Asia/Kathmandu", "2026-03-29", "06:55", "Sun 29 Mar 2026, 06:55 +0545", "2026-03-29T06:55:00+05:45", false}},
		{"UTC", known}, {"", utc}, {"Local", utc}, {"Europe/Berlim", utc}, {"../../etc/passwd", utc}, {"\x00", utc}, {"Europe/\xff", utc},
	} {
		t.Run(c.zone, func(t *testing.T) {
			var got struct{ Local local }
			p := newRecorder(t, func(r *http.Request) {
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
			})
			n := notice()
			n.Zone, n.Reminder.ExpiresAt = c.zone, time.Date(2026, 3, 29, 1, 10, 0, 0, time.UTC)
			var seen webhook.Exchange
			s := open(t, p, func(c *webhook.Config) { c.Observer = func(e webhook.Exchange) { seen = e } })
			if _, err := s.Send(background, n); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got.Local); d != "" || seen.ZoneUnknown != c.want.Unknown {
				t.Errorf("observed as unknown: %t; (-want +got):\n%s", seen.ZoneUnknown, d)
			}
		})
	}
}

func newRecorder(t *testing.T, record func(*http.Request)) string {
	server := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		record(r)
		_, _ = io.WriteString(w, `{"id":"m-1"}`)
	})
	return server.URL
}
