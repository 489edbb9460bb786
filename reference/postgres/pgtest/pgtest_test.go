package pgtest_test

import (
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/lib/pq"

	"github.com/seathold/seathold/reference/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func connect(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestDatabaseLivesAsLongAsItsTest(t *testing.T) {
	admin := connect(t, pgtest.Server(t).URL())
	var name string
	t.Run("test", func(t *testing.T) {
		dsn := pgtest.Database(t)
		db, other := connect(t, dsn), connect(t, pgtest.Database(t))
		// The same table in both: they are apart. The connections outlive nothing by closing.
		for _, db := range []*sql.DB{db, other} {
			if _, err := db.Exec(`create table mine (n int)`); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.QueryRow(`select current_database()`).Scan(&name); err != nil {
			t.Fatal(err)
		}
	})
	var left int
	if err := admin.QueryRow(`select count(*) from pg_database where datname = $1`, name).Scan(&left); err != nil {
		t.Fatal(err)
	}
	if name == "" || left != 0 {
		t.Errorf("database %q is left after its test", name)
	}
}

func TestNoPostgresFails(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "-test.v", "-test.run=^TestDatabaseLivesAsLongAsItsTest$")
	command.Env = append(os.Environ(), "SEATHOLD_POSTGRES=podman")
	output, err := command.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed || strings.Contains(string(output), "SKIP") {
		t.Errorf("passed or skipped (%v):\n%s", err, output)
	}
	if !strings.Contains(string(output), `"podman" is not known: want docker, local or a URL`) {
		t.Errorf("the output does not say why:\n%s", output)
	}
}
