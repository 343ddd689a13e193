# What one does often, one target each. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup build test test-all torture soak screens picture lint format completions order fuzz sanitize \
	bench demo first-ten-minutes deb packages install files uninstall clean

SWIFT ?= swift
# Without root's rights, what is installed is the user's own.
PREFIX ?= $(if $(filter 0,$(shell id -u)),/usr/local,$(HOME)/.local)
DESTDIR ?=
bindir = $(PREFIX)/bin
mandir = $(PREFIX)/share/man
# Where each shell looks for what packages and administrators bring.
bashdir = $(PREFIX)/share/bash-completion/completions
zshdir = $(PREFIX)/share/zsh/site-functions
fishdir = $(PREFIX)/share/fish/vendor_completions.d

version := $(shell sed -n 's/^package let version = "\(.*\)"/\1/p' Sources/AcctCLI/Version.swift)
pages = $(wildcard man/acct*.[1-8])

# Debug and release agree on this one: a room imports only what Package.swift lets it.
flags = --explicit-target-dependency-import-check error
# Types are looked up by address, not by name: that reads every conformance that there is.
start_up = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# A library that is not loaded takes no time to be: what .build/static has, and the unwinder.
static = --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
# Fewer pages to read, and fewer at random, before main(): relocations packed into a twentieth
# (DT_RELR), no table of symbols that nobody looks up, and what every command runs lying together. And no
# records to search that nobody looks for.
linking = -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic \
	-Xlinker -z -Xlinker pack-relative-relocs -Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xlinker --symbol-ordering-file=packaging/start-up.order -Xlinker --no-warn-symbol-ordering \
	-Xlinker --script=packaging/unsearched.ld
# What is installed looks for no library beside itself.
release_flags = $(flags) --configuration release --product acct $(static) \
	--disable-local-rpath $(start_up) $(linking)
binary = .build/release/acct
scripts = .ci/setup .ci/run .ci/wide-characters .ci/check-rooms .ci/check-architecture .ci/check-words .ci/check-binary .ci/check-manual \
	.ci/check-packages .ci/fuzz .ci/sanitize completions/generate packaging/deb \
	packaging/start-up-order \
	Examples/git-credential-acct Examples/systemd/acct-renew \
	$(wildcard .ci/with-keyring Examples/*.sh Benchmarks/*.sh)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## installs what building, testing and the demo need
	@.ci/setup build demo test lint deb packages

build: ## the release binary, .build/release/acct
	@.ci/setup build
	$(SWIFT) build $(release_flags)

# What Tests/run runs. A suite is a process; JOBS is how many run at a time.
bundle = .build/debug/acctPackageTests.xctest
JOBS ?=
test: ## sets up and runs the tests, which takes a few minutes
	@.ci/setup build test
	$(SWIFT) build $(flags) --build-tests --disable-xctest
	Tests/run $(bundle) --log .build/test.log $(addprefix --jobs ,$(JOBS))

test-all: export ACCT_TESTS = all
test-all: test ## the same with the long forms, as in CI

torture: ## fails every system call of every change in every way; takes an hour
	@.ci/setup build test
	ACCT_TORTURE=full $(SWIFT) test $(flags) --disable-xctest --no-parallel --filter TortureTests

soak: ## 30 processes in bad weather for SOAK_SECONDS (600)
	@.ci/setup build test
	SOAK_SECONDS=$${SOAK_SECONDS:-600} $(SWIFT) test $(flags) --disable-xctest --no-parallel \
		--filter SoakTests

sanitize: ## tests under the sanitizers of address, threads, undefined behaviour; acct under valgrind
	@.ci/setup build test sanitize
	.ci/sanitize address
	.ci/sanitize thread
	.ci/sanitize undefined
	.ci/sanitize valgrind

screens: ## writes anew how screens must look, for `git diff` to show
	@.ci/setup build test
	ACCT_WRITE_SCREENS=1 $(SWIFT) test $(flags) --disable-xctest --no-parallel --filter ScreenTests

lint: build ## format, rooms, scripts, the manual, and what the binary links
	@.ci/setup lint
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	.ci/check-rooms
	.ci/check-architecture
	.ci/check-words
	.ci/check-manual
	shellcheck $(scripts)
	.ci/check-binary $(binary)

format: ## formats the sources in place
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

completions: ## writes completions/ anew, from the commands as they are
	@.ci/setup build completions
	$(SWIFT) build $(flags) --product acct
	completions/generate .build/debug/acct

order: build ## writes packaging/start-up.order anew; `make build` then links by it
	@.ci/setup bench
	packaging/start-up-order $(binary) >.build/start-up.order
	mv .build/start-up.order packaging/start-up.order
	rm $(binary) # the build does not know that it depends on this file

fuzz: ## feeds every parser malformed inputs
	@.ci/setup build
	.ci/fuzz

bench: build ## measures acct beside its peers, and counts what can be counted
	@.ci/setup bench
	@Benchmarks/peers.sh $(binary)
	@Benchmarks/request.sh $(binary)
	@Benchmarks/thresholds.sh $(binary)
	ACCT_BENCH=1 $(SWIFT) build $(subst --product acct,--product proof,$(release_flags))
	@.build/release/proof

demo: build ## the main job, on a throwaway vault
	@.ci/setup demo
	@Examples/demo.sh $(binary)

first-ten-minutes: build ## plays every command of README.md in a real terminal
	@.ci/setup first-ten-minutes
	@PYTHONDONTWRITEBYTECODE=1 .ci/with-keyring .build/venv/bin/python Tests/FirstTenMinutes/play.py .build/first-ten-minutes

picture: build ## draws Documentation/screen.svg anew, from a terminal
	@.ci/setup first-ten-minutes
	PYTHONDONTWRITEBYTECODE=1 .build/venv/bin/python Documentation/screen.py $(binary) Documentation/screen.svg

install: build ## installs to PREFIX (/usr/local for root, else ~/.local)
	@$(MAKE) --no-print-directory files

# What is built already: a package takes its files from here.
files:
	install -D -m 755 --strip $(binary) "$(DESTDIR)$(bindir)/acct"
	install -D -m 644 completions/acct.bash "$(DESTDIR)$(bashdir)/acct"
	install -D -m 644 completions/_acct "$(DESTDIR)$(zshdir)/_acct"
	install -D -m 644 completions/acct.fish "$(DESTDIR)$(fishdir)/acct.fish"
	@set -e; for page in $(pages); do \
	  to="$(DESTDIR)$(mandir)/man$${page##*.}"; install -d "$$to"; echo "$$page -> $$to"; \
	  sed 's/^\.Os$$/.Os acct $(version)/' "$$page" | gzip -9n >"$$to/$${page#man/}.gz"; \
	  chmod 644 "$$to/$${page#man/}.gz"; \
	done

# Folders stay: others may have made them.
uninstall: ## takes it away again; accounts stay
	rm -f "$(DESTDIR)$(bindir)/acct" "$(DESTDIR)$(bashdir)/acct" "$(DESTDIR)$(zshdir)/_acct" \
	  "$(DESTDIR)$(fishdir)/acct.fish"
	@for page in $(pages); do \
	  rm -f "$(DESTDIR)$(mandir)/man$${page##*.}/$${page#man/}.gz"; \
	done

deb: build ## a Debian package, .build/acct_VERSION_ARCH.deb
	@.ci/setup deb
	packaging/deb .build

packages: build ## checks what install and deb make, in throwaway folders
	@.ci/setup deb packages
	.ci/check-packages

clean: ## removes everything that was built
	rm -rf .build
