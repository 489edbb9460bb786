# make run    builds holdsim and runs every scenario twice, on memory: nothing needed but Go
# make test   passes all tests; those on Postgres get a server as SEATHOLD_POSTGRES says
# make bench  prints the benchmarks, with allocations

GO ?= go
BENCH ?= .

.PHONY: run run-postgres test bench build

run: build
	bin/holdsim run scenarios

run-postgres: build
	bin/holdsim run -store postgres scenarios

test:
	$(GO) test $(TESTFLAGS) ./...

bench:
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

build:
	$(GO) build -o bin/holdsim ./sim/cmd/holdsim
