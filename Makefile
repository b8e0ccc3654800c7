# Checks and measurements; see CONTRIBUTING.md.

.PHONY: test race lint fuzz bench

test:
	go test ./...

race:
	.ci/run race

lint:
	.ci/run format vet lint

fuzz:
	.ci/run fuzz

bench:
	cd bench && go run .
