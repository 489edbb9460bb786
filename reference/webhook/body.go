package webhook

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // the machine may have no zones, or old ones

	"github.com/seathold/seathold/reference"
)

// Version is the version of the request that this package sends. Within a version fields are added
// and never changed or taken away.
const Version = 1

type wireNotice struct {
	Version   int                 `json:"version"`
	Channel   reference.Channel   `json:"channel"`
	Template  string              `json:"template"`
	LearnerID reference.LearnerID `json:"learner_id"`
	HoldID    reference.HoldID    `json:"hold_id"`
	SectionID reference.SectionID `json:"section_id"`
	ExpiresAt string              `json:"expires_at"`
	Timezone  string              `json:"timezone"`
	Local     wireLocal           `json:"local"`
}

type wireLocal struct {
	Timezone    string `json:"timezone"`
	ExpiresAt   string `json:"expires_at"`
	Date        string `json:"date"`
	Time        string `json:"time"`
	Words       string `json:"words"`
	ZoneUnknown bool   `json:"zone_unknown"`
}

// body is the same for every attempt at one reminder, byte for byte: a provider that honours keys
// may refuse a key that comes back with another body.
func body(n reference.Notice, template string) (text []byte, zoneUnknown bool, err error) {
	r := n.Reminder
	local := wordTime(r.ExpiresAt, n.Zone)
	text, err = json.Marshal(wireNotice{
		Version: Version, Channel: r.Channel, Template: template,
		LearnerID: n.Learner, HoldID: r.Hold, SectionID: n.Section,
		ExpiresAt: r.ExpiresAt.UTC().Format(time.RFC3339), Timezone: n.Zone, Local: local,
	})
	if err != nil {
		return nil, false, fmt.Errorf("encode: %w", err)
	}
	return text, local.ZoneUnknown, nil
}

// wordTime says when the hold runs out where the learner is, or in UTC if that can't be known.
func wordTime(at time.Time, zone string) wireLocal {
	location, known := locate(zone)
	at = at.In(location)
	return wireLocal{
		Timezone: location.String(), ExpiresAt: at.Format(time.RFC3339),
		Date: at.Format(time.DateOnly), Time: at.Format("15:04"), Words: at.Format("Mon 2 Jan 2006, 15:04 MST"),
		ZoneUnknown: !known,
	}
}

// locations keeps zones that were read, by name. Only zones that exist get in, so that it can't
// grow without end.
var locations sync.Map

// locate finds an IANA zone. Local is the name of no zone, but of the machine's.
func locate(zone string) (location *time.Location, known bool) {
	if zone == "" || zone == "Local" {
		return time.UTC, false
	}
	if had, ok := locations.Load(zone); ok {
		return had.(*time.Location), true
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		return time.UTC, false
	}
	locations.Store(zone, location)
	return location, true
}
