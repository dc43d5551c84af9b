# The two commands that are all the set-up there is: `make demo` and `make test`.

SWIFT ?= swift
DEMO_STORE ?= .build-demo-store
HISTORIES ?= 1000000
CLI = .build/release/clickstream-cli

.PHONY: demo test soak bench format lint build release tools clean-demo

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

## Plays a million random histories through the library and a second opinion on the lifecycle, in a release build.
soak: tools
	CLICKSTREAM_HISTORIES=$(HISTORIES) $(SWIFT) test -c release -Xswiftc -enable-testing --disable-default-traits \
		--scratch-path .build-soak --filter RandomHistories

## Measures the command line's fixed costs and the replay's rate, in a release build.
bench: release
	./Tests/Performance/run

format:
	$(SWIFT) format --in-place --parallel --recursive Sources Tests Package.swift

lint:
	$(SWIFT) format lint --strict --parallel --recursive Sources Tests Package.swift
