# Checks and measurements; see CONTRIBUTING.md.

.PHONY: test race lint fuzz bench cover cross

test:
	go test ./...

race:
	.ci/run race

lint:
	.ci/run format vet lint

fuzz:
	.ci/run fuzz

cover cross:
	.ci/run $@

bench:
	cd bench && go run .
