package main

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/swarm"
)

var (
	seedsForAWait = uint64(1) << 40 // more than any -for comes to
	shardsMax     = uint64(1) << 16
)

// search is what the flags of explore ask for.
type search struct {
	each, seeds, profile, shard, junit, save, defect, store string
	pairs, orders, horizons, asJSON, requireMarks           bool
	preemptions, cores, shrink                              int
	time                                                    time.Duration
	bases                                                   []string
	explore.Search
}

func (s *search) flags() *flag.FlagSet {
	f := flag.NewFlagSet("explore", flag.ContinueOnError)
	f.StringVar(&s.each, "each", "", "")
	f.BoolVar(&s.pairs, "pairs", false, "")
	f.BoolVar(&s.orders, "orders", false, "")
	f.IntVar(&s.preemptions, "preemptions", 2, "")
	f.BoolVar(&s.horizons, "horizons", false, "")
	f.StringVar(&s.seeds, "seeds", "", "")
	f.StringVar(&s.profile, "profile", "", "")
	f.DurationVar(&s.time, "for", 0, "")
	f.StringVar(&s.shard, "shard", "", "")
	f.IntVar(&s.cores, "cores", runtime.GOMAXPROCS(0), "")
	f.StringVar(&s.store, "store", "memory", "")
	f.StringVar(&s.defect, "defect", "", "")
	f.IntVar(&s.shrink, "shrink", 0, "")
	f.StringVar(&s.save, "save", "", "")
	f.BoolVar(&s.asJSON, "json", false, "")
	f.StringVar(&s.junit, "junit", "", "")
	f.BoolVar(&s.requireMarks, "require-marks", false, "")
	return f
}

// check looks at the flags as a whole.
func (s *search) check() error {
	wrong := func(hint, format string, args ...any) error {
		return usageError{"explore: " + fmt.Sprintf(format, args...), hint}
	}
	if len(s.bases) > 0 && s.each == "" && !s.pairs && !s.orders && !s.horizons && s.seeds == "" {
		s.each = "all"
	}
	if s.time > 0 && s.each == "" && !s.pairs && !s.orders && !s.horizons && s.seeds == "" {
		s.seeds = fmt.Sprintf("1-%d", seedsForAWait)
	}
	switch {
	case s.each == "" && !s.pairs && !s.orders && !s.horizons && s.seeds == "":
		return wrong("say -each all, -pairs, -orders, -horizons, -seeds 1-1000 or -for 60s", "nothing to search")
	case s.profile != "" && !slices.Contains(swarm.Profiles, s.profile):
		return wrong("", "-profile %s is none of %s", s.profile, strings.Join(swarm.Profiles, ", "))
	case s.defect != "" && s.store != "memory":
		return wrong("", "a defect is searched on memory, and not on -store %s", s.store)
	case s.profile != "" && s.seeds == "":
		return wrong("a base has a queue of its own", "-profile is for -seeds and -for")
	case len(s.bases) > 0 && s.each == "" && !s.pairs && !s.orders && !s.horizons:
		return wrong("say -each all, -pairs, -orders or -horizons to search around it", "no base is needed, and %s is one", s.bases[0])
	case s.preemptions < 0:
		return wrong("", "-preemptions %d is too small", s.preemptions)
	case s.cores < 1:
		return wrong("", "-cores %d is too small", s.cores)
	case s.shrink < 0:
		return wrong("", "-shrink %d is too small", s.shrink)
	case s.time < 0:
		return wrong("", "-for %s is too short", s.time)
	}
	if s.each != "" && s.each != "all" {
		for _, k := range strings.Split(s.each, ",") {
			if !slices.Contains(explore.EachKinds(), k) {
				return wrong("say all, or some of "+strings.Join(explore.EachKinds(), ","), "unknown kind %q", k)
			}
		}
	}
	if s.shard != "" {
		i, n, ok := numbers(s.shard, "/")
		if s.Shard, s.Shards = int(i), int(n); !ok || i < 1 || i > n || n > shardsMax {
			return wrong("-shard 1/3 is the first of three", "-shard %s is no i/n", s.shard)
		}
	}
	if _, _, err := s.seedRange(); err != nil {
		return err
	}
	if s.time > 0 {
		s.Until = time.Now().Add(s.time)
	}
	return nil
}

func (s *search) seedRange() (from, to uint64, err error) {
	if s.seeds == "" {
		return 1, 0, nil
	}
	from, to, ok := numbers(s.seeds, "-")
	if !ok || from > to {
		return 0, 0, usageError{fmt.Sprintf("explore: -seeds %s is no A-B", s.seeds), "-seeds 1-1000 are a thousand; -seeds 41-41 is one"}
	}
	return from, to, nil
}

// numbers reads two numbers and what is between them.
func numbers(text, between string) (a, b uint64, ok bool) {
	first, second, _ := strings.Cut(text, between)
	a, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	b, err = strconv.ParseUint(second, 10, 64)
	return a, b, err == nil
}
