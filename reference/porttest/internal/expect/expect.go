// Package expect is how the suites compare.
package expect

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Same fails t where got is not want. Nil slices and empty ones are the same.
func Same(t *testing.T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, append(options, cmpopts.EquateEmpty())...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// Error fails t if err is not as wanted: nil, or wrapping want with words of its own.
func Error(t *testing.T, what string, want, err error) {
	t.Helper()
	switch {
	case want == nil && err != nil:
		t.Errorf("%s: unwanted error: %v", what, err)
	case want != nil && !errors.Is(err, want):
		t.Errorf("%s: error is %v, want one that wraps %q", what, err, want)
	case want != nil && err.Error() == want.Error():
		t.Errorf("%s: the error is bare %q, and doesn't say what was tried on what", what, err)
	}
}
