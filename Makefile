# What one does often, one target each. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup build test screens lint format bench demo install uninstall clean

SWIFT ?= swift
# Without root's rights, what is installed is the user's own.
PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
DESTDIR ?=
bindir = $(DESTDIR)$(PREFIX)/bin

# Debug and release agree on this one: a room imports only what Package.swift lets it.
flags = --explicit-target-dependency-import-check error
# Types are looked up by address, not by name: a look-up by name reads every conformance that there is.
start_up = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
release_flags = $(flags) --configuration release --product acct --disable-local-rpath --static-swift-stdlib $(start_up)
binary = .build/release/acct
scripts = .ci/setup .ci/run .ci/wide-characters .ci/check-rooms .ci/check-binary .ci/count-tests \
	$(wildcard .ci/with-keyring Examples/*.sh Benchmarks/*.sh)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## installs what building, testing and the demo need
	@.ci/setup build demo test lint

build: ## the release binary, .build/release/acct
	@.ci/setup build
	@mkdir -p .build/static
	@ln -sf "$$(clang -print-file-name=libstdc++.a)" .build/static/
	$(SWIFT) build $(release_flags)

# One test at a time: many take real ports and real processes, and would take them from each other.
test: ## sets up and runs every test
	@.ci/setup build test
	$(SWIFT) test $(flags) --disable-xctest --no-parallel

screens: ## writes anew how screens must look, for `git diff` to show
	@.ci/setup build test
	ACCT_WRITE_SCREENS=1 $(SWIFT) test $(flags) --disable-xctest --no-parallel --filter ScreenTests

lint: build ## format, rooms, scripts, and what the binary links
	@.ci/setup lint
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	.ci/check-rooms
	shellcheck $(scripts)
	.ci/check-binary $(binary)

format: ## formats the sources in place
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

bench: build ## measures acct beside its peers, and counts what can be counted
	@.ci/setup bench
	@Benchmarks/peers.sh $(binary)
	@Benchmarks/thresholds.sh $(binary)

demo: build ## the main job, on a throwaway vault
	@.ci/setup demo
	@Examples/demo.sh $(binary)

install: build ## installs to PREFIX (/usr/local for root, else ~/.local)
	install -d "$(bindir)"
	install -m 755 --strip $(binary) "$(bindir)/acct"

uninstall: ## takes it away again; accounts stay
	rm -f "$(bindir)/acct"

clean: ## removes everything that was built
	rm -rf .build
