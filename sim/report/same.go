package report

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/trace"
)

// sameEvent compares all fields; times as instants.
func sameEvent(a, b trace.Event) bool { return differingFields(a, b) == "" }

// differingFields names the fields that differ, with both values.
func differingFields(a, b trace.Event) string {
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	var parts []string
	for i := range va.NumField() {
		x, y := va.Field(i).Interface(), vb.Field(i).Interface()
		if t, ok := x.(time.Time); ok && t.Equal(y.(time.Time)) || !ok && reflect.DeepEqual(x, y) {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s, %s and %s", va.Type().Field(i).Name, value(x), value(y)))
	}
	return strings.Join(parts, ", ")
}

func value(x any) string {
	if t, ok := x.(time.Time); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	if reflect.TypeOf(x).Kind() == reflect.String {
		return fmt.Sprintf("%q", x)
	}
	return fmt.Sprint(x)
}
