# Everything goes through here; `make help` lists it. Nothing but git, make, Node >= 20 and npm is needed to begin.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# npm scripts and everything below run under the project's own Node (the npm package `node`).
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
STAMP := node_modules/.tollgate-installed
# How the gateway runs: stripped sources are kept, the young heap and malloc's arenas stay small (a third of the memory),
# what is called often is optimized sooner, and not forgotten in every pause. The Dockerfile says more of each.
GATEWAY := NODE_COMPILE_CACHE=node_modules/.cache/tollgate MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=8192 node --v8-pool-size=3 --concurrent-maglev-max-threads=3 --concurrent-marking-max-worker-num=1 --min-semi-space-size=8 --max-semi-space-size=8 --minimum-invocations-after-ic-update=200 --memory-reducer-delay-ms=300000
ARGS ?=

.PHONY: help
help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22
	@echo 'test-<area>           tests of one area: make test-domain (a folder of test/: behaviour, charts, operator, ...)'

$(STAMP): package.json package-lock.json
	@command -v npm >/dev/null || { echo 'npm is missing: install Node.js 20 or newer'; exit 1; }
	npm ci --no-audit --no-fund
	tap build >/dev/null
	@touch $@

.PHONY: install
install: $(STAMP) ## install what the project needs (the other targets do it themselves)

.PHONY: run
run: $(STAMP) ## start the gateway on 127.0.0.1:4141 with examples/standalone and print a curl line
	@exec env $(GATEWAY) src/main.ts standalone --config examples/standalone --state .tollgate --demo $(ARGS)

.PHONY: check
check: $(STAMP) format-check lint typecheck ## format, lint, types, architecture, generated files
	tap run --disable-coverage test/architecture.test.ts
	node build/charts.ts --check
	@echo "all checks passed"

.PHONY: charts
charts: $(STAMP) ## write what of charts/ and docs/helm.md is generated: CRDs, dashboards, table of values
	node build/charts.ts

.PHONY: format
format: $(STAMP) ## rewrite the sources in the project's format
	oxfmt src test training build

.PHONY: format-check
format-check: $(STAMP)
	oxfmt --check src test training build

.PHONY: lint
lint: $(STAMP)
	oxlint --deny-warnings src test training build

.PHONY: typecheck
typecheck: $(STAMP)
	tsc --noEmit

.PHONY: requirements
requirements: $(STAMP)
	@test/install-requirements

.PHONY: test
test: requirements ## all tests, after installing what they need (Redis, an API server, helm)
	@test/install-cluster
	@rm -rf .tap/test-results
	tap run $(ARGS) || { find .tap/test-results -name '*.tap' -exec test/failures {} +; exit 1; }

.PHONY: test-%
test-%: requirements
	@test -n "$$(find 'test/$*' -name '*.test.ts' 2>/dev/null)" || { echo 'there are no tests in test/$*'; exit 1; }
	@case '$*' in operator | charts) test/install-cluster ;; esac
	tap run --disable-coverage $$(find test/$* -name '*.test.ts') $(ARGS)

.PHONY: bundle
bundle: $(STAMP) ## make dist/tollgate.mjs, what the container image runs
	node build/bundle.ts

.PHONY: e2e
e2e: $(STAMP) ## the chart on a real one-node Kubernetes (root on Debian; or CLUSTER=kind, or CLUSTER=given)
	@test/e2e/run $(ARGS)

IMAGES := .cache/images
.PHONY: image
image: $(STAMP) ## build the container image without a container engine (root, buildah); with one: docker build .
	@command -v buildah >/dev/null || test/cluster/build
	build/image $(IMAGES)/tollgate.tar

.PHONY: sbom
sbom: ## write what the image contains: .cache/images/tollgate.{cdx,spdx}.json
	@mkdir -p $(IMAGES)
	npm sbom --package-lock-only --omit dev --sbom-type application --sbom-format cyclonedx >$(IMAGES)/tollgate.cdx.json
	npm sbom --package-lock-only --omit dev --sbom-type application --sbom-format spdx >$(IMAGES)/tollgate.spdx.json

.PHONY: bench
bench: requirements bundle ## measure beside nginx and Portkey's gateway (ARGS='--quick throughput')
	npm ci --ignore-scripts --no-audit --no-fund --prefix test/bench >/dev/null
	node test/bench/run.ts $(ARGS)

.PHONY: train-injection
train-injection: $(STAMP) ## retrain the injection weights, bit for bit
	node training/injection/train.ts

.PHONY: clean
# Keys that applications use and the master secret are in .tollgate: with it gone, a gateway makes others. The programs of
# the cluster tests in ~/.cache/tollgate-cluster stay, for a build takes 8 to 20 minutes: rm -rf them where they are in the way.
clean: ## remove what the targets made, .tollgate (virtual keys, master secret) included; ~/.cache/tollgate-cluster stays
	rm -rf node_modules .tap test/bench/node_modules .cache coverage .tollgate dist
