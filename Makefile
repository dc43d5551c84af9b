# The two commands that are all the set-up there is: `make demo` and `make test`.

SWIFT ?= swift
DEMO_STORE ?= .build-demo-store
HISTORIES ?= 1000000
CLI = .build/release/clickstream-cli
# Tests that run side by side: were it all of them, those with a server in the process would wait for those that calculate.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 6

.PHONY: demo test soak soak-kill soak-reliability soak-damage soak-mutations soak-connections soak-histories scaling kafka \
	bench bench-quick bench-gate bench-rules fuzz browser contract docs format lint build release tools clean-demo

## Installs what the system lacks: the headers of zlib and SQLite (Debian, Ubuntu; elsewhere it says what to install).
tools:
	@./.ci/system-packages

## Builds, replays a day of a shopping app into the embedded collector over real HTTP, and prints the report.
demo: release
	@rm -rf "$(DEMO_STORE)"
	@$(CLI) replay Docs/Examples/shopping.yaml --storage "$(DEMO_STORE)" --format human
	@echo "The store of this run is in $(DEMO_STORE); 'make clean-demo' removes it."

clean-demo:
	rm -rf "$(DEMO_STORE)"

release: tools
	@$(SWIFT) build -c release --product clickstream-cli

build: tools
	$(SWIFT) build

## Builds and runs every test.
test: tools
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build

## What takes longer than `make test` may: see below.
soak: soak-kill soak-reliability soak-damage soak-mutations soak-connections soak-histories scaling kafka

## Kills 1 000 processes at random moments, and checks that nothing acknowledged is lost and no session number given twice.
soak-kill: tools
	CLICKSTREAM_KILLS=1000 $(SWIFT) test --filter KillTests

## 1 000 rounds of killing recorder, sender and a failing collector; 8 processes of 20 000 events each on one store.
soak-reliability: tools
	CLICKSTREAM_KILL_ROUNDS=1000 CLICKSTREAM_PROCESS_EVENTS=20000 $(SWIFT) test --filter ReliabilityTests

## Cuts a store at each of its bytes, and flips each: a launch on every one of them.
soak-damage: tools
	CLICKSTREAM_DAMAGE=all $(SWIFT) test --filter "WholeStoreDamage|CrashPointDelivery"

## 10 000 requests with bytes changed at random: the collector stays well and stores nothing that it cannot account for.
soak-mutations: tools
	CLICKSTREAM_MUTATIONS=10000 $(SWIFT) test --filter MutatedRequestTests

## 10 000 connections that say nothing: the collector is as fast beside them, and lets go of them; needs wrk and python3.
soak-connections: release
	CLI=$(CLI) ./Tests/Performance/Collector/idle 10000

## Checks the collector against its own OpenAPI description with schemathesis, which it installs from PyPI.
contract: build
	./Tests/Contract/schemathesis

## Plays a million random histories through the library and a second opinion on the lifecycle, in a release build.
soak-histories: tools
	CLICKSTREAM_HISTORIES=$(HISTORIES) $(SWIFT) test -c release -Xswiftc -enable-testing --disable-default-traits \
		--scratch-path .build-soak --filter RandomHistories

## Compares the sessions that Spark makes of an archive with the collector's own; needs Java 17 and Python.
scaling: tools
	$(SWIFT) build --product clickstream-cli
	./Tests/Scaling/run

## Tests the Kafka sink against librdkafka's own brokers; needs librdkafka's headers (Debian: librdkafka-dev).
kafka: tools
	$(SWIFT) test --traits Tools,Kafka --scratch-path .build-kafka --filter Kafka

## Measures everything beside its limits and rivals, prints one table, and writes Docs/benchmarks.md: about ten minutes.
bench: release
	./Tests/Performance/bench

## The same with a tenth of the rounds, in about two minutes; writes nothing.
bench-quick: release
	./Tests/Performance/bench --quick

## Counts instructions, allocations and system calls of an event, and fails when one has grown.
bench-gate: tools
	./Tests/Performance/gate

## Counts the instructions of a name check and an attribute check beside hard-coded ones; needs valgrind.
bench-rules: tools
	./Tests/Performance/rules

## Runs each fuzzer for FUZZ_SECONDS (default 20); see Docs/fuzzing.md.
fuzz: tools
	./Tests/Fuzz/run

## Clicks through the collector's page in a headless Chromium; see Docs/inspector.md.
browser: release
	@CLICKSTREAM_CLI=$(CLI) ./Tests/Browser/run

## Builds the documentation of the libraries with DocC into .build-docs; a warning is an error.
docs: tools
	./.ci/documentation

format:
	$(SWIFT) format --in-place --parallel --recursive Sources Tests Package.swift

lint:
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests Package.swift
