package report

import "slices"

const diffContext = 2 // lines that didn't change around those that did

// diff gives the lines that differ, with a little of what is around them: "-" wanted, "+" got. It
// is empty if none differs.
func diff(want, got []string) []string {
	edits := edit(want, got)
	var out []string
	skipped := false
	for i, e := range edits {
		near := func(f edited) bool { return f.sign != ' ' }
		if !slices.ContainsFunc(edits[max(i-diffContext, 0):min(i+diffContext+1, len(edits))], near) {
			skipped = true
			continue
		}
		if skipped && len(out) > 0 {
			out = append(out, "  ...")
		}
		skipped = false
		out = append(out, string(e.sign)+" "+e.line)
	}
	return out
}

type edited struct {
	sign byte
	line string
}

// edit goes from want to got by the longest common subsequence; both are golden blocks, so short.
func edit(want, got []string) []edited {
	// common[i][j] is the length of the longest common subsequence of want[i:] and got[j:].
	common := make([][]int, len(want)+1)
	for i := range common {
		common[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []edited
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			out = append(out, edited{' ', want[i]})
			i, j = i+1, j+1
		case j == len(got) || i < len(want) && common[i+1][j] >= common[i][j+1]:
			out = append(out, edited{'-', want[i]})
			i++
		default:
			out = append(out, edited{'+', got[j]})
			j++
		}
	}
	return out
}
