package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seathold/seathold/sim/script/lines"
)

// Rewrite gives the file with other golden lines, by the index of the step whose Golden they are;
// it changes nothing else, byte for byte. Src is what s was parsed from. It refuses lines that
// would not be read back as they are.
func (s *Scenario) Rewrite(src []byte, goldens map[int][]string) ([]byte, error) {
	var out []byte
	done := 0
	for i, step := range s.Steps {
		texts, changed := goldens[i]
		if step.Golden == nil || !changed {
			continue
		}
		if err := checkGolden(texts); err != nil {
			return nil, fmt.Errorf("rewrite the golden text at %s: %w", step.Pos, err)
		}
		g := step.Golden
		out = append(out, src[done:g.From]...)
		if g.From > 0 && src[g.From-1] != '\n' && len(texts) > 0 {
			out = append(out, '\n') // the mark was the file's last line, and not ended
		}
		for _, line := range texts {
			out = append(append(out, line...), '\n')
		}
		done = g.To
	}
	return append(out, src[done:]...), nil
}

func checkGolden(texts []string) error {
	if len(texts) > lines.GoldenMax {
		return fmt.Errorf("%d lines, and %d is the most; run to an earlier time, or show only=", len(texts), lines.GoldenMax)
	}
	bad := slices.IndexFunc(texts, func(line string) bool {
		_, problem := lines.BadText(line)
		return strings.TrimSpace(line) == "" || strings.Contains(line, "\n") || problem != "" || len(line) > lines.LineBytesMax
	})
	if bad >= 0 {
		return fmt.Errorf("line %d, %q, could not be read back", bad+1, texts[bad])
	}
	return nil
}
