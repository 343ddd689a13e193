# What one does often, one target each. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup build build-tests test test-all torture soak soak-shared soak-proxy screens picture lint format \
	completions order fuzz sanitize page-pictures bench demo first-ten-minutes recipes deb packages archived release \
	verify-release check-sbom install files uninstall clean

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

# The names by which git, docker, cargo and terraform look for acct.
links = git-credential-acct docker-credential-acct cargo-credential-acct terraform-credentials-acct

version := $(shell sed -n 's/^package let version = "\(.*\)"/\1/p' Sources/AcctConsole/Version.swift)
pages = $(wildcard man/acct*.[1-8])
# What else a page is found by: NAME:PAGE.
other_names = $(links:%=%:acct-helper) acct-list:acct-status acct-observe:acct-limits \
	acct-allow:acct-switch acct-rename:acct-switch

# A room imports only what Package.swift lets it. How acct is linked stands there, too.
flags = --explicit-target-dependency-import-check error
# For the packages that acct depends on as well: types are looked up by address, not by name, which reads every
# conformance that there is; every function has a section, and none is kept for being public, so that what is not called is
# left out; and no library is looked for beside the program. No path of the building machine is in it, neither as debugging
# information, which `install` strips, nor in an assertion of C, for builds of other folders to make the same bytes.
release_flags = $(flags) --configuration release --disable-local-rpath -debug-info-format none \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -Xfrontend -Xswiftc -internalize-at-link \
	-Xcc -ffile-prefix-map=$(CURDIR)/.build/checkouts=vendor -Xcc -ffile-prefix-map=$(CURDIR)/=
binary = .build/release/acct
# What runs lies side by side; see packaging/start-up-order. A source archive has the order that its release was linked in.
ordered = -Xlinker --symbol-ordering-file=$(start_up_order) -Xlinker --no-warn-symbol-ordering
start_up_order = .build/start-up.order
packers = packaging/archive packaging/contained packaging/debian packaging/facts packaging/install.sh packaging/release \
	packaging/source packaging/start-up-order debian/tests/main-job
scripts = .ci/setup .ci/run .ci/wide-characters .ci/confusables .ci/check-rooms .ci/check-floors .ci/check-door .ci/check-architecture .ci/check-words .ci/check-binary .ci/check-manual \
	.ci/check-packages .ci/check-bare-debian .ci/check-reproducible .ci/check-sbom .ci/check-workflows .ci/fuzz .ci/sanitize completions/generate $(packers) \
	Examples/systemd/acct-renew Examples/systemd/acct-metrics \
	Examples/programs/keyring Tests/Homes/make $(wildcard .ci/with-keyring Examples/*.sh Examples/programs/*.sh Benchmarks/*.sh)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## installs what building, testing and the demo need
	@.ci/setup build demo test lint deb packages

build: ## the release binary, .build/release/acct
	@.ci/setup build
	$(SWIFT) build $(release_flags) --product acct

# What Tests/run runs. A suite is a process; JOBS is how many run at a time.
bundle = .build/release/acctPackageTests.xctest
suite = $(bundle) --testing-library swift-testing --no-parallel --filter
JOBS ?=
build-tests: ## the tests, and the release binary that they run
	@.ci/setup build test
	$(SWIFT) build $(release_flags) --build-tests --disable-xctest

test: build-tests ## sets up and runs the tests, which takes a few minutes
	Tests/run $(bundle) --log .build/test.log $(addprefix --jobs ,$(JOBS))

test-all: export ACCT_TESTS = all
test-all: test ## the same with the long forms, as in CI

torture: build-tests ## fails every system call of every change in every way; takes an hour
	ACCT_TORTURE=full $(suite) TortureTests

soak: build-tests ## 30 processes in bad weather for SOAK_SECONDS (600)
	SOAK_SECONDS=$${SOAK_SECONDS:-600} Tests/small-disk $(suite) EndToEndTests.SoakTests

soak-shared: build-tests ## the same on 3 machines that share a keyring on etcd, then on PostgreSQL
	SOAK_SECONDS=$${SOAK_SECONDS:-600} $(suite) EndToEndTests.SharedSoakTests

soak-proxy: build-tests ## SOAK_REQUESTS (a million) by one proxy, with each of two keyrings, under changes
	SOAK_REQUESTS=$${SOAK_REQUESTS:-1000000} $(suite) EndToEndTests.ProxySoakTests

sanitize: ## tests under the sanitizers of address, threads, undefined behaviour; acct under valgrind
	@.ci/setup build test sanitize
	.ci/sanitize address
	.ci/sanitize thread
	.ci/sanitize undefined
	.ci/sanitize valgrind

screens: build-tests ## writes anew how screens must look, for `git diff` to show
	ACCT_WRITE_SCREENS=1 $(suite) ScreenTests

lint: build ## format, rooms, scripts, the manual, and what the binary links
	@.ci/setup lint
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	.ci/check-rooms
	.ci/check-floors
	.ci/check-door
	.ci/check-architecture
	.ci/check-words
	.ci/check-manual
	.ci/check-workflows
	shellcheck $(scripts)
	.ci/check-binary $(binary)

format: ## formats the sources in place
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

completions: build ## writes completions/ anew, from the commands as they are
	@.ci/setup completions
	completions/generate $(binary)

# Linked anew from the same objects. The build does not know that it depends on the order.
order: build ## the release binary as packages have it: what commands run lies side by side
	@.ci/setup order
	packaging/start-up-order $(binary) >.build/start-up.order
	rm $(binary)
	$(SWIFT) build $(release_flags) --product acct $(ordered)

fuzz: ## feeds every parser malformed inputs
	@.ci/setup build
	.ci/fuzz

bench: order ## measures acct beside its peers, and counts what can be counted
	@.ci/setup bench
	@Benchmarks/peers.sh $(binary)
	@Benchmarks/request.sh $(binary)
	@Benchmarks/throughput.sh $(binary)
	@Benchmarks/shared.sh $(binary)
	@Benchmarks/hardware.sh $(binary)
	@Benchmarks/thresholds.sh $(binary)
	ACCT_BENCH=1 $(SWIFT) build $(release_flags) --product proof
	@.build/release/proof

demo: build ## the main job, on a throwaway vault
	@.ci/setup demo
	@Examples/demo.sh $(binary)

first-ten-minutes: build ## plays README.md in a real terminal, and counts the commands that people need
	@.ci/setup first-ten-minutes
	@PYTHONDONTWRITEBYTECODE=1 .ci/with-keyring .build/venv/bin/python Tests/FirstTenMinutes/play.py .build/first-ten-minutes
	@PYTHONDONTWRITEBYTECODE=1 .ci/with-keyring .build/venv/bin/python Tests/FirstTenMinutes/counts.py $(binary)

recipes: build ## runs the recipes of acct-recipes(7) with cron, direnv, podman and the others
	@.ci/setup recipes
	PYTHONDONTWRITEBYTECODE=1 .build/venv/bin/python Tests/Recipes/play.py $(binary)

picture: build ## draws Documentation/screen.svg anew, from a terminal
	@.ci/setup first-ten-minutes
	PYTHONDONTWRITEBYTECODE=1 .build/venv/bin/python Documentation/screen.py $(binary) Documentation/screen.svg

page-pictures: build ## pictures of the page that a sign-in's browser ends at, in .build/page-pictures
	@.ci/setup page-pictures
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/CallbackPage/pictures.py $(binary) .build/page-pictures

install: build ## installs to PREFIX (/usr/local for root, else ~/.local)
	@$(MAKE) --no-print-directory files

# What is built already: a package takes its files from here.
files:
	install -D -m 755 --strip $(binary) "$(DESTDIR)$(bindir)/acct"
	@set -e; for name in $(links); do \
	  to="$(DESTDIR)$(bindir)/$$name"; echo "acct -> $$to"; ln -sfn acct "$$to"; \
	done
	install -D -m 644 completions/acct.bash "$(DESTDIR)$(bashdir)/acct"
	install -D -m 644 completions/_acct "$(DESTDIR)$(zshdir)/_acct"
	install -D -m 644 completions/acct.fish "$(DESTDIR)$(fishdir)/acct.fish"
	@set -e; for page in $(pages); do \
	  to="$(DESTDIR)$(mandir)/man$${page##*.}"; install -d "$$to"; echo "$$page -> $$to"; \
	  sed 's/^\.Os$$/.Os acct $(version)/' "$$page" | gzip -9n >"$$to/$${page#man/}.gz"; \
	  chmod 644 "$$to/$${page#man/}.gz"; \
	done
	@set -e; for name in $(other_names); do \
	  ln -sfn "$${name#*:}.1.gz" "$(DESTDIR)$(mandir)/man1/$${name%:*}.1.gz"; \
	done

# Folders stay: others may have made them.
uninstall: ## takes it away again; accounts stay
	rm -f "$(DESTDIR)$(bindir)/acct" "$(DESTDIR)$(bashdir)/acct" "$(DESTDIR)$(zshdir)/_acct" \
	  "$(DESTDIR)$(fishdir)/acct.fish"
	@for page in $(pages); do \
	  rm -f "$(DESTDIR)$(mandir)/man$${page##*.}/$${page#man/}.gz"; \
	done
	@for name in $(links); do rm -f "$(DESTDIR)$(bindir)/$$name"; done
	@for name in $(other_names); do rm -f "$(DESTDIR)$(mandir)/man1/$${name%:*}.1.gz"; done

# As a source archive is built: without network, of what it brings. debian/rules calls this.
archived: start_up_order = packaging/start-up.order
archived:
	SWIFTCI_USE_LOCAL_DEPS=1 $(SWIFT) build $(release_flags) --product acct $(ordered)

deb: order ## a Debian package, .build/acct_VERSION_ARCH.deb
	@.ci/setup deb
	packaging/debian .build

release: order ## a release's files in dist/: archives, package, what they contain, sums; SIGNING_KEY=FILE signs them
	@.ci/setup deb release
	packaging/release dist

DIR ?= dist
verify-release: ## checks the release in DIR (dist), and with ALLOWED_SIGNERS=FILE who signed it
	packaging/verify-release $(DIR) $(ALLOWED_SIGNERS)

check-sbom: ## validates what describes the release in DIR (dist)
	@.ci/setup release
	.ci/check-sbom $(DIR)

packages: order ## checks what install, archive and deb make; with ACCT_TESTS=all in bare systems, as root
	@.ci/setup deb packages
	.ci/check-packages
	@if [ "$$ACCT_TESTS" = all ]; then .ci/setup bare-debian && .ci/check-bare-debian bookworm trixie; fi

clean: ## removes everything that was built
	rm -rf .build
