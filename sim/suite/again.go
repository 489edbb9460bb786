package suite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// Process is how to start the fresh process of a second pass. It must end up in Answer.
type Process struct {
	Path string
	Args []string
	// Env is added to ours.
	Env []string
}

// The second pass has another number of processors and lives in another time zone than the first:
// nothing of a trace may depend on either.
const againZone = "Asia/Kathmandu"

func (p Process) command(store string, mode string, scenarios []*script.Scenario) *exec.Cmd {
	args := append(append([]string{}, p.Args...), mode, store)
	for _, s := range scenarios {
		args = append(args, s.File)
	}
	procs := 1
	if runtime.GOMAXPROCS(0) == 1 {
		procs = 2
	}
	cmd := exec.Command(p.Path, args...)
	cmd.Env = append(os.Environ(), append([]string{fmt.Sprintf("GOMAXPROCS=%d", procs), "TZ=" + againZone}, p.Env...)...)
	return cmd
}

// The modes of a second pass.
const (
	modeHashes = "hashes"
	modeEvents = "events"
)

func (p Process) output(store, mode string, scenarios []*script.Scenario) ([]byte, error) {
	cmd := p.command(store, mode, scenarios)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("second pass, in a fresh process: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return out, nil
}

// answer is what a second pass says of one scenario.
type answer struct {
	File   string
	Events int
	Hash   uint64 `json:",string"`
}

func (p Process) results(store string, scenarios []*script.Scenario) (map[string]report.Result, error) {
	out, err := p.output(store, modeHashes, scenarios)
	if err != nil {
		return nil, err
	}
	results := map[string]report.Result{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var a answer
		if err := dec.Decode(&a); err == io.EOF {
			return results, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the second pass: %w", err)
		}
		results[a.File] = report.Result{Events: a.Events, Hash: a.Hash}
	}
}

func (p Process) events(store string, s *script.Scenario) ([]trace.Event, error) {
	out, err := p.output(store, modeEvents, []*script.Scenario{s})
	if err != nil {
		return nil, err
	}
	var events []trace.Event
	if err := json.Unmarshal(out, &events); err != nil {
		return nil, fmt.Errorf("read the events of the second pass: %w", err)
	}
	return events, nil
}

// Answer is the other end: it runs what command asks for, given the arguments after Process.Args,
// and writes what the first process reads. Open gives the backend of a name.
func Answer(w io.Writer, args []string, open func(store string) (sim.Backend, error)) error {
	if len(args) < 3 {
		return fmt.Errorf("second pass: want mode, store and files, got %q", args)
	}
	b, err := open(args[1])
	if err != nil {
		return err
	}
	scenarios, err := Load(args[2:])
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	for _, s := range scenarios {
		r, err := sim.Run(s, b)
		if err != nil {
			return err
		}
		var said any = answer{s.File, len(r.Trace.Events), r.Hash}
		if args[0] == modeEvents {
			said = r.Trace.Events
		}
		if err := enc.Encode(said); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
