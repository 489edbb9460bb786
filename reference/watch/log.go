package watch

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
)

// secretBytesMin is the length below which cutting out a secret would cut out anything.
const secretBytesMin = 4

// NewLogger logs JSON lines of at least a level (debug, info, warn or error), and cuts the secrets
// out of them.
func NewLogger(to io.Writer, program, level string, secrets []string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		panic(fmt.Sprintf("log level %q: %v", level, err))
	}
	cut := cutter(secrets)
	handler := slog.NewJSONHandler(to, &slog.HandlerOptions{Level: least, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case time.Time:
			return slog.Time(a.Key, v.UTC())
		case string:
			return slog.String(a.Key, cut.Replace(v))
		case error:
			return slog.String(a.Key, cut.Replace(v.Error()))
		}
		return a
	}})
	return slog.New(handler).With("program", program)
}

func cutter(secrets []string) *strings.Replacer {
	var pairs []string
	for _, s := range secrets {
		if len(s) >= secretBytesMin {
			pairs = append(pairs, s, "[secret]")
		}
	}
	return strings.NewReplacer(pairs...)
}

// milliseconds is d as logs have it.
func milliseconds(key string, d time.Duration) slog.Attr {
	return slog.Float64(key, float64(d.Microseconds())/1000)
}
