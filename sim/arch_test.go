package sim_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The layout, the arrows and the hard limits of the project, held by a test: each finding says
// file:line, what is wrong, and the mend.

const module = "github.com/seathold/seathold"

// arrows forbid imports: a file below From must not import any of Not.
var arrows = []struct {
	from string
	not  []string
	mend string
}{
	{"reference", []string{"sim", "faults", "scenarios", "fixtures"}, "the pipeline knows nothing of its harness: declare a port in reference, and implement it in sim"},
	{"faults", []string{"sim", "scenarios", "fixtures"}, "a fault is a value; what brings it about belongs in sim"},
	{"fixtures", []string{"sim", "faults", "scenarios"}, "fixtures are data"},
	{"sim", []string{"scenarios"}, "scenarios import the simulator, not the other way round"},
}

// pure packages must import neither package sim nor testing, so that the test and the command share
// one parser and one failure report.
var pure = []string{"sim/script", "sim/trace", "sim/promise", "sim/report"}

// core packages may import only these besides the standard library and each other.
var core = []string{"reference", "faults", "sim", "sim/virtual", "sim/broker", "sim/provider", "sim/script", "sim/trace", "sim/promise", "sim/report"}

var coreMay = []string{"github.com/benbjohnson/clock", "github.com/robfig/cron/v3"}

// timeless packages read no global clock or chance, and start nothing by themselves.
var timeless = []string{"reference", "reference/memory", "faults", "sim", "sim/virtual", "sim/broker", "sim/provider", "sim/script", "sim/trace", "sim/promise", "sim/report"}

var banned = map[string]string{
	"time.Now": "take a clock.Clock", "time.Sleep": "take a reference.Waiter", "time.After": "take a reference.Waiter",
	"time.Since": "take a clock.Clock", "time.Until": "take a clock.Clock", "time.Tick": "take a reference.Waiter",
	"time.NewTimer": "take a reference.Waiter", "time.NewTicker": "take a reference.Waiter", "time.AfterFunc": "take a reference.Waiter",
	"context.WithTimeout": "derive contexts by clk.WithTimeout", "context.WithDeadline": "derive contexts by clk.WithTimeout",
}

const (
	functionLines = 70
	fileLines     = 400
	packageLines  = 2000
	portMethods   = 5
	scenarioLines = 120
)

type file struct {
	path, dir string // from the root, with slashes
	test      bool
	ast       *ast.File
	lines     int
}

// tree parses every Go file of the module.
func tree(t *testing.T) (*token.FileSet, []file) {
	t.Helper()
	fset := token.NewFileSet()
	var files []file
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := d.Name(); name != ".." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && name != ".." {
				return filepath.SkipDir // a module of its own
			}
			return nil
		case !strings.HasSuffix(rel, ".go"):
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(fset, rel, src, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, file{rel, path.Dir(rel), strings.HasSuffix(rel, "_test.go"), parsed, strings.Count(string(src), "\n")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, files
}

func TestArrows(t *testing.T) {
	fset, files := tree(t)
	for _, f := range files {
		for _, spec := range f.ast.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			for _, finding := range arrowFindings(f, imported) {
				t.Errorf("%s: %s", fset.Position(spec.Pos()), finding)
			}
		}
	}
}

func arrowFindings(f file, imported string) []string {
	var out []string
	inner, ours := strings.CutPrefix(imported, module+"/")
	for _, a := range arrows {
		for _, not := range a.not {
			if below(f.dir, a.from) && ours && below(inner, not) {
				out = append(out, fmt.Sprintf("%s imports %s: %s", f.dir, inner, a.mend))
			}
		}
	}
	if in(pure, f.dir) && !f.test && (imported == module+"/sim" || imported == "testing") {
		out = append(out, fmt.Sprintf("%s imports %s: the command uses this package too; move what needs it to sim or to a test", f.dir, imported))
	}
	if in(core, f.dir) && !f.test && !ours && strings.Contains(strings.Split(imported, "/")[0], ".") && !in(coreMay, imported) {
		out = append(out, fmt.Sprintf("%s imports %s: the core needs only %s; write an adapter package", f.dir, imported, strings.Join(coreMay, " and ")))
	}
	if in(timeless, f.dir) && !f.test && (imported == "math/rand" || imported == "math/rand/v2" || imported == "crypto/rand") {
		out = append(out, fmt.Sprintf("%s imports %s: take chance as an argument", f.dir, imported))
	}
	return out
}

func TestBannedCalls(t *testing.T) {
	fset, files := tree(t)
	for _, f := range files {
		if !in(timeless, f.dir) || f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil {
					if mend, ok := banned[x.Name+"."+n.Sel.Name]; ok {
						t.Errorf("%s: %s.%s in %s: %s", fset.Position(n.Pos()), x.Name, n.Sel.Name, f.dir, mend)
					}
				}
			case *ast.GoStmt:
				t.Errorf("%s: go statement in %s: straight-line code against ports; let the caller start goroutines", fset.Position(n.Pos()), f.dir)
			case *ast.SelectStmt:
				t.Errorf("%s: select in %s: only a Waiter may select", fset.Position(n.Pos()), f.dir)
			}
			return true
		})
	}
}

func TestSizes(t *testing.T) {
	fset, files := tree(t)
	packages := map[string]int{}
	for _, f := range files {
		if !f.test {
			packages[f.dir] += f.lines
		}
		if f.lines > fileLines && !f.test {
			t.Errorf("%s:%d: the file has %d lines, and %d is the limit: split it by subject", f.path, fileLines, f.lines, fileLines)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1; lines > functionLines && !f.test {
					t.Errorf("%s: %s has %d lines, and %d is the limit: let it decide, and others compute", fset.Position(n.Pos()), n.Name.Name, lines, functionLines)
				}
			case *ast.InterfaceType:
				if n.Methods.NumFields() > portMethods && !f.test {
					t.Errorf("%s: an interface of %d methods, and %d is the limit: split it by who calls it", fset.Position(n.Pos()), n.Methods.NumFields(), portMethods)
				}
			}
			return true
		})
	}
	for dir, lines := range packages {
		if lines > packageLines {
			t.Errorf("%s: the package has %d lines, and %d is the limit: split it", dir, lines, packageLines)
		}
	}
}

func TestScenarioSizes(t *testing.T) {
	names, err := filepath.Glob("../scenarios/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(src), "\n"); lines > scenarioLines {
			t.Errorf("%s:%d: the scenario has %d lines, and %d is the limit: tell one incident", strings.TrimPrefix(name, "../"), scenarioLines, lines, scenarioLines)
		}
	}
}

var ownClock = regexp.MustCompile(`(?i)(^|[^_a-z.])(now\(\)|current_timestamp|localtimestamp|transaction_timestamp\(\)|statement_timestamp\(\))`)

// TestDatabaseClock finds SQL that reads a clock which is not a parameter.
func TestDatabaseClock(t *testing.T) {
	fset, files := tree(t)
	for _, f := range files {
		if f.test || !below(f.dir, "reference/postgres") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && ownClock.MatchString(lit.Value) {
				t.Errorf("%s: SQL that reads its own clock: say (select coalesce($n, clock_timestamp()))", fset.Position(lit.Pos()))
			}
			return true
		})
	}
	migrations, err := filepath.Glob("../reference/postgres/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range migrations {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			if code, _, _ := strings.Cut(line, "--"); ownClock.MatchString(code) {
				t.Errorf("%s:%d: a default that reads the clock: let the statement pass it", strings.TrimPrefix(name, "../"), i+1)
			}
		}
	}
}

// TestMapOrder finds loops over maps where their order could get into a trace. A loop whose result
// doesn't depend on the order says so in a comment on its line: "any order".
func TestMapOrder(t *testing.T) {
	fset, files := tree(t)
	imports := exported(t)
	for _, dir := range []string{"reference", "faults", "sim", "sim/virtual", "sim/broker", "sim/provider"} {
		var asts []*ast.File
		for _, f := range files {
			if f.dir == dir && !f.test {
				asts = append(asts, f.ast)
			}
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		conf := types.Config{Importer: importer.ForCompiler(fset, "gc", imports)}
		if _, err := conf.Check(module+"/"+dir, fset, asts, info); err != nil {
			t.Fatal(err)
		}
		for _, f := range asts {
			reportMapLoops(t, fset, f, info)
		}
	}
}

func reportMapLoops(t *testing.T, fset *token.FileSet, f *ast.File, info *types.Info) {
	excused := map[int]bool{}
	for _, group := range f.Comments {
		if strings.Contains(group.Text(), "any order") {
			excused[fset.Position(group.Pos()).Line] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		at := fset.Position(loop.Pos())
		if _, isMap := info.TypeOf(loop.X).Underlying().(*types.Map); isMap && !excused[at.Line] {
			t.Errorf("%s: ranging over a map: keep a slice beside it, or say on the line why any order does", at)
		}
		return true
	})
}

// exported finds the compiled packages that ours import.
func exported(t *testing.T) func(string) (io.ReadCloser, error) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", module+"/sim")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		found[p.ImportPath] = p.Export
	}
	return func(name string) (io.ReadCloser, error) { return os.Open(found[name]) }
}

// TestRulesBite shows that the rules find what they are for.
func TestRulesBite(t *testing.T) {
	for _, c := range []struct{ dir, imported string }{
		{"reference", module + "/sim"}, {"reference/postgres", module + "/faults"}, {"faults", module + "/sim/script"},
		{"sim/report", module + "/sim"}, {"sim/script", "testing"}, {"sim", "github.com/lib/pq"}, {"reference", "math/rand"},
	} {
		if len(arrowFindings(file{dir: c.dir}, c.imported)) == 0 {
			t.Errorf("%s may import %s", c.dir, c.imported)
		}
	}
	for _, sql := range []string{"select now()", "where t < CURRENT_TIMESTAMP"} {
		if !ownClock.MatchString(sql) {
			t.Errorf("%q passes as SQL without a clock of its own", sql)
		}
	}
	if ownClock.MatchString("coalesce($1, clock_timestamp())") {
		t.Error("clock_timestamp() behind a parameter is refused")
	}
}

func below(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

func in(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
