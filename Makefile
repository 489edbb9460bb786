# make run      builds holdsim and runs every scenario twice, on memory: nothing needed but Go
# make test     passes all tests; those on Postgres get a server as SEATHOLD_POSTGRES says
# make matrix   puts every defect to every scenario, and says who kills whom
# make explore  searches for scenarios that break a promise: EACH fault at every call, and SEEDS (FLAGS)
# make explore-more  the same for pairs of faults, all orders of small bases, and all that forgets
# make e2e      the real programs, killed at every point, in windows of seconds
# make demo     one hold nudged and expired, one confirmed, by the real programs, in under a minute
# make soak     the real programs under fire for DURATION, and an audit
# make bench    the pipeline on Postgres beside raw Postgres and River; takes some minutes
# make microbench  the benchmarks of the code, with allocations (BENCH)

GO ?= go
BENCH ?= .
EACH ?= all
SEEDS ?= 1-10000
DURATION ?= 60s

.PHONY: run run-postgres test matrix explore explore-more e2e demo soak bench microbench build

run: build
	bin/holdsim run scenarios

run-postgres: build
	bin/holdsim run -store postgres scenarios

# One package at a time: those that run the programs in real time want the machine to themselves.
test:
	$(GO) test -p 1 $(TESTFLAGS) ./...

matrix: build
	bin/holdsim matrix scenarios

explore: build
	bin/holdsim explore -each $(EACH) -seeds $(SEEDS) $(FLAGS)

explore-more: build
	bin/holdsim explore -pairs -horizons -orders

# The programs in real time; a starved machine may be too slow for their windows of seconds.
e2e:
	$(GO) test -count=1 -tags e2e ./reference/e2e/...

demo:
	$(GO) run ./reference/deploy/demo

soak:
	$(GO) run ./reference/e2e/soak -duration $(DURATION)

bench:
	cd reference/bench && $(GO) run .

microbench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

build:
	$(GO) build -o bin/holdsim ./sim/cmd/holdsim
