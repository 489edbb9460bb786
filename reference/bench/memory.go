package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

var peakLine = regexp.MustCompile(`(?m)^VmHWM:\s+([0-9]+) kB$`)

// peak runs a program, and gives the most memory that it had, in MB, as Linux tells while it runs;
// NaN where nobody tells. What a parent is told of its child in the end won't do: that begins with
// the parent's own.
func peak(c *exec.Cmd) (float64, error) {
	if err := c.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	most := math.NaN()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return most, err
		case <-tick.C:
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
			if err != nil {
				continue // it has just ended, or this isn't Linux
			}
			if found := peakLine.FindSubmatch(text); found != nil {
				kilobytes, _ := strconv.ParseFloat(string(found[1]), 64) // digits, by the pattern
				most = kilobytes / 1024
			}
		}
	}
}
