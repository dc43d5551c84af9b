# Entry points: `make demo` and `make test`. `make` alone prints the list and builds nothing.

.DEFAULT_GOAL := help

SWIFT ?= swift
export SWIFT
# With random hashing SwiftPM passes the names of traits to the compiler in a random order, and a new order recompiles everything.
export SWIFT_DETERMINISTIC_HASHING = 1
# Debug builds share their settings (.ci/settings.sh): a build with others compiles everything again.
BUILD = ./.ci/build
# The longest form of the tests (Tests/TestSupport/TestLength.swift).
SOAK = CLICKSTREAM_TESTS=soak
DEMO_STORE ?= .build-demo-store
HISTORIES ?= 1000000
CAPTURES ?= 100000
AUDIT_SCOPES ?= 100000
PLAN_EVENTS ?= 100000
PLAN_MUTATIONS ?= 10000
CLI = .build/release/clickstream-cli

.PHONY: demo test gate full plans soak soak-kill soak-reliability soak-damage soak-faults soak-mutations soak-connections soak-histories soak-captures soak-audit scaling \
	kafka \
	bench bench-quick bench-gate bench-rules fuzz browser gtk gtk-library contract docs format lint build release tools clean-demo \
	help bindings soak-bindings purposes library wheel dist gtk-dist deb release-files release-check packages install uninstall install-library uninstall-library

## Prints the targets with their descriptions.
help:
	@awk '/^## /  { text = text (text ? " " : "") substr($$0, 4) } \
		/^[a-z-]+:/ { if (text) { name = $$1; sub(":.*", "", name); printf "%-18s %s\n", name, text } text = "" } \
		/^$$/       { text = "" }' $(MAKEFILE_LIST)

## Installs missing system packages: the headers of zlib and SQLite (Debian, Ubuntu; other systems: prints what to
## install).
tools:
	@./.ci/system-packages

## Builds, replays a day of a shopping app to the embedded collector over HTTP, and prints the report.
demo: release
	@rm -rf "$(DEMO_STORE)"
	@$(CLI) replay Docs/Examples/shopping.yaml --storage "$(DEMO_STORE)" --format human
	@echo "The store of this run is in $(DEMO_STORE); 'make clean-demo' removes it."

clean-demo:
	rm -rf "$(DEMO_STORE)"

release: tools
	@$(BUILD) -c release --product clickstream-cli

build: tools
	$(BUILD)

## Builds and runs all tests.
test: tools
	$(BUILD) --build-tests
	./.ci/test

## Runs the gate, the checks that each change must pass: about a quarter of an hour.
gate:
	./.ci/run

## Runs the other checks: all jobs of .ci/full, or JOBS="coverage browser"; `.ci/full --list` prints them.
full:
	./.ci/full $(JOBS)

## Compares the verdicts of validate --plan with those of jsonschema (PyPI) on 10 000 modified events; builds the example
## of typed events, and checks that what its plan forbids does not compile, and that no event shadows a type of the toolchain.
plans: build
	python3 -m venv .build/plan-venv
	.build/plan-venv/bin/pip --quiet --disable-pip-version-check install jsonschema
	.build/plan-venv/bin/python Tests/Plan/verdicts --events $(PLAN_EVENTS) --mutations $(PLAN_MUTATIONS)
	./Tests/Plan/platform-names
	./Tests/Plan/typed

## Runs all long tests: see below.
soak: soak-kill soak-reliability soak-damage soak-faults soak-mutations soak-connections soak-histories soak-captures soak-audit scaling kafka

## Kills 1 000 processes at random times, and checks that no acknowledged event is lost and session numbers are unique.
soak-kill: tools
	$(BUILD) --build-tests
	$(SOAK) ./.ci/test --filter KillTests

## 1 000 rounds of killing recorder, sender and a failing collector; 8 processes of 20 000 events each on one store.
soak-reliability: tools
	$(BUILD) --build-tests
	$(SOAK) ./.ci/test --filter ReliabilityTests

## Truncates a store at each byte, flips each byte, and fails each file operation: a launch for every variant.
soak-damage: tools
	$(BUILD) --build-tests
	$(SOAK) ./.ci/test --filter "WholeStoreDamage|DamagedStore|CrashPoint|FaultAtEveryCall"

## Fails each file operation of real processes that record, launch, deliver and repair: about an hour; needs strace and
## Python.
soak-faults: build
	./Tests/Faults/run

## Sends 10 000 randomly modified requests: the collector keeps running and accounts for everything that it stores.
soak-mutations: tools
	$(BUILD) --build-tests
	$(SOAK) ./.ci/test --filter MutatedRequestTests

## Opens 10 000 idle connections: the collector is not slowed down, and closes them; needs wrk and python3.
soak-connections: release
	CLI=$(CLI) ./Tests/Performance/Collector/idle 10000

## Checks the collector against its OpenAPI description with schemathesis, installed from PyPI.
contract: build
	./Tests/Contract/schemathesis

## Plays a million random histories against an independent model of the lifecycle, in a release build.
soak-histories: tools
	$(SOAK) CLICKSTREAM_CASES=$(HISTORIES) $(SWIFT) test -c release -Xswiftc -enable-testing \
		--scratch-path .build-soak --filter RandomHistories

## Plays 100 000 random capture scripts against an independent model of the classification, and 100 000 random replay scripts
## with a user interface through the client, in a release build.
soak-captures: tools
	$(SOAK) CLICKSTREAM_CASES=$(CAPTURES) \
		$(SWIFT) test -c release -Xswiftc -enable-testing \
		--scratch-path .build-soak --filter "RandomCaptureTests|RandomScriptTests"

## Compares 100 000 random audit scopes with snapshots of their databases, and scopes of two processes with the versions that
## each wrote, in a release build; then runs GRDB's own tests with an active scope and without.
soak-audit: tools
	$(SOAK) CLICKSTREAM_CASES=$(AUDIT_SCOPES) $(SWIFT) test -c release -Xswiftc -enable-testing \
		--traits Audit --scratch-path .build-soak-audit --filter "RandomScopesTests|SharedRowTests"
	./Tests/Audit/grdb

## Compares the sessions computed by Spark from an archive with the collector's own; needs Java 17 and Python.
scaling: tools
	$(BUILD) --product clickstream-cli
	./Tests/Scaling/run

## Tests the Kafka sink against librdkafka's mock brokers; needs librdkafka's headers (Debian: librdkafka-dev).
kafka: tools
	$(SWIFT) test --traits Audit,Kafka --scratch-path .build-kafka --filter Kafka

## Measures performance against its limits and other implementations, prints a table, and writes Docs/benchmarks.md:
## about ten minutes.
bench: release
	./Tests/Performance/bench

## Measures performance with a tenth of the rounds, in about two minutes; writes no file.
bench-quick: release
	./Tests/Performance/bench --quick

## Counts instructions, allocations and system calls per event, and fails if one has increased.
bench-gate: tools
	./Tests/Performance/gate

## Counts the instructions of a name check and an attribute check against hard-coded checks; needs valgrind.
bench-rules: tools
	./Tests/Performance/rules

## Runs each fuzzer for FUZZ_SECONDS (default 20); see Docs/fuzzing.md.
fuzz: tools
	./Tests/Fuzz/run

## Tests the collector's page in a headless Chromium; see Docs/inspector.md.
browser: release
	@CLICKSTREAM_CLI=$(CLI) ./Tests/Browser/run

## Tests capture from GTK 4 with real programs on a headless desktop; installs what it needs (Debian).
gtk: tools
	./Tests/GTK/packages
	$(BUILD) --product clickstream-cli
	GTK_TEST_WINDOWS=3000 ./Tests/GTK/run
	$(SOAK) $(SWIFT) test --traits GTK --scratch-path .build-gtk --filter ClickstreamGTKTests

## Builds the library that captures unmodified GTK 4 programs, for LD_PRELOAD, into .build/gtk.
gtk-library: tools
	./Bindings/GTK/build

## Builds the documentation of the libraries with DocC into .build-docs; warnings are errors.
docs: tools
	./.ci/documentation

format:
	$(SWIFT) format --in-place --parallel --recursive Sources Tests Package.swift

lint:
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests Package.swift

## Builds libclickstream.so into .build-library/lib: self-contained, for programs in other languages; see Docs/bindings.md.
library: tools
	./Packaging/library

## Builds the Python packages into .build-wheel: a wheel with the library in it, and a source distribution; see Docs/python.md.
wheel: library
	./Packaging/wheel

## Builds the static, stripped command line into .build-dist/clickstream-cli; prints its size and start-up time.
dist: tools
	./Packaging/dist

## Builds the library that captures unmodified GTK 4 programs on machines without Swift into .build-gtk-dist; see Docs/gtk-tutorial.md.
gtk-dist:
	@./.ci/system-packages gtk
	./Packaging/gtk

## Builds the Debian packages clickstream-cli, clickstream-gtk, libclickstream0 and libclickstream-dev into .build-deb.
deb: library dist gtk-dist
	./Packaging/deb

## Collects the files of a release in .build-release-files: wheel, source distribution, Debian packages, an archive of the command line,
## its bill of materials (CycloneDX), and checksums.
release-files: wheel deb
	./Packaging/release-files

## Says whether the commit could be tagged as the version that it has: versions, API, documentation, packages in empty root file systems, and
## the same release files from a second build; needs root and debootstrap. RELEASE=--draft: before its section of CHANGELOG.md has the version.
release-check:
	./Packaging/check-release $(RELEASE)

## Builds the wheel, the Debian packages and the container image, and uses each in an empty root file system: the time from its installation
## to the first event in the page; needs root and debootstrap.
packages: release-files
	./Tests/Packages/run

## Installs command line, completions, man pages, library and header into PREFIX (default /usr/local) below DESTDIR; builds nothing.
install:
	@PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" ./Packaging/install install

## Removes exactly what `make install` with the same PREFIX and DESTDIR has installed.
uninstall:
	@PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" ./Packaging/install uninstall

## Installs library and header alone.
install-library:
	@for part in library dev; do PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" ./Packaging/install install $$part; done

## Removes library and header.
uninstall-library:
	@for part in library dev; do PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" DESTDIR="$(DESTDIR)" ./Packaging/install uninstall $$part; done

## Tests the C interface, the Objective-C and Python bindings, and the examples of Docs/bindings.md.
bindings: tools
	./Tests/Bindings/run

## Writes the constants of the consent purposes in the bindings.
purposes:
	./.ci/purposes --update

## Calls the functions of clickstream.h at random for an hour of processor time, under the address sanitizer.
soak-bindings: tools
	./Tests/Bindings/sanitizers address 3600
